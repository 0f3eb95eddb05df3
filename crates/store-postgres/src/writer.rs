//! The writer of changes. Each change has a connection of the pool to itself.

use crate::connection::{Connector, OpenError, Pool, Role, undone};
use crate::error::{Cause, Undone, read_error, write_error};
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
        let (is_over, changed) = self.transact(doing, work).await?;
        let changed =
            changed.map_err(|undone: Undone| if is_over { undone } else { undone.before_commit() });
        self.noted(match changed {
            Ok(()) => Ok(Recorded::Done),
            Err(undone) => undone.recorded(doing),
        })
    }

    /// Runs `work` in a transaction. Returns its result, and whether it came to its end, so that
    /// the commit was requested: without that, the server rolls back once the connection ends.
    async fn transact<T, E, F>(
        &self,
        doing: &'static str,
        work: F,
    ) -> Result<(bool, Result<T, E>), StoreError>
    where
        T: Send + 'static,
        E: Cause + From<Error> + Send + 'static,
        F: for<'c> FnOnce(&'c mut AsyncPgConnection) -> BoxFuture<'c, Result<T, E>>
            + Send
            + 'static,
    {
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        let running = self.pool.run(doing, |connection| {
            async move {
                let changing = connection.transaction(async |connection| {
                    let made = work(connection).await?;
                    ends.store(true, Ordering::Relaxed);
                    Ok(made)
                });
                changing.await
            }
            .boxed()
        });
        let changed = running.await?;
        match (is_over.load(Ordering::Relaxed), changed) {
            (is_over, Ok(changed)) => Ok((is_over, changed)),
            (true, Err(source)) => Err(StoreError::Lost { doing, source }),
            (false, Err(source)) => Err(undone(doing, source)),
        }
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
        let (is_over, changed) = self.transact(doing, work).await?;
        self.noted(match changed {
            Ok(done) => Ok(Some(done)),
            Err(Error::DatabaseError(DatabaseErrorKind::SerializationFailure, _)) => Ok(None),
            Err(error) if is_over => Err(write_error(doing, error)),
            Err(error) => Err(read_error(doing, error)),
        })
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
            Err(source) => Err(undone(doing, source)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::store;
    use diesel_async::RunQueryDsl;

    async fn end_session(connection: &mut AsyncPgConnection) -> QueryResult<usize> {
        diesel::sql_query("SELECT pg_terminate_backend(pg_backend_pid())").execute(connection).await
    }

    #[tokio::test]
    async fn a_change_whose_session_ends_before_its_commit_was_not_made() {
        let (store, _database) = store().await;
        let written = store.writer.write("writing", |connection| end_session(connection).boxed());
        let written = written.await;
        assert!(matches!(written, Err(StoreError::Unreachable { .. })), "{written:?}");
        let recorded = store.writer.record("writing", |connection| {
            async { Ok(end_session(connection).await.map(|_| ())?) }.boxed()
        });
        let recorded = recorded.await;
        assert!(matches!(recorded, Err(StoreError::Unreachable { .. })), "{recorded:?}");
        // A single statement may have been committed before its session ended.
        let alone =
            store.writer.write_alone("writing", |connection| end_session(connection).boxed());
        let alone = alone.await;
        assert!(matches!(alone, Err(StoreError::Lost { .. })), "{alone:?}");
    }
}
