//! Connections for reading. A query runs where it is asked for: a point read takes less than
//! handing it to another thread.

use crate::connection::{Database, Role, WAIT};
use crate::error::store_error;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sqlite::Sqlite;
use diesel::{RunQueryDsl, SqliteConnection};
use hearback_ports::StoreError;
use hearback_ports::health::{PoolMeter, PoolUse};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// Connections for point reads and pages.
///
/// As many are open as queries ran at once. Since a query does not await, these are never more than
/// there are threads.
#[derive(Clone)]
pub(crate) struct Readers {
    database: Arc<Database>,
    /// A thread takes its connection from the place where it put it, so that threads are not in
    /// each other's way, and what a connection has in its cache is in the processor's cache, too.
    idle: Arc<[Mutex<Vec<SqliteConnection>>; PLACES]>,
}

/// How many places there are for idle connections. Threads share them when there are more.
const PLACES: usize = 16;

thread_local! {
    /// This thread's place.
    static PLACE: usize = NEXT_PLACE.fetch_add(1, Ordering::Relaxed) % PLACES;
}
static NEXT_PLACE: AtomicUsize = AtomicUsize::new(0);

impl Readers {
    /// No connection yet: each is opened when it is first needed.
    pub(crate) fn new(database: Arc<Database>) -> Self {
        Self { database, idle: Arc::default() }
    }

    /// Runs a query of one statement here and now.
    pub(crate) fn read<T>(
        &self,
        doing: &'static str,
        query: impl FnOnce(&mut SqliteConnection) -> QueryResult<T>,
    ) -> Result<T, StoreError> {
        self.database.reads.fetch_add(1, Ordering::Relaxed);
        let place = &self.idle[PLACE.with(|place| *place)];
        // Rather another thread's than a new one: threads for slow queries come and go.
        let idle = || std::iter::once(place).chain(&*self.idle).find_map(|place| lock(place).pop());
        let mut connection = match idle() {
            Some(connection) => connection,
            None => self.database.connect(Role::Reader)?,
        };
        let answer = query(&mut connection).map_err(|error| store_error(doing, error))?;
        // Not reached after an error or a panic: what state the connection is in then is not worth
        // asking.
        keep(place, connection);
        Ok(answer)
    }

    /// [`Readers::read`] for a query of several statements, which see one state of the database.
    pub(crate) fn snapshot<T>(
        &self,
        doing: &'static str,
        query: impl FnOnce(&mut SqliteConnection) -> QueryResult<T>,
    ) -> Result<T, StoreError> {
        self.read(doing, |connection| within(connection, query))
    }

    /// Closes the idle connections.
    pub(crate) fn close(&self) {
        for place in &*self.idle {
            lock(place).clear();
        }
    }
}

fn keep(place: &Mutex<Vec<SqliteConnection>>, connection: SqliteConnection) {
    let mut idle = lock(place);
    if idle.len() < MAX_IDLE {
        idle.push(connection);
    }
}

fn lock(place: &Mutex<Vec<SqliteConnection>>) -> MutexGuard<'_, Vec<SqliteConnection>> {
    // A vector of connections is whole after every single operation, so a panic elsewhere does not
    // spoil it.
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// More idle connections than this in one place are closed.
const MAX_IDLE: usize = 2;

/// Runs statements on one state of the database.
///
/// Diesel compiles `BEGIN` and `COMMIT` anew for each of its transactions, which takes as long as a
/// point read; these are compiled once. An error leaves the transaction open: whoever calls this
/// closes the connection then.
fn within<T>(
    connection: &mut SqliteConnection,
    query: impl FnOnce(&mut SqliteConnection) -> QueryResult<T>,
) -> QueryResult<T> {
    Begin.execute(connection)?;
    let answer = query(connection)?;
    Commit.execute(connection)?;
    Ok(answer)
}

#[derive(QueryId)]
struct Begin;

#[derive(QueryId)]
struct Commit;

impl QueryFragment<Sqlite> for Begin {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("BEGIN");
        Ok(())
    }
}

impl QueryFragment<Sqlite> for Commit {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("COMMIT");
        Ok(())
    }
}

impl RunQueryDsl<SqliteConnection> for Begin {}

impl RunQueryDsl<SqliteConnection> for Commit {}

/// Threads and connections for queries that walk a whole list, so that they hold up no other
/// request.
pub(crate) struct SlowReaders {
    readers: Readers,
    permits: Arc<Semaphore>,
    meter: Arc<PoolMeter>,
}

impl SlowReaders {
    /// No connection yet: each is opened when it is first needed.
    pub(crate) fn new(database: Arc<Database>) -> Self {
        Self {
            readers: Readers::new(database),
            permits: Arc::new(Semaphore::new(MAX_SLOW)),
            meter: Arc::default(),
        }
    }

