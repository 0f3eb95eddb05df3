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
/// A few connections, each shared by all who read in one place: statements follow each other
/// without waiting for the answers of those before them. One slow statement holds up all behind it,
/// so nothing slow goes here, and nothing that writes: others' statements would end up in its
/// transaction.
///
/// A runtime of one thread, such as each worker of the HTTP server is, has a connection of its own,
/// which it drives by itself: to wake another thread for each statement, and to be woken for each
/// answer, costs as much as the read. A worker that is busy holds up nobody's reads but its own.
pub(crate) struct Readers {
    connector: Arc<Connector>,
    /// By the runtimes that drive them.
    own: RwLock<HashMap<runtime::Id, Arc<Slot>>>,
    /// For who runs on several threads: background work, and commands.
    shared: [Arc<Slot>; SHARED],
    next: AtomicUsize,
    /// How many walks there are that make way for these.
    walks: AtomicU32,
}

/// How many connections there are beside those that runtimes of one thread have.
pub(crate) const SHARED: usize = 2;

impl Readers {
    /// No connection yet: each is opened when it is first needed.
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

    /// The place of the connection for whoever runs here.
    fn slot(&self) -> Arc<Slot> {
        let here = Handle::current();
        if here.runtime_flavor() != RuntimeFlavor::CurrentThread {
            return Arc::clone(&self.shared[self.next.fetch_add(1, Ordering::Relaxed) % SHARED]);
        }
        // Places are only ever added, each in one step, so a panic elsewhere does not spoil the
        // map.
        if let Some(slot) = self.own.read().unwrap_or_else(PoisonError::into_inner).get(&here.id())
        {
            return Arc::clone(slot);
        }
        let mut own = self.own.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(
            own.entry(here.id()).or_insert_with(|| Arc::new(Slot::new(&self.connector, here))),
        )
    }

    /// The rows of a query. It is made and run a second time when the connection breaks.
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

    /// [`Readers::rows`] for a query that has one row at most.
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

    /// How others are let pass on a walk that begins now.
    pub(crate) fn pace(&self) -> Pace<'_> {
        self.walks.fetch_add(1, Ordering::Relaxed);
        Pace { readers: self, statements: self.statements(), began: Instant::now() }
    }

    /// How many statements there were.
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
    /// What drives it.
    runtime: Handle,
    current: Mutex<Option<Arc<Reader>>>,
    /// How many there were over it, by one that broke too.
    statements: AtomicU64,
    /// Held while the connection is opened anew.
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

    /// The connection. Where it has to be opened first, nobody waits longer for that than [`WAIT`].
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
        // In a task of its own: when who waited long enough goes away, the connection that comes
        // after all is not lost, and nobody opens another one beside it.
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
        // Only ever replaced and cloned, so a panic elsewhere does not spoil it.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that many use at once.
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
        // The trait is not imported, for its `load` would hide that of the atomics: it is on every
        // type there is.
        let loading = diesel_async::RunQueryDsl::load(KnownText(query.as_query()), &mut connection);
        let answer = timeout(LIMIT, loading).await.unwrap_or_else(|_| Err(silent()));
        if answer.as_ref().is_err_and(is_disconnection) {
            self.give_up();
        }
        answer
    }

    /// Ends it.
    pub(crate) fn give_up(&self) {
        self.is_broken.store(true, Ordering::Relaxed);
        // All others that wait for an answer on it hear of it at once.
        self.driven.driver.abort();
    }

    /// Whether it is not known to be broken.
    pub(crate) fn is_usable(&self) -> bool {
        !self.is_broken.load(Ordering::Relaxed) && !self.driven.driver.is_finished()
    }
}

/// The server is reached but does not answer, not even that its own limit ran out.
fn silent() -> Error {
    let text = format!("no answer within {} seconds", LIMIT.as_secs());
    Error::DatabaseError(DatabaseErrorKind::ClosedConnection, Box::new(text))
}

/// How far a query may have to go, which decides where it is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// No further than its page: [`Readers`].
    Short,
    /// Perhaps through all there is: [`SlowReaders`].
    Long,
}

/// How a walk in many statements lets point reads pass.
///
/// To PostgreSQL all processes are equal. Where all processors are busy, one that computes without
/// a pause has a processor for as long as the kernel lets it, again and again, and the others wait
/// for milliseconds each time. So a walk goes in short strides, with a pause after each in which
/// there was a point read.
pub(crate) struct Pace<'a> {
    readers: &'a Readers,
    /// How many there were when the stride began.
    statements: u64,
    began: Instant,
}

impl Pace<'_> {
    /// The end of a stride. Returns at once where nobody read anything meanwhile.
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

/// Of the time of one processor, all walks together take one of so many parts.
const PARTS: u32 = 3;

/// A stride takes longer where many walk, or the disk is slow. A walk of hundreds of strides is to
/// end all the same.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// Connections for queries that walk a whole list, so that they hold up no other request.
pub(crate) struct SlowReaders {
    pool: Pool,
}

/// How many slow queries run at once.
pub(crate) const MAX_SLOW: usize = 4;

impl SlowReaders {
    /// No connection yet: each is opened when it is first needed.
    pub(crate) fn new(connector: &Arc<Connector>) -> Result<Self, OpenError> {
        Ok(Self { pool: Pool::new(connector, Role::SlowReader, MAX_SLOW)? })
    }

    /// The rows of a query; [`StoreError::Busy`] when too many others run until the wait ends.
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

    /// How the connections are used.
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
    async fn a_walk_has_no_helpers() {
        let (store, _database) = store().await;
        let helpers = async |reach| -> String {
            let query = || diesel::select(current_setting("max_parallel_workers_per_gather"));
            store.list_rows(reach, "asking for a setting", query).await.unwrap().remove(0)
        };
        assert_ne!(helpers(Reach::Short).await, "0");
        assert_eq!(helpers(Reach::Long).await, "0");
    }

    #[tokio::test(start_paused = true)]
    async fn a_walk_makes_way_for_as_long_as_others_read() {
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
        // Of two walks each takes half as much.
        let other = readers.pace();
        assert_eq!(pause(millis(1), 1).await, millis(5));
        drop(other);
        assert_eq!(pause(millis(1), 1).await, millis(2));
        // What was read during the pause or before it is over.
        assert_eq!(pause(millis(1), 0).await, Duration::ZERO);
    }
}
