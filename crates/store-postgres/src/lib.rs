//! The PostgreSQL adapter of Hearback's ports.
//!
//! Reads share a few connections (`readers`). Lists may be read from a replica (`replica`). Each
//! change has a connection of a pool to itself (`writer`). Changes are correct at `READ COMMITTED`,
//! the server's default, and at `SERIALIZABLE`, if the database or the address sets that.
//! `REPEATABLE READ` is replaced by `SERIALIZABLE`. Changes of deliveries and subscriptions have a
//! pool of their own (`dispatcher`), so that they and requests never wait for each other's
//! connections. They always run at `READ COMMITTED`.
//!
//! Connections have prepared statements, and send settings when they begin. So a pgbouncer in front
//! of the database must be in session mode, with `ignore_startup_parameters = options`. The limits
//! are then those of the role (`ALTER ROLE … SET …`).
//!
//! The crate has the same files as the SQLite adapter, with the same functions and statements in
//! the same order. Only `toggle`, `replica`, `known_text` and `tls` have no counterpart there.
//!
//! **Architecture invariant:** the crate depends on `ports`, `domain` and `store-rows` alone. No
//! type of PostgreSQL or Diesel is public.

mod article_search;
mod audit;
mod backlog;
mod changelog_entries;
mod citus;
mod comments;
mod companies;
mod connection;
mod counts;
mod deliveries;
mod delivery_queue;
mod error;
mod events;
mod examination;
mod export;
mod feedback_posts;
mod filed_articles;
mod follow_ups;
mod help_articles;
mod help_categories;
mod help_collections;
mod help_redirects;
mod images;
mod import;
mod instance;
mod keys;
mod known_text;
mod labels;
mod locks;
mod mail_queue;
mod merge;
mod migrations;
mod moderation;
mod notices;
mod oidc;
mod organizations;
mod passwords;
mod positions;
mod reader;
mod readers;
mod receipts;
mod records;
mod replica;
mod roadmap_posts;
mod saved_views;
mod second_factors;
mod sessions;
mod similar;
mod slots;
mod sql;
mod sso_secrets;
mod stored;
mod subscriptions;
mod tls;
mod toggle;
mod unmerge;
mod users;
mod votes;
mod webhook_subscriptions;
mod whole_lists;
mod writer;

pub use crate::connection::{ConnectError, OpenError, PgOptions};
pub use crate::replica::Unfit;

use crate::connection::{CONNECT_LIMIT, Connector, Role};
use crate::readers::{Readers, SlowReaders};
use crate::replica::Replica;
use crate::writer::Writer;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::AsyncPgConnection;
use futures_util::FutureExt;
use hearback_ports::health::{PoolUse, ReplicaReads};
use hearback_ports::{Alarm, Clock, Ids, Ports, StoreError, StoreHealth};
use hearback_store_rows::schema::instance as instance_table;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::timeout;

/// The store in a PostgreSQL database.
pub struct PgStore {
    connector: Arc<Connector>,
    readers: Arc<Readers>,
    /// The connection of the readiness probe. It waits for no other statement.
    pinger: Readers,
    /// The number of single-threaded runtimes that read.
    reading_runtimes: usize,
    slow_readers: SlowReaders,
    replica: OnceLock<Replica>,
    writer: Writer,
    dispatcher: Writer,
}

/// One connection each for the dispatcher's claims, settlements and releases, and one for other
/// changes of deliveries and subscriptions.
const DISPATCHER_CONNECTIONS: usize = 4;

impl PgStore {
    /// Connects to a database, and leaves it as it is.
    /// [`Schema::migrate`](hearback_ports::Schema::migrate) creates the tables.
    ///
    /// The runtime of this call drives all connections except those that the workers of the HTTP
    /// server open for their own reads. So this must be called on the main runtime, not on a
    /// worker's.
    pub async fn open(options: PgOptions) -> Result<Arc<Self>, OpenError> {
        let mut connector = Connector::new(&options.url)?;
        // Connects once, so that a wrong address fails the start and not the first request.
        timeout(CONNECT_LIMIT, connector.find_citus()).await.map_err(|_| OpenError::Silent)??;
        let connector = Arc::new(connector);
        let store = Self {
            readers: Arc::new(Readers::new(&connector)),
            pinger: Readers::shared(&connector),
            reading_runtimes: options.reading_runtimes,
            slow_readers: SlowReaders::new(&connector)?,
            replica: OnceLock::new(),
            writer: Writer::new(&connector, Role::Writer, options.write_connections)?,
            dispatcher: Writer::new(&connector, Role::Dispatcher, DISPATCHER_CONNECTIONS)?,
            connector,
        };
        Ok(Arc::new(store))
    }

    /// All ports: those of the store, the clock, the source of identifiers, and the alarm that
    /// wakes the dispatcher.
    pub fn ports(
        self: Arc<Self>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        alarm: Arc<dyn Alarm>,
    ) -> Ports {
        Ports::new(self, clock, ids, alarm)
    }

    /// Closes the connections. A connection in use is closed when its work is done.
    ///
    /// Later writes and walks fail. A later point read opens a connection again.
    pub fn close(&self) {
        self.writer.close();
        self.dispatcher.close();
        self.readers.close();
        self.pinger.close();
        self.slow_readers.close();
        if let Some(replica) = self.replica.get() {
            replica.close();
        }
    }

    /// Opens a connection outside the pools, for work that takes long.
    async fn connect(
        &self,
        doing: &'static str,
        role: Role,
    ) -> Result<AsyncPgConnection, StoreError> {
        let connecting = timeout(CONNECT_LIMIT, self.connector.connect(role));
        let Ok(connected) = connecting.await else { return Err(StoreError::Busy) };
        let driven = connected
            .map_err(|error| StoreError::Unreachable { doing, source: Box::new(error) })?;
        Ok(driven.connection)
    }
}

