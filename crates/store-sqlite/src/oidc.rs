//! Providers of OpenID Connect, and accounts at them.

use crate::error::Undone;
use crate::{SqliteStore, audit, organizations, users};
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::api_key::Sealed;
use hearback_domain::audit::AuditEntry;
use hearback_domain::id::{OidcProviderId, OrganizationId, UserId};
use hearback_domain::oidc::{MOST_PROVIDERS, OidcAccount, OidcProvider};
use hearback_domain::session::TokenDigest;
use hearback_ports::instance::SealedSecret;
use hearback_ports::{OidcRepository, Recorded, StoreError};
use hearback_store_rows::oidc::{AccountRow, ProviderRow, SecretRow};
use hearback_store_rows::schema::{oidc_accounts, oidc_providers};
use hearback_store_rows::sessions::held;
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::{Id, all, one, queries};

#[async_trait]
impl OidcRepository for SqliteStore {
    async fn providers(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<OidcProvider>, StoreError> {
        let rows: Vec<ProviderRow> = self.readers.read("listing providers", |connection| {
            queries::providers_of(Id::of(organization))
                .order((oidc_providers::created_at, oidc_providers::id))
                .select(ProviderRow::as_select())
                .load(connection)
        })?;
        Ok(all(rows)?)
    }

    async fn add_provider(
        &self,
        organization: OrganizationId,
        provider: OidcProvider,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            add(connection, organization, provider.into())?;
            Ok(audit::insert(connection, organization, &[entry])?)
        };
        self.writer.record("adding a provider", work).await
    }

    async fn remove_provider(
        &self,
        organization: OrganizationId,
        id: OidcProviderId,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            let this = one!(oidc_providers, organization, Id::of(id));
            if diesel::delete(this).execute(connection)? == 0 {
                return Err(Undone::Stale);
            }
            Ok(audit::insert(connection, organization, &[entry])?)
        };
        self.writer.record("removing a provider", work).await
    }

    async fn user_of(
        &self,
        organization: OrganizationId,
        account: TokenDigest,
    ) -> Result<Option<UserId>, StoreError> {
        let user: Option<Id> = self.readers.read("finding an account", |connection| {
            let user = queries::user_of_account(Id::of(organization), held(account));
            user.first(connection).optional()
        })?;
        Ok(user.map(Id::to))
    }

    async fn link(
        &self,
        organization: OrganizationId,
        account: OidcAccount,
    ) -> Result<Recorded, StoreError> {
        let work =
            move |connection: &mut SqliteConnection| link(connection, organization, &account);
        self.writer.record("storing an account", work).await
    }
}

/// Adds a provider within a transaction. It holds the write lock, so that no organization gets too
/// many at once.
fn add(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    provider: ProviderRow,
) -> Result<(), Undone> {
    if !organizations::is_there(connection, organization)? {
        return Err(Undone::Stale);
    }
    let id = Id::of(organization);
    let present: i64 = queries::providers_of(id).count().get_result(connection)?;
    if present >= MOST_PROVIDERS as i64 {
        return Err(Undone::Stale);
    }
    diesel::insert_into(oidc_providers::table)
        .values((oidc_providers::organization_id.eq(id), provider))
        .execute(connection)?;
    Ok(())
}

/// Stores an account within a transaction.
fn link(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    account: &OidcAccount,
) -> Result<(), Undone> {
    if !organizations::is_there(connection, organization)?
        || !users::is_linked(connection, organization, account.user_id)?
    {
        return Err(Undone::Stale);
    }
    diesel::insert_into(oidc_accounts::table)
        .values((
            oidc_accounts::organization_id.eq(Id::of(organization)),
            AccountRow::from(account),
        ))
        .on_conflict((oidc_accounts::organization_id, oidc_accounts::digest))
        .do_update()
        .set(AccountRow::from(account))
        .execute(connection)?;
    Ok(())
}

/// Up to `limit` sealed secrets behind `after`, of all organizations, by organization and id.
pub(crate) fn secrets(
    connection: &mut SqliteConnection,
    after: Option<(Id, Id)>,
    limit: i64,
) -> QueryResult<Vec<SealedSecret>> {
    let rows: Vec<SecretRow> =
        lists::oidc_secrets(after, limit).select(SecretRow::as_select()).load(connection)?;
    Ok(rows.into_iter().map(SealedSecret::from).collect())
}

/// Replaces a sealed secret by `new`, unless it has changed since it was read. Returns the number
/// of secrets that were replaced.
pub(crate) fn replace_secret(
    connection: &mut SqliteConnection,
    secret: &SealedSecret,
    new: &Sealed,
) -> QueryResult<usize> {
    diesel::update(one!(oidc_providers, secret.place.organization, Id::of(secret.place.record)))
        .filter(oidc_providers::sealed.eq(&secret.sealed.0))
        .set(oidc_providers::sealed.eq(&new.0))
        .execute(connection)
}
