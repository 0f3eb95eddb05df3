//! Exports: a whole organization is read from one snapshot.

use crate::connection::{Owned, Role};
use crate::error::store_error;
use crate::stored::Stored;
use crate::{SqliteStore, moves, organizations};
use async_trait::async_trait;
use diesel::connection::{AnsiTransactionManager, TransactionManager};
use diesel::prelude::*;
use diesel::result::Error;
use hearback_domain::id::OrganizationId;
use hearback_domain::organization::Organization;
use hearback_domain::with_kind;
use hearback_ports::export::{ExportKey, ExportPage, Snapshot};
use hearback_ports::record::OfKind;
use hearback_ports::{Exporter, FeedbackPostRepository, Kind, StoreError};
use hearback_store_rows::{BadRow, export as rows};
use std::sync::Arc;

#[async_trait]
impl Exporter for SqliteStore {
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        let doing = "beginning an export";
        let begin = move |connection: &mut SqliteConnection| {
            AnsiTransactionManager::begin_transaction(connection)
                .map_err(|error| store_error(doing, error))
        };
        loop {
            let database = Arc::clone(&self.database);
            let mut connection = Owned::begin(doing, database, Role::Reader, begin).await?;
            // A read transaction takes its snapshot at its first read.
            let next = move |connection: &mut SqliteConnection| {
                moves::next(connection).map_err(|error| store_error(doing, error))
            };
            if connection.run(doing, next).await?.is_none() {
                return Ok(Box::new(SqliteSnapshot { connection }));
            }
            // The record of a merge is complete when its votes have moved.
            while self.move_votes().await? > 0 {}
        }
    }
}

/// A read transaction, which ends when its connection is closed.
struct SqliteSnapshot {
    connection: Owned,
}

/// The operation that an error of the export names.
const DOING: &str = "exporting records";

#[async_trait]
impl Snapshot for SqliteSnapshot {
    async fn organization(&mut self, slug: &str) -> Result<Option<Organization>, StoreError> {
        let slug = slug.to_owned();
        let find = move |connection: &mut SqliteConnection| {
            organizations::by_slug(connection, &slug).map_err(|error| store_error(DOING, error))
        };
        let row = self.connection.run(DOING, find).await?;
        Ok(row.map(Organization::try_from).transpose()?)
    }

    async fn page(
        &mut self,
        organization: OrganizationId,
        kind: Kind,
        after: Option<ExportKey>,
        limit: i64,
    ) -> Result<ExportPage, StoreError> {
        self.connection
            .run(DOING, move |connection| {
                with_kind!(kind, R => R::page(connection, organization, after, limit))
            })
            .await
    }
}

/// [`rows::cut`] for the rows of a query.
pub(crate) fn cut<T, R>(fetched: QueryResult<Vec<R>>, limit: i64) -> Result<ExportPage, StoreError>
where
    T: OfKind + TryFrom<R, Error = BadRow>,
{
    Ok(rows::cut::<T, R>(fetched.map_err(failed)?, limit)?)
}

/// A failure of an export.
pub(crate) fn failed(error: Error) -> StoreError {
    store_error(DOING, error)
}
