//! Providers of OpenID Connect, and accounts at them.

use crate::{PgStore, audit, organizations, sessions};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::api_key::Sealed;
use hearback_domain::audit::AuditEntry;
use hearback_domain::id::{OidcProviderId, OrganizationId, UserId};
use hearback_domain::oidc::{MOST_PROVIDERS, OidcAccount, OidcProvider};
use hearback_domain::session::TokenDigest;
use hearback_ports::instance::SealedSecret;
use hearback_ports::{OidcRepository, Recorded, StoreError};
use hearback_store_rows::oidc::{AccountRow, ProviderRow, SecretRow};
use hearback_store_rows::postgres::lists;
use hearback_store_rows::schema::{oidc_accounts, oidc_providers};
use hearback_store_rows::sessions::held;
use hearback_store_rows::{Id, all, one, queries};

#[async_trait]
impl OidcRepository for PgStore {
    async fn providers(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<OidcProvider>, StoreError> {
        let query = || {
            queries::providers_of(Id::of(organization))
                .order((oidc_providers::created_at, oidc_providers::id))
                .select(ProviderRow::as_select())
        };
        let rows: Vec<ProviderRow> = self.readers.rows("listing providers", query).await?;
        Ok(all(rows)?)
    }

    async fn add_provider(
        &self,
        organization: OrganizationId,
        provider: OidcProvider,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError> {
        let work = self.writer.write("adding a provider", move |connection| {
            async move { add(connection, organization, provider.into(), entry).await }.boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }

    async fn remove_provider(
        &self,
        organization: OrganizationId,
        id: OidcProviderId,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError> {
        let work = self.writer.write("removing a provider", move |connection| {
            async move {
                let this = one!(oidc_providers, organization, Id::of(id));
                if !organizations::hold(connection, organization).await?
                    || diesel::delete(this).execute(connection).await? == 0
                {
                    return Ok(Recorded::Stale);
                }
                audit::insert(connection, organization, &[entry]).await?;
                Ok(Recorded::Done)
            }
            .boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }

    async fn user_of(
        &self,
        organization: OrganizationId,
        account: TokenDigest,
    ) -> Result<Option<UserId>, StoreError> {
        let query = || queries::user_of_account(Id::of(organization), held(account));
        let user: Option<Id> = self.readers.row("finding an account", query).await?;
        Ok(user.map(Id::to))
    }

    async fn link(
        &self,
        organization: OrganizationId,
        account: OidcAccount,
    ) -> Result<Recorded, StoreError> {
        let work = self.writer.write("storing an account", move |connection| {
            async move { link(connection, organization, &account).await }.boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }
}

/// Adds a provider within a transaction. The calls for an organization take turns, so that it does
/// not get too many at once.
async fn add(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    provider: ProviderRow,
    entry: AuditEntry,
) -> QueryResult<Recorded> {
    if !organizations::hold_alone(connection, organization).await? {
        return Ok(Recorded::Stale);
    }
    let id = Id::of(organization);
    let present: i64 = queries::providers_of(id).count().get_result(connection).await?;
    if present >= MOST_PROVIDERS as i64 {
        return Ok(Recorded::Stale);
    }
    diesel::insert_into(oidc_providers::table)
        .values((oidc_providers::organization_id.eq(id), provider))
        .execute(connection)
        .await?;
    audit::insert(connection, organization, &[entry]).await?;
    Ok(Recorded::Done)
}

/// Stores an account within a transaction. The lock of the user keeps the user linked. The
/// organization is locked first, as in changes of records.
async fn link(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    account: &OidcAccount,
) -> QueryResult<Recorded> {
    if !organizations::hold(connection, organization).await?
        || !sessions::lock(connection, organization, account.user_id).await?
    {
        return Ok(Recorded::Stale);
    }
    diesel::insert_into(oidc_accounts::table)
        .values((
            oidc_accounts::organization_id.eq(Id::of(organization)),
            AccountRow::from(account),
        ))
        .on_conflict((oidc_accounts::organization_id, oidc_accounts::digest))
        .do_update()
        .set(AccountRow::from(account))
        .execute(connection)
        .await?;
    Ok(Recorded::Done)
}

/// Up to `limit` sealed secrets behind `after`, of all organizations, by organization and id.
pub(crate) async fn secrets(
    connection: &mut AsyncPgConnection,
    after: Option<(Id, Id)>,
    limit: i64,
) -> QueryResult<Vec<SealedSecret>> {
    let rows: Vec<SecretRow> =
        lists::oidc_secrets(after, limit).select(SecretRow::as_select()).load(connection).await?;
    Ok(rows.into_iter().map(SealedSecret::from).collect())
}

/// Replaces a sealed secret by `new`, unless it has changed since it was read. Returns the number
/// of secrets that were replaced.
pub(crate) async fn replace_secret(
    connection: &mut AsyncPgConnection,
    secret: &SealedSecret,
    new: &Sealed,
) -> QueryResult<usize> {
    diesel::update(one!(oidc_providers, secret.place.organization, Id(secret.place.record)))
        .filter(oidc_providers::sealed.eq(&secret.sealed.0))
        .set(oidc_providers::sealed.eq(&new.0))
        .execute(connection)
        .await
}
