//! Secrets of single sign-on.

use crate::{PgStore, audit, organizations};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::api_key::Sealed;
use hearback_domain::audit::AuditEntry;
use hearback_domain::id::{OrganizationId, SsoSecretId};
use hearback_domain::sso_secret::{MOST_SSO_SECRETS, SealedSsoSecret};
use hearback_ports::instance::SealedSecret;
use hearback_ports::{Recorded, SsoSecretRepository, StoreError};
use hearback_store_rows::postgres::lists;
use hearback_store_rows::schema::sso_secrets;
use hearback_store_rows::sso_secrets::{SecretRow, SsoSecretRow};
use hearback_store_rows::{Id, all, one, queries};

#[async_trait]
impl SsoSecretRepository for PgStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<SealedSsoSecret>, StoreError> {
        let query = || {
            queries::sso_secrets_of(Id::of(organization))
                .order((sso_secrets::created_at.desc(), sso_secrets::id.desc()))
                .select(SsoSecretRow::as_select())
        };
        let rows: Vec<SsoSecretRow> =
            self.readers.rows("listing the secrets of single sign-on", query).await?;
        Ok(all(rows)?)
    }

    async fn add(
        &self,
        organization: OrganizationId,
        secret: SealedSsoSecret,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError> {
        let work = self.writer.write("adding a secret of single sign-on", move |connection| {
            async move { add(connection, organization, &secret, entry).await }.boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }

    async fn remove(
        &self,
        organization: OrganizationId,
        id: SsoSecretId,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError> {
        let work = self.writer.write("removing a secret of single sign-on", move |connection| {
            async move {
                let this = one!(sso_secrets, organization, Id::of(id));
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
}

/// Adds a secret within a transaction. The calls for an organization take turns, so that it does
/// not get too many at once.
async fn add(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    secret: &SealedSsoSecret,
    entry: AuditEntry,
) -> QueryResult<Recorded> {
    if !organizations::hold_alone(connection, organization).await? {
        return Ok(Recorded::Stale);
    }
    let id = Id::of(organization);
    let present: i64 = queries::sso_secrets_of(id).count().get_result(connection).await?;
    if present >= MOST_SSO_SECRETS as i64 {
        return Ok(Recorded::Stale);
    }
    diesel::insert_into(sso_secrets::table)
        .values((sso_secrets::organization_id.eq(id), SsoSecretRow::from(secret)))
        .execute(connection)
        .await?;
    audit::insert(connection, organization, &[entry]).await?;
    Ok(Recorded::Done)
}

/// Up to `limit` sealed secrets behind `after`, of all organizations, by organization and id.
pub(crate) async fn secrets(
    connection: &mut AsyncPgConnection,
    after: Option<(Id, Id)>,
    limit: i64,
) -> QueryResult<Vec<SealedSecret>> {
    let rows: Vec<SecretRow> =
        lists::sso_secrets(after, limit).select(SecretRow::as_select()).load(connection).await?;
    Ok(rows.into_iter().map(SealedSecret::from).collect())
}

/// Replaces a sealed secret by `new`, unless it has changed since it was read. Returns the number
/// of secrets that were replaced.
pub(crate) async fn replace_secret(
    connection: &mut AsyncPgConnection,
    secret: &SealedSecret,
    new: &Sealed,
) -> QueryResult<usize> {
    diesel::update(one!(sso_secrets, secret.place.organization, Id(secret.place.record)))
        .filter(sso_secrets::sealed.eq(&secret.sealed.0))
        .set(sso_secrets::sealed.eq(&new.0))
        .execute(connection)
        .await
}
