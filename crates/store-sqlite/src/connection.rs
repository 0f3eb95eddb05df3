//! The database file: making it, connecting to it, and waiting for its one write lock.

use crate::error::is_busy;
use crate::readers::register_gives_way;
use diesel::connection::{AnsiTransactionManager, SimpleConnection};
use diesel::result::QueryResult;
use diesel::sql_types::Text;
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection};
use hearback_ports::StoreError;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// How long a statement or a write waits for what another connection holds, before it is
/// [`StoreError::Busy`].
pub(crate) const WAIT: Duration = Duration::from_secs(2);

/// What a connection is for; decides how it waits and how much it keeps in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Point reads and pages. SQLite itself waits, which happens only while another process
    /// recovers or closes the file.
    Reader,
    /// Short write transactions, begun by [`begin_immediate`].
    Writer,
    /// One long write transaction, an import or a migration, begun by [`begin_immediate`].
    Bulk,
    /// One long read transaction, whose outcome is written to another file.
    Copier,
}

/// The database file.
#[derive(Debug)]
pub(crate) struct Database {
    path: String,
    /// How many reads there were, by which a search knows whether it has anybody to make way for.
    pub(crate) reads: Arc<AtomicU64>,
    /// The directory of the file, locked for as long as the file may be opened.
    ///
    /// Who puts another file in its place locks it exclusively (`backup::Replacement`). A lock of
    /// SQLite's would not do: it is on the file that was opened, which may have lost its name by
    /// then, and SQLite finds the log by that name.
    _directory: File,
}

impl Database {
    /// The file at `path`, made empty (mode 0600) unless it is there, and switched to a write-ahead
    /// log.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let directory = lock_directory(path).map_err(|error| failed(path, error))?;
        let file = make_file(path).map_err(|error| failed(path, error))?;
        let database = Self { path: file, reads: Arc::default(), _directory: directory };
        let mut connection = database.connect(Role::Writer)?;
        let mode = write_ahead_log(&mut connection).map_err(|error| failed(path, error))?;
        if mode != "wal" {
            return Err(failed(path, NoWriteAheadLog { mode }));
        }
        Ok(database)
    }

    /// The file at `path`, which stays as it is.
    pub(crate) fn existing(path: &Path) -> Result<Self, StoreError> {
        // SQLite would make a file that is not there, and would only read one that we may not write
        // to.
        OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(|error| failed(path, error))?;
        let directory = lock_directory(path).map_err(|error| failed(path, error))?;
        let file = absolute(path).map_err(|error| failed(path, error))?;
        let database = Self { path: file, reads: Arc::default(), _directory: directory };
        let mut connection = database.connect(Role::Reader)?;
        // The first look into the file.
        let read = connection.batch_execute("SELECT count(*) FROM sqlite_schema");
        read.map_err(|error| failed(path, error))?;
        Ok(database)
    }

    /// The path of the file.
    pub(crate) fn path(&self) -> &Path {
        Path::new(&self.path)
    }

    /// A new connection.
    pub(crate) fn connect(&self, role: Role) -> Result<SqliteConnection, StoreError> {
        let mut connection = SqliteConnection::establish(&existing(&self.path))
            .map_err(|error| failed(&self.path, error))?;
        // SQLite looks into the file for some of these, and another process may just be making it.
        let set = patiently(Instant::now() + WAIT, || connection.batch_execute(role.pragmas()));
        set.map_err(|error| failed(&self.path, error))?;
        register_gives_way(&mut connection, &self.reads)
            .map_err(|error| failed(&self.path, error))?;
        Ok(connection)
    }
}

/// Begins a write transaction. Waits for the lock until `deadline`; the error then is one that
/// [`is_busy`] knows.
pub(crate) fn begin_immediate(
    connection: &mut SqliteConnection,
    deadline: Instant,
) -> QueryResult<()> {
    patiently(deadline, || try_begin_immediate(connection))
}

