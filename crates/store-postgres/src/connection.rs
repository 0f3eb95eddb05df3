//! Connections to PostgreSQL: their address, options and limits, and the pools of connections that
//! have one user at a time.

use crate::citus;
use crate::error::{Cause, chain, is_disconnection};
use crate::tls::tls;
use deadpool::managed::{QueueMode, TimeoutType};
use diesel::result::ConnectionError;
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::{Object, Pool as Deadpool, PoolError};
use diesel_async::pooled_connection::{
    AsyncDieselConnectionManager, ManagerConfig, PoolError as ManagerError, RecyclingMethod,
};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hearback_ports::error::Source;
use hearback_ports::health::{PoolMeter, PoolUse};
use hearback_ports::{StoreError, deadline};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::error::Elapsed;
use tokio::time::timeout;
use tokio_postgres::config::{Config, TargetSessionAttrs};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The address of the database, and the number of connections to it.
///
/// `sslmode` in the address is `disable`, `prefer` (the default) or `require`:
///
/// * `prefer` encrypts if the server offers TLS, and accepts any certificate, as libpq does. This
///   protects against an eavesdropper, but not against an attacker in the server's place.
/// * `require` refuses a server without TLS. It verifies the certificate and the name in it against
///   the roots of the operating system (or of `SSL_CERT_FILE` and `SSL_CERT_DIR`), as libpq's
///   `verify-full` does.
///
/// If the address names several servers, connections go to the server that accepts writes: the
/// others lag behind it.
///
/// The `options` in the address follow the limits that this crate sets, so
/// `options=-c statement_timeout=8s` overrides the limit.
#[derive(Clone)]
pub struct PgOptions {
    /// The address: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…`
    pub url: String,
    /// The most connections that write.
    pub write_connections: usize,
    /// The number of single-threaded runtimes that read, each over a connection of its own. It only
    /// adds to the most connections that the store reports.
    pub reading_runtimes: usize,
}

impl PgOptions {
    /// Creates options with the default number of connections. The readers are on a
    /// multi-threaded runtime, and share their connections.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), write_connections: Self::WRITE_CONNECTIONS, reading_runtimes: 0 }
    }

    /// The default number of connections that write. Concurrent commits share a flush of the log:
    /// with fewer connections, PostgreSQL waits for its disk more often. With more than a few
    /// connections for each processor of the server, they slow each other down. But the number of
    /// its processors, and the other users of them, are unknown here.
    pub const WRITE_CONNECTIONS: usize = 16;
}

impl fmt::Debug for PgOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address is hidden: if it is malformed, the position of the password in it is unknown.
        let Self { url: _, write_connections, reading_runtimes } = self;
        let mut options = f.debug_struct("PgOptions");
        options
            .field("url", &"…")
            .field("write_connections", write_connections)
            .field("reading_runtimes", reading_runtimes)
            .finish()
    }
}