    /// Runs a query of one statement on a thread of its own; [`StoreError::Busy`] when too many
    /// others run until the wait ends.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        doing: &'static str,
        query: impl FnOnce(&mut SqliteConnection) -> QueryResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let wait = self.meter.wait();
        let permit = tokio::time::timeout(WAIT, Arc::clone(&self.permits).acquire_owned()).await;
        let Ok(Ok(permit)) = permit else {
            wait.timed_out();
            return Err(StoreError::Busy);
        };
        let in_use = wait.over();
        let readers = self.readers.clone();
        let query = tokio::task::spawn_blocking(move || {
            // Held by the thread, not by the caller: a caller that goes away does not stop the
            // query.
            let _held = (permit, in_use);
            readers.read(doing, query)
        });
        query.await.map_err(|error| StoreError::Backend { doing, source: Box::new(error) })?
    }

    /// [`SlowReaders::read`] for a query of several statements, which see one state of the
    /// database.
    pub(crate) async fn snapshot<T: Send + 'static>(
        &self,
        doing: &'static str,
        query: impl FnOnce(&mut SqliteConnection) -> QueryResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.read(doing, move |connection| within(connection, query)).await
    }

    /// How the threads are used.
    pub(crate) fn in_use(&self, name: &'static str) -> PoolUse {
        self.meter.read(name, MAX_SLOW)
    }

    /// Closes the idle connections.
    pub(crate) fn close(&self) {
        self.readers.close();
    }
}

/// How many slow queries run at once.
const MAX_SLOW: usize = 4;

#[diesel::declare_sql_function]
extern "SQL" {
    /// True. A search asks it of every record that it walks, and so lets others run ([`Pace`]).
    fn gives_way() -> Bool;
}

/// Makes [`gives_way`] known to a connection. `reads` counts those of all connections.
pub(crate) fn register_gives_way(
    connection: &mut SqliteConnection,
    reads: &Arc<AtomicU64>,
) -> QueryResult<()> {
    let mut pace = Pace::new(Arc::clone(reads));
    gives_way_utils::register_nondeterministic_impl(connection, move || {
        match pace.step() {
            None => {}
            Some(Duration::ZERO) => std::thread::yield_now(),
            Some(rest) => std::thread::sleep(rest),
        }
        true
    })
}

/// How a walk lets point reads pass.
///
/// On a machine whose processors are all busy, a thread that computes without a pause has one for
/// as long as the kernel lets it, again and again, and the others wait for milliseconds each time.
/// So a walk goes in strides, after each of which it rests if anybody read meanwhile, and else
/// yields, which is a system call where nobody waits.
struct Pace {
    reads: Arc<AtomicU64>,
    /// How many rows there were since the last look at the clock.
    rows: u32,
    /// `None` after a rest, and before the first row.
    stride: Option<Stride>,
}

struct Stride {
    began: Instant,
    /// How many reads there were then.
    reads: u64,
    /// The last look at the clock.
    looked: Instant,
}

impl Pace {
    fn new(reads: Arc<AtomicU64>) -> Self {
        Self { reads, rows: 0, stride: None }
    }

    /// The next row, and how long to rest before it is gone into: nothing, if only to yield.
    fn step(&mut self) -> Option<Duration> {
        self.rows += 1;
        if self.rows < ROWS_UNTIL_LOOK {
            return None;
        }
        self.rows = 0;
        self.look(Instant::now())
    }

    /// How long to rest at this time.
    fn look(&mut self, now: Instant) -> Option<Duration> {
        let reads = self.reads.load(Ordering::Relaxed);
        match &mut self.stride {
            Some(stride) if now - stride.began < STRIDE => {
                stride.looked = now;
                None
            }
            Some(stride) if now - stride.looked < LONGEST_REST => {
                let rest =
                    if reads > stride.reads { (now - stride.began) * REST } else { Duration::ZERO };
                self.stride = None;
                Some(rest.min(LONGEST_REST))
            }
            // A walk begins, or the one before has ended and this is another one. Or so few rows
            // took so long because others ran.
            _ => {
                self.stride = Some(Stride { began: now, reads, looked: now });
                None
            }
        }
    }
}

/// A post takes about a microsecond, an article 4 to 7. To look at the clock takes a fortieth of
/// one.
const ROWS_UNTIL_LOOK: u32 = 16;

/// Less than a thread has a processor for at a time, so that who comes meanwhile does not wait for
/// the kernel to take it away.
const STRIDE: Duration = Duration::from_micros(500);

