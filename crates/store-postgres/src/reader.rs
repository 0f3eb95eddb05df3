//! A connection for reading.

use crate::connection::{ConnectError, Driven, LIMIT};
use crate::error::is_disconnection;
use crate::known_text::KnownText;
use crate::locks::pg_backend_pid;
use diesel::deserialize::FromSqlRow;
use diesel::expression::QueryMetadata;
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::query_dsl::CompatibleType;
use diesel::result::{DatabaseErrorKind, Error, QueryResult};
use diesel_async::AsyncPgConnection;
use hearback_ports::deadline;
use std::collections::VecDeque;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// The wait for a response after which later statements go to another connection.
const LATE: Duration = Duration::from_millis(50);

/// The wait after which a connection is given up, if a statement waits in vain. The server's own
/// limit of a wait for a lock is shorter.
const SILENCE: Duration = Duration::from_secs(4);

/// A connection with many users at once.
pub(crate) struct Reader {
    driven: Driven,
    is_broken: AtomicBool,
    /// The identifier of the server's process.
    pub(crate) process: i32,
    waiting: Mutex<Waiting>,
    /// Whether a task looks for the reason of a late response.
    pub(crate) is_looked_after: AtomicBool,
}

/// The statements that wait for responses, in the order of the responses.
struct Waiting {
    statements: VecDeque<(u64, &'static str)>,
    next: u64,
    /// The time since which the first one is the first.
    since: Instant,
}

/// A statement that waits for its response.
struct Waits<'a> {
    reader: &'a Reader,
    number: u64,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        let mut waiting = self.reader.waiting();
        // Responses come in order, so this is the first one, unless its caller has given up.
        if waiting.statements.front().is_some_and(|(number, _)| *number == self.number) {
            waiting.statements.pop_front();
            waiting.since = Instant::now();
        } else {
            waiting.statements.retain(|(number, _)| *number != self.number);
        }
    }
}

impl Reader {
    /// A reader over a new connection.
    pub(crate) async fn new(driven: Driven) -> Result<Self, ConnectError> {
        let waiting = Waiting { statements: VecDeque::new(), next: 0, since: Instant::now() };
        let mut reader = Self {
            driven,
            is_broken: AtomicBool::new(false),
            process: 0,
            waiting: Mutex::new(waiting),
            is_looked_after: AtomicBool::new(false),
        };
        let process = diesel::select(pg_backend_pid());
        let process: Vec<i32> =
            reader.rows("connecting", process).await.map_err(ConnectError::new)?;
        reader.process = process.first().copied().unwrap_or_default();
        Ok(reader)
    }

    /// The rows of a query.
    pub(crate) async fn rows<Q, U, ST>(&self, doing: &'static str, query: Q) -> QueryResult<Vec<U>>
    where
        Q: AsQuery + Send,
        Q::Query: QueryFragment<Pg> + QueryId + Send,
        Q::SqlType: CompatibleType<U, Pg, SqlType = ST>,
        Pg: QueryMetadata<Q::SqlType>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        ST: 'static,
    {
        self.rows_or_late(doing, query, || {}).await
    }

    /// [`Reader::rows`], which calls `late` if the response is [late](LATE).
    pub(crate) async fn rows_or_late<Q, U, ST>(
        &self,
        doing: &'static str,
        query: Q,
        late: impl FnOnce() + Send,
    ) -> QueryResult<Vec<U>>
    where
        Q: AsQuery + Send,
        Q::Query: QueryFragment<Pg> + QueryId + Send,
        Q::SqlType: CompatibleType<U, Pg, SqlType = ST>,
        Pg: QueryMetadata<Q::SqlType>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        ST: 'static,
    {
        let _waits = self.begin(doing);
        let mut connection: &AsyncPgConnection = &self.driven.connection;
        // The trait is not imported: every type implements it, so its `load` would hide the `load`
        // of the atomics.
        let loading = diesel_async::RunQueryDsl::load(KnownText(query.as_query()), &mut connection);
        let mut loading = pin!(loading);
        let answer = match timeout(LATE, &mut loading).await {
            Ok(answer) => answer,
            Err(_) => {
                late();
                let Ok(answer) = timeout(deadline::left(LIMIT), loading).await else {
                    // A statement may just have come too late for its request.
                    if self.waits() >= SILENCE {
                        self.give_up();
                    }
                    return Err(silent());
                };
                answer
            }
        };
        if answer.as_ref().is_err_and(is_disconnection) {
            self.give_up();
        }
        answer
    }

    fn begin(&self, doing: &'static str) -> Waits<'_> {
        let mut waiting = self.waiting();
        if waiting.statements.is_empty() {
            waiting.since = Instant::now();
        }
        let number = waiting.next;
        waiting.next += 1;
        waiting.statements.push_back((number, doing));
        Waits { reader: self, number }
    }

    /// The first statement that waits for a response.
    pub(crate) fn head(&self) -> Option<(u64, &'static str)> {
        self.waiting().statements.front().copied()
    }

    /// Returns whether the first statement waits for longer than [`LATE`].
    pub(crate) fn is_late(&self) -> bool {
        self.waits() > LATE
    }

    /// The time for which the first statement waits. Zero if there is none.
    fn waits(&self) -> Duration {
        let waiting = self.waiting();
        if waiting.statements.is_empty() { Duration::ZERO } else { waiting.since.elapsed() }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // A panic elsewhere leaves numbers and labels intact.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
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
    let text = "no answer in time".to_owned();
    Error::DatabaseError(DatabaseErrorKind::ClosedConnection, Box::new(text))
}
