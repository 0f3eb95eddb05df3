//! API keys.

use crate::PgStore;
use crate::error::Undone;
use crate::stored::{Stored, finds, inserts, updates};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::Time;
use hearback_domain::api_key::{ApiKey, KeyDigest, Sealed};
use hearback_domain::id::{ApiKeyId, OrganizationId};
use hearback_domain::organization::HelpCenter;
use hearback_ports::instance::{SealedSecret, SecretKind, SecretPlace};
use hearback_ports::keys::KeyOwner;
use hearback_ports::{KeyRepository, Recorded, StoreError};
use hearback_store_rows::rows::ApiKeyRow;
use hearback_store_rows::schema::{api_keys, organizations};
use hearback_store_rows::{Id, Stamp};

/// The scope of a key that the public API accepts.
const PUBLIC_API: &str = "public_api";

#[async_trait]
impl KeyRepository for PgStore {
    async fn owner(&self, digest: KeyDigest) -> Result<Option<KeyOwner>, StoreError> {
        let row: Option<(Id, bool)> = self
            .readers
            .row("finding the owner of a key", || {
                api_keys::table
                    .inner_join(
                        organizations::table.on(organizations::id.eq(api_keys::organization_id)),
                    )
                    .filter(api_keys::digest.eq(digest.0.to_vec()))
                    .filter(api_keys::is_active)
                    .filter(api_keys::scope.eq(PUBLIC_API))
                    .select((organizations::id, organizations::help_center_enabled))
            })
            .await?;
        Ok(row.map(|(id, help_center)| KeyOwner {
            organization: id.to(),
            help_center: HelpCenter::from_flag(help_center),
        }))
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
    ) -> Result<Recorded, StoreError> {
        let record = self.writer.record("adding a key", move |connection| {
            async move { Ok(ApiKey::insert(connection, organization, &[key]).await?) }.boxed()
        });
        record.await
    }

    async fn replace(
        &self,
        organization: OrganizationId,
        old: ApiKeyId,
        new: ApiKey,
    ) -> Result<Recorded, StoreError> {
        let record = self.writer.record("replacing a key", move |connection| {
            async move {
                revoke(connection, organization, old, new.created_at).await?;
                Ok(ApiKey::insert(connection, organization, &[new]).await?)
            }
            .boxed()
        });
        record.await
    }

    async fn revoke(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
        at: Time,
    ) -> Result<Recorded, StoreError> {
        self.writer
            .record("revoking a key", move |connection| {
                revoke(connection, organization, id, at).boxed()
            })
            .await
    }
}

async fn revoke(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    id: ApiKeyId,
    at: Time,
) -> Result<(), Undone> {
    let revoked = diesel::update(api_keys::table)
        .filter(api_keys::organization_id.eq(Id::of(organization)))
        .filter(api_keys::id.eq(Id::of(id)))
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
    let mut query = api_keys::table
        .order((api_keys::organization_id, api_keys::id))
        .limit(limit)
        .select((api_keys::organization_id, api_keys::id, api_keys::is_active, api_keys::sealed))
        .into_boxed();
    if let Some((organization, id)) = after {
        let is_behind = api_keys::organization_id.gt(organization).or(api_keys::id.gt(id));
        query = query.filter(api_keys::organization_id.ge(organization)).filter(is_behind);
    }
    let rows: Vec<(Id, Id, bool, Vec<u8>)> = query.load(connection).await?;
    let secret = |(organization, id, is_active, sealed): (Id, Id, bool, Vec<u8>)| {
        let kind = if is_active { SecretKind::ApiKey } else { SecretKind::RevokedApiKey };
        SealedSecret {
            place: SecretPlace { organization: organization.to(), record: id.0, kind },
            sealed: Sealed(sealed),
        }
    };
    Ok(rows.into_iter().map(secret).collect())
}

/// Replaces a sealed secret by `new`, unless it has changed since it was read. Returns the number
/// of secrets that were replaced.
pub(crate) async fn replace_secret(
    connection: &mut AsyncPgConnection,
    secret: &SealedSecret,
    new: &Sealed,
) -> QueryResult<usize> {
    diesel::update(api_keys::table)
        .filter(api_keys::organization_id.eq(Id::of(secret.place.organization)))
        .filter(api_keys::id.eq(Id(secret.place.record)))
        .filter(api_keys::sealed.eq(&secret.sealed.0))
        .set(api_keys::sealed.eq(&new.0))
        .execute(connection)
        .await
}
