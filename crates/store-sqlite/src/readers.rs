//! Connections for reading. A query runs on the thread of its caller: a point read takes less time
//! than handing it to another thread.

use crate::connection::{Database, Role, WAIT};
use crate::error::store_error;
use crate::sql::fixed;
use diesel::result::QueryResult;
use diesel::{RunQueryDsl, SqliteConnection};
use hearback_ports::health::{PoolMeter, PoolUse};
use hearback_ports::{StoreError, deadline};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Connections for point reads and pages.
///
/// There are as many connections as queries have run at once. A query does not await, so there are
/// never more than threads.
#[derive(Clone)]
pub(crate) struct Readers {
    database: Arc<Database>,
    /// The idle connections. A thread takes its connection from the place to which it returned it.
    /// So threads do not get in each other's way, and the cache of a connection is in the cache of
    /// the processor too.
    idle: Arc<[Mutex<Vec<SqliteConnection>>; PLACES]>,
}

/// The number of places for idle connections. Threads share them if there are more threads.
const PLACES: usize = 16;

thread_local! {
    /// The place of this thread.
    static PLACE: usize = NEXT_PLACE.fetch_add(1, Ordering::Relaxed) % PLACES;
}
static NEXT_PLACE: AtomicUsize = AtomicUsize::new(0);

impl Readers {
    /// Creates readers without a connection. Each is opened when it is first needed.
    pub(crate) fn new(database: Arc<Database>) -> Self {
        Self { database, idle: Arc::default() }
    }

    /// Runs a query of one statement on the thread of the caller.
    pub(crate) fn read<T>(
        &self,
        doing: &'static str,
        query: impl FnOnce(&mut SqliteConnection) -> QueryResult<T>,
    ) -> Result<T, StoreError> {
        self.database.reads.fetch_add(1, Ordering::Relaxed);
        let place = &self.idle[PLACE.with(|place| *place)];
        // An idle connection of another thread is preferred to a new one: threads for slow queries
        // come and go.
        let idle = || std::iter::once(place).chain(&*self.idle).find_map(|place| lock(place).pop());
        let mut connection = match idle() {
            Some(connection) => connection,
            None => self.database.connect(Role::Reader)?,
        };
        let answer = query(&mut connection).map_err(|error| {
            self.database.note(&error);
            store_error(doing, error)
        })?;
        // After an error or a panic, the connection is dropped instead: its state is unknown.
        keep(place, connection);
        Ok(answer)
    }

    /// [`Readers::read`] for a query of several statements. They read one snapshot.
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
    // Every single operation leaves a vector of connections intact, so a panic elsewhere does too.
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The most idle connections in one place. Further ones are closed.
const MAX_IDLE: usize = 2;

/// Runs statements on one snapshot of the database.
///
/// Diesel compiles `BEGIN` and `COMMIT` anew for each of its transactions, which takes as long as a
/// point read. [`Begin`] and [`Commit`] are compiled once. An error leaves the transaction open, so
/// that the caller has to close the connection.
fn within<T>(
    connection: &mut SqliteConnection,
    query: impl FnOnce(&mut SqliteConnection) -> QueryResult<T>,
) -> QueryResult<T> {
    Begin.execute(connection)?;
    let answer = query(connection)?;
    Commit.execute(connection)?;
    Ok(answer)
}

fixed! {
    Begin: "BEGIN",
    Commit: "COMMIT",
}

/// Threads and connections for queries that walk a whole list, so that these delay no other
/// request.
pub(crate) struct SlowReaders {
    readers: Readers,
    permits: Arc<Semaphore>,
    meter: Arc<PoolMeter>,
}

impl SlowReaders {
    /// Creates readers without a connection. Each is opened when it is first needed.
    pub(crate) fn new(database: Arc<Database>) -> Self {
        Self {
            readers: Readers::new(database),
            permits: Arc::new(Semaphore::new(MAX_SLOW)),
            meter: Arc::default(),
        }
    }