/// Begins a write transaction, or fails at once with an error that [`is_busy`] knows.
pub(crate) fn try_begin_immediate(connection: &mut SqliteConnection) -> QueryResult<()> {
    AnsiTransactionManager::begin_transaction_sql(connection, "BEGIN IMMEDIATE")
}

/// Tries until `deadline` what fails because another connection holds a lock.
///
/// It tries every few milliseconds. SQLite's own wait tries ever more seldom, up to every 100 ms,
/// and would hardly ever hit the moment between two transactions of a server that writes without
/// pause.
fn patiently<T>(deadline: Instant, mut attempt: impl FnMut() -> QueryResult<T>) -> QueryResult<T> {
    loop {
        match attempt() {
            Err(error) if is_busy(&error) && Instant::now() < deadline => std::thread::sleep(POLL),
            result => return result,
        }
    }
}

/// The time between two attempts to take a lock.
pub(crate) const POLL: Duration = Duration::from_millis(2);

impl Role {
    fn pragmas(self) -> &'static str {
        // Cache sizes are in KiB where they are negative. No mmap: a read error of the disk would
        // then be a SIGBUS.
        match self {
            Self::Reader => {
                "PRAGMA busy_timeout = 2000; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
                 PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY; PRAGMA query_only = ON;"
            }
            // What a savepoint would take back is not kept in memory: it may be a whole
            // organization.
            Self::Writer => {
                "PRAGMA busy_timeout = 0; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
                 PRAGMA cache_size = -32768; PRAGMA journal_size_limit = 67108864;"
            }
            // Records come in the order of their identifiers, but their other indexes are in other
            // orders. With what the allocator adds to each page these are 128 MiB.
            Self::Bulk => {
                "PRAGMA busy_timeout = 0; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
                 PRAGMA cache_size = -106496; PRAGMA journal_size_limit = 67108864;"
            }
            // The other file has a cache of the same size. Nothing is read twice.
            Self::Copier => {
                "PRAGMA busy_timeout = 2000; PRAGMA synchronous = FULL; PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY;"
            }
        }
    }
}

/// A connection that belongs to one caller, who uses it over several calls. What it does runs on
/// threads for blocking work.
pub(crate) struct Owned(Option<SqliteConnection>);

impl Owned {
    /// A new connection, with what `begin` did on it.
    pub(crate) async fn begin(
        doing: &'static str,
        database: Arc<Database>,
        role: Role,
        begin: impl FnOnce(&mut SqliteConnection) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<Self, StoreError> {
        let connecting = tokio::task::spawn_blocking(move || {
            let mut connection = database.connect(role)?;
            begin(&mut connection)?;
            Ok(Self(Some(connection)))
        });
        connecting.await.map_err(|error| StoreError::Backend { doing, source: Box::new(error) })?
    }

    /// Runs `work`. After an error, and when the future is dropped, the connection is closed and
    /// its transaction rolled back.
    pub(crate) async fn run<T, E>(
        &mut self,
        doing: &'static str,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let Some(mut connection) = self.0.take() else {
            return Err(StoreError::Backend { doing, source: Box::new(Ended) }.into());
        };
        let working = tokio::task::spawn_blocking(move || {
            work(&mut connection).map(|made| (made, connection))
        });
        let (made, connection) = working
            .await
            .map_err(|error| StoreError::Backend { doing, source: Box::new(error) })??;
        self.0 = Some(connection);
        Ok(made)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the transaction ended with an earlier failure")]
struct Ended;

/// The error that the file could not be opened.
#[derive(Debug, thiserror::Error)]
#[error("cannot use {path}")]
struct OpenError {
    path: PathBuf,
    source: hearback_ports::error::Source,
}

#[derive(Debug, thiserror::Error)]
#[error("the file system takes no write-ahead log (the journal mode stayed {mode})")]
struct NoWriteAheadLog {
    mode: String,
}

fn failed(
    path: impl AsRef<Path>,
    source: impl std::error::Error + Send + Sync + 'static,
) -> StoreError {
    let source = OpenError { path: path.as_ref().to_owned(), source: Box::new(source) };
    StoreError::Backend { doing: "opening the database file", source: Box::new(source) }
}

/// Locks the directory of the file together with all others who use the file.
fn lock_directory(path: &Path) -> io::Result<File> {
    let directory = File::open(parent(&location(path)?))?;
    let deadline = Instant::now() + WAIT;
    loop {
        match directory.try_lock_shared() {
            Ok(()) => return Ok(directory),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(POLL),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, BeingReplaced));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("a backup is being restored there")]
struct BeingReplaced;

/// The absolute path at which SQLite has the file and what belongs to it: where a link leads.
pub(crate) fn location(path: &Path) -> io::Result<PathBuf> {
    if path.is_symlink() { path.canonicalize() } else { std::path::absolute(path) }
}

/// The directory of an absolute path.
pub(crate) fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

/// What SQLite opens an absolute path by that has to be there. By the path alone it would make an
/// empty file in the place of one that somebody moved away, and remove the log beside it.
fn existing(path: &str) -> String {
    format!("file://{}?mode=rw", utf8_percent_encode(path, ESCAPED))
}

/// What has a meaning of its own in such an address.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'%').add(b'?').add(b'#').add(b' ');

/// The absolute path of the file, so that SQLite takes no name for a URI or for one of its special
/// names, such as `:memory:`.
fn absolute(path: &Path) -> io::Result<String> {
    let path = std::path::absolute(path)?.into_os_string().into_string();
    path.map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "the path is not UTF-8"))
}

