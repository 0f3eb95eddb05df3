//! Secrets of single sign-on.

use crate::column::{BadRow, Origin};
use crate::schema::sso_secrets;
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::api_key::Sealed;
use hearback_domain::sso_secret::SealedSsoSecret;
use hearback_ports::instance::{SealedSecret, SecretKind, SecretPlace};

/// A row of `sso_secrets`.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = sso_secrets)]
pub struct SsoSecretRow {
    id: Id,
    sealed: Vec<u8>,
    created_at: Stamp,
}

impl From<&SealedSsoSecret> for SsoSecretRow {
    fn from(secret: &SealedSsoSecret) -> Self {
        Self {
            id: Id::of(secret.id),
            sealed: secret.sealed.0.clone(),
            created_at: Stamp::of(secret.created_at),
        }
    }
}

impl TryFrom<SsoSecretRow> for SealedSsoSecret {
    type Error = BadRow;

    fn try_from(row: SsoSecretRow) -> Result<Self, BadRow> {
        let origin = Origin::new("sso_secrets", row.id);
        Ok(Self {
            id: row.id.to(),
            sealed: Sealed(row.sealed),
            created_at: origin.read::<Time>("created_at", row.created_at)?,
        })
    }
}

/// A secret and its place.
#[derive(Queryable, Selectable)]
#[diesel(table_name = sso_secrets)]
pub struct SecretRow {
    organization_id: Id,
    id: Id,
    sealed: Vec<u8>,
}

impl From<SecretRow> for SealedSecret {
    fn from(row: SecretRow) -> Self {
        let organization = row.organization_id.to();
        Self {
            place: SecretPlace { organization, record: row.id.0, kind: SecretKind::SsoSecret },
            sealed: Sealed(row.sealed),
        }
    }
}
