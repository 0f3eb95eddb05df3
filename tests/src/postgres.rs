//! PostgreSQL databases for tests, on the server that `scripts/with-postgres` runs. No test drops
//! them: they are deleted with the server.

use crate::system::fresh;
use hearback_domain::Uuid;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tokio_postgres::config::Host;
use tokio_postgres::{Client, Config, NoTls};

/// The default isolation level of a database's transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// PostgreSQL's default.
    ReadCommitted,
    /// The strictest level, at which any transaction may fail and have to be repeated.
    Serializable,
}

/// Creates an empty database and returns its address.
///
/// Its default collation is an ICU collation in which `a` comes before `B` and `ä` before `b`. So a
/// test fails if an order, a comparison or an index does not state that it goes by code point.
pub async fn create(isolation: Isolation) -> String {
    create_on(&server(), isolation).await
}

/// Creates an empty database on the server with this address.
pub async fn create_on(server: &str, isolation: Isolation) -> String {
    let like = format!(
        "template0 ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE '{ICU_LOCALE}'"
    );
    create_like(server, &like, isolation).await
}

/// Copies a database. It has no connections meanwhile. The copy has its own isolation level.
pub async fn copy(database: &str, isolation: Isolation) -> String {
    let config = Config::from_str(database).expect("an address of PostgreSQL");
    create_like(&server(), config.get_dbname().expect("a database"), isolation).await
}

async fn create_like(server: &str, template: &str, isolation: Isolation) -> String {
    let name = format!("hearback_{}", fresh::<Uuid>().simple());
    let client = connect(server).await;
    let create = format!("CREATE DATABASE {name} TEMPLATE {template}");
    client.batch_execute(&create).await.expect("a database is made");
    if server == self::server()
        && let Ok(workers) = std::env::var(WORKERS)
    {
        // Nodes that are added to two clusters at once would change the roles of a worker at once.
        let lock = client.batch_execute("SELECT pg_advisory_lock(1)").await;
        lock.expect("the lock is taken, until the connection ends");
        make_coordinator(server, &name, workers.split(' '), &create).await;
    }
    if isolation == Isolation::Serializable {
        let alter =
            format!("ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'");
        client.batch_execute(&alter).await.expect("the isolation level is set");
    }
    address(server, &name)
}

/// The addresses of the workers of a Citus cluster, with spaces between them.
const WORKERS: &str = "HEARBACK_TEST_CITUS_WORKERS";

/// Returns whether `scripts/with-citus` runs the server. Each new database is then the coordinator
/// of a Citus cluster.
pub fn is_citus() -> bool {
    std::env::var_os(WORKERS).is_some()
}

/// Makes a new database the coordinator of a Citus cluster, and makes its databases on the workers.
async fn make_coordinator(
    server: &str,
    name: &str,
    workers: impl Iterator<Item = &str>,
    create: &str,
) {
    let port = |server: &str| Config::from_str(server).expect("an address").get_ports()[0];
    let coordinator = connect(&address(server, name)).await;
    let begin = format!(
        "CREATE EXTENSION citus; SELECT citus_set_coordinator_host('127.0.0.1', {}); \
         ALTER DATABASE {name} SET citus.shard_count = 4",
        port(server)
    );
    coordinator.batch_execute(&begin).await.expect("the coordinator is set up");
    for worker in workers {
        connect(worker).await.batch_execute(create).await.expect("a database is made");
        let client = connect(&address(worker, name)).await;
        client.batch_execute("CREATE EXTENSION citus").await.expect("the extension is made");
        let add = format!("SELECT citus_add_node('127.0.0.1', {})", port(worker));
        coordinator.batch_execute(&add).await.expect("the worker is added");
    }
}

