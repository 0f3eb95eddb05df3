//! Providers of OpenID Connect, and accounts at them.

use crate::column::{BadRow, Origin};
use crate::schema::{oidc_accounts, oidc_providers};
use crate::sessions::held;
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::api_key::Sealed;
use hearback_domain::oidc::{ClaimNames, OidcAccount, OidcProvider};
use hearback_ports::instance::{SealedSecret, SecretKind, SecretPlace};

/// A row of `oidc_providers`.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = oidc_providers)]
pub struct ProviderRow {
    id: Id,
    name: String,
    issuer: String,
    client_id: String,
    sealed: Vec<u8>,
    email_claim: String,
    email_verified_claim: String,
    name_claim: String,
    picture_claim: String,
    for_members: bool,
    created_at: Stamp,
}

impl From<OidcProvider> for ProviderRow {
    fn from(provider: OidcProvider) -> Self {
        let ClaimNames { email, email_verified, name, picture } = provider.claims;
        Self {
            id: Id::of(provider.id),
            name: provider.name,
            issuer: provider.issuer,
            client_id: provider.client_id,
            sealed: provider.sealed.0,
            email_claim: email,
            email_verified_claim: email_verified,
            name_claim: name,
            picture_claim: picture,
            for_members: provider.for_members,
            created_at: Stamp::of(provider.created_at),
        }
    }
}

impl TryFrom<ProviderRow> for OidcProvider {
    type Error = BadRow;

    fn try_from(row: ProviderRow) -> Result<Self, BadRow> {
        let origin = Origin::new("oidc_providers", row.id);
        Ok(Self {
            id: row.id.to(),
            name: row.name,
            issuer: row.issuer,
            client_id: row.client_id,
            sealed: Sealed(row.sealed),
            claims: ClaimNames {
                email: row.email_claim,
                email_verified: row.email_verified_claim,
                name: row.name_claim,
                picture: row.picture_claim,
            },
            for_members: row.for_members,
            created_at: origin.read::<Time>("created_at", row.created_at)?,
        })
    }
}

/// A client secret and its place.
#[derive(Queryable, Selectable)]
#[diesel(table_name = oidc_providers)]
pub struct SecretRow {
    organization_id: Id,
    id: Id,
    sealed: Vec<u8>,
}

impl From<SecretRow> for SealedSecret {
    fn from(row: SecretRow) -> Self {
        let organization = row.organization_id.to();
        Self {
            place: SecretPlace { organization, record: row.id.0, kind: SecretKind::OidcSecret },
            sealed: Sealed(row.sealed),
        }
    }
}

/// A row of `oidc_accounts`.
#[derive(AsChangeset, Insertable)]
#[diesel(table_name = oidc_accounts)]
pub struct AccountRow {
    digest: Vec<u8>,
    user_id: Id,
    created_at: Stamp,
}

impl From<&OidcAccount> for AccountRow {
    fn from(account: &OidcAccount) -> Self {
        Self {
            digest: held(account.digest),
            user_id: Id::of(account.user_id),
            created_at: Stamp::of(account.created_at),
        }
    }
}
