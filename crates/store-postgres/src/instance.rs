//! Facts about the installation.

use crate::PgStore;
use crate::schema::instance;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use futures_util::FutureExt;
use hearback_ports::{InstanceRepository, Recorded, StoreError};

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
            // `Stale`: a serializable one that somebody else was faster than.
            Recorded::Done | Recorded::Stale | Recorded::Taken(_) => {}
        }
        // None where that somebody came to nothing, too.
        InstanceRepository::find(self, name).await?.ok_or(StoreError::Busy)
    }
}