/// The error if the store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address is malformed. The message does not quote the malformed part, since it could be a
    /// part of the password.
    #[error(
        "the address of the database is not understood: it is postgres://USER:PASSWORD@HOST:PORT/DATABASE, \
         special characters are percent-encoded, sslmode is disable, prefer or require"
    )]
    Address,
    /// `sslmode=require`, and there are no roots to verify a certificate with.
    #[error("found no root certificates to verify the server of the database with")]
    NoRoots,
    /// TLS could not be set up.
    #[error("cannot set up TLS for the database")]
    Tls(#[source] Source),
    /// A pool of connections could not be set up.
    #[error("cannot set up the connections to the database")]
    Pool(#[source] Source),
    /// The server was not reached, or refused the connection.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The server did not respond in time.
    #[error("the server of the database did not answer within {} seconds", CONNECT_LIMIT.as_secs())]
    Silent,
}

/// The error if the server was not reached, or refused the connection.
#[derive(Debug, thiserror::Error)]
#[error("cannot connect to the database")]
pub struct ConnectError(#[source] Source);

/// The time limit for opening a connection.
pub(crate) const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// The purpose of a connection. It determines the limits of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Point reads and pages, one statement each.
    Reader,
    /// Reads that walk a list, one statement each.
    SlowReader,
    /// Short write transactions.
    Writer,
    /// Short write transactions for deliveries, which are claimed, settled and released. Each
    /// statement reaches a few rows by their keys.
    Dispatcher,
    /// One transaction of any duration: import, export, migration.
    Bulk,
}

/// Opens connections.
///
/// The runtime on which the connector was created drives them, unless [`Connector::connect_on`]
/// names another. The runtime of the caller does not: if a worker of the HTTP server drove a shared
/// connection, the statements of all its users would stall whenever that worker is busy.
pub(crate) struct Connector {
    config: Config,
    tls: MakeRustlsConnect,
    runtime: Handle,
    /// Whether the database has Citus, once [`Connector::find_citus`] has looked.
    is_citus: bool,
}

/// A connection and the task that drives it.
pub(crate) struct Driven {
    /// The connection.
    pub(crate) connection: AsyncPgConnection,
    /// The task. It ends when the connection ends.
    pub(crate) driver: JoinHandle<()>,
}

impl Connector {
    /// Parses the address, and opens no connection yet. This must be called on the runtime that is
    /// to drive the connections.
    ///
    /// If the address names several servers, connections go to the server that accepts writes: a
    /// server that lags behind would still accept revoked keys.
    pub(crate) fn new(url: &str) -> Result<Self, OpenError> {
        Self::preferring(url, TargetSessionAttrs::ReadWrite)
    }

    /// [`Connector::new`] for a replica: if the address names several servers, connections go to a
    /// server that accepts no writes.
    pub(crate) fn to_replica(url: &str) -> Result<Self, OpenError> {
        Self::preferring(url, TargetSessionAttrs::ReadOnly)
    }

    fn preferring(url: &str, among_several: TargetSessionAttrs) -> Result<Self, OpenError> {
        let mut config: Config = url.parse().map_err(|_| OpenError::Address)?;
        if config.get_application_name().is_none() {
            config.application_name("hearback");
        }
        config.connect_timeout(CONNECT_LIMIT);
        // A peer that vanished without a message is detected within 30 seconds.
        config
            .keepalives_idle(Duration::from_secs(15))
            .keepalives_interval(Duration::from_secs(5))
            .keepalives_retries(3);
        config.tcp_user_timeout(Duration::from_secs(10));
        if config.get_hosts().len().max(config.get_hostaddrs().len()) > 1 {
            config.target_session_attrs(among_several);
        }
        let tls = tls(config.get_ssl_mode())?;
        Ok(Self { config, tls, runtime: Handle::current(), is_citus: false })
    }

    /// Connects once, and finds out whether the database has Citus.
    pub(crate) async fn find_citus(&mut self) -> Result<(), ConnectError> {
        let mut first = self.connect(Role::Reader).await?.connection;
        self.is_citus = citus::is_there(&mut first).await.map_err(ConnectError::new)?;
        Ok(())
    }

    /// Returns whether the database has Citus. Statements then differ as [`citus`] describes.
    pub(crate) fn is_citus(&self) -> bool {
        self.is_citus
    }

    /// Opens a connection. The server may take any time to respond, so callers set a time limit. If
    /// the future is dropped, the attempt is aborted.
    pub(crate) async fn connect(&self, role: Role) -> Result<Driven, ConnectError> {
        self.connect_on(&self.runtime, role).await
    }

    /// [`Connector::connect`] for a connection that another runtime drives. All users of the
    /// connection should be on that runtime.
    pub(crate) async fn connect_on(
        &self,
        runtime: &Handle,
        role: Role,
    ) -> Result<Driven, ConnectError> {
        let mut config = self.config.clone();
        config.options(role.options(self.config.get_options().unwrap_or_default()));
        let of_citus = if self.is_citus { citus::setting(role) } else { "" };
        let settings = format!("{KEEP_MEMORY}; {}; {of_citus}", role.setting());
        let tls = self.tls.clone();
        let connecting = runtime.spawn(async move {
            let (client, connection) = config.connect(tls).await.map_err(ConnectError::new)?;
            let driver = tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "a connection to the database broke"
                    );
                }
            });
            client.batch_execute(&settings).await.map_err(ConnectError::new)?;
            let connection =
                AsyncPgConnection::try_from(client).await.map_err(ConnectError::new)?;
            Ok(Driven { connection, driver })
        });
        let mut connecting = Attached(connecting);
        (&mut connecting.0).await.map_err(ConnectError::new)?
    }

    /// The runtime that drives the connections.
    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }
}

