//! The one thread that writes.
//!
//! The thread takes all queued writes, up to [`BATCH`]. It runs each in a savepoint of one
//! transaction, commits, and only then returns the results. So one flush of the disk serves the
//! whole batch. A write of many rows has a transaction of its own, without a savepoint, whose undo
//! data would be as large as the write.

use crate::connection::{Database, POLL, Role, WAIT, try_begin_immediate};
use crate::error::{Cause, Harm, Undone, is_busy};
use crate::sql::fixed;
use diesel::connection::{AnsiTransactionManager, TransactionManager, TransactionManagerStatus};
use diesel::result::{Error, QueryResult};
use diesel::{RunQueryDsl, SqliteConnection};
use hearback_ports::health::{InUse, PoolMeter, PoolUse, PoolWait};
use hearback_ports::{Recorded, StoreError, deadline};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};

/// The queue of writes, and the thread that runs them.
pub(crate) struct Writer {
    /// `None` once the writer is closed, as `thread` is.
    queue: Mutex<Option<Queue>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    meter: Arc<PoolMeter>,
}

type Queue = mpsc::Sender<Box<dyn Job>>;

/// The most writes in the queue. A further write waits for a place, and fails with
/// [`StoreError::Busy`] if it gets none in time.
const QUEUE: usize = 1024;

/// The most writes in one transaction.
const BATCH: usize = 256;

impl Writer {
    /// Starts the thread.
    pub(crate) fn start(database: Arc<Database>) -> Result<Self, StoreError> {
        let (queue, jobs) = mpsc::channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".to_owned())
            .spawn(move || Worker { database, connection: None }.run(jobs))
            .map_err(|error| StoreError::Backend {
                doing: "starting the writer",
                source: Box::new(error),
            })?;
        Ok(Self {
            queue: Mutex::new(Some(queue)),
            thread: Mutex::new(Some(thread)),
            meter: Arc::default(),
        })
    }

    /// Runs `work` in a transaction, and returns after the commit. If `work` returns an error, its
    /// own changes are rolled back, and no others.
    ///
    /// The outer error is [`StoreError::Busy`] or [`StoreError::Backend`] if nothing was done, and
    /// [`StoreError::Lost`] if the outcome is unknown. If the future is dropped before the work
    /// begins, the work is cancelled.
    pub(crate) async fn write<T, E, F>(
        &self,
        doing: &'static str,
        work: F,
    ) -> Result<Result<T, E>, StoreError>
    where
        T: Send + 'static,
        E: Cause + Send + 'static,
        F: FnOnce(&mut SqliteConnection) -> Result<T, E> + Send + 'static,
    {
        self.queue(doing, Extent::Few, work).await
    }

    async fn queue<T, E, F>(
        &self,
        doing: &'static str,
        extent: Extent,
        work: F,
    ) -> Result<Result<T, E>, StoreError>
    where
        T: Send + 'static,
        E: Cause + Send + 'static,
        F: FnOnce(&mut SqliteConnection) -> Result<T, E> + Send + 'static,
    {
        let deadline = Instant::now() + deadline::left(WAIT);
        let Some(queue) = lock(&self.queue).clone() else { return Err(closed(doing)) };
        let wait = self.meter.wait();
        let Ok(place) = tokio::time::timeout_at(deadline.into(), queue.reserve()).await else {
            wait.timed_out();
            return Err(StoreError::Busy);
        };
        let place = place.map_err(|_| closed(doing))?;
        let (caller, answer) = oneshot::channel();
        place.send(Box::new(Task {
            doing,
            extent,
            deadline,
            wait: Some(wait),
            in_use: None,
            work: Some(work),
            outcome: None,
            caller,
        }));
        // The thread sends a result for every job that it takes, unless it dies.
        answer.await.map_err(|error| StoreError::Lost { doing, source: Box::new(error) })?
    }

    /// [`Writer::write`] for a change whose port returns [`Recorded`].
    pub(crate) async fn record<F>(
        &self,
        doing: &'static str,
        work: F,
    ) -> Result<Recorded, StoreError>
    where
        F: FnOnce(&mut SqliteConnection) -> Result<(), Undone> + Send + 'static,
    {
        recorded(doing, self.queue(doing, Extent::Few, work).await?)
    }

