//! Connections for reading.

use crate::connection::{
    CONNECT_LIMIT, ConnectError, Connector, Driven, LIMIT, OpenError, Pool, Role, WAIT,
};
use crate::error::{is_disconnection, read_error};
use crate::known_text::KnownText;
use diesel::deserialize::FromSqlRow;
use diesel::expression::QueryMetadata;
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::query_dsl::CompatibleType;
use diesel::result::{DatabaseErrorKind, Error, QueryResult};
use diesel_async::AsyncPgConnection;
use futures_util::FutureExt;
use hearback_ports::StoreError;
use hearback_ports::health::PoolUse;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use tokio::runtime::{self, Handle, RuntimeFlavor};
use tokio::time::{Instant, sleep, timeout};

/// Connections for point reads and pages.
///
/// There are a few connections. Many readers share each: a statement is sent without a wait for the
/// responses to earlier ones. A slow statement holds up all behind it, so no slow statement runs
/// here. No write does either: statements of other readers would end up in its transaction.
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
    /// The number of walks that give way to these reads.
    walks: AtomicU32,
}

/// The number of connections beside those of single-threaded runtimes.
pub(crate) const SHARED: usize = 2;

impl Readers {
    /// Creates readers without a connection. Each is opened when it is first needed.
    pub(crate) fn new(connector: &Arc<Connector>) -> Self {
        let shared = || Arc::new(Slot::new(connector, connector.runtime().clone()));
        Self {
            connector: Arc::clone(connector),
            own: RwLock::default(),
            shared: std::array::from_fn(|_| shared()),
            next: AtomicUsize::new(0),
            walks: AtomicU32::new(0),
        }
    }

    /// The place of the connection for the current runtime.
    fn slot(&self) -> Arc<Slot> {
        let here = Handle::current();
        if here.runtime_flavor() != RuntimeFlavor::CurrentThread {
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

    /// The rows of a query. If the connection breaks, the query is built and run a second time.
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
        let slot = self.slot();
        slot.statements.fetch_add(1, Ordering::Relaxed);
        let reader = slot.reader(doing).await?;
        match reader.rows(query()).await {
            Err(error) if is_disconnection(&error) => {}
            answer => return answer.map_err(|error| read_error(doing, error)),
        }
        let reader = slot.reader(doing).await?;
        reader.rows(query()).await.map_err(|error| read_error(doing, error))
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
        for slot in
            self.own.read().unwrap_or_else(PoisonError::into_inner).values().chain(&self.shared)
        {
            *slot.lock() = None;
        }
    }
}

/// The place of one connection.
struct Slot {
    connector: Arc<Connector>,
    /// The runtime that drives the connection.
    runtime: Handle,
    current: Mutex<Option<Arc<Reader>>>,
    /// The number of statements, including those over connections that broke.
    statements: AtomicU64,
    /// Locked while the connection is opened again.
    opening: Arc<tokio::sync::Mutex<()>>,
}

impl Slot {
    fn new(connector: &Arc<Connector>, runtime: Handle) -> Self {
        Self {
            connector: Arc::clone(connector),
            runtime,
            current: Mutex::default(),
            statements: AtomicU64::new(0),
            opening: Arc::default(),
        }
    }

    /// The connection. If it must be opened first, the wait for that is at most [`WAIT`].
    async fn reader(self: &Arc<Self>, doing: &'static str) -> Result<Arc<Reader>, StoreError> {
        if let Some(reader) = self.current() {
            return Ok(reader);
        }
        let Ok(reader) = timeout(WAIT, self.reopened()).await else { return Err(StoreError::Busy) };
        reader.map_err(|error| StoreError::Unreachable { doing, source: Box::new(error) })
    }

    async fn reopened(self: &Arc<Self>) -> Result<Arc<Reader>, ConnectError> {
        let opening = Arc::clone(&self.opening).lock_owned().await;
        if let Some(reader) = self.current() {
            return Ok(reader);
        }
        // The connection is opened in a task of its own. So it is not lost if it opens after its
        // caller has given up, and no other one is opened meanwhile.
        let slot = Arc::clone(self);
        let opened = self.runtime.spawn(async move {
            let _opening = opening;
            let connected =
                timeout(CONNECT_LIMIT, slot.connector.connect_on(&slot.runtime, Role::Reader))
                    .await;
            let reader = Arc::new(Reader::from(connected.map_err(ConnectError::new)??));
            *slot.lock() = Some(Arc::clone(&reader));
            Ok(reader)
        });
        opened.await.map_err(ConnectError::new)?
    }

    fn current(&self) -> Option<Arc<Reader>> {
        self.lock().as_ref().filter(|reader| reader.is_usable()).map(Arc::clone)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Reader>>> {
        // The value is only replaced and cloned, so a panic elsewhere leaves it intact.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection with many users at once.
pub(crate) struct Reader {
    driven: Driven,
    is_broken: AtomicBool,
}

impl From<Driven> for Reader {
    fn from(driven: Driven) -> Self {
        Self { driven, is_broken: AtomicBool::new(false) }
    }
}

impl Reader {
    /// The rows of a query.
    pub(crate) async fn rows<Q, U, ST>(&self, query: Q) -> QueryResult<Vec<U>>
    where
        Q: AsQuery + Send,
        Q::Query: QueryFragment<Pg> + QueryId + Send,
        Q::SqlType: CompatibleType<U, Pg, SqlType = ST>,
        Pg: QueryMetadata<Q::SqlType>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        ST: 'static,
    {
        let mut connection: &AsyncPgConnection = &self.driven.connection;
        // The trait is not imported: every type implements it, so its `load` would hide the `load`
        // of the atomics.
        let loading = diesel_async::RunQueryDsl::load(KnownText(query.as_query()), &mut connection);
        let answer = timeout(LIMIT, loading).await.unwrap_or_else(|_| Err(silent()));
        if answer.as_ref().is_err_and(is_disconnection) {
            self.give_up();
        }
        answer
    }

    /// Ends the connection.
    pub(crate) fn give_up(&self) {
        self.is_broken.store(true, Ordering::Relaxed);
        // All other statements that wait for a response fail at once.
        self.driven.driver.abort();
    }

    /// Returns whether the connection is not known to be broken.
    pub(crate) fn is_usable(&self) -> bool {
        !self.is_broken.load(Ordering::Relaxed) && !self.driven.driver.is_finished()
    }
}

/// The error for a server that is reached and does not respond, not even that its own limit ran
/// out.
fn silent() -> Error {
    let text = format!("no answer within {} seconds", LIMIT.as_secs());
    Error::DatabaseError(DatabaseErrorKind::ClosedConnection, Box::new(text))
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

    /// The rows of a query. Fails with [`StoreError::Busy`] if [`MAX_SLOW`] others run until
    /// [`WAIT`] is over.
    pub(crate) async fn rows<Q, U, ST>(
        &self,
        doing: &'static str,
        query: Q,
    ) -> Result<Vec<U>, StoreError>
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
        match running.await? {
            Ok(rows) => rows.map_err(|error| read_error(doing, error)),
            Err(source) => Err(StoreError::Backend { doing, source }),
        }
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
    use crate::tests::store;
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
