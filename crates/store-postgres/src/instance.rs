//! Facts about the installation.

use crate::PgStore;
use crate::connection::Role;
use crate::error::write_error;
use crate::{keys, oidc, second_factors, sso_secrets, webhook_subscriptions};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::result::Error;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::api_key::Sealed;
use hearback_ports::instance::{Fact, Reseal, Resealed, SealedSecret, SecretPlace};
use hearback_ports::{InstanceRepository, Recorded, StoreError};
use hearback_store_rows::Id;
use hearback_store_rows::schema::instance;

#[async_trait]
impl InstanceRepository for PgStore {
    async fn find(&self, name: &'static str) -> Result<Option<Vec<u8>>, StoreError> {
        let query = || instance::table.filter(instance::name.eq(name)).select(instance::value);
        self.readers.row("finding a fact about the installation", query).await
    }

    async fn keep_first(&self, name: &'static str, value: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        let doing = "keeping a fact about the installation";
        let inserted = self.writer.record_alone(doing, move |connection| {
            async move {
                diesel::insert_into(instance::table)
                    .values((instance::name.eq(name), instance::value.eq(value)))
                    .on_conflict_do_nothing()
                    .execute(connection)
                    .await?;
                Ok(())
            }
            .boxed()
        });
        match inserted.await? {
            // `Stale`: at `SERIALIZABLE`, another transaction was faster.
            Recorded::Done
            | Recorded::Stale
            | Recorded::Taken(_)
            | Recorded::Missing(_)
            | Recorded::InUse(_) => {}
        }
        // `None` if the faster transaction was rolled back.
        InstanceRepository::find(self, name).await?.ok_or(StoreError::Busy)
    }

    async fn reseal(
        &self,
        known: Fact,
        facts: Vec<Fact>,
        reseal: Reseal,
    ) -> Result<Resealed, StoreError> {
        let doing = "sealing all secrets anew";
        let mut connection = self.connect(doing, Role::Bulk).await?;
        let resealed = connection
            .transaction(async |connection| reseal_all(connection, &known, &facts, &reseal).await)
            .await;
        match resealed {
            Ok(secrets) => Ok(Resealed::Done { secrets }),
            Err(Stopped::With(answer)) => Ok(answer),
            Err(Stopped::Failed(error)) => Err(write_error(doing, error)),
        }
    }
}

/// The reason why no secret is sealed anew.
enum Stopped {
    With(Resealed),
    Failed(Error),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The number of records that are read at once.
const RECORDS: i64 = 500;

async fn reseal_all(
    connection: &mut AsyncPgConnection,
    known: &Fact,
    facts: &[Fact],
    reseal: &Reseal,
) -> Result<u64, Stopped> {
    // A second call waits here for the lock, and then finds another value.
    let kept =
        instance::table.filter(instance::name.eq(known.name)).select(instance::value).for_update();
    let kept: Option<Vec<u8>> = kept.first(connection).await.optional()?;
    if kept.as_ref() != Some(&known.value) {
        return Err(Stopped::With(Resealed::Stale));
    }
    for fact in facts {
        let value = instance::value.eq(&fact.value);
        diesel::insert_into(instance::table)
            .values((instance::name.eq(fact.name), value))
            .on_conflict(instance::name)
            .do_update()
            .set(value)
            .execute(connection)
            .await?;
    }
    let mut count = 0;
    let mut after = None;
    loop {
        let secrets = keys::secrets(connection, after, RECORDS).await?;
        let Some(last) = secrets.last() else { break };
        after = Some(key(last.place));
        for secret in &secrets {
            if let Some(new) = resealed(secret, reseal)? {
                count += keys::replace_secret(connection, secret, &new).await?;
            }
        }
    }
    let mut after = None;
    loop {
        let secrets = webhook_subscriptions::secrets(connection, after, RECORDS).await?;
        let Some(last) = secrets.last() else { break };
        after = Some(key(last.place));
        for secret in &secrets {
            if let Some(new) = resealed(secret, reseal)? {
                count += webhook_subscriptions::replace_secret(connection, secret, &new).await?;
            }
        }
    }
    let mut after = None;
    loop {
        let secrets = sso_secrets::secrets(connection, after, RECORDS).await?;
        let Some(last) = secrets.last() else { break };
        after = Some(key(last.place));
        for secret in &secrets {
            if let Some(new) = resealed(secret, reseal)? {
                count += sso_secrets::replace_secret(connection, secret, &new).await?;
            }
        }
    }
    let mut after = None;
    loop {
        let secrets = oidc::secrets(connection, after, RECORDS).await?;
        let Some(last) = secrets.last() else { break };
        after = Some(key(last.place));
        for secret in &secrets {
            if let Some(new) = resealed(secret, reseal)? {
                count += oidc::replace_secret(connection, secret, &new).await?;
            }
        }
    }
    let mut after = None;
    loop {
        let secrets = second_factors::secrets(connection, after, RECORDS).await?;
        let Some(last) = secrets.last() else { break };
        after = Some(key(last.place));
        for secret in &secrets {
            if let Some(new) = resealed(secret, reseal)? {
                count += second_factors::replace_secret(connection, secret, &new).await?;
            }
        }
    }
    Ok(count as u64)
}

fn resealed(secret: &SealedSecret, reseal: &Reseal) -> Result<Option<Sealed>, Stopped> {
    reseal(secret).map_err(|_| Stopped::With(Resealed::Refused(secret.place)))
}

/// The key of a record. The next records begin behind it.
fn key(place: SecretPlace) -> (Id, Id) {
    (Id::of(place.organization), Id(place.record))
}
