//! Facts about the installation.

use crate::SqliteStore;
use crate::error::store_error;
use crate::schema::instance;
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_ports::{InstanceRepository, StoreError};

#[async_trait]
impl InstanceRepository for SqliteStore {
    async fn find(&self, name: &'static str) -> Result<Option<Vec<u8>>, StoreError> {
        self.readers.read("finding a fact about the installation", |connection| value(connection, name).optional())
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
}

fn value(connection: &mut SqliteConnection, name: &str) -> QueryResult<Vec<u8>> {
    instance::table.filter(instance::name.eq(name)).select(instance::value).first(connection)
}
