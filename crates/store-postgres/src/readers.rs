//! Connections for reading.

use crate::connection::{Connector, OpenError, Pool, Role, undone};
use crate::error::{is_cancelled, is_disconnection, read_error};
use crate::locks::waits_for_a_lock;
use crate::reader::Reader;
use crate::slots::{Patient, Slot};
use diesel::deserialize::FromSqlRow;
use diesel::expression::QueryMetadata;
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::query_dsl::CompatibleType;
use diesel::result::QueryResult;
use futures_util::FutureExt;
use hearback_ports::health::PoolUse;
use hearback_ports::{StoreError, deadline};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::runtime::{self, Handle, RuntimeFlavor};
use tokio::time::{Instant, sleep};

/// Connections for point reads and pages.
///
/// There are a few connections. Many readers share each: a statement is sent without a wait for the
/// responses to earlier ones. A slow statement holds up all behind it, so no slow statement runs
/// here. No write does either: statements of other readers would end up in its transaction.
///
/// If a response is late all the same, later statements go to one of the shared connections. If the
/// statement waits for a lock of its table, such as that of a migration, the connection is given up:
/// the statements behind it run again, and those that do the same go to [`Patient`] connections,
/// until one of them succeeds.
///
/// A single-threaded runtime, such as that of a worker of the HTTP server, has a connection of its
/// own and drives it. To wake another thread for each statement, and to be woken for each response,
/// takes as long as the read. A busy worker holds up no reads but its own.
pub(crate) struct Readers {
    connector: Arc<Connector>,
    /// The connections of single-threaded runtimes, by the runtime that drives them.
    own: RwLock<HashMap<runtime::Id, Arc<Slot>>>,
    /// The connections for multi-threaded runtimes: for background work, and for commands.
    shared: [Arc<Slot>; SHARED],
    next: AtomicUsize,
    /// The reads whose tables are locked, by what they do.
    locked: Arc<RwLock<HashSet<&'static str>>>,
    patient: Patient,
    /// Whether only the shared connections are used.
    is_shared: bool,
    /// The number of walks that give way to these reads.
    walks: AtomicU32,
}

/// The number of connections beside those of single-threaded runtimes.
pub(crate) const SHARED: usize = 2;

/// The operation that finds out why a response is late.
const LOOKING: &str = "looking for a lock";

impl Readers {
    /// Creates readers without a connection. Each is opened when it is first needed.
    pub(crate) fn new(connector: &Arc<Connector>) -> Self {
        let shared = || Arc::new(Slot::new(connector, connector.runtime().clone()));
        Self {
            connector: Arc::clone(connector),
            own: RwLock::default(),
            shared: std::array::from_fn(|_| shared()),
            next: AtomicUsize::new(0),
            locked: Arc::default(),
            patient: Patient::new(std::array::from_fn(|_| shared())),
            is_shared: false,
            walks: AtomicU32::new(0),
        }
    }

    /// Readers with the shared connections alone, for few reads.
    pub(crate) fn shared(connector: &Arc<Connector>) -> Self {
        Self { is_shared: true, ..Self::new(connector) }
    }

    /// The place of the connection for the current runtime.
    fn slot(&self) -> Arc<Slot> {
        let here = Handle::current();
        if self.is_shared || here.runtime_flavor() != RuntimeFlavor::CurrentThread {
            return Arc::clone(&self.shared[self.next.fetch_add(1, Ordering::Relaxed) % SHARED]);
        }
        // Places are only added, each in one step, so a panic elsewhere leaves the map intact.
        if let Some(slot) = self.own.read().unwrap_or_else(PoisonError::into_inner).get(&here.id())
        {
            return Arc::clone(slot);
        }
        let mut own = self.own.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(
            own.entry(here.id()).or_insert_with(|| Arc::new(Slot::new(&self.connector, here))),
        )
    }

    /// The rows of a query. If the connection breaks or an administrator cancels the query, it is
    /// built and run again, [`TRIES`] times in all.
    pub(crate) async fn rows<Q, U, ST>(
        &self,
        doing: &'static str,
        query: impl Fn() -> Q + Send,
    ) -> Result<Vec<U>, StoreError>
    where
        Q: AsQuery + Send,
        Q::Query: QueryFragment<Pg> + QueryId + Send,
        Q::SqlType: CompatibleType<U, Pg, SqlType = ST>,
        Pg: QueryMetadata<Q::SqlType>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        ST: 'static,
    {
        tried(doing, move || self.rows_once(doing, query())).await
    }