/// Creates a database with the whole schema, in which the tables of tenants are partitioned by
/// organization, as the first comment of the migration describes. Returns its address.
pub async fn create_partitioned_on(server: &str) -> String {
    let url = create_on(server, Isolation::ReadCommitted).await;
    let client = connect(&url).await;
    // Diesel's own table, so that the store finds its schema up to date.
    let applied = "CREATE TABLE __diesel_schema_migrations (version varchar(50) PRIMARY KEY, \
                   run_on timestamp NOT NULL DEFAULT current_timestamp)";
    client.batch_execute(applied).await.expect("the table of migrations is made");
    for folder in migrations() {
        let up = fs::read_to_string(folder.join("up.sql")).expect("a migration can be read");
        client
            .batch_execute(&partitioned(&up))
            .await
            .unwrap_or_else(|error| panic!("{}: {error:?}", folder.display()));
        let insert = "INSERT INTO __diesel_schema_migrations (version) VALUES ($1)";
        client
            .execute(insert, &[&version(&folder)])
            .await
            .expect("the migration is marked as applied");
    }
    url
}

/// Connects to a database, outside any store.
pub async fn connect(url: &str) -> Client {
    let (client, connection) =
        tokio_postgres::connect(url, NoTls).await.expect("a connection to PostgreSQL");
    // The task ends when the client is dropped.
    tokio::spawn(connection);
    client
}

const ICU_LOCALE: &str = "de-DE";

/// The number of partitions of a table.
pub const PARTITIONS: usize = 3;

fn server() -> String {
    std::env::var("HEARBACK_TEST_POSTGRES_URL").unwrap_or_else(|_| {
        panic!("HEARBACK_TEST_POSTGRES_URL is not set: run `make test`, or `scripts/with-postgres cargo test …`")
    })
}

/// The address of another database on a server.
pub fn address(server: &str, database: &str) -> String {
    let config = Config::from_str(server).expect("an address of PostgreSQL");
    let user = config.get_user().unwrap_or("postgres");
    let password = config
        .get_password()
        .map(|password| String::from_utf8_lossy(password).into_owned())
        .unwrap_or_default();
    let Some(Host::Tcp(host)) = config.get_hosts().first() else { panic!("it names no host") };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    format!("postgres://{user}:{password}@{host}:{port}/{database}")
}

/// The folders of the migrations, oldest first.
fn migrations() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace")
        .join("migrations/postgres");
    let entries = fs::read_dir(root).expect("the folder of the migrations");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    folders.sort();
    folders
}

/// Diesel's version of a migration: the digits at the beginning of its folder's name.
fn version(folder: &Path) -> String {
    let name = folder.file_name().and_then(|name| name.to_str()).expect("a name in UTF-8");
    name.split('_').next().expect("a date").replace('-', "")
}

/// The migration with each table of tenants partitioned. A table that is not spread has the line
/// `-- not spread` above it.
pub fn partitioned(up: &str) -> String {
    let mut sql = String::new();
    let mut before = "";
    let mut spread: Option<&str> = None;
    for line in up.lines() {
        if let Some(table) = line.strip_prefix("CREATE TABLE ") {
            let name = table.split_whitespace().next().expect("a table has a name");
            spread = (!before.starts_with("-- not spread")).then_some(name);
        }
        // Storage parameters of a table are set on each of its partitions.
        if let Some((table, stored)) =
            line.strip_prefix("ALTER TABLE ").and_then(|change| change.split_once(" SET ("))
        {
            for remainder in 0..PARTITIONS {
                sql += &format!("ALTER TABLE {table}_p{remainder} SET ({stored}\n");
            }
            continue;
        }
        match spread.filter(|_| line == ");") {
            Some(table) => {
                sql += ") PARTITION BY HASH (organization_id);\n";
                for remainder in 0..PARTITIONS {
                    sql += &format!(
                        "CREATE TABLE {table}_p{remainder} PARTITION OF {table} \
                         FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {remainder});\n"
                    );
                }
            }
            None => {
                sql += line;
                sql.push('\n');
            }
        }
        before = line;
    }
    sql
}
