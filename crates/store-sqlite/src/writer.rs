//! The one thread that writes.
//!
//! Writes queue up for it. It takes as many as there are, runs each in a savepoint of one
//! transaction, commits, and only then answers: a disk is flushed once for all of them.

use crate::connection::{Database, POLL, Role, WAIT, try_begin_immediate};
use crate::error::{Undone, is_busy};
use diesel::SqliteConnection;
use diesel::connection::{AnsiTransactionManager, TransactionManager, TransactionManagerStatus};
use diesel::result::{Error, QueryResult};
use hearback_ports::health::{InUse, PoolMeter, PoolUse, PoolWait};
use hearback_ports::{Recorded, StoreError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};

/// The way to the writing thread.
pub(crate) struct Writer {
    /// Both `None` once closed.
    queue: Mutex<Option<Queue>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    meter: Arc<PoolMeter>,
}

type Queue = mpsc::Sender<Box<dyn Job>>;

/// How many writes wait at most; more wait for a place, and are [`StoreError::Busy`] when they get
/// none in time.
const QUEUE: usize = 1024;

/// How many writes one transaction takes.
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

    /// Runs `work` in a transaction and answers after the commit. An error of `work` takes back
    /// what it did and nothing else.
    ///
    /// The outer error says that nothing was done ([`StoreError::Busy`], [`StoreError::Backend`])
    /// or that nobody knows ([`StoreError::Lost`]). Dropping the future before the work began
    /// cancels it.
    pub(crate) async fn write<T, E, F>(
        &self,
        doing: &'static str,
        work: F,
    ) -> Result<Result<T, E>, StoreError>
    where
        T: Send + 'static,
        E: Send + 'static,
        F: FnOnce(&mut SqliteConnection) -> Result<T, E> + Send + 'static,
    {
        let deadline = Instant::now() + WAIT;
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
            deadline,
            wait: Some(wait),
            in_use: None,
            work: Some(work),
            outcome: None,
            caller,
        }));
        // The thread answers every job that it takes, unless it dies.
        answer.await.map_err(|error| StoreError::Lost { doing, source: Box::new(error) })?
    }

    /// [`Writer::write`] for a change that a port answers with [`Recorded`].
    pub(crate) async fn record<F>(
        &self,
        doing: &'static str,
        work: F,
    ) -> Result<Recorded, StoreError>
    where
        F: FnOnce(&mut SqliteConnection) -> Result<(), Undone> + Send + 'static,
    {
        match self.write(doing, work).await? {
            Ok(()) => Ok(Recorded::Done),
            Err(undone) => undone.recorded(doing),
        }
    }

    /// How the transactions are used.
    pub(crate) fn in_use(&self, name: &'static str) -> PoolUse {
        self.meter.read(name, BATCH)
    }

    /// Does what is queued, then ends the thread. Blocks until then. Later writes fail.
    pub(crate) fn close(&self) {
        drop(lock(&self.queue).take());
        let thread = lock(&self.thread).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the writer of the database ended in a panic");
        }
    }
}