/// The longest wait of the readiness probe for each of its statements.
const PING_LIMIT: Duration = Duration::from_secs(1);

#[async_trait]
impl StoreHealth for PgStore {
    async fn ping(&self) -> Result<(), StoreError> {
        let doing = "asking the database for an answer";
        let query = || instance_table::table.select(instance_table::name).limit(1);
        let pinging = timeout(PING_LIMIT, self.pinger.row(doing, query));
        let _: Option<String> = pinging.await.map_err(|_| StoreError::Busy)??;
        if !self.writer.is_full() {
            return Ok(());
        }
        // A row is written, to find out whether there is room again.
        let work = self.writer.write_alone("writing to the disk", |connection| {
            let same = instance_table::value.eq(instance_table::value);
            let writing = diesel::update(instance_table::table).set(same);
            diesel_async::RunQueryDsl::execute(writing, connection).boxed()
        });
        timeout(PING_LIMIT, work).await.map_err(|_| StoreError::Busy)?.map(|_| ())
    }

    /// The shared connections of the readers are no pool: a read never waits until one is free.
    fn pools(&self) -> Vec<PoolUse> {
        let mut pools = vec![
            self.writer.in_use("writer"),
            self.dispatcher.in_use("dispatcher"),
            self.slow_readers.in_use("slow_reader"),
        ];
        pools.extend(self.replica.get().map(|replica| replica.in_use("replica_slow_reader")));
        pools
    }

    fn replica_reads(&self) -> ReplicaReads {
        self.replica.get().map(Replica::reads).unwrap_or_default()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use hearback_ports::Schema;
    use std::collections::BTreeMap;
    use std::future::poll_fn;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio_postgres::{AsyncMessage, Client, Config, NoTls};

    /// A store in a database of its own, on the server that `scripts/with-postgres` runs.
    pub(crate) async fn store() -> (Arc<PgStore>, Database) {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let server = std::env::var("HEARBACK_TEST_POSTGRES_URL")
            .expect("scripts/with-postgres runs a server for tests");
        let name = format!(
            "hearback_store_{}_{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        Database { url: server.clone() }
            .run(&format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'"))
            .await;
        let database = Database { url: format!("{}/{name}", server.rsplit_once('/').unwrap().0) };
        let store = PgStore::open(PgOptions::new(&database.url)).await.unwrap();
        store.migrate().await.unwrap();
        (store, database)
    }

    /// The database of a store.
    pub(crate) struct Database {
        url: String,
    }

    impl Database {
        /// Runs statements on a connection of their own.
        pub(crate) async fn run(&self, statements: &str) {
            self.connect().await.batch_execute(statements).await.unwrap();
        }

        /// Opens a connection.
        pub(crate) async fn connect(&self) -> Client {
            let (client, connection) = tokio_postgres::connect(&self.url, NoTls).await.unwrap();
            tokio::spawn(connection);
            client
        }

        /// Opens a connection with the options of a role, and collects the plans of its statements.
        pub(crate) async fn explained(&self, role: Role) -> (AsyncPgConnection, Plans) {
            let mut config: Config = self.url.parse().unwrap();
            let told = "-c session_preload_libraries=auto_explain -c auto_explain.log_min_duration=0 \
                        -c auto_explain.log_analyze=on -c auto_explain.log_timing=off \
                        -c auto_explain.log_nested_statements=on -c client_min_messages=log";
            config.options(format!("{} {told}", role.options("")));
            let (client, mut connection) = config.connect(NoTls).await.unwrap();
            let plans = Plans::default();
            let told = plans.clone();
            tokio::spawn(async move {
                while let Some(message) = poll_fn(|context| connection.poll_message(context)).await
                {
                    if let AsyncMessage::Notice(notice) = message.unwrap() {
                        told.0.lock().unwrap().push(notice.message().to_owned());
                    }
                }
            });
            (AsyncPgConnection::try_from(client).await.unwrap(), plans)
        }
    }

    /// The plans of a connection's statements, and of the statements that are nested in them.
    #[derive(Clone, Default)]
    pub(crate) struct Plans(Arc<Mutex<Vec<String>>>);

    impl Plans {
        /// The number of rows that were read by each index since the last call, including rows that
        /// a filter removed. A table that was read from end to end counts under its own name.
        pub(crate) fn rows_by_index(&self) -> BTreeMap<String, u64> {
            let plans = std::mem::take(&mut *self.0.lock().unwrap());
            let mut rows_by_index = BTreeMap::new();
            let mut reading: Option<(String, u64)> = None;
            for line in plans.iter().flat_map(|plan| plan.lines()) {
                let number_after = |label| {
                    let (_, number) = line.split_once(label)?;
                    number.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
                };
                if let Some((step, figures)) = line.split_once("  (cost=") {
                    let name = ["Scan using ", "Bitmap Index Scan on ", "Seq Scan on "]
                        .iter()
                        .find_map(|how| step.split_once(how));
                    let name = name
                        .and_then(|(_, name)| name.split(' ').next())
                        .filter(|_| figures.contains("actual"));
                    reading = name.map(|name| (name.to_owned(), number_after(" loops=").unwrap()));
                }
                let rows = number_after("(actual rows=")
                    .or_else(|| number_after("Rows Removed by Filter: "));
                if let (Some((index, loops)), Some(rows)) = (&reading, rows) {
                    *rows_by_index.entry(index.clone()).or_default() += rows * loops;
                }
            }
            rows_by_index
        }
    }
}
