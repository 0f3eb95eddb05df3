//! Connections for reading. A query runs where it is asked for: a point read takes less than handing it to another thread.

use crate::connection::{Database, Role, WAIT};
use crate::error::store_error;
use diesel::SqliteConnection;
use diesel::result::QueryResult;
use hearback_ports::StoreError;
use hearback_ports::health::{PoolMeter, PoolUse};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;

/// Connections for point reads and pages.
///
/// As many are open as queries ran at once. Since a query does not await, these are never more than there are threads.
#[derive(Clone)]
pub(crate) struct Readers {
    database: Arc<Database>,
    /// A thread takes its connection from the place where it put it, so that threads are not in each other's way, and what a
    /// connection has in its cache is in the processor's cache, too.
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

    /// Runs a query here and now.
    pub(crate) fn read<T>(
        &self,
        doing: &'static str,
        query: impl FnOnce(&mut SqliteConnection) -> QueryResult<T>,
    ) -> Result<T, StoreError> {
        let place = &self.idle[PLACE.with(|place| *place)];
        // Rather another thread's than a new one: threads for slow queries come and go.
        let idle = || std::iter::once(place).chain(&*self.idle).find_map(|place| lock(place).pop());
        let mut connection = match idle() {
            Some(connection) => connection,
            None => self.database.connect(Role::Reader)?,
        };
        let answer = query(&mut connection).map_err(|error| store_error(doing, error))?;
        // Not reached after an error or a panic: what state the connection is in then is not worth asking.
        keep(place, connection);
        Ok(answer)
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
    // A vector of connections is whole after every single operation, so a panic elsewhere does not spoil it.
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// More idle connections than this in one place are closed.
const MAX_IDLE: usize = 2;

/// Threads and connections for queries that walk a whole list, so that they hold up no other request.
pub(crate) struct SlowReaders {
    readers: Readers,
    permits: Arc<Semaphore>,
    meter: Arc<PoolMeter>,
}

impl SlowReaders {
    /// No connection yet: each is opened when it is first needed.
    pub(crate) fn new(database: Arc<Database>) -> Self {
        Self { readers: Readers::new(database), permits: Arc::new(Semaphore::new(MAX_SLOW)), meter: Arc::default() }
    }

    /// Runs a query on a thread of its own; [`StoreError::Busy`] when too many others run until the wait ends.
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
            // Held by the thread, not by the caller: a caller that goes away does not stop the query.
            let _held = (permit, in_use);
            readers.read(doing, query)
        });
        query.await.map_err(|error| StoreError::Backend { doing, source: Box::new(error) })?
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
