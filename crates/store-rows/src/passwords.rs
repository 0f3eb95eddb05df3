//! Passwords of users.

use crate::column::{BadRow, Origin};
use crate::schema::passwords;
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::password::{PasswordHash, StoredPassword};

/// A row of `passwords`.
#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(table_name = passwords)]
pub struct PasswordRow {
    user_id: Id,
    hash: String,
    set_at: Stamp,
}

impl From<&StoredPassword> for PasswordRow {
    fn from(password: &StoredPassword) -> Self {
        let StoredPassword { user_id, hash, set_at } = password;
        Self { user_id: Id::of(*user_id), hash: hash.0.clone(), set_at: Stamp::of(*set_at) }
    }
}

impl TryFrom<PasswordRow> for StoredPassword {
    type Error = BadRow;

    fn try_from(row: PasswordRow) -> Result<Self, BadRow> {
        let origin = Origin::new("passwords", row.user_id);
        Ok(Self {
            user_id: row.user_id.to(),
            hash: PasswordHash(row.hash),
            set_at: origin.read::<Time>("set_at", row.set_at)?,
        })
    }
}
