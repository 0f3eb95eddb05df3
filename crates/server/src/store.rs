//! The store that the settings name: the one place that knows that there are two.

use hearback_ports::schema::SchemaState;
use hearback_ports::{Alarm, Clock, Examination, Ids, Ports, Schema, StoreError};
use hearback_store_postgres::{PgOptions, PgStore, Unfit};
use hearback_store_sqlite::SqliteStore;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use url::Position;

/// Where the store is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreUrl {
    /// `sqlite:PATH`: embedded, in this file.
    Sqlite(PathBuf),
    /// `postgres://…` or `postgresql://…`
    Postgres(PostgresUrl),
}

/// The address of a PostgreSQL database. It may have a password in it, which neither `Debug` nor
/// `Display` shows.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(String);

/// The text is no address of a PostgreSQL database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected postgres://… or postgresql://…")]
pub struct NoPostgresUrl;

impl PostgresUrl {
    /// Reads an address; whether it leads anywhere is seen when it is connected to.
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

/// The text names no store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoStoreUrl {
    /// It has another scheme, or none.
    #[error("expected sqlite:PATH, postgres://… or postgresql://…")]
    Scheme,
    /// It names no file.
    #[error(
        "expected a path behind sqlite:, such as sqlite:./hearback.db or sqlite:/srv/hearback.db"
    )]
    Path,
    /// It has parameters, as other programs take them.
    #[error("expected nothing but a path behind sqlite:, and no parameters behind a ?")]
    Parameters,
    /// It names a store that would be gone with the process, which no command but the first would
    /// see.
    #[error("a store in memory is not supported: expected the path of a file behind sqlite:")]
    Memory,
}

impl StoreUrl {
    /// Reads `DATABASE_URL`.
    pub fn parse(text: &str) -> Result<Self, NoStoreUrl> {
        if let Ok(url) = PostgresUrl::parse(text) {
            return Ok(Self::Postgres(url));
        }
        let path = text.strip_prefix("sqlite:").ok_or(NoStoreUrl::Scheme)?;
        // Whoever is used to addresses writes sqlite:///srv/hearback.db; after two slashes comes a
        // host, which a file has not.
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

/// For people: what the store is and where, without any secret.
impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(url) => url.fmt(f),
        }
    }
}

/// For people: where it is, without any secret.
impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // User, password and parameters (which may name a password, too) are left out. With an @
        // behind what looks like host and port, these are user and password, one of which has a /
        // or ? in it: the driver takes that.
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
    /// Which of the two it is.
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

/// What a server may take of PostgreSQL.
#[derive(Clone, Copy, Debug)]
pub struct Connections {
    /// How many threads answer requests: each reads over a connection of its own.
    pub workers: usize,
    /// How many connections are for changes at most.
    pub writes: usize,
}

/// The store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The embedded one.
    #[error(transparent)]
    Sqlite(StoreError),
    /// PostgreSQL.
    #[error(transparent)]
    Postgres(hearback_store_postgres::OpenError),
}

impl Store {
    /// Opens the store, whatever the state of its schema. Connections are driven by the runtime
    /// that this is called on.
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

    /// Opens the store to look at it: nothing is made where there is none.
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

    /// Reads lists from a replica from now on, as long as it is fit for that. An error is what
    /// never will be. The embedded store has none, and no settings that name one.
    pub(crate) async fn read_lists_from(
        &self,
        PostgresUrl(text): &PostgresUrl,
    ) -> Result<(), Unfit> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(store) => store.read_lists_from(text).await,
        }
    }

    /// Whether lists could be read from a replica now.
    pub(crate) async fn examine_replica(
        &self,
        PostgresUrl(text): &PostgresUrl,
    ) -> Result<(), Unfit> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(store) => store.examine_replica(text).await,
        }
    }

    /// The store from its operator's side.
    pub(crate) fn examination(&self) -> &dyn Examination {
        match self {
            Self::Sqlite(store) => &**store,
            Self::Postgres(store) => &**store,
        }
    }

    /// How the store's schema compares to this binary's.
    pub async fn schema_state(&self) -> Result<SchemaState, StoreError> {
        self.schema().state().await
    }

    /// Brings the schema up to date.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        self.schema().migrate().await
    }

    /// Everything that use cases may reach, on this store.
    pub fn ports(&self, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>, alarm: Arc<dyn Alarm>) -> Ports {
        match self {
            Self::Sqlite(store) => Arc::clone(store).ports(clock, ids, alarm),
            Self::Postgres(store) => Arc::clone(store).ports(clock, ids, alarm),
        }
    }

    /// Closes it: the embedded one when the writes that it has taken are done. Later writes fail.
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
