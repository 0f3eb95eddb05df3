//! API keys.

use crate::error::Undone;
use crate::stored::{Stored, finds, inserts, updates};
use crate::{SqliteStore, audit};
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::api_key::{ApiKey, KeyDigest, Sealed};
use hearback_domain::audit::AuditEntry;
use hearback_domain::id::{ApiKeyId, OrganizationId};
use hearback_ports::instance::SealedSecret;
use hearback_ports::keys::KeyOwner;
use hearback_ports::{KeyRepository, Recorded, StoreError};
use hearback_store_rows::keys::{OwnerRow, PUBLIC_API, SecretRow};
use hearback_store_rows::rows::{ApiKeyRow, EditedRow};
use hearback_store_rows::schema::api_keys;
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::{Id, Stamp, one, queries};

#[async_trait]
impl KeyRepository for SqliteStore {
    async fn owner(&self, digest: KeyDigest) -> Result<Option<KeyOwner>, StoreError> {
        let row: Option<OwnerRow> = self.readers.read(
            "finding the owner of a key",
            |connection| match queries::owner(digest.0.to_vec()).first(connection).optional()? {
                Some(owner) => queries::owner_row(owner).first(connection).optional(),
                None => Ok(None),
            },
        )?;
        Ok(row.map(KeyOwner::from))
    }

    async fn active(&self, organization: OrganizationId) -> Result<Option<ApiKey>, StoreError> {
        let row: Option<ApiKeyRow<'_>> =
            self.readers.read("finding the active key", |connection| {
                api_keys::table
                    .filter(api_keys::organization_id.eq(Id::of(organization)))
                    .filter(api_keys::is_active)
                    .select(ApiKeyRow::as_select())
                    .first(connection)
                    .optional()
            })?;
        Ok(row.map(ApiKey::try_from).transpose()?)
    }

    async fn insert(
        &self,
        organization: OrganizationId,
        key: ApiKey,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            ApiKey::insert(connection, organization, &key)?;
            Ok(audit::insert(connection, organization, &[entry])?)
        };
        self.writer.record("adding a key", work).await
    }

    async fn replace(
        &self,
        organization: OrganizationId,
        old: ApiKeyId,
        new: ApiKey,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            revoke(connection, organization, old, entry.at)?;
            ApiKey::insert(connection, organization, &new)?;
            Ok(audit::insert(connection, organization, &[entry])?)
        };
        self.writer.record("replacing a key", work).await
    }

    async fn revoke(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            revoke(connection, organization, id, entry.at)?;
            Ok(audit::insert(connection, organization, &[entry])?)
        };
        self.writer.record("revoking a key", work).await
    }
}

fn revoke(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: ApiKeyId,
    at: Time,
) -> Result<(), Undone> {
    let count = diesel::update(one!(api_keys, organization, Id::of(id)))
        .filter(api_keys::is_active)
        .set((api_keys::is_active.eq(false), api_keys::revoked_at.eq(Stamp::of(at))))
        .execute(connection)?;
    if count == 0 { Err(Undone::Stale) } else { Ok(()) }
}

impl Stored for ApiKey {
    inserts!(api_keys, |key| (
        api_keys::scope.eq(PUBLIC_API),
        api_keys::is_active.eq(true),
        ApiKeyRow::from(key),
    ));
    updates!(api_keys, |key| EditedRow::changes(&key));
    finds!(
        api_keys.id where api_keys::is_active,
        ApiKeyRow::as_select() => ApiKeyRow<'static>
    );
}

/// The sealed secrets of up to `limit` keys behind `after`, of all organizations, by organization
/// and id. Revoked keys are included.
pub(crate) fn secrets(
    connection: &mut SqliteConnection,
    after: Option<(Id, Id)>,
    limit: i64,
) -> QueryResult<Vec<SealedSecret>> {
    let rows: Vec<SecretRow> =
        lists::keys_with_secrets(after, limit).select(SecretRow::as_select()).load(connection)?;
    Ok(rows.into_iter().map(SealedSecret::from).collect())
}

/// Replaces a sealed secret by `new`, unless it has changed since it was read. Returns the number
/// of secrets that were replaced.
pub(crate) fn replace_secret(
    connection: &mut SqliteConnection,
    secret: &SealedSecret,
    new: &Sealed,
) -> QueryResult<usize> {
    diesel::update(one!(api_keys, secret.place.organization, Id::of(secret.place.record)))
        .filter(api_keys::sealed.eq(&secret.sealed.0))
        .set(api_keys::sealed.eq(&new.0))
        .execute(connection)
}