    async fn rows_once<Q, U, ST>(
        &self,
        doing: &'static str,
        query: Q,
    ) -> Result<QueryResult<Vec<U>>, StoreError>
    where
        Q: AsQuery + Send,
        Q::Query: QueryFragment<Pg> + QueryId + Send,
        Q::SqlType: CompatibleType<U, Pg, SqlType = ST>,
        Pg: QueryMetadata<Q::SqlType>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        ST: 'static,
    {
        if !self.is_locked(doing) {
            let slot = self.slot();
            slot.statements.fetch_add(1, Ordering::Relaxed);
            let mut reader = slot.reader(doing).await?;
            if reader.is_late() {
                reader = self.spare(&slot).reader(doing).await?;
            }
            let late = || self.look_after(Arc::clone(&reader), self.spare(&slot));
            return Ok(reader.rows_or_late(doing, query, late).await);
        }
        let patient = self.patient.take().await?;
        let rows = patient.slot.reader(doing).await?.rows(doing, query).await;
        if rows.is_ok() {
            self.locked.write().unwrap_or_else(PoisonError::into_inner).remove(doing);
        }
        Ok(rows)
    }

    /// The connection for the time when the responses of another one are late.
    fn spare(&self, slot: &Arc<Slot>) -> Arc<Slot> {
        let [first, second] = &self.shared;
        Arc::clone(if Arc::ptr_eq(first, slot) { second } else { first })
    }

    /// Gives a late connection up if it waits for a lock. The spare connection finds out.
    fn look_after(&self, late: Arc<Reader>, spare: Arc<Slot>) {
        let Some((number, doing)) = late.head() else { return };
        if late.is_looked_after.swap(true, Ordering::Relaxed) {
            return;
        }
        let locked = Arc::clone(&self.locked);
        self.connector.runtime().spawn(async move {
            let looking = async {
                let spare = spare.reader(LOOKING).await.ok()?;
                let waits = waits_for_a_lock(late.process);
                let found: Vec<i32> = spare.rows(LOOKING, waits).await.ok()?;
                // If the head is the same, it is the statement that waits.
                late.head().filter(|(now, _)| !found.is_empty() && *now == number)
            };
            if looking.await.is_some() {
                tracing::warn!(doing, "a read waits for a lock of its table");
                locked.write().unwrap_or_else(PoisonError::into_inner).insert(doing);
                late.give_up();
            }
            late.is_looked_after.store(false, Ordering::Relaxed);
        });
    }

    fn is_locked(&self, doing: &'static str) -> bool {
        self.locked.read().unwrap_or_else(PoisonError::into_inner).contains(doing)
    }

    /// [`Readers::rows`] for a query with at most one row.
    pub(crate) async fn row<Q, U, ST>(
        &self,
        doing: &'static str,
        query: impl Fn() -> Q + Send,
    ) -> Result<Option<U>, StoreError>
    where
        Q: AsQuery + Send,
        Q::Query: QueryFragment<Pg> + QueryId + Send,
        Q::SqlType: CompatibleType<U, Pg, SqlType = ST>,
        Pg: QueryMetadata<Q::SqlType>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        ST: 'static,
    {
        Ok(self.rows(doing, query).await?.pop())
    }

    /// The pace of a walk that begins now.
    pub(crate) fn pace(&self) -> Pace<'_> {
        self.walks.fetch_add(1, Ordering::Relaxed);
        Pace { readers: self, statements: self.statements(), began: Instant::now() }
    }

    /// The number of statements since the readers were created.
    fn statements(&self) -> u64 {
        let own = self.own.read().unwrap_or_else(PoisonError::into_inner);
        own.values().chain(&self.shared).map(|slot| slot.statements.load(Ordering::Relaxed)).sum()
    }

    /// Closes the connections.
    pub(crate) fn close(&self) {
        let own = self.own.read().unwrap_or_else(PoisonError::into_inner);
        own.values().chain(&self.shared).for_each(|slot| slot.close());
        self.patient.close();
    }
}

/// The number of times that a read is run. If all connections break at once, the next one may turn
/// out to be broken, too, or break while it is opened.
const TRIES: usize = 3;

