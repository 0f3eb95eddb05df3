//! Second factors of users.

use crate::column::{BadRow, Origin};
use crate::schema::second_factors;
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::api_key::Sealed;
use hearback_domain::second_factor::SecondFactor;
use hearback_domain::session::TokenDigest;
use hearback_ports::instance::{SealedSecret, SecretKind, SecretPlace};

/// A row of `second_factors`.
#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(table_name = second_factors)]
pub struct FactorRow {
    user_id: Id,
    sealed: Vec<u8>,
    recovery: Vec<u8>,
    last_step: i64,
    confirmed_at: Stamp,
}

impl From<SecondFactor> for FactorRow {
    fn from(factor: SecondFactor) -> Self {
        Self {
            user_id: Id::of(factor.user_id),
            sealed: factor.sealed.0,
            recovery: joined(&factor.recovery),
            last_step: factor.last_step,
            confirmed_at: Stamp::of(factor.confirmed_at),
        }
    }
}

impl TryFrom<FactorRow> for SecondFactor {
    type Error = BadRow;

    fn try_from(row: FactorRow) -> Result<Self, BadRow> {
        let origin = Origin::new("second_factors", row.user_id);
        let (digests, rest) = row.recovery.as_chunks();
        if !rest.is_empty() {
            return Err(origin.bad("recovery"));
        }
        Ok(Self {
            user_id: row.user_id.to(),
            recovery: digests.iter().copied().map(TokenDigest).collect(),
            sealed: Sealed(row.sealed),
            last_step: row.last_step,
            confirmed_at: origin.read::<Time>("confirmed_at", row.confirmed_at)?,
        })
    }
}

/// The digests of recovery codes as their column holds them.
pub fn joined(recovery: &[TokenDigest]) -> Vec<u8> {
    recovery.iter().flat_map(|digest| digest.0).collect()
}

/// The secret of a second factor and its place.
#[derive(Queryable, Selectable)]
#[diesel(table_name = second_factors)]
pub struct SecretRow {
    organization_id: Id,
    user_id: Id,
    sealed: Vec<u8>,
}

impl From<SecretRow> for SealedSecret {
    fn from(row: SecretRow) -> Self {
        let organization = row.organization_id.to();
        let (record, kind) = (row.user_id.0, SecretKind::SecondFactor);
        Self { place: SecretPlace { organization, record, kind }, sealed: Sealed(row.sealed) }
    }
}