/// So many times as long as a stride: two walks then take less than one of two processors.
const REST: u32 = 2;

/// A stride takes longer where many walk, or the disk is slow. A walk of thousands of strides is to
/// end all the same.
const LONGEST_REST: Duration = Duration::from_millis(5);

#[cfg(test)]
mod tests {
    use super::*;
    use diesel::connection::SimpleConnection;
    use diesel::result::Error;
    use diesel::sql_types::BigInt;
    use diesel::{QueryableByName, sql_query};

    #[derive(QueryableByName)]
    struct Count {
        #[diesel(sql_type = BigInt)]
        n: i64,
    }

    fn count(connection: &mut SqliteConnection) -> QueryResult<i64> {
        sql_query("SELECT count(*) AS n FROM item")
            .get_result::<Count>(connection)
            .map(|count| count.n)
    }

    /// Readers of a new file, and a connection that writes to it.
    fn opened(folder: &tempfile::TempDir) -> (Readers, SqliteConnection) {
        let database = Arc::new(Database::open(&folder.path().join("test.db")).unwrap());
        let mut writer = database.connect(Role::Writer).unwrap();
        writer.batch_execute("CREATE TABLE item (id integer)").unwrap();
        (Readers::new(database), writer)
    }

    #[test]
    fn statements_of_a_snapshot_see_one_state_and_those_of_the_next_one_a_later() {
        let folder = tempfile::tempdir().unwrap();
        let (readers, mut writer) = opened(&folder);
        for before in 0..3 {
            let seen = readers.snapshot("counting", |connection| {
                let first = count(connection)?;
                writer.batch_execute("INSERT INTO item VALUES (1)")?;
                Ok((first, count(connection)?))
            });
            assert_eq!(seen.unwrap(), (before, before));
        }
    }

    #[test]
    fn a_snapshot_that_fails_is_not_what_the_next_reader_sees() {
        let folder = tempfile::tempdir().unwrap();
        let (readers, mut writer) = opened(&folder);
        let failed = readers.snapshot("counting", |connection| {
            count(connection).and(Err::<(), _>(Error::RollbackTransaction))
        });
        assert!(failed.is_err());
        writer.batch_execute("INSERT INTO item VALUES (1)").unwrap();
        let again = readers.snapshot("counting", count);
        assert_eq!(again.unwrap(), 1);
    }

    #[test]
    fn a_walk_rests_after_each_stride_in_which_others_read() {
        let reads = Arc::new(AtomicU64::new(7));
        let mut pace = Pace::new(Arc::clone(&reads));
        let mut now = Instant::now();
        let mut stride = |length: Duration, others: u64| {
            let began = now;
            assert_eq!(pace.look(now), None);
            now += STRIDE / 2;
            assert_eq!(pace.look(now), None);
            reads.fetch_add(others, Ordering::Relaxed);
            now = began + length;
            pace.look(now)
        };
        assert_eq!(stride(STRIDE, 0), Some(Duration::ZERO));
        assert_eq!(stride(STRIDE, 1), Some(STRIDE * REST));
        assert_eq!(stride(STRIDE * 3, 1_000), Some(STRIDE * 3 * REST));
        assert_eq!(stride(LONGEST_REST, 1), Some(LONGEST_REST));
        // What was read before it is over.
        assert_eq!(stride(STRIDE, 0), Some(Duration::ZERO));
    }

    #[test]
    fn a_walk_does_not_rest_for_the_time_between_it_and_the_one_before() {
        let reads = Arc::new(AtomicU64::new(0));
        let mut pace = Pace::new(Arc::clone(&reads));
        let now = Instant::now();
        assert_eq!(pace.look(now), None);
        reads.fetch_add(1, Ordering::Relaxed);
        let later = now + LONGEST_REST;
        assert_eq!(pace.look(later), None);
        assert_eq!(pace.look(later + STRIDE), Some(Duration::ZERO));
    }

    #[test]
    fn a_walk_looks_at_the_clock_now_and_then() {
        let mut pace = Pace::new(Arc::default());
        for _ in 1..ROWS_UNTIL_LOOK {
            pace.step();
            assert!(pace.stride.is_none());
        }
        pace.step();
        assert!(pace.stride.is_some());
    }

    #[test]
    fn giving_way_lets_every_row_through() {
        let folder = tempfile::tempdir().unwrap();
        let (readers, _writer) = opened(&folder);
        let count = sql_query(
            "WITH RECURSIVE row (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM row WHERE n < 5000)
             SELECT count(*) AS n FROM row WHERE gives_way()",
        );
        let counted =
            readers.read("counting", |connection| count.get_result::<Count>(connection)).unwrap();
        assert_eq!(counted.n, 5_000);
    }
}
