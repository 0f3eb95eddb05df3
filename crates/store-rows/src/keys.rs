//! API keys: their owners and their secrets.

use crate::schema::api_keys;
use crate::values::Id;
use diesel::prelude::*;
use hearback_domain::api_key::Sealed;
use hearback_domain::organization::HelpCenter;
use hearback_ports::instance::{SealedSecret, SecretKind, SecretPlace};
use hearback_ports::keys::KeyOwner;

/// The scope of a key that the public API accepts.
pub const PUBLIC_API: &str = "public_api";

/// The row of [`queries::owner_row`](crate::queries::owner_row()).
#[derive(Queryable)]
pub struct OwnerRow {
    id: Id,
    help_center_enabled: bool,
    events_ledger: bool,
}

impl From<OwnerRow> for KeyOwner {
    fn from(row: OwnerRow) -> Self {
        let help_center = HelpCenter::from_flag(row.help_center_enabled);
        Self { organization: row.id.to(), help_center, events_ledger: row.events_ledger }
    }
}

/// The secret of a key.
#[derive(Queryable, Selectable)]
#[diesel(table_name = api_keys)]
pub struct SecretRow {
    organization_id: Id,
    id: Id,
    is_active: bool,
    sealed: Vec<u8>,
}

impl From<SecretRow> for SealedSecret {
    fn from(row: SecretRow) -> Self {
        let kind = if row.is_active { SecretKind::ApiKey } else { SecretKind::RevokedApiKey };
        Self {
            place: SecretPlace { organization: row.organization_id.to(), record: row.id.0, kind },
            sealed: Sealed(row.sealed),
        }
    }
}