/// Runs a read up to [`TRIES`] times.
async fn tried<T, F>(doing: &'static str, read: impl Fn() -> F + Send) -> Result<T, StoreError>
where
    F: Future<Output = Result<QueryResult<T>, StoreError>> + Send,
{
    let mut answer = read().await;
    for _ in 1..TRIES {
        if !is_worth_another_try(&answer) {
            break;
        }
        answer = read().await;
    }
    answer?.map_err(|error| read_error(doing, error))
}

/// Returns whether a read with this answer is run again.
fn is_worth_another_try<T>(answer: &Result<QueryResult<T>, StoreError>) -> bool {
    let is_broken = match answer {
        Ok(Ok(_)) => false,
        Ok(Err(error)) => is_disconnection(error) || is_cancelled(error),
        Err(error) => matches!(error, StoreError::Unreachable { .. }),
    };
    is_broken && !deadline::is_over()
}

/// The part of a list that a query may read. It determines the connections that run the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// No more than its page: it runs on [`Readers`].
    Short,
    /// Perhaps the whole list: it runs on [`SlowReaders`].
    Long,
}

/// The pace of a walk of many statements, which lets point reads pass.
///
/// PostgreSQL has no priorities among processes. If all processors are busy, a process that
/// computes without a pause keeps its processor for as long as the kernel lets it, again and again,
/// and the others wait for milliseconds each time. So a walk goes in short strides. It pauses after
/// a stride if there was a point read meanwhile.
pub(crate) struct Pace<'a> {
    readers: &'a Readers,
    /// The number of the readers' statements when the stride began.
    statements: u64,
    began: Instant,
}

impl Pace<'_> {
    /// Ends a stride, and pauses. Returns at once if there was no read meanwhile.
    pub(crate) async fn pause(&mut self) {
        if self.readers.statements() != self.statements {
            let walks = self.readers.walks.load(Ordering::Relaxed);
            sleep((self.began.elapsed() * (PARTS * walks - 1)).min(LONGEST_PAUSE)).await;
        }
        (self.statements, self.began) = (self.readers.statements(), Instant::now());
    }
}

impl Drop for Pace<'_> {
    fn drop(&mut self) {
        self.readers.walks.fetch_sub(1, Ordering::Relaxed);
    }
}

/// All walks together take one of this many parts of the time of one processor.
const PARTS: u32 = 3;

/// The longest pause. A stride takes longer if there are many walks, or if the disk is slow. A walk
/// of hundreds of strides has to end all the same.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// Connections for queries that walk a whole list, so that these delay no other request.
pub(crate) struct SlowReaders {
    pool: Pool,
}

/// The most slow queries that run at once.
pub(crate) const MAX_SLOW: usize = 4;

impl SlowReaders {
    /// Creates readers without a connection. Each is opened when it is first needed.
    pub(crate) fn new(connector: &Arc<Connector>) -> Result<Self, OpenError> {
        Ok(Self { pool: Pool::new(connector, Role::SlowReader, MAX_SLOW)? })
    }

    /// The rows of a query. If the connection breaks or an administrator cancels the query, it is
    /// built and run again, [`TRIES`] times in all. Fails with [`StoreError::Busy`] if [`MAX_SLOW`]
    /// others run until [`WAIT`](crate::connection::WAIT) is over.
    pub(crate) async fn rows<Q, U, ST>(
        &self,
        doing: &'static str,
        query: impl Fn() -> Q + Send,
    ) -> Result<Vec<U>, StoreError>
    where
        Q: AsQuery + Send + 'static,
        Q::Query: QueryFragment<Pg> + QueryId + Send,
        Q::SqlType: CompatibleType<U, Pg, SqlType = ST>,
        Pg: QueryMetadata<Q::SqlType>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        ST: 'static,
    {
        tried(doing, move || self.rows_once(query(), doing)).await
    }

    async fn rows_once<Q, U, ST>(
        &self,
        query: Q,
        doing: &'static str,
    ) -> Result<QueryResult<Vec<U>>, StoreError>
    where
        Q: AsQuery + Send + 'static,
        Q::Query: QueryFragment<Pg> + QueryId + Send,
        Q::SqlType: CompatibleType<U, Pg, SqlType = ST>,
        Pg: QueryMetadata<Q::SqlType>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        ST: 'static,
    {
        let running = self.pool.run(doing, move |connection| {
            diesel_async::RunQueryDsl::load(query, connection).boxed()
        });
        running.await?.map_err(|source| undone(doing, source))
    }

    /// The use of the connections, with this name.
    pub(crate) fn in_use(&self, name: &'static str) -> PoolUse {
        self.pool.in_use(name)
    }