/// A task that is aborted if its caller is dropped. Otherwise, connections would accumulate if a
/// server is reached and does not respond.
struct Attached<T>(JoinHandle<T>);

impl<T> Drop for Attached<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl ConnectError {
    pub(crate) fn new(source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self(Box::new(source))
    }
}

/// Converts the error for Diesel's pool, which takes only a text.
impl From<ConnectError> for ConnectionError {
    fn from(error: ConnectError) -> Self {
        Self::BadConnection(chain(&error))
    }
}

impl Role {
    /// The session's options: the limits of the role, then the options of the address, then the
    /// options that the role requires.
    pub(crate) fn options(self, given: &str) -> String {
        let limits = match self {
            Self::Reader | Self::SlowReader | Self::Writer | Self::Dispatcher => {
                "-c statement_timeout=5s -c lock_timeout=2s -c idle_in_transaction_session_timeout=10s"
            }
            // Between two batches, the transaction may wait for the reader or writer of the file.
            Self::Bulk => "-c lock_timeout=2s",
        };
        // A single statement has one snapshot at any isolation level. A serializable statement
        // would fail because of concurrent writes, and make the writes fail. A statement of the
        // dispatcher that waited for a row continues with the current version of the row.
        const READ_COMMITTED: &str = "-c default_transaction_isolation=read\\ committed";
        // A plan is made once, for any values, and kept while the tables grow: planning takes
        // longer than most reads by key. The planner's estimate of the tables' size must not
        // replace the look-up of each row by another plan, nor cause the compilation of a
        // statement that only seems expensive.
        const KEYED: &str = "-c plan_cache_mode=force_generic_plan \
                             -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off";
        let needs = match self {
            Self::Reader | Self::Dispatcher => format!("{READ_COMMITTED} {KEYED}"),
            // The fast plan depends on the values: a plan for any values would walk all rows.
            // Compilation takes longer than it saves.
            Self::SlowReader => {
                format!("{READ_COMMITTED} -c plan_cache_mode=force_custom_plan -c jit=off")
            }
            // The isolation level is that of the database.
            Self::Writer => String::new(),
            // The transaction relies on unique indexes and foreign keys, which hold at any level.
            Self::Bulk => format!(
                "{READ_COMMITTED} -c statement_timeout=0 -c idle_in_transaction_session_timeout=0"
            ),
        };
        format!("{limits} {given} {needs}")
    }

    /// The statements that a new connection runs.
    fn setting(self) -> &'static str {
        match self {
            // This is not among the options: if the address names several servers, the connector
            // looks for a server whose sessions accept writes from the start.
            Self::Reader => "SET default_transaction_read_only = on",
            // A slow read takes one processor, and leaves the others to requests that are not slow:
            // with PostgreSQL's parallel workers, two searches would be six processes.
            Self::SlowReader => {
                "SET default_transaction_read_only = on; SET max_parallel_workers_per_gather = 0"
            }
            // At `REPEATABLE READ`, a transaction has one snapshot, so a merge does not see a vote
            // that was committed while the merge waited for the post. `SERIALIZABLE` detects the
            // conflict, and the merge is retried.
            Self::Writer => {
                "SELECT set_config('default_transaction_isolation', 'serializable', false) \
                 WHERE current_setting('default_transaction_isolation') = 'repeatable read'"
            }
            Self::Dispatcher | Self::Bulk => "",
        }
    }
}

/// Makes the server's process keep its memory from one statement to the next.
///
/// With glibc, the process otherwise returns the end of its heap to the system whenever more than
/// 128 KiB of it are free. A statement over three or four tables leaves that much free, and the
/// next statement allocates it again. Once the process has freed a single piece of more than
/// 128 KiB, it keeps up to twice the size of that piece.
const KEEP_MEMORY: &str = "SELECT length(repeat(' ', 524288))";

/// The longest wait of a request for a connection. Then it fails with [`StoreError::Busy`].
pub(crate) const WAIT: Duration = Duration::from_secs(2);

/// The longest wait of background work for a response. The server's own limits are shorter: this
/// limit is for a server that does not even report that its own ran out. A request has
/// [less](deadline::LIMIT).
pub(crate) const LIMIT: Duration = Duration::from_secs(10);

