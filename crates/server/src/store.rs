//! The store of the settings. Only this module names both stores.

use hearback_ports::schema::SchemaState;
use hearback_ports::{Alarm, Clock, Examination, Ids, Ports, Schema, StoreError};
use hearback_store_postgres::{PgOptions, PgStore, Unfit};
use hearback_store_sqlite::SqliteStore;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use url::Position;

/// The address of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreUrl {
    /// `sqlite:PATH`: the embedded store in this file.
    Sqlite(PathBuf),
    /// `postgres://…` or `postgresql://…`
    Postgres(PostgresUrl),
}

/// The address of a PostgreSQL database. It may hold a password, which neither `Debug` nor
/// `Display` shows.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(String);

/// The text is not the address of a PostgreSQL database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected postgres://… or postgresql://…")]
pub struct NoPostgresUrl;

impl PostgresUrl {
    /// Parses an address. Connecting shows whether it is right.
    pub fn parse(text: &str) -> Result<Self, NoPostgresUrl> {
        let is_one = text.starts_with("postgres://") || text.starts_with("postgresql://");
        if is_one { Ok(Self(text.to_owned())) } else { Err(NoPostgresUrl) }
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PostgresUrl(…)")
    }
}

/// The text is not the address of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoStoreUrl {
    /// The text has another scheme, or none.
    #[error("expected sqlite:PATH, postgres://… or postgresql://…")]
    Scheme,
    /// The text has no path.
    #[error(
        "expected a path behind sqlite:, such as sqlite:./hearback.db or sqlite:/srv/hearback.db"
    )]
    Path,
    /// The text has parameters, which other programs take.
    #[error("expected nothing but a path behind sqlite:, and no parameters behind a ?")]
    Parameters,
    /// The store would be in memory, and end with the process.
    #[error("a store in memory is not supported: expected the path of a file behind sqlite:")]
    Memory,
}

impl StoreUrl {
    /// Parses `DATABASE_URL`.
    pub fn parse(text: &str) -> Result<Self, NoStoreUrl> {
        if let Ok(url) = PostgresUrl::parse(text) {
            return Ok(Self::Postgres(url));
        }
        let path = text.strip_prefix("sqlite:").ok_or(NoStoreUrl::Scheme)?;
        // Users of URLs write sqlite:///srv/hearback.db. A host would follow two slashes, and a
        // file has none.
        let path = match path.strip_prefix("//") {
            Some(absolute) if absolute.starts_with('/') => absolute,
            Some(_) => return Err(NoStoreUrl::Path),
            None => path,
        };
        match path {
            "" => Err(NoStoreUrl::Path),
            ":memory:" => Err(NoStoreUrl::Memory),
            path if path.contains('?') => Err(NoStoreUrl::Parameters),
            path => Ok(Self::Sqlite(PathBuf::from(path))),
        }
    }
}

/// Shows the address without secrets.
impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(url) => url.fmt(f),
        }
    }
}

/// Shows the address without secrets.
impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // User, password and parameters (which may have a password, too) are left out. An @ after
        // the host and port means that they are really a user and a password with a / or ?, which
        // the driver accepts.
        let url =
            url::Url::parse(&self.0).ok().filter(|url| !url[Position::AfterPort..].contains('@'));
        let host = url.as_ref().and_then(url::Url::host_str).unwrap_or("…");
        let port = url
            .as_ref()
            .and_then(url::Url::port)
            .map(|port| format!(":{port}"))
            .unwrap_or_default();
        let database = url.as_ref().map_or("/…", url::Url::path);
        write!(f, "postgres://{host}{port}{database}")
    }
}

impl StoreUrl {
    /// The kind of the store.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }
}

/// An opened store.
#[derive(Clone)]
pub enum Store {
    /// The embedded one.
    Sqlite(Arc<SqliteStore>),
    /// PostgreSQL.
    Postgres(Arc<PgStore>),
}

/// The connections to PostgreSQL of a server.
#[derive(Clone, Copy, Debug)]
pub struct Connections {
    /// The threads that answer requests. Each reads over a connection of its own.
    pub workers: usize,
    /// The most connections for writes.
    pub writes: usize,
}

/// The store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The embedded one failed.
    #[error(transparent)]
    Sqlite(StoreError),
    /// PostgreSQL failed.
    #[error(transparent)]
    Postgres(hearback_store_postgres::OpenError),
}

impl Store {
    /// Opens the store with any state of its schema. The runtime of the call drives the
    /// connections.
    pub async fn open(url: &StoreUrl, connections: Connections) -> Result<Self, OpenError> {
        match url {
            StoreUrl::Sqlite(path) => {
                Ok(Self::Sqlite(SqliteStore::open(path).map_err(OpenError::Sqlite)?))
            }
            StoreUrl::Postgres(PostgresUrl(text)) => {
                let Connections { workers, writes } = connections;
                let options = PgOptions {
                    url: text.clone(),
                    write_connections: writes,
                    reading_runtimes: workers,
                };
                let store = PgStore::open(options).await;
                let store = store.map_err(OpenError::Postgres)?;
                Ok(Self::Postgres(store))
            }
        }
    }

