//! Facts about the installation.

use crate::SqliteStore;
use crate::error::{Cause, store_error};
use crate::{keys, oidc, second_factors, sso_secrets, webhook_subscriptions};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::result::Error;
use hearback_domain::api_key::Sealed;
use hearback_ports::instance::{Fact, Reseal, Resealed, SealedSecret, SecretPlace};
use hearback_ports::{InstanceRepository, StoreError};
use hearback_store_rows::Id;
use hearback_store_rows::schema::instance;

#[async_trait]
impl InstanceRepository for SqliteStore {
    async fn find(&self, name: &'static str) -> Result<Option<Vec<u8>>, StoreError> {
        self.readers.read("finding a fact about the installation", |connection| {
            value(connection, name).optional()
        })
    }

    async fn keep_first(&self, name: &'static str, value: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        let doing = "keeping a fact about the installation";
        let work = move |connection: &mut SqliteConnection| {
            diesel::insert_into(instance::table)
                .values((instance::name.eq(name), instance::value.eq(value)))
                .on_conflict_do_nothing()
                .execute(connection)?;
            self::value(connection, name)
        };
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))
    }

    async fn reseal(
        &self,
        known: Fact,
        facts: Vec<Fact>,
        reseal: Reseal,
    ) -> Result<Resealed, StoreError> {
        let doing = "sealing all secrets anew";
        let work = move |connection: &mut SqliteConnection| {
            reseal_all(connection, &known, &facts, &reseal)
        };
        match self.writer.write(doing, work).await? {
            Ok(secrets) => Ok(Resealed::Done { secrets }),
            Err(Stopped::With(answer)) => Ok(answer),
            Err(Stopped::Failed(error)) => Err(store_error(doing, error)),
        }
    }
}

fn value(connection: &mut SqliteConnection, name: &str) -> QueryResult<Vec<u8>> {
    instance::table.filter(instance::name.eq(name)).select(instance::value).first(connection)
}

/// The reason why no secret is sealed anew.
enum Stopped {
    With(Resealed),
    Failed(Error),
}

impl Cause for Stopped {
    fn cause(&self) -> Option<&Error> {
        if let Self::Failed(error) = self { Some(error) } else { None }
    }
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The number of records that are read at once.
const RECORDS: i64 = 500;

fn reseal_all(
    connection: &mut SqliteConnection,
    known: &Fact,
    facts: &[Fact],
    reseal: &Reseal,
) -> Result<u64, Stopped> {
    if value(connection, known.name).optional()?.as_ref() != Some(&known.value) {
        return Err(Stopped::With(Resealed::Stale));
    }
    for fact in facts {
        let value = instance::value.eq(&fact.value);
        diesel::insert_into(instance::table)
            .values((instance::name.eq(fact.name), value))
            .on_conflict(instance::name)
            .do_update()
            .set(value)
            .execute(connection)?;
    }
    let mut count = 0;
    let mut after = None;
    loop {
        let secrets = keys::secrets(connection, after, RECORDS)?;
        let Some(last) = secrets.last() else { break };
        after = Some(key(last.place));
        for secret in &secrets {
            if let Some(new) = resealed(secret, reseal)? {
                count += keys::replace_secret(connection, secret, &new)?;
            }
        }
    }
    let mut after = None;
    loop {
        let secrets = webhook_subscriptions::secrets(connection, after, RECORDS)?;
        let Some(last) = secrets.last() else { break };
        after = Some(key(last.place));
        for secret in &secrets {
            if let Some(new) = resealed(secret, reseal)? {
                count += webhook_subscriptions::replace_secret(connection, secret, &new)?;
            }
        }
    }
    let mut after = None;
    loop {
        let secrets = sso_secrets::secrets(connection, after, RECORDS)?;
        let Some(last) = secrets.last() else { break };
        after = Some(key(last.place));
        for secret in &secrets {
            if let Some(new) = resealed(secret, reseal)? {
                count += sso_secrets::replace_secret(connection, secret, &new)?;
            }
        }
    }
    let mut after = None;
    loop {
        let secrets = oidc::secrets(connection, after, RECORDS)?;
        let Some(last) = secrets.last() else { break };
        after = Some(key(last.place));
        for secret in &secrets {
            if let Some(new) = resealed(secret, reseal)? {
                count += oidc::replace_secret(connection, secret, &new)?;
            }
        }
    }
    let mut after = None;
    loop {
        let secrets = second_factors::secrets(connection, after, RECORDS)?;
        let Some(last) = secrets.last() else { break };
        after = Some(key(last.place));
        for secret in &secrets {
            if let Some(new) = resealed(secret, reseal)? {
                count += second_factors::replace_secret(connection, secret, &new)?;
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
    (Id::of(place.organization), Id::of(place.record))
}