/// The failure of work that a [`Pool`] did not bring to its end, and that changed nothing.
pub(crate) fn undone(doing: &'static str, source: Source) -> StoreError {
    if source.is::<Elapsed>() {
        StoreError::Unreachable { doing, source }
    } else {
        StoreError::Backend { doing, source }
    }
}

/// A pool of connections, each with one user at a time.
pub(crate) struct Pool {
    connector: Arc<Connector>,
    connections: Deadpool<AsyncPgConnection>,
    meter: Arc<PoolMeter>,
}

impl Pool {
    /// Creates a pool without a connection. Each is opened when it is first needed.
    pub(crate) fn new(
        connector: &Arc<Connector>,
        role: Role,
        size: usize,
    ) -> Result<Self, OpenError> {
        let for_setup = Arc::clone(connector);
        let mut config = ManagerConfig::default();
        // A test query at each check-out would cost 40 % of all writes. A connection that is known
        // to be closed, or to have a transaction open, is never checked out.
        config.recycling_method = RecyclingMethod::Fast;
        config.custom_setup = Box::new(move |_| {
            let connector = Arc::clone(&for_setup);
            async move { Ok(connector.connect(role).await?.connection) }.boxed()
        });
        // The connector has the address. An address here would only be passed to `custom_setup`.
        let connections =
            Deadpool::builder(AsyncDieselConnectionManager::new_with_config("", config))
                .max_size(size)
                // The memory of the session that was used last is still in the processors' caches.
                .queue_mode(QueueMode::Lifo)
                .runtime(deadpool::Runtime::Tokio1)
                .wait_timeout(Some(WAIT))
                .create_timeout(Some(CONNECT_LIMIT))
                .build()
                .map_err(|error| OpenError::Pool(Box::new(error)))?;
        Ok(Self { connector: Arc::clone(connector), connections, meter: Arc::default() })
    }

    /// Runs `work` on a connection, for at most [`LIMIT`] and until the deadline of the request. It
    /// continues even if the caller is dropped: a transaction that stayed open in the pool would
    /// keep its locks.
    ///
    /// The outer error means that `work` did not begin. The inner error means that the outcome of
    /// `work` is unknown.
    pub(crate) async fn run<T, E, F>(
        &self,
        doing: &'static str,
        work: F,
    ) -> Result<Result<Result<T, E>, Source>, StoreError>
    where
        T: Send + 'static,
        E: Cause + Send + 'static,
        F: for<'c> FnOnce(&'c mut AsyncPgConnection) -> BoxFuture<'c, Result<T, E>>
            + Send
            + 'static,
    {
        let wait = self.meter.wait();
        let getting = timeout(deadline::left(WAIT + CONNECT_LIMIT), self.connections.get());
        let mut connection = match getting.await {
            Ok(Ok(connection)) => connection,
            Ok(Err(error)) => {
                if let PoolError::Timeout(TimeoutType::Wait) = error {
                    wait.timed_out();
                }
                return Err(unavailable(doing, error));
            }
            Err(_) => return Err(StoreError::Busy),
        };
        let in_use = wait.over();
        // The work runs in another task, which does not know the deadline.
        let limit = deadline::left(LIMIT);
        let running = self.connector.runtime().spawn(async move {
            let _in_use = in_use;
            let outcome = timeout(limit, work(&mut connection)).await;
            let is_done = outcome.as_ref().is_ok_and(|outcome| match outcome {
                Ok(_) => true,
                Err(error) => !error.cause().is_some_and(is_disconnection),
            });
            if !is_done {
                // The connection is not returned to the pool: a late response would come before
                // that to the next statement, and a session that ended fails the next one.
                drop(Object::take(connection));
            }
            outcome
        });
        Ok(match running.await {
            Ok(Ok(outcome)) => Ok(outcome),
            Ok(Err(elapsed)) => Err(Box::new(elapsed)),
            Err(panicked) => Err(Box::new(panicked)),
        })
    }

    /// The most connections of the pool.
    pub(crate) fn max_size(&self) -> usize {
        self.connections.status().max_size
    }

    /// The use of the connections, with this name.
    pub(crate) fn in_use(&self, name: &'static str) -> PoolUse {
        self.meter.read(name, self.max_size())
    }

    /// Closes the connections. A connection in use is closed when it is returned.
    pub(crate) fn close(&self) {
        self.connections.close();
    }
}