    /// [`Writer::record`] for a change that may write any number of rows.
    pub(crate) async fn record_many<F>(
        &self,
        doing: &'static str,
        work: F,
    ) -> Result<Recorded, StoreError>
    where
        F: FnOnce(&mut SqliteConnection) -> Result<(), Undone> + Send + 'static,
    {
        recorded(doing, self.queue(doing, Extent::Many, work).await?)
    }

    /// The use of the writer. Its size is the number of writes in one transaction.
    pub(crate) fn in_use(&self, name: &'static str) -> PoolUse {
        self.meter.read(name, BATCH)
    }

    /// Runs the queued writes, then ends the thread. Blocks until the thread has ended. Later
    /// writes fail.
    pub(crate) fn close(&self) {
        drop(lock(&self.queue).take());
        let thread = lock(&self.thread).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the writer of the database ended in a panic");
        }
    }
}

/// Waits between two parts of a long change, so that another process can take the write lock. A
/// process tries for it every [`POLL`]. The writes of this process take turns in the queue anyway.
pub(crate) async fn give_way() {
    tokio::time::sleep(POLL * 2).await;
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.close();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The values in these mutexes are only cloned or taken, so a panic elsewhere leaves them
    // intact.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn recorded(doing: &'static str, outcome: Result<(), Undone>) -> Result<Recorded, StoreError> {
    match outcome {
        Ok(()) => Ok(Recorded::Done),
        Err(undone) => undone.recorded(doing),
    }
}

fn closed(doing: &'static str) -> StoreError {
    StoreError::Backend { doing, source: Box::new(WriterClosed) }
}

#[derive(Debug, thiserror::Error)]
#[error("the store was closed")]
struct WriterClosed;

/// The number of rows that a job may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// A limited number: the job shares a transaction with others.
    Few,
    /// Any number: the job has a transaction of its own.
    Many,
}

/// A queued write with a result of any type.
trait Job: Send {
    /// The number of rows that the job may write.
    fn extent(&self) -> Extent;

    /// Returns whether the caller still waits for the result.
    fn is_wanted(&self) -> bool;

    /// The time until which the job may wait for the write lock.
    fn deadline(&self) -> Instant;

    /// Runs the work, once, and stores its result for [`Job::answer`].
    fn run(&mut self, connection: &mut SqliteConnection, database: &Database) -> Fate;

    /// Sends the result to the caller, after the commit.
    fn answer(self: Box<Self>);

    /// Sends the failure of the transaction to the caller.
    fn fail(self: Box<Self>, failure: &Failure);
}

/// Whether the changes of a job are kept or rolled back.
enum Fate {
    Keep,
    TakeBack,
}

/// The reason why a transaction failed.
enum Failure {
    /// Another process held the write lock.
    Busy,
    /// The disk was full: nothing was done.
    Full(Arc<dyn std::error::Error + Send + Sync>),
    /// The database failed before the commit: nothing was done.
    Failed(Arc<dyn std::error::Error + Send + Sync>),
    /// The commit failed: the log may or may not contain the transaction.
    Unknown(Arc<dyn std::error::Error + Send + Sync>),
}

