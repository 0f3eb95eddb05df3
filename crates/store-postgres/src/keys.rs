//! API keys.

use crate::error::Undone;
use crate::stored::{Stored, finds, inserts, updates};
use crate::{PgStore, audit, organizations};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::Time;
use hearback_domain::api_key::{ApiKey, KeyDigest, Sealed};
use hearback_domain::audit::AuditEntry;
use hearback_domain::id::{ApiKeyId, OrganizationId};
use hearback_ports::instance::SealedSecret;
use hearback_ports::keys::KeyOwner;
use hearback_ports::{KeyRepository, Recorded, StoreError};
use hearback_store_rows::keys::{OwnerRow, PUBLIC_API, SecretRow};
use hearback_store_rows::postgres::lists;
use hearback_store_rows::rows::ApiKeyRow;
use hearback_store_rows::schema::api_keys;
use hearback_store_rows::{Id, Stamp, one, queries};

#[async_trait]
impl KeyRepository for PgStore {
    async fn owner(&self, digest: KeyDigest) -> Result<Option<KeyOwner>, StoreError> {
        let doing = "finding the owner of a key";
        let query = || queries::owner(digest.0.to_vec());
        let Some(organization) = self.readers.row(doing, query).await? else { return Ok(None) };
        let row: Option<OwnerRow> =
            self.readers.row(doing, || queries::owner_row(organization)).await?;
        Ok(row.map(KeyOwner::from))
    }

    async fn active(&self, organization: OrganizationId) -> Result<Option<ApiKey>, StoreError> {
        let row: Option<ApiKeyRow<'_>> = self
            .readers
            .row("finding the active key", || {
                api_keys::table
                    .filter(api_keys::organization_id.eq(Id::of(organization)))
                    .filter(api_keys::is_active)
                    .select(ApiKeyRow::as_select())
            })
            .await?;
        Ok(row.map(ApiKey::try_from).transpose()?)
    }

    async fn insert(
        &self,
        organization: OrganizationId,
        key: ApiKey,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError> {
        let record = self.writer.record("adding a key", move |connection| {
            insert(connection, organization, key, entry).boxed()
        });
        record.await
    }

    async fn replace(
        &self,
        organization: OrganizationId,
        old: ApiKeyId,
        new: ApiKey,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError> {
        let record = self.writer.record("replacing a key", move |connection| {
            async move {
                revoke(connection, organization, old, entry.at).await?;
                insert(connection, organization, new, entry).await
            }
            .boxed()
        });
        record.await
    }

    async fn revoke(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError> {
        let record = self.writer.record("revoking a key", move |connection| {
            async move {
                if !organizations::hold(connection, organization).await? {
                    return Err(Undone::Stale);
                }
                revoke(connection, organization, id, entry.at).await?;
                Ok(audit::insert(connection, organization, &[entry]).await?)
            }
            .boxed()
        });
        record.await
    }
}

/// Inserts a key of an organization that stays until the transaction ends. On Citus, the table has
/// no foreign key.
async fn insert(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    key: ApiKey,
    entry: AuditEntry,
) -> Result<(), Undone> {
    if !organizations::hold(connection, organization).await? {
        return Err(Undone::Stale);
    }
    ApiKey::insert(connection, organization, &[key]).await?;
    Ok(audit::insert(connection, organization, &[entry]).await?)
}

async fn revoke(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    id: ApiKeyId,
    at: Time,
) -> Result<(), Undone> {
    let revoked = diesel::update(one!(api_keys, organization, Id::of(id)))
        .filter(api_keys::is_active)
        .set((api_keys::is_active.eq(false), api_keys::revoked_at.eq(Stamp::of(at))))
        .execute(connection)
        .await?;
    if revoked == 0 { Err(Undone::Stale) } else { Ok(()) }
}

impl Stored for ApiKey {
    inserts!(api_keys, |key| (
        api_keys::scope.eq(PUBLIC_API),
        api_keys::is_active.eq(true),
        ApiKeyRow::from(key),
    ));
    updates!(api_keys, |key| ApiKeyRow::from(key.after));
    finds!(
        api_keys.id where api_keys::is_active,
        ApiKeyRow::as_select() => ApiKeyRow<'static>
    );
}

/// The sealed secrets of up to `limit` keys behind `after`, of all organizations, by organization
/// and id. Revoked keys are included.
pub(crate) async fn secrets(
    connection: &mut AsyncPgConnection,
    after: Option<(Id, Id)>,
    limit: i64,
) -> QueryResult<Vec<SealedSecret>> {
    let rows: Vec<SecretRow> = lists::keys_with_secrets(after, limit)
        .select(SecretRow::as_select())
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(SealedSecret::from).collect())
}

/// Replaces a sealed secret by `new`, unless it has changed since it was read. Returns the number
/// of secrets that were replaced.
pub(crate) async fn replace_secret(
    connection: &mut AsyncPgConnection,
    secret: &SealedSecret,
    new: &Sealed,
) -> QueryResult<usize> {
    diesel::update(one!(api_keys, secret.place.organization, Id(secret.place.record)))
        .filter(api_keys::sealed.eq(&secret.sealed.0))
        .set(api_keys::sealed.eq(&new.0))
        .execute(connection)
        .await
}