/// A connection with one owner, which uses it over several calls.
pub(crate) struct Owned(Option<AsyncPgConnection>);

impl Owned {
    /// Takes a connection on which a transaction has begun.
    pub(crate) fn new(connection: AsyncPgConnection) -> Self {
        Self(Some(connection))
    }

    /// Runs `work`. If it fails, or if the future is dropped, the connection is closed and its
    /// transaction is rolled back.
    pub(crate) async fn run<T, E: From<StoreError>>(
        &mut self,
        doing: &'static str,
        work: impl AsyncFnOnce(&mut AsyncPgConnection) -> Result<T, E>,
    ) -> Result<T, E> {
        let Some(mut connection) = self.0.take() else {
            return Err(StoreError::Backend { doing, source: Box::new(Ended) }.into());
        };
        let made = work(&mut connection).await?;
        self.0 = Some(connection);
        Ok(made)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the transaction ended with an earlier failure")]
struct Ended;

fn unavailable(doing: &'static str, error: PoolError) -> StoreError {
    match error {
        PoolError::Timeout(TimeoutType::Wait) => StoreError::Busy,
        PoolError::Timeout(_) => StoreError::Unreachable { doing, source: Box::new(error) },
        PoolError::Backend(ManagerError::ConnectionError(error)) => {
            StoreError::Unreachable { doing, source: Box::new(error) }
        }
        error => StoreError::Backend { doing, source: Box::new(error) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;
    use tokio::net::TcpListener;

    const SECRET: &str = "s3cr3t";

    #[test]
    fn the_password_is_not_shown() {
        let options = PgOptions::new(format!("postgres://hearback:{SECRET}@localhost/hearback"));
        assert!(!format!("{options:?}").contains(SECRET));
    }

    #[tokio::test]
    async fn a_malformed_address_is_not_quoted() {
        for url in [
            format!("postgres://hearback:pa@host?{SECRET}=1@host/hearback"),
            format!("postgres://hearback:{SECRET}@localhost:{SECRET}/hearback"),
            format!("mysql://hearback:{SECRET}@localhost/hearback"),
            format!("postgres://hearback:{SECRET}@localhost/hearback?sslmode={SECRET}"),
        ] {
            let Err(error) = Connector::new(&url) else { panic!("{url} was understood") };
            assert!(matches!(error, OpenError::Address));
            assert!(!format!("{error} {error:?}").contains(SECRET));
        }
    }

    #[tokio::test]
    async fn a_connection_attempt_is_aborted_if_its_caller_is_dropped() {
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let connector = Connector::new(&format!(
            "postgres://hearback@{}/hearback",
            silent.local_addr().unwrap()
        ))
        .unwrap();
        let mut accepted = tokio::select! {
            _ = connector.connect(Role::Reader) => panic!("there was no answer"),
            accepted = silent.accept() => accepted.unwrap().0,
        };
        let ended = timeout(Duration::from_secs(10), accepted.read_to_end(&mut Vec::new())).await;
        assert!(ended.is_ok(), "the connection is still open");
    }

    #[tokio::test]
    async fn of_several_servers_a_store_takes_a_writable_one_and_a_replica_a_read_only_one() {
        let attributes = |connector: Result<Connector, OpenError>| {
            connector.ok().unwrap().config.get_target_session_attrs()
        };
        for connector in [Connector::new, Connector::to_replica] {
            assert_eq!(
                attributes(connector("postgres://localhost/hearback")),
                TargetSessionAttrs::Any
            );
        }
        for url in
            ["postgres://a,b/hearback", "postgres://a:1,b:2/hearback?target_session_attrs=any"]
        {
            assert_eq!(attributes(Connector::new(url)), TargetSessionAttrs::ReadWrite, "{url}");
            assert_eq!(
                attributes(Connector::to_replica(url)),
                TargetSessionAttrs::ReadOnly,
                "{url}"
            );
        }
    }

    #[test]
    fn the_address_overrides_a_limit_but_not_a_required_option() {
        let options = Role::Reader
            .options("-c statement_timeout=8s -c default_transaction_isolation=serializable");
        assert!(options.find("statement_timeout=5s") < options.find("statement_timeout=8s"));
        assert!(options.find("isolation=serializable") < options.find("isolation=read"));
    }
}
