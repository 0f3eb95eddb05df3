//! The writer of changes. Each change has a connection of the pool to itself.

use crate::connection::{Connector, OpenError, Pool, Role};
use crate::error::{Undone, read_error, write_error};
use diesel::result::{DatabaseErrorKind, Error, QueryResult};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hearback_ports::health::PoolUse;
use hearback_ports::{Recorded, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The pool of connections that write.
pub(crate) struct Writer {
    pool: Pool,
    /// Whether the last write found the disk of the server full.
    is_full: AtomicBool,
}

/// The work of a change. It owns all values that it needs besides the connection.
pub(crate) type Work<'c> = BoxFuture<'c, Result<(), Undone>>;

impl Writer {
    /// Creates a writer of at most `size` changes at once.
    pub(crate) fn new(
        connector: &Arc<Connector>,
        role: Role,
        size: usize,
    ) -> Result<Self, OpenError> {
        Ok(Self { pool: Pool::new(connector, role, size)?, is_full: AtomicBool::new(false) })
    }

    /// Runs `work` in a transaction, and returns after the commit. If `work` returns an error, all
    /// its changes are rolled back.
    pub(crate) async fn record<F>(
        &self,
        doing: &'static str,
        work: F,
    ) -> Result<Recorded, StoreError>
    where
        F: for<'c> FnOnce(&'c mut AsyncPgConnection) -> Work<'c> + Send + 'static,
    {
        self.record_alone(doing, |connection| {
            async move {
                let mut is_over = false;
                let changing = connection.transaction(async |connection| {
                    work(connection).await?;
                    is_over = true;
                    Ok(())
                });
                let changed: Result<(), Undone> = changing.await;
                changed.map_err(|undone| if is_over { undone } else { undone.before_commit() })
            }
            .boxed()
        })
        .await
    }

    /// [`Writer::record`] for `work` that is a single statement, which is a transaction by itself.
    pub(crate) async fn record_alone<F>(
        &self,
        doing: &'static str,
        work: F,
    ) -> Result<Recorded, StoreError>
    where
        F: for<'c> FnOnce(&'c mut AsyncPgConnection) -> Work<'c> + Send + 'static,
    {
        self.noted(match self.pool.run(doing, work).await? {
            Ok(Ok(())) => Ok(Recorded::Done),
            Ok(Err(undone)) => undone.recorded(doing),
            Err(source) => Err(StoreError::Lost { doing, source }),
        })
    }

    /// Runs `work` in a transaction, and returns its result after the commit. `None` if another
    /// transaction was faster: nothing was done.
    pub(crate) async fn write<T, F>(
        &self,
        doing: &'static str,
        work: F,
    ) -> Result<Option<T>, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut AsyncPgConnection) -> BoxFuture<'c, QueryResult<T>>
            + Send
            + 'static,
    {
        self.write_alone(doing, |connection| {
            connection.transaction(async |connection| work(connection).await).boxed()
        })
        .await
    }

    /// [`Writer::write`] for `work` that is a single statement, which is a transaction by itself.
    pub(crate) async fn write_alone<T, F>(
        &self,
        doing: &'static str,
        work: F,
    ) -> Result<Option<T>, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut AsyncPgConnection) -> BoxFuture<'c, QueryResult<T>>
            + Send
            + 'static,
    {
        self.noted(match self.pool.run(doing, work).await? {
            Ok(Ok(done)) => Ok(Some(done)),
            Ok(Err(Error::DatabaseError(DatabaseErrorKind::SerializationFailure, _))) => Ok(None),
            Ok(Err(error)) => Err(write_error(doing, error)),
            Err(source) => Err(StoreError::Lost { doing, source }),
        })
    }

    /// Notes whether a result shows that the disk is full.
    fn noted<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        let is_full = matches!(result, Err(StoreError::Full { .. }));
        if (is_full || result.is_ok()) && self.is_full() != is_full {
            self.is_full.store(is_full, Ordering::Relaxed);
        }
        result
    }

    /// Returns whether the last write found the disk of the server full.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Runs the queries of `work`. Each sees the changes that were committed before it.
    pub(crate) async fn read<T, F>(&self, doing: &'static str, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut AsyncPgConnection) -> BoxFuture<'c, QueryResult<T>>
            + Send
            + 'static,
    {
        // At a stricter level, the queries would fail because of concurrent changes, and make those
        // fail.
        let reading = self.pool.run(doing, |connection| {
            async move {
                connection
                    .build_transaction()
                    .read_committed()
                    .read_only()
                    .run(async |connection| work(connection).await)
                    .await
            }
            .boxed()
        });
        match reading.await? {
            Ok(answer) => answer.map_err(|error| read_error(doing, error)),
            Err(source) => Err(StoreError::Backend { doing, source }),
        }
    }

    /// The most connections that write.
    pub(crate) fn max_size(&self) -> usize {
        self.pool.max_size()
    }

    /// The use of the connections, with this name.
    pub(crate) fn in_use(&self, name: &'static str) -> PoolUse {
        self.pool.in_use(name)
    }

    /// Closes the connections. A connection in use is closed when it is returned.
    pub(crate) fn close(&self) {
        self.pool.close();
    }
}