    /// Runs a query of one statement on a thread of its own. Fails with [`StoreError::Busy`] if
    /// [`MAX_SLOW`] others run until [`WAIT`] is over.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        doing: &'static str,
        query: impl FnOnce(&mut SqliteConnection) -> QueryResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let wait = self.meter.wait();
        let waiting = Arc::clone(&self.permits).acquire_owned();
        let permit = timeout(deadline::left(WAIT), waiting).await;
        let Ok(Ok(permit)) = permit else {
            wait.timed_out();
            return Err(StoreError::Busy);
        };
        let in_use = wait.over();
        let readers = self.readers.clone();
        let query = tokio::task::spawn_blocking(move || {
            // The thread holds the permit, not the caller: the query continues if its caller is
            // gone.
            let _held = (permit, in_use);
            readers.read(doing, query)
        });
        let answer = timeout(deadline::left(Duration::MAX), query);
        let answer = answer.await.map_err(|_| StoreError::Busy)?;
        answer.map_err(|error| StoreError::Backend { doing, source: Box::new(error) })?
    }

    /// [`SlowReaders::read`] for a query of several statements. They read one snapshot.
    pub(crate) async fn snapshot<T: Send + 'static>(
        &self,
        doing: &'static str,
        query: impl FnOnce(&mut SqliteConnection) -> QueryResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.read(doing, move |connection| within(connection, query)).await
    }

    /// The use of the threads.
    pub(crate) fn in_use(&self, name: &'static str) -> PoolUse {
        self.meter.read(name, MAX_SLOW)
    }

    /// Closes the idle connections.
    pub(crate) fn close(&self) {
        self.readers.close();
    }
}

/// The most slow queries that run at once.
const MAX_SLOW: usize = 4;

#[diesel::declare_sql_function]
extern "SQL" {
    /// Returns `true`. A search calls it for every record that it walks, and so lets others run
    /// ([`Pace`]).
    fn gives_way() -> Bool;
}

/// Registers [`gives_way`] on a connection. `reads` counts the reads of all connections.
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

/// The pace of a walk, which lets point reads pass.
///
/// If all processors of a machine are busy, a thread that computes without a pause keeps its
/// processor for as long as the kernel lets it, again and again, and the other threads wait for
/// milliseconds each time. So a walk goes in strides. After a stride, it rests if there was a read
/// meanwhile. Otherwise it yields, which is a mere system call if no thread waits.
struct Pace {
    reads: Arc<AtomicU64>,
    /// The number of rows since the clock was last read.
    rows: u32,
    /// The stride in progress. `None` after a rest, and before the clock is first read.
    stride: Option<Stride>,
}

struct Stride {
    began: Instant,
    /// The number of reads when the stride began.
    reads: u64,
    /// When the clock was last read.
    looked: Instant,
}

impl Pace {
    fn new(reads: Arc<AtomicU64>) -> Self {
        Self { reads, rows: 0, stride: None }
    }

    /// Counts a row. Returns the time to rest before the row is examined: zero in order to yield,
    /// `None` in order to continue.
    fn step(&mut self) -> Option<Duration> {
        self.rows += 1;
        if self.rows < ROWS_UNTIL_LOOK {
            return None;
        }
        self.rows = 0;
        self.look(Instant::now())
    }

    /// The time to rest at `now`, as [`Pace::step`] returns it.
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
            // A walk begins: the first one, or another one after the last one has ended. Or these
            // few rows took so long because other threads ran.
            _ => {
                self.stride = Some(Stride { began: now, reads, looked: now });
                None
            }
        }
    }
}

/// The number of rows between two reads of the clock. A post takes about 1 µs, an article 4 to 7
/// µs. A read of the clock takes a fortieth of a microsecond.
const ROWS_UNTIL_LOOK: u32 = 16;

/// The length of a stride. It is shorter than the kernel's time slice of a thread, so that a thread
/// that wakes meanwhile does not wait for the kernel to interrupt the walk.
const STRIDE: Duration = Duration::from_micros(500);

/// The length of a rest, in lengths of its stride. Two walks then use less than one of two
/// processors.
const REST: u32 = 2;

/// The longest rest. A stride takes longer if there are many walks, or if the disk is slow. A walk
/// of thousands of strides has to end all the same.
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
    fn statements_of_a_snapshot_see_one_state_and_the_next_snapshot_a_later_one() {
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
    fn a_failed_snapshot_does_not_affect_the_next_reader() {
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
        // The reads of the stride before do not count.
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
    fn a_walk_reads_the_clock_once_in_several_rows() {
        let mut pace = Pace::new(Arc::default());
        for _ in 1..ROWS_UNTIL_LOOK {
            pace.step();
            assert!(pace.stride.is_none());
        }
        pace.step();
        assert!(pace.stride.is_some());
    }

    #[test]
    fn gives_way_passes_every_row() {
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
