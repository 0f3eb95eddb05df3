//! Reads a whole organization as of one moment.

use crate::PgStore;
use crate::connection::{Owned, Role};
use crate::error::read_error;
use crate::stored::Stored;
use crate::{citus, organizations};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::result::Error;
use diesel_async::{AnsiTransactionManager, RunQueryDsl};
use hearback_domain::id::OrganizationId;
use hearback_domain::organization::Organization;
use hearback_domain::with_kind;
use hearback_ports::export::{ExportKey, ExportPage, Snapshot};
use hearback_ports::record::OfKind;
use hearback_ports::{Exporter, Kind, StoreError};
use hearback_store_rows::schema::instance;
use hearback_store_rows::{BadRow, export as rows};

#[async_trait]
impl Exporter for PgStore {
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        let mut connection = self.connect("beginning an export", Role::Bulk).await?;
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        AnsiTransactionManager::begin_transaction_sql(&mut connection, begin)
            .await
            .map_err(failed)?;
        // The snapshot of the transaction is that of its first read.
        instance::table
            .select(instance::name)
            .limit(1)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        if self.connector.is_citus() {
            citus::begin_snapshot(&mut connection).await.map_err(failed)?;
        }
        Ok(Box::new(PgSnapshot { connection: Owned::new(connection) }))
    }
}

/// A read transaction, which ends when its connection is closed.
struct PgSnapshot {
    connection: Owned,
}

/// The operation that an error of the export names.
const DOING: &str = "exporting records";

#[async_trait]
impl Snapshot for PgSnapshot {
    async fn organization(&mut self, slug: &str) -> Result<Option<Organization>, StoreError> {
        let find = async |connection: &mut _| {
            organizations::by_slug(connection, slug).await.map_err(failed)
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
            .run(DOING, async |connection| {
                with_kind!(kind, R => R::page(connection, organization, after, limit).await)
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

/// Converts the error of an export.
pub(crate) fn failed(error: Error) -> StoreError {
    read_error(DOING, error)
}