/// A [`Failure`] that all jobs of a transaction share.
#[derive(Debug, thiserror::Error)]
#[error("the transaction failed")]
struct Shared(#[source] Arc<dyn std::error::Error + Send + Sync>);

struct Task<T, E, F> {
    doing: &'static str,
    extent: Extent,
    deadline: Instant,
    /// The wait, until the work begins.
    wait: Option<PoolWait>,
    /// The use of the writer, from the beginning of the work until the result is sent.
    in_use: Option<InUse>,
    work: Option<F>,
    outcome: Option<Result<Result<T, E>, StoreError>>,
    caller: oneshot::Sender<Result<Result<T, E>, StoreError>>,
}

impl<T, E, F> Job for Task<T, E, F>
where
    T: Send,
    E: Cause + Send,
    F: FnOnce(&mut SqliteConnection) -> Result<T, E> + Send,
{
    fn extent(&self) -> Extent {
        self.extent
    }

    fn is_wanted(&self) -> bool {
        !self.caller.is_closed()
    }

    fn deadline(&self) -> Instant {
        self.deadline
    }

    fn run(&mut self, connection: &mut SqliteConnection, database: &Database) -> Fate {
        let Some(work) = self.work.take() else { return Fate::TakeBack };
        self.in_use = self.wait.take().map(PoolWait::over);
        match catch_unwind(AssertUnwindSafe(|| work(connection))) {
            Ok(outcome) => {
                let fate = if let Err(error) = &outcome {
                    error.cause().into_iter().for_each(|error| database.note(error));
                    Fate::TakeBack
                } else {
                    Fate::Keep
                };
                self.outcome = Some(Ok(outcome));
                fate
            }
            Err(_) => {
                self.outcome = Some(Err(StoreError::Backend {
                    doing: self.doing,
                    source: Box::new(Panicked),
                }));
                Fate::TakeBack
            }
        }
    }

    fn answer(self: Box<Self>) {
        if let Some(outcome) = self.outcome {
            // The caller may have dropped its future meanwhile.
            let _ = self.caller.send(outcome);
        }
    }

    fn fail(self: Box<Self>, failure: &Failure) {
        let doing = self.doing;
        let error = match failure {
            Failure::Busy => {
                if let Some(wait) = self.wait {
                    wait.timed_out();
                }
                StoreError::Busy
            }
            Failure::Full(error) => {
                StoreError::Full { doing, source: Box::new(Shared(Arc::clone(error))) }
            }
            Failure::Failed(error) => {
                StoreError::Backend { doing, source: Box::new(Shared(Arc::clone(error))) }
            }
            Failure::Unknown(error) => {
                StoreError::Lost { doing, source: Box::new(Shared(Arc::clone(error))) }
            }
        };
        let _ = self.caller.send(Err(error));
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the work panicked")]
struct Panicked;

/// The state of the thread.
struct Worker {
    database: Arc<Database>,
    /// The connection. It is opened when it is first needed, and again after a failure.
    connection: Option<SqliteConnection>,
}

impl Worker {
    fn run(mut self, mut queue: mpsc::Receiver<Box<dyn Job>>) {
        let mut taken = None;
        while let Some(first) = taken.take().or_else(|| queue.blocking_recv()) {
            let mut is_open = first.extent() == Extent::Few;
            let mut jobs = vec![first];
            while is_open
                && jobs.len() < BATCH
                && let Ok(next) = queue.try_recv()
            {
                match next.extent() {
                    Extent::Few => jobs.push(next),
                    Extent::Many => {
                        taken = Some(next);
                        is_open = false;
                    }
                }
            }
            self.serve(jobs);
        }
    }

    /// Runs the jobs in one transaction, and sends their results.
    fn serve(&mut self, mut jobs: Vec<Box<dyn Job>>) {
        let result = catch_unwind(AssertUnwindSafe(|| self.transaction(&mut jobs)));
        let failure = match result {
            Ok(Ok(())) => {
                self.database.note_room();
                return jobs.into_iter().for_each(Job::answer);
            }
            Ok(Err(failure)) => failure,
            Err(_) => Failure::Unknown(Arc::new(Panicked)),
        };
        if !matches!(failure, Failure::Busy) {
            // The state of the connection is unknown. Closing it rolls back, and the next
            // transaction begins on a new one.
            self.connection = None;
        }
        jobs.into_iter().for_each(|job| job.fail(&failure));
    }

    fn transaction(&mut self, jobs: &mut Vec<Box<dyn Job>>) -> Result<(), Failure> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(self.database.connect(Role::Writer).map_err(failed)?),
        };
        begin(connection, jobs)?;
        if let [job] = &mut jobs[..]
            && job.extent() == Extent::Many
            && job.is_wanted()
        {
            let fate = job.run(connection, &self.database);
            is_whole(connection).map_err(failed)?;
            if let Fate::TakeBack = fate {
                let rolled_back = AnsiTransactionManager::rollback_transaction(connection);
                return rolled_back.map_err(failed);
            }
        }
        for job in jobs.iter_mut().filter(|job| job.is_wanted() && job.extent() == Extent::Few) {
            let done = savepoint(connection, job.as_mut(), &self.database);
            // SQLite rolls the transaction back by itself if the disk is full.
            done.map_err(|error| match self.database.harm() {
                Some(Harm::Full) => Failure::Full(Arc::new(error)),
                _ => failed(error),
            })?;
        }
        AnsiTransactionManager::commit_transaction(connection).map_err(|error| {
            self.database.note(&error);
            // The log has no commit without its last page.
            match Harm::of(&error) {
                Some(Harm::Full) => Failure::Full(Arc::new(error)),
                _ => Failure::Unknown(Arc::new(error)),
            }
        })
    }
}

/// Begins the transaction. A job is removed and fails with [`Failure::Busy`] if its deadline passes
/// meanwhile, or if its caller is gone.
fn begin(connection: &mut SqliteConnection, jobs: &mut Vec<Box<dyn Job>>) -> Result<(), Failure> {
    loop {
        match try_begin_immediate(connection) {
            Ok(()) => return Ok(()),
            Err(error) if !is_busy(&error) => return Err(failed(error)),
            Err(_) => {}
        }
        let now = Instant::now();
        jobs.extract_if(.., |job| job.deadline() <= now || !job.is_wanted())
            .for_each(|job| job.fail(&Failure::Busy));
        if jobs.is_empty() {
            return Err(Failure::Busy);
        }
        std::thread::sleep(POLL);
    }
}

/// Runs a job in a savepoint. Returns an error if the job broke the transaction.
fn savepoint(
    connection: &mut SqliteConnection,
    job: &mut dyn Job,
    database: &Database,
) -> QueryResult<()> {
    Savepoint.execute(connection)?;
    if let Fate::TakeBack = job.run(connection, database) {
        RollBack.execute(connection)?;
    }
    Release.execute(connection)?;
    is_whole(connection)
}

/// Returns an error if a nested transaction is open: a job panicked in it.
fn is_whole(connection: &mut SqliteConnection) -> QueryResult<()> {
    match AnsiTransactionManager::transaction_manager_status_mut(connection) {
        TransactionManagerStatus::Valid(status)
            if status.transaction_depth().is_some_and(|depth| depth.get() == 1) =>
        {
            Ok(())
        }
        _ => Err(Error::BrokenTransactionManager),
    }
}

// Diesel would compile the statements of its own savepoints anew for each job.
fixed! {
    Savepoint: "SAVEPOINT job",
    RollBack: "ROLLBACK TO job",
    Release: "RELEASE job",
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> Failure {
    Failure::Failed(Arc::new(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::begin_immediate;
    use diesel::connection::SimpleConnection;
    use diesel::prelude::*;
    use std::future::poll_fn;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::task::Poll;
    use tempfile::TempDir;
    use tokio::task::{JoinHandle, unconstrained};

    diesel::table! {
        notes (text) {
            text -> Text,
        }
    }

    /// A database with the table `notes`, its writer, and its folder, which is removed at the end
    /// of the test.
    struct Fixture {
        writer: Arc<Writer>,
        database: Arc<Database>,
        _folder: TempDir,
    }

    fn fixture() -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let database = Arc::new(Database::open(&folder.path().join("test.db")).unwrap());
        let mut connection = database.connect(Role::Writer).unwrap();
        connection
            .batch_execute("CREATE TABLE notes (text text NOT NULL PRIMARY KEY) STRICT")
            .unwrap();
        let writer = Arc::new(Writer::start(Arc::clone(&database)).unwrap());
        Fixture { writer, database, _folder: folder }
    }

    impl Fixture {
        fn notes(&self) -> Vec<String> {
            let mut connection = self.database.connect(Role::Reader).unwrap();
            notes::table.order(notes::text).select(notes::text).load(&mut connection).unwrap()
        }

        async fn note(&self, text: &'static str) -> Result<Recorded, StoreError> {
            self.writer.record("noting", move |connection| Ok(note(connection, text)?)).await
        }

        /// Blocks the writing thread in a job of its own until the sender is dropped, so that later
        /// jobs share one transaction. Returns when the thread is blocked.
        async fn hold(&self) -> (Sender<()>, JoinHandle<()>) {
            let (release, held): (_, Receiver<()>) = channel();
            let (arrived, arrival) = oneshot::channel();
            let writer = Arc::clone(&self.writer);
            let holding = tokio::spawn(async move {
                let work = move |_: &mut SqliteConnection| {
                    let _ = arrived.send(());
                    let _ = held.recv();
                    Ok::<(), Error>(())
                };
                writer.write("holding", work).await.unwrap().unwrap();
            });
            arrival.await.unwrap();
            (release, holding)
        }

        /// Queues a write behind the queued ones. The write is in the queue when this returns.
        async fn queue<T: Send + 'static>(
            &self,
            work: impl FnOnce(&mut SqliteConnection) -> Result<T, Undone> + Send + 'static,
        ) -> JoinHandle<Result<Result<T, Undone>, StoreError>> {
            self.queue_of(Extent::Few, work).await
        }

        /// [`Fixture::queue`] of a write with this extent.
        async fn queue_of<T: Send + 'static>(
            &self,
            extent: Extent,
            work: impl FnOnce(&mut SqliteConnection) -> Result<T, Undone> + Send + 'static,
        ) -> JoinHandle<Result<Result<T, Undone>, StoreError>> {
            let writer = Arc::clone(&self.writer);
            // The queue has room, so one poll reaches the wait for the result. With a spawned task,
            // a test could not distinguish a reserved place from a taken one.
            let mut writing =
                Box::pin(unconstrained(async move { writer.queue("working", extent, work).await }));
            let first = poll_fn(|context| Poll::Ready(writing.as_mut().poll(context))).await;
            assert!(first.is_pending());
            tokio::spawn(writing)
        }
    }

    fn note(connection: &mut SqliteConnection, text: &str) -> QueryResult<()> {
        diesel::insert_into(notes::table)
            .values(notes::text.eq(text))
            .execute(connection)
            .map(|_| ())
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_write_is_committed_when_it_returns() {
        let fixture = fixture();
        assert_eq!(fixture.note("a").await.unwrap(), Recorded::Done);
        assert_eq!(fixture.notes(), ["a"]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn queued_writes_share_a_transaction_and_are_rolled_back_alone() {
        let fixture = fixture();
        let (release, holding) = fixture.hold().await;
        let first = fixture.queue(|connection| Ok(note(connection, "first")?)).await;
        let stale = fixture
            .queue(|connection| {
                note(connection, "stale")?;
                Err::<(), _>(Undone::Stale)
            })
            .await;
        let panicking = fixture
            .queue(|connection| {
                note(connection, "panicking")?;
                assert!(connection.batch_execute("nonsense").is_ok(), "a panic of this test");
                Ok(())
            })
            .await;
        // This job sees the changes of earlier jobs before the commit, so all are in one
        // transaction.
        let last = fixture
            .queue(|connection| Ok(notes::table.select(notes::text).load::<String>(connection)?))
            .await;
        drop(release);
        holding.await.unwrap();

        assert!(first.await.unwrap().unwrap().is_ok());
        assert!(matches!(stale.await.unwrap().unwrap(), Err(Undone::Stale)));
        assert!(matches!(panicking.await.unwrap(), Err(StoreError::Backend { .. })));
        assert_eq!(last.await.unwrap().unwrap().unwrap(), ["first"]);
        assert_eq!(fixture.notes(), ["first"]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_write_of_many_rows_has_a_transaction_of_its_own() {
        let fixture = fixture();
        let (release, holding) = fixture.hold().await;
        let before = fixture.queue(|connection| Ok(note(connection, "before")?)).await;
        let stale = fixture
            .queue_of(Extent::Many, |connection| {
                note(connection, "stale")?;
                Err::<(), _>(Undone::Stale)
            })
            .await;
        // The changes of the earlier jobs are committed, so that another connection sees them.
        let database = Arc::clone(&fixture.database);
        let done = fixture
            .queue_of(Extent::Many, move |connection| {
                note(connection, "done")?;
                let mut reader = database.connect(Role::Reader).unwrap();
                Ok(notes::table.select(notes::text).load::<String>(&mut reader)?)
            })
            .await;
        let behind = fixture.queue(|connection| Ok(note(connection, "last")?)).await;
        drop(release);
        holding.await.unwrap();

        assert!(before.await.unwrap().unwrap().is_ok());
        assert!(matches!(stale.await.unwrap().unwrap(), Err(Undone::Stale)));
        assert_eq!(done.await.unwrap().unwrap().unwrap(), ["before"]);
        assert!(behind.await.unwrap().unwrap().is_ok());
        assert_eq!(fixture.notes(), ["before", "done", "last"]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_write_whose_caller_is_gone_is_not_run() {
        let fixture = fixture();
        let (release, holding) = fixture.hold().await;
        let gone = fixture.queue(|connection| Ok(note(connection, "gone")?)).await;
        let stays = fixture.queue(|connection| Ok(note(connection, "stays")?)).await;
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        drop(release);
        holding.await.unwrap();
        stays.await.unwrap().unwrap().unwrap();
        assert_eq!(fixture.notes(), ["stays"]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_write_that_breaks_the_transaction_fails_its_batch_and_no_later_write() {
        let fixture = fixture();
        let (release, holding) = fixture.hold().await;
        let before = fixture.queue(|connection| Ok(note(connection, "before")?)).await;
        let breaking = fixture.queue(|connection| Ok(connection.batch_execute("ROLLBACK")?)).await;
        let behind = fixture.queue(|connection| Ok(note(connection, "behind")?)).await;
        drop(release);
        holding.await.unwrap();
        for write in [before, breaking, behind] {
            assert!(matches!(write.await.unwrap(), Err(StoreError::Backend { .. })));
        }
        assert_eq!(fixture.note("later").await.unwrap(), Recorded::Done);
        assert_eq!(fixture.notes(), ["later"]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_full_queue_is_busy_and_its_writes_are_run() {
        let fixture = fixture();
        let (release, holding) = fixture.hold().await;
        let mut queued = Vec::new();
        for _ in 0..QUEUE {
            queued.push(fixture.queue(|_| Ok(())).await);
        }
        assert!(matches!(fixture.note("too much").await, Err(StoreError::Busy)));
        drop(release);
        holding.await.unwrap();
        for write in queued {
            write.await.unwrap().unwrap().unwrap();
        }
        assert_eq!(fixture.notes(), Vec::<String>::new());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_write_is_busy_while_another_process_writes_and_works_again_afterwards() {
        let fixture = fixture();
        let mut other = fixture.database.connect(Role::Bulk).unwrap();
        begin_immediate(&mut other, Instant::now()).unwrap();
        assert!(matches!(fixture.note("too early").await, Err(StoreError::Busy)));
        drop(other);
        assert_eq!(fixture.note("in time").await.unwrap(), Recorded::Done);
        assert_eq!(fixture.notes(), ["in time"]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn closing_runs_queued_writes_and_refuses_later_ones() {
        let fixture = fixture();
        let (release, holding) = fixture.hold().await;
        let queued = fixture.queue(|connection| Ok(note(connection, "queued")?)).await;
        let writer = Arc::clone(&fixture.writer);
        let closing = tokio::task::spawn_blocking(move || writer.close());
        while lock(&fixture.writer.queue).is_some() {
            tokio::task::yield_now().await;
        }
        drop(release);
        holding.await.unwrap();
        closing.await.unwrap();
        queued.await.unwrap().unwrap().unwrap();
        assert!(matches!(fixture.note("later").await, Err(StoreError::Backend { .. })));
        assert_eq!(fixture.notes(), ["queued"]);
    }
}