/// The absolute path of the file, which exists afterwards. SQLite gives its log and index files the
/// same mode.
pub(crate) fn make_file(path: &Path) -> io::Result<String> {
    let path = absolute(path)?;
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path)?;
    Ok(path)
}

/// Asks for a write-ahead log, and says what the journal mode is now. It is a property of the file.
fn write_ahead_log(connection: &mut SqliteConnection) -> QueryResult<String> {
    // SQLite does not wait by itself when two processes do this to a new file at once.
    patiently(Instant::now() + WAIT, || {
        diesel::sql_query("PRAGMA journal_mode = WAL").get_result::<JournalMode>(connection)
    })
    .map(|row| row.journal_mode)
}

#[derive(QueryableByName)]
struct JournalMode {
    #[diesel(sql_type = Text)]
    journal_mode: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_file_that_was_moved_away_is_not_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b%20?mode=ro#.db");
        let database = Database::open(&path).unwrap();
        assert!(database.connect(Role::Reader).is_ok());
        std::fs::rename(&path, folder.path().join("elsewhere.db")).unwrap();
        assert!(database.connect(Role::Reader).is_err());
        assert!(!path.exists());
    }

    #[test]
    fn the_file_its_log_and_its_index_are_for_the_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let database = Database::open(&path).unwrap();
        let mut connection = database.connect(Role::Writer).unwrap();
        connection.batch_execute("CREATE TABLE notes (text text NOT NULL) STRICT").unwrap();
        for suffix in ["", "-wal", "-shm"] {
            let file = folder.path().join(format!("test.db{suffix}"));
            let mode = std::fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", file.display());
        }
    }

    #[test]
    fn a_file_that_is_no_database_is_named_in_the_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        std::fs::write(&path, "this is no database, whatever its name says").unwrap();
        let error = Database::open(&path).unwrap_err();
        let source = std::error::Error::source(&error).unwrap();
        assert_eq!(source.to_string(), format!("cannot use {}", path.display()));
    }

    #[test]
    fn a_reader_cannot_write() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(&folder.path().join("test.db")).unwrap();
        let mut connection = database.connect(Role::Reader).unwrap();
        assert!(
            connection.batch_execute("CREATE TABLE notes (text text NOT NULL) STRICT").is_err()
        );
    }

    #[test]
    fn opening_a_new_file_many_times_at_once_works() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        std::thread::scope(|scope| {
            let opened: Vec<_> =
                (0..8).map(|_| scope.spawn(|| Database::open(&path).map(|_| ()))).collect();
            for opened in opened {
                opened.join().unwrap().unwrap();
            }
        });
    }
}
