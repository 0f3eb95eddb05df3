//! Connections to PostgreSQL: where to, how, with which limits, and the pools of those that one at
//! a time uses.

use crate::error::chain;
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
use hearback_ports::StoreError;
use hearback_ports::error::Source;
use hearback_ports::health::{PoolMeter, PoolUse};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::config::{Config, TargetSessionAttrs};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Where the database is, and how many connections it is given.
///
/// `sslmode` in the address is `disable`, `prefer` (the default) or `require`:
///
/// * `prefer` encrypts where the server offers it, and takes any certificate, as libpq does. That
///   keeps out who only listens, not who answers in the server's place.
/// * `require` refuses a server without TLS. It verifies the certificate and the name in it against
///   the roots of the operating system (or of `SSL_CERT_FILE` and `SSL_CERT_DIR`), as libpq's
///   `verify-full` does.
///
/// Where the address names several servers, the one that takes writes is connected to: the others
/// lag behind it.
///
/// `options` in the address come behind the limits that this crate sets, so that `options=-c
/// statement_timeout=8s` wins.
#[derive(Clone)]
pub struct PgOptions {
    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…`
    pub url: String,
    /// How many connections write at most.
    pub write_connections: usize,
    /// How many runtimes of one thread will read, each over a connection of its own: it is told to
    /// who asks how many connections there may be.
    pub reading_runtimes: usize,
}

impl PgOptions {
    /// The address with the default number of connections, for readers on a runtime of several
    /// threads, who share theirs.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), write_connections: Self::WRITE_CONNECTIONS, reading_runtimes: 0 }
    }

    /// How many connections write, unless something else is asked for. Changes that end at once
    /// have the log flushed for all of them: with fewer, PostgreSQL waits for its disk more often.
    /// With more than a few for each of its processors they are in each other's way; but how many
    /// processors it has, and who else asks for them, is not known here.
    pub const WRITE_CONNECTIONS: usize = 16;
}

impl fmt::Debug for PgOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Where the address is malformed nobody can tell which part of it is the password.
        let Self { url: _, write_connections, reading_runtimes } = self;
        let mut options = f.debug_struct("PgOptions");
        options
            .field("url", &"…")
            .field("write_connections", write_connections)
            .field("reading_runtimes", reading_runtimes)
            .finish()
    }
}

/// The store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address is malformed. What is wrong with it is not told, as that could be a part of the
    /// password.
    #[error(
        "the address of the database is not understood: it is postgres://USER:PASSWORD@HOST:PORT/DATABASE, \
         special characters are percent-encoded, sslmode is disable, prefer or require"
    )]
    Address,
    /// `sslmode=require`, and there is nothing to verify a certificate with.
    #[error("found no root certificates to verify the server of the database with")]
    NoRoots,
    /// TLS could not be set up.
    #[error("cannot set up TLS for the database")]
    Tls(#[source] Source),
    /// A pool of connections could not be set up.
    #[error("cannot set up the connections to the database")]
    Pool(#[source] Source),
    /// The server did not let us in.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The server did not answer in time.
    #[error("the server of the database did not answer within {} seconds", CONNECT_LIMIT.as_secs())]
    Silent,
}

/// The server was not reached or did not let us in.
#[derive(Debug, thiserror::Error)]
#[error("cannot connect to the database")]
pub struct ConnectError(#[source] Source);

/// How long it takes at most to make a connection.
pub(crate) const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// What a connection is for; decides its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Point reads and pages, one statement each.
    Reader,
    /// Reads of one statement that walk a list.
    SlowReader,
    /// Short write transactions.
    Writer,
    /// The same for deliveries, which go from hand to hand: statements that reach a few rows by
    /// their keys.
    Dispatcher,
    /// One transaction that takes as long as it takes: import, export, migration.
    Bulk,
}

/// Makes connections.
///
/// They are driven by the runtime on which this was made, whoever asks for them: one that was
/// driven by a worker of the HTTP server would stall everybody's statements whenever that worker is
/// busy.
pub(crate) struct Connector {
    config: Config,
    tls: MakeRustlsConnect,
    runtime: Handle,
}

/// A connection with the task that drives it.
pub(crate) struct Driven {
    /// The connection.
    pub(crate) connection: AsyncPgConnection,
    /// Ends when the connection does.
    pub(crate) driver: JoinHandle<()>,
}

impl Connector {
    /// Reads the address; connects to nothing yet. To be called on the runtime that is to drive the
    /// connections.
    ///
    /// Of several servers the one that takes writes is connected to: one that lags behind would
    /// still know revoked keys.
    pub(crate) fn new(url: &str) -> Result<Self, OpenError> {
        Self::preferring(url, TargetSessionAttrs::ReadWrite)
    }

    /// [`Connector::new`] for a replica: of several servers one that takes no writes is connected
    /// to.
    pub(crate) fn to_replica(url: &str) -> Result<Self, OpenError> {
        Self::preferring(url, TargetSessionAttrs::ReadOnly)
    }

    fn preferring(url: &str, among_several: TargetSessionAttrs) -> Result<Self, OpenError> {
        let mut config: Config = url.parse().map_err(|_| OpenError::Address)?;
        if config.get_application_name().is_none() {
            config.application_name("hearback");
        }
        config.connect_timeout(CONNECT_LIMIT);
        // A peer that vanished without a word is noticed within half a minute.
        config
            .keepalives_idle(Duration::from_secs(15))
            .keepalives_interval(Duration::from_secs(5))
            .keepalives_retries(3);
        config.tcp_user_timeout(Duration::from_secs(10));
        if config.get_hosts().len().max(config.get_hostaddrs().len()) > 1 {
            config.target_session_attrs(among_several);
        }
        let tls = tls(config.get_ssl_mode())?;
        Ok(Self { config, tls, runtime: Handle::current() })
    }

    /// A new connection. Takes no longer than the server lets it: callers set a limit, and who goes
    /// away gives it up.
    pub(crate) async fn connect(&self, role: Role) -> Result<Driven, ConnectError> {
        self.connect_on(&self.runtime, role).await
    }

    /// The same, driven by another runtime. It should be that of the only ones who use the
    /// connection.
    pub(crate) async fn connect_on(
        &self,
        runtime: &Handle,
        role: Role,
    ) -> Result<Driven, ConnectError> {
        let mut config = self.config.clone();
        config.options(role.options(self.config.get_options().unwrap_or_default()));
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
            client
                .batch_execute(&format!("{KEEP_MEMORY}; {}", role.setting()))
                .await
                .map_err(ConnectError::new)?;
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

/// A task that ends with whoever waits for it. A server that is reached and says nothing would
/// otherwise collect connections.
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

/// What a pool of Diesel takes as the reason: a text.
impl From<ConnectError> for ConnectionError {
    fn from(error: ConnectError) -> Self {
        Self::BadConnection(chain(&error))
    }
}

impl Role {
    /// The session's settings: the role's limits, then those of the address, then what the role
    /// cannot work without.
    pub(crate) fn options(self, given: &str) -> String {
        let limits = match self {
            Self::Reader | Self::SlowReader | Self::Writer | Self::Dispatcher => {
                "-c statement_timeout=5s -c lock_timeout=2s -c idle_in_transaction_session_timeout=10s"
            }
            // Between two batches it may wait for whoever reads or writes the file.
            Self::Bulk => "-c lock_timeout=2s",
        };
        // One statement sees one moment at any isolation level. A serializable one would fail for
        // writes at the same time, and make them fail. Of the dispatcher, whoever waited for a row
        // goes on with what it is by then.
        const READ_COMMITTED: &str = "-c default_transaction_isolation=read\\ committed";
        // A plan is made once, for any values, and kept while the tables grow: to plan takes longer
        // than most of what is read by key, and what the planner thinks of the tables' size must
        // not lead it away from looking each row up, nor make it compile what only seems expensive.
        const KEYED: &str = "-c plan_cache_mode=force_generic_plan \
                             -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off";
        let needs = match self {
            Self::Reader | Self::Dispatcher => format!("{READ_COMMITTED} {KEYED}"),
            // What is fast depends on what is looked for: a plan for anything would walk
            // everything. None of it is worth compiling: that takes longer than what it saves.
            Self::SlowReader => {
                format!("{READ_COMMITTED} -c plan_cache_mode=force_custom_plan -c jit=off")
            }
            // The level that the database was set to.
            Self::Writer => String::new(),
            // It rests on unique indexes and foreign keys, which hold at any level.
            Self::Bulk => format!(
                "{READ_COMMITTED} -c statement_timeout=0 -c idle_in_transaction_session_timeout=0"
            ),
        };
        format!("{limits} {given} {needs}")
    }

    /// What is set when the connection is there.
    fn setting(self) -> &'static str {
        match self {
            // Not among the options: of several servers the one is looked for whose sessions take
            // writes from the start.
            Self::Reader => "SET default_transaction_read_only = on",
            // Each takes one processor, and leaves the others to requests that are not slow: with
            // PostgreSQL's helpers, two searches would be six processes.
            Self::SlowReader => {
                "SET default_transaction_read_only = on; SET max_parallel_workers_per_gather = 0"
            }
            // With one view for the whole transaction, a merge does not see a vote that was
            // committed while it waited for the post. The next stricter level notices, and the
            // merge is tried again.
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
/// With glibc it would give the end of its heap back to the system whenever more than 128 KiB of
/// that are free, which a statement over three or four tables leaves behind, and take it again for
/// the next one. Once it has freed a single larger piece, it keeps up to twice as much as that was.
const KEEP_MEMORY: &str = "SELECT length(repeat(' ', 524288))";

/// How long a request waits for a connection before it is [`StoreError::Busy`].
pub(crate) const WAIT: Duration = Duration::from_secs(2);

/// How long a request waits for an answer at all. The server's own limits are shorter: this one is
/// for a server that does not even say that they ran out.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);

/// A pool of connections.
pub(crate) struct Pool {
    connector: Arc<Connector>,
    connections: Deadpool<AsyncPgConnection>,
    meter: Arc<PoolMeter>,
}

impl Pool {
    /// No connection yet: each is opened when it is first needed.
    pub(crate) fn new(
        connector: &Arc<Connector>,
        role: Role,
        size: usize,
    ) -> Result<Self, OpenError> {
        let for_setup = Arc::clone(connector);
        let mut config = ManagerConfig::default();
        // A test query at each check-out would cost four tenths of all writes. A connection that is
        // known to be closed, or to have a transaction open, is never given out.
        config.recycling_method = RecyclingMethod::Fast;
        config.custom_setup = Box::new(move |_| {
            let connector = Arc::clone(&for_setup);
            async move { Ok(connector.connect(role).await?.connection) }.boxed()
        });
        // The connector knows the address; one that is given here would only be passed to it.
        let connections =
            Deadpool::builder(AsyncDieselConnectionManager::new_with_config("", config))
                .max_size(size)
                // The session that was used last is the one whose memory processors still have at
                // hand.
                .queue_mode(QueueMode::Lifo)
                .runtime(deadpool::Runtime::Tokio1)
                .wait_timeout(Some(WAIT))
                .create_timeout(Some(CONNECT_LIMIT))
                .build()
                .map_err(|error| OpenError::Pool(Box::new(error)))?;
        Ok(Self { connector: Arc::clone(connector), connections, meter: Arc::default() })
    }

    /// Runs `work` on a connection, to its end even if the caller goes away: a transaction that
    /// stayed open in the pool would keep its locks.
    ///
    /// The outer error says that `work` did not begin, the inner one that nobody knows what became
    /// of it.
    pub(crate) async fn run<T, F>(
        &self,
        doing: &'static str,
        work: F,
    ) -> Result<Result<T, Source>, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut AsyncPgConnection) -> BoxFuture<'c, T> + Send + 'static,
    {
        let wait = self.meter.wait();
        let mut connection = match self.connections.get().await {
            Ok(connection) => connection,
            Err(error) => {
                if let PoolError::Timeout(TimeoutType::Wait) = error {
                    wait.timed_out();
                }
                return Err(unavailable(doing, error));
            }
        };
        let in_use = wait.over();
        let running = self.connector.runtime().spawn(async move {
            let _in_use = in_use;
            let outcome = timeout(LIMIT, work(&mut connection)).await;
            if outcome.is_err() {
                // Not given back: the answer that did not come would be in the way of the next
                // one's.
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

    /// How many connections there are at most.
    pub(crate) fn max_size(&self) -> usize {
        self.connections.status().max_size
    }

    /// How it is used.
    pub(crate) fn in_use(&self, name: &'static str) -> PoolUse {
        self.meter.read(name, self.max_size())
    }

    /// Closes the connections, those in use when they are given back.
    pub(crate) fn close(&self) {
        self.connections.close();
    }
}

/// A connection that belongs to one caller, who uses it over several calls.
pub(crate) struct Owned(Option<AsyncPgConnection>);

impl Owned {
    /// A connection on which a transaction was begun.
    pub(crate) fn new(connection: AsyncPgConnection) -> Self {
        Self(Some(connection))
    }

    /// Runs `work`. After an error, and when the future is dropped, the connection is closed and
    /// its transaction rolled back.
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
    async fn an_address_that_is_not_understood_is_not_quoted() {
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
    async fn a_connection_that_nobody_waits_for_any_more_is_given_up() {
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
    async fn of_several_servers_the_one_that_takes_writes_is_connected_to_and_for_lists_one_that_does_not()
     {
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
    fn the_address_overrides_a_limit_but_not_what_a_role_needs() {
        let options = Role::Reader
            .options("-c statement_timeout=8s -c default_transaction_isolation=serializable");
        assert!(options.find("statement_timeout=5s") < options.find("statement_timeout=8s"));
        assert!(options.find("isolation=serializable") < options.find("isolation=read"));
    }
}