    /// Closes the connections.
    pub(crate) fn close(&self) {
        self.pool.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replica::current_setting;
    use crate::slots::PATIENT;
    use crate::tests::store;
    use diesel::QueryDsl;
    use hearback_domain::Uuid;
    use hearback_domain::id::OrganizationId;
    use hearback_ports::{StoreHealth, WholeLists};
    use hearback_store_rows::Id;
    use hearback_store_rows::schema::tags;
    use tokio::time::advance;

    #[tokio::test]
    async fn a_walk_has_no_parallel_workers() {
        let (store, _database) = store().await;
        let helpers = async |reach| -> String {
            let query = || diesel::select(current_setting("max_parallel_workers_per_gather"));
            store.list_rows(reach, "asking for a setting", query).await.unwrap().remove(0)
        };
        assert_ne!(helpers(Reach::Short).await, "0");
        assert_eq!(helpers(Reach::Long).await, "0");
    }

    #[tokio::test]
    async fn reads_of_a_locked_table_hold_up_no_other_read() {
        let (store, database) = store().await;
        let organization: OrganizationId = Uuid::nil().into();
        store.tags(organization).await.unwrap();
        let locker = database.connect().await;
        locker.batch_execute("BEGIN; LOCK TABLE tags").await.unwrap();
        // More reads than patient connections. Alone they take two seconds each.
        let held = (0..3 * PATIENT).map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.tags(organization).await })
        });
        let held: Vec<_> = held.collect();
        // These are sent behind them.
        for _ in 0..20 {
            store.statuses(organization).await.unwrap();
            store.ping().await.unwrap();
        }
        for held in held {
            let held = held.await.unwrap();
            assert!(matches!(held, Err(StoreError::Busy)), "{held:?}");
        }
        locker.batch_execute("COMMIT").await.unwrap();
        assert!(store.readers.is_locked("listing tags"));
        store.tags(organization).await.unwrap();
        assert!(!store.readers.is_locked("listing tags"));
    }

    #[tokio::test]
    async fn a_read_whose_statement_or_session_an_administrator_ends_is_run_again() {
        let (store, database) = store().await;
        let (locker, ender) = (database.connect().await, database.connect().await);
        for (reach, end) in [
            (Reach::Short, "cancel"),
            (Reach::Short, "terminate"),
            (Reach::Long, "cancel"),
            (Reach::Long, "terminate"),
        ] {
            locker.batch_execute("BEGIN; LOCK TABLE tags").await.unwrap();
            let reading = tokio::spawn({
                let store = Arc::clone(&store);
                async move {
                    store.list_rows(reach, "listing tags", || tags::table.select(tags::id)).await
                }
            });
            // Once the read waits for the lock, it is ended and the lock is released.
            let end = format!(
                "SELECT count(pg_{end}_backend(pid)) FROM pg_stat_activity \
                 WHERE datname = current_database() AND wait_event_type = 'Lock'"
            );
            while ender.query_one(&end, &[]).await.unwrap().get::<_, i64>(0) == 0 {
                tokio::task::yield_now().await;
            }
            locker.batch_execute("COMMIT").await.unwrap();
            let rows: Vec<Id> = reading.await.unwrap().unwrap();
            assert_eq!(rows, [], "{reach:?} {end}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_walk_pauses_after_each_stride_with_a_point_read() {
        let connector = Arc::new(Connector::new("postgres://127.0.0.1/hearback").unwrap());
        let readers = Readers::new(&connector);
        let mut pace = readers.pace();
        let mut pause = async |stride: Duration, others: u64| {
            advance(stride).await;
            readers.slot().statements.fetch_add(others, Ordering::Relaxed);
            let began = Instant::now();
            pace.pause().await;
            began.elapsed()
        };
        let millis = Duration::from_millis;
        assert_eq!(pause(millis(1), 0).await, Duration::ZERO);
        assert_eq!(pause(millis(1), 1).await, millis(2));
        assert_eq!(pause(millis(2), 1_000).await, millis(4));
        assert_eq!(pause(millis(100), 1).await, LONGEST_PAUSE);
        // Each of two walks takes half as much.
        let other = readers.pace();
        assert_eq!(pause(millis(1), 1).await, millis(5));
        drop(other);
        assert_eq!(pause(millis(1), 1).await, millis(2));
        // The reads of earlier strides and pauses do not count.
        assert_eq!(pause(millis(1), 0).await, Duration::ZERO);
    }
}