/// Between the parts of a long change: lets another process have the write lock, which asks for it
/// every [`POLL`]. In this one, the writer takes turns anyway.
pub(crate) async fn give_way() {
    tokio::time::sleep(POLL * 2).await;
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.close();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is kept in these is only ever cloned or taken, so a panic elsewhere does not spoil it.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn closed(doing: &'static str) -> StoreError {
    StoreError::Backend { doing, source: Box::new(WriterClosed) }
}

#[derive(Debug, thiserror::Error)]
#[error("the store was closed")]
struct WriterClosed;

/// A queued write, whatever it makes.
trait Job: Send {
    /// Whether somebody still waits for the answer.
    fn is_wanted(&self) -> bool;

    /// Until when it may wait for the write lock.
    fn deadline(&self) -> Instant;

    /// Does the work, once, and keeps what came of it for [`Job::answer`].
    fn run(&mut self, connection: &mut SqliteConnection) -> Fate;

    /// Answers after the commit.
    fn answer(self: Box<Self>);

    /// Answers that the transaction came to nothing.
    fn fail(self: Box<Self>, failure: &Failure);
}

/// What is to become of what a job did.
enum Fate {
    Keep,
    TakeBack,
}

/// Why a transaction came to nothing.
enum Failure {
    /// Another process held the write lock.
    Busy,
    /// The database failed before the commit: nothing was done.
    Failed(Arc<dyn std::error::Error + Send + Sync>),
    /// The commit failed: the log may or may not hold it.
    Unknown(Arc<dyn std::error::Error + Send + Sync>),
}

/// A [`Failure`] that all jobs of a transaction share.
#[derive(Debug, thiserror::Error)]
#[error("the transaction failed")]
struct Shared(#[source] Arc<dyn std::error::Error + Send + Sync>);

struct Task<T, E, F> {
    doing: &'static str,
    deadline: Instant,
    /// Until the work begins,
    wait: Option<PoolWait>,
    /// and from then until the answer.
    in_use: Option<InUse>,
    work: Option<F>,
    outcome: Option<Result<Result<T, E>, StoreError>>,
    caller: oneshot::Sender<Result<Result<T, E>, StoreError>>,
}

impl<T, E, F> Job for Task<T, E, F>
where
    T: Send,
    E: Send,
    F: FnOnce(&mut SqliteConnection) -> Result<T, E> + Send,
{
    fn is_wanted(&self) -> bool {
        !self.caller.is_closed()
    }

    fn deadline(&self) -> Instant {
        self.deadline
    }

    fn run(&mut self, connection: &mut SqliteConnection) -> Fate {
        let Some(work) = self.work.take() else { return Fate::TakeBack };
        self.in_use = self.wait.take().map(PoolWait::over);
        match catch_unwind(AssertUnwindSafe(|| work(connection))) {
            Ok(outcome) => {
                let fate = if outcome.is_ok() { Fate::Keep } else { Fate::TakeBack };
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
            // The caller may have gone away meanwhile.
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

/// What the thread owns.
struct Worker {
    database: Arc<Database>,
    /// Opened when it is first needed, and anew after a failure.
    connection: Option<SqliteConnection>,
}

impl Worker {
    fn run(mut self, mut queue: mpsc::Receiver<Box<dyn Job>>) {
        while let Some(first) = queue.blocking_recv() {
            let mut jobs = vec![first];
            while jobs.len() < BATCH
                && let Ok(next) = queue.try_recv()
            {
                jobs.push(next);
            }
            self.serve(jobs);
        }
    }

    /// Does the jobs in one transaction and answers them.
    fn serve(&mut self, mut jobs: Vec<Box<dyn Job>>) {
        let result = catch_unwind(AssertUnwindSafe(|| self.transaction(&mut jobs)));
        let failure = match result {
            Ok(Ok(())) => return jobs.into_iter().for_each(Job::answer),
            Ok(Err(failure)) => failure,
            Err(_) => Failure::Unknown(Arc::new(Panicked)),
        };
        if !matches!(failure, Failure::Busy) {
            // Whatever state it is in: closing it rolls back, and the next transaction begins with
            // a new one.
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
        for job in jobs.iter_mut().filter(|job| job.is_wanted()) {
            savepoint(connection, job.as_mut()).map_err(failed)?;
        }
        AnsiTransactionManager::commit_transaction(connection)
            .map_err(|error| Failure::Unknown(Arc::new(error)))
    }
}

/// Begins the transaction. A job whose wait for the lock ends meanwhile is answered and removed.
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

/// Runs a job in a savepoint. An error means that it broke the transaction.
fn savepoint(connection: &mut SqliteConnection, job: &mut dyn Job) -> QueryResult<()> {
    AnsiTransactionManager::begin_transaction(connection)?;
    match job.run(connection) {
        Fate::Keep => AnsiTransactionManager::commit_transaction(connection)?,
        Fate::TakeBack => AnsiTransactionManager::rollback_transaction(connection)?,
    }
    // A job that panicked in a transaction of its own leaves that one open.
    match AnsiTransactionManager::transaction_manager_status_mut(connection) {
        TransactionManagerStatus::Valid(status)
            if status.transaction_depth().is_some_and(|depth| depth.get() == 1) =>
        {
            Ok(())
        }
        _ => Err(Error::BrokenTransactionManager),
    }
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

    /// A database with the table `notes`, its writer, and the folder that goes when the test ends.
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

        /// Holds the writing thread up in a job of its own, so that later jobs get into one
        /// transaction; until the sender is dropped. Returns when the thread is held.
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

        /// Queues a write behind those that are queued already. It is in the queue when this
        /// returns.
        async fn queue<T: Send + 'static>(
            &self,
            work: impl FnOnce(&mut SqliteConnection) -> Result<T, Undone> + Send + 'static,
        ) -> JoinHandle<Result<Result<T, Undone>, StoreError>> {
            let writer = Arc::clone(&self.writer);
            // The queue has room, so one poll goes as far as the wait for the answer. Of a task
            // that was spawned, nobody could tell a place that is reserved from one that is taken.
            let mut writing =
                Box::pin(unconstrained(async move { writer.write("working", work).await }));
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
    async fn a_write_is_there_when_it_is_answered() {
        let fixture = fixture();
        assert_eq!(fixture.note("a").await.unwrap(), Recorded::Done);
        assert_eq!(fixture.notes(), ["a"]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn writes_that_wait_share_a_transaction_and_are_taken_back_alone() {
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
        // What earlier jobs did is seen, though nothing is committed: so it is one transaction.
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
    async fn a_write_whose_caller_went_away_is_not_done() {
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
    async fn a_write_that_breaks_the_transaction_fails_all_of_it_and_nothing_later() {
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
    async fn a_full_queue_is_busy_and_what_it_holds_is_done() {
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
    async fn closing_does_what_is_queued_and_refuses_what_comes_later() {
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