    /// Opens an existing store, and makes nothing.
    pub(crate) async fn open_existing(
        url: &StoreUrl,
        connections: Connections,
    ) -> Result<Self, OpenError> {
        match url {
            StoreUrl::Sqlite(path) => {
                Ok(Self::Sqlite(SqliteStore::open_existing(path).map_err(OpenError::Sqlite)?))
            }
            StoreUrl::Postgres(_) => Self::open(url, connections).await,
        }
    }

    /// Reads lists from a replica from now on, as long as it is fit for that. An error means that
    /// it never can be. The embedded store has no replica.
    pub(crate) async fn read_lists_from(
        &self,
        PostgresUrl(text): &PostgresUrl,
    ) -> Result<(), Unfit> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(store) => store.read_lists_from(text).await,
        }
    }

    /// Whether a replica is fit for lists now.
    pub(crate) async fn examine_replica(
        &self,
        PostgresUrl(text): &PostgresUrl,
    ) -> Result<(), Unfit> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(store) => store.examine_replica(text).await,
        }
    }

    /// The examination of the store.
    pub(crate) fn examination(&self) -> &dyn Examination {
        match self {
            Self::Sqlite(store) => &**store,
            Self::Postgres(store) => &**store,
        }
    }

    /// The state of the store's schema, compared with this release.
    pub async fn schema_state(&self) -> Result<SchemaState, StoreError> {
        self.schema().state().await
    }

    /// Brings the schema up to date.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        self.schema().migrate().await
    }

    /// Spreads the tables over the nodes of a Citus cluster. Returns `false` if the store has none.
    pub(crate) async fn distribute(&self) -> Result<bool, StoreError> {
        match self {
            Self::Sqlite(_) => Ok(false),
            Self::Postgres(store) => store.distribute().await,
        }
    }

    /// The ports of use cases on this store.
    pub fn ports(&self, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>, alarm: Arc<dyn Alarm>) -> Ports {
        match self {
            Self::Sqlite(store) => Arc::clone(store).ports(clock, ids, alarm),
            Self::Postgres(store) => Arc::clone(store).ports(clock, ids, alarm),
        }
    }

    /// Closes the store. The embedded one finishes the writes that it has taken, and fails later
    /// ones.
    pub async fn close(&self) {
        match self {
            Self::Sqlite(store) => store.close().await,
            Self::Postgres(store) => store.close(),
        }
    }

    fn schema(&self) -> &dyn Schema {
        match self {
            Self::Sqlite(store) => &**store,
            Self::Postgres(store) => &**store,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_path() {
        for (text, path) in [
            ("sqlite:hearback.db", "hearback.db"),
            ("sqlite:./data/hearback.db", "./data/hearback.db"),
            ("sqlite:/srv/hearback.db", "/srv/hearback.db"),
            ("sqlite:///srv/hearback.db", "/srv/hearback.db"),
        ] {
            assert_eq!(StoreUrl::parse(text), Ok(StoreUrl::Sqlite(path.into())), "{text}");
        }
        assert_eq!(StoreUrl::parse("sqlite:"), Err(NoStoreUrl::Path));
        assert_eq!(StoreUrl::parse("sqlite://hearback.db"), Err(NoStoreUrl::Path));
        assert_eq!(StoreUrl::parse("sqlite::memory:"), Err(NoStoreUrl::Memory));
        assert_eq!(StoreUrl::parse("sqlite:/srv/hearback.db?mode=ro"), Err(NoStoreUrl::Parameters));
        assert_eq!(StoreUrl::parse("hearback.db"), Err(NoStoreUrl::Scheme));
        assert_eq!(StoreUrl::parse("mysql://localhost"), Err(NoStoreUrl::Scheme));
    }

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        for (text, shown) in [
            (
                "postgres://me:s3cr3t@db.example:5433/hearback?password=s3cr3t",
                "postgres://db.example:5433/hearback",
            ),
            ("postgresql://db.example/hearback", "postgres://db.example/hearback"),
            ("postgres://me:s3cr3t@a:1,b:2/hearback", "postgres://…/…"),
            ("postgres://me:12/s3cr3t@db.example/hearback", "postgres://…/…"),
            ("postgres://me:/s3cr3t@db.example/hearback", "postgres://…/…"),
            ("postgres://me:12?s3cr3t@db.example/hearback", "postgres://…/…"),
            ("postgres://me:12#s3cr3t@db.example/hearback", "postgres://…/…"),
        ] {
            let url = StoreUrl::parse(text).unwrap();
            assert_eq!(url.to_string(), shown);
            assert_eq!(format!("{url:?}"), "Postgres(PostgresUrl(…))");
        }
    }
}
