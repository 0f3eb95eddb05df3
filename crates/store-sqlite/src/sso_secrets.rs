//! Secrets of single sign-on.

use crate::error::Undone;
use crate::{SqliteStore, audit, organizations};
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::api_key::Sealed;
use hearback_domain::audit::AuditEntry;
use hearback_domain::id::{OrganizationId, SsoSecretId};
use hearback_domain::sso_secret::{MOST_SSO_SECRETS, SealedSsoSecret};
use hearback_ports::instance::SealedSecret;
use hearback_ports::{Recorded, SsoSecretRepository, StoreError};
use hearback_store_rows::schema::sso_secrets;
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::sso_secrets::{SecretRow, SsoSecretRow};
use hearback_store_rows::{Id, all, one, queries};

#[async_trait]
impl SsoSecretRepository for SqliteStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<SealedSsoSecret>, StoreError> {
        let doing = "listing the secrets of single sign-on";
        let rows: Vec<SsoSecretRow> = self.readers.read(doing, |connection| {
            queries::sso_secrets_of(Id::of(organization))
                .order((sso_secrets::created_at.desc(), sso_secrets::id.desc()))
                .select(SsoSecretRow::as_select())
                .load(connection)
        })?;
        Ok(all(rows)?)
    }

    async fn add(
        &self,
        organization: OrganizationId,
        secret: SealedSsoSecret,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            add(connection, organization, &secret)?;
            Ok(audit::insert(connection, organization, &[entry])?)
        };
        self.writer.record("adding a secret of single sign-on", work).await
    }

    async fn remove(
        &self,
        organization: OrganizationId,
        id: SsoSecretId,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            let this = one!(sso_secrets, organization, Id::of(id));
            if diesel::delete(this).execute(connection)? == 0 {
                return Err(Undone::Stale);
            }
            Ok(audit::insert(connection, organization, &[entry])?)
        };
        self.writer.record("removing a secret of single sign-on", work).await
    }
}

/// Adds a secret within a transaction. It holds the write lock, so that no organization gets too
/// many at once.
fn add(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    secret: &SealedSsoSecret,
) -> Result<(), Undone> {
    if !organizations::is_there(connection, organization)? {
        return Err(Undone::Stale);
    }
    let id = Id::of(organization);
    let present: i64 = queries::sso_secrets_of(id).count().get_result(connection)?;
    if present >= MOST_SSO_SECRETS as i64 {
        return Err(Undone::Stale);
    }
    diesel::insert_into(sso_secrets::table)
        .values((sso_secrets::organization_id.eq(id), SsoSecretRow::from(secret)))
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
        lists::sso_secrets(after, limit).select(SecretRow::as_select()).load(connection)?;
    Ok(rows.into_iter().map(SealedSecret::from).collect())
}

/// Replaces a sealed secret by `new`, unless it has changed since it was read. Returns the number
/// of secrets that were replaced.
pub(crate) fn replace_secret(
    connection: &mut SqliteConnection,
    secret: &SealedSecret,
    new: &Sealed,
) -> QueryResult<usize> {
    diesel::update(one!(sso_secrets, secret.place.organization, Id::of(secret.place.record)))
        .filter(sso_secrets::sealed.eq(&secret.sealed.0))
        .set(sso_secrets::sealed.eq(&new.0))
        .execute(connection)
}
