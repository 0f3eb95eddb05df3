//! The database file: its creation, its connections, and the wait for its one write lock.

use crate::error::{Harm, is_busy};
use crate::readers::register_gives_way;
use diesel::connection::{AnsiTransactionManager, SimpleConnection};
use diesel::result::{Error, QueryResult};
use diesel::sql_types::Text;
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection};
use hearback_ports::StoreError;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The most time that a statement or a write waits for other connections. After it, the result is
/// [`StoreError::Busy`].
pub(crate) const WAIT: Duration = Duration::from_secs(2);

/// The purpose of a connection. It decides how the connection waits, and how large its cache is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Point reads and pages. SQLite itself waits for locks. It has to wait only while another
    /// process recovers or closes the file.
    Reader,
    /// Short write transactions, begun by [`try_begin_immediate`].
    Writer,
    /// One long write transaction, an import or a migration, begun by [`begin_immediate`].
    Bulk,
    /// One long read transaction. Its result is written to another file.
    Copier,
}

/// The database file.
#[derive(Debug)]
pub(crate) struct Database {
    path: String,
    /// The number of reads so far. A search compares it to find out whether other reads are
    /// running.
    pub(crate) reads: Arc<AtomicU64>,
    /// The harm that the last statements met. Damage stays.
    harm: Mutex<Option<Harm>>,
    /// The directory of the file. It is locked for as long as the file may be opened.
    ///
    /// `backup::Replacement` locks the directory exclusively before it replaces the file. A lock of
    /// SQLite would not suffice. It is on the file that was opened, which may have lost its name by
    /// then, and SQLite finds the log by that name.
    _directory: File,
}

impl Database {
    /// The harm that the last statements met.
    pub(crate) fn harm(&self) -> Option<Harm> {
        *self.harm.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the harm that an error shows.
    pub(crate) fn note(&self, error: &Error) {
        let Some(harm) = Harm::of(error) else { return };
        let mut noted = self.harm.lock().unwrap_or_else(PoisonError::into_inner);
        match *noted {
            Some(Harm::Damaged) => return,
            known if known == Some(harm) => return,
            _ => *noted = Some(harm),
        }
        match harm {
            Harm::Full => tracing::error!("the disk of the database is full: make room on it"),
            Harm::Damaged => tracing::error!(
                "the database is damaged: stop the server, copy the file, and restore the newest \
                 backup (`hearback restore`); `hearback doctor` shows the damage"
            ),
        }
    }

    /// The room that the disk has left, in bytes.
    pub(crate) fn room(&self) -> Option<u64> {
        let disk = rustix::fs::statvfs(&*self.path).ok()?;
        Some(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    /// Notes that a transaction was committed, so that the disk has room.
    pub(crate) fn note_room(&self) {
        let mut noted = self.harm.lock().unwrap_or_else(PoisonError::into_inner);
        *noted = noted.filter(|harm| *harm == Harm::Damaged);
    }

    /// Opens the file at `path`, and switches it to a write-ahead log. If there is no file, creates
    /// an empty one (mode 0600).
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let directory = lock_directory(path).map_err(|error| failed(path, error))?;
        let file = make_file(path).map_err(|error| failed(path, error))?;
        let database = Self {
            path: file,
            reads: Arc::default(),
            harm: Mutex::default(),
            _directory: directory,
        };
        let mut connection = database.connect(Role::Writer)?;
        let mode = write_ahead_log(&mut connection).map_err(|error| failed(path, error))?;
        if mode != "wal" {
            return Err(failed(path, NoWriteAheadLog { mode }));
        }
        Ok(database)
    }

    /// Opens the existing file at `path`, and leaves it as it is.
    pub(crate) fn existing(path: &Path) -> Result<Self, StoreError> {
        // SQLite would create a missing file, and would open a file without write permission for
        // reading only.
        OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .map_err(|error| failed(path, error))?;
        let directory = lock_directory(path).map_err(|error| failed(path, error))?;
        let file = absolute(path).map_err(|error| failed(path, error))?;
        let database = Self {
            path: file,
            reads: Arc::default(),
            harm: Mutex::default(),
            _directory: directory,
        };
        let mut connection = database.connect(Role::Reader)?;
        // SQLite reads the file for the first time here.
        let read = connection.batch_execute("SELECT count(*) FROM sqlite_schema");
        read.map_err(|error| failed(path, error))?;
        Ok(database)
    }

    /// The path of the file.
    pub(crate) fn path(&self) -> &Path {
        Path::new(&self.path)
    }

    /// Opens a connection.
    pub(crate) fn connect(&self, role: Role) -> Result<SqliteConnection, StoreError> {
        let mut connection = SqliteConnection::establish(&existing(&self.path))
            .map_err(|error| failed(&self.path, error))?;
        // SQLite reads the file for some of these pragmas, and another process may be creating the
        // file.
        let set = patiently(Instant::now() + WAIT, || connection.batch_execute(role.pragmas()));
        set.map_err(|error| failed(&self.path, error))?;
        register_gives_way(&mut connection, &self.reads)
            .map_err(|error| failed(&self.path, error))?;
        Ok(connection)
    }
}

/// Begins a write transaction. Waits for the write lock until `deadline`, and then fails with an
/// error for which [`is_busy`] is true.
pub(crate) fn begin_immediate(
    connection: &mut SqliteConnection,
    deadline: Instant,
) -> QueryResult<()> {
    patiently(deadline, || try_begin_immediate(connection))
}

/// Begins a write transaction. If the write lock is taken, fails at once with an error for which
/// [`is_busy`] is true.
pub(crate) fn try_begin_immediate(connection: &mut SqliteConnection) -> QueryResult<()> {
    AnsiTransactionManager::begin_transaction_sql(connection, "BEGIN IMMEDIATE")
}

/// Retries `attempt` until `deadline` while it fails because another connection holds a lock.
///
/// The time between two attempts is [`POLL`], a few milliseconds. SQLite's own wait retries less
/// and less often, up to every 100 ms. It would hardly ever hit the moment between two transactions
/// of a server that writes without a pause.
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
        // A negative cache size is in KiB. There is no mmap, because a read error of the disk would
        // then be a SIGBUS.
        match self {
            Self::Reader => {
                "PRAGMA busy_timeout = 2000; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
                 PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY; PRAGMA query_only = ON;"
            }
            // The undo data of a savepoint is stored in memory. A write of many rows has none.
            Self::Writer => {
                "PRAGMA busy_timeout = 0; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
                 PRAGMA cache_size = -32768; PRAGMA journal_size_limit = 67108864;
                 PRAGMA temp_store = MEMORY;"
            }
            // Records arrive in the order of their identifiers, but their other indexes have other
            // orders. With the allocator's overhead for each page, this cache takes 128 MiB.
            Self::Bulk => {
                "PRAGMA busy_timeout = 0; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
                 PRAGMA cache_size = -106496; PRAGMA journal_size_limit = 67108864;"
            }
            // The cache of the other file has the same size. No page is read twice.
            Self::Copier => {
                "PRAGMA busy_timeout = 2000; PRAGMA synchronous = FULL; PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY;"
            }
        }
    }
}

/// A connection that belongs to one caller over several calls. Its work runs on threads for
/// blocking work.
pub(crate) struct Owned(Option<SqliteConnection>);

impl Owned {
    /// Opens a connection, and runs `begin` on it.
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

    /// Runs `work`. After an error, or if the future is dropped, the connection is closed and its
    /// transaction rolled back.
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

/// The database file could not be opened.
#[derive(Debug, thiserror::Error)]
#[error("cannot use {path}")]
struct OpenError {
    path: PathBuf,
    source: hearback_ports::error::Source,
}

#[derive(Debug, thiserror::Error)]
#[error("the file system supports no write-ahead log (the journal mode is still {mode})")]
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

/// Takes the shared lock on the directory of the file, as all users of the file do.
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

/// The absolute path at which SQLite has the file and its log. A symbolic link is resolved.
pub(crate) fn location(path: &Path) -> io::Result<PathBuf> {
    if path.is_symlink() { path.canonicalize() } else { std::path::absolute(path) }
}

/// The directory of an absolute path.
pub(crate) fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

/// The URI by which SQLite opens an existing file at an absolute path. With the path alone, SQLite
/// would create an empty file in place of a file that was moved away, and would remove the log
/// beside it.
fn existing(path: &str) -> String {
    format!("file://{}?mode=rw", utf8_percent_encode(path, ESCAPED))
}

/// The characters that have a meaning of their own in such a URI.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'%').add(b'?').add(b'#').add(b' ');

/// The absolute path of the file. With it, SQLite takes no name for a URI or for one of its special
/// names, such as `:memory:`.
fn absolute(path: &Path) -> io::Result<String> {
    let path = std::path::absolute(path)?.into_os_string().into_string();
    path.map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "the path is not UTF-8"))
}

/// Creates the file (mode 0600) if it does not exist. Returns its absolute path. SQLite gives the
/// log and its index the same mode.
pub(crate) fn make_file(path: &Path) -> io::Result<String> {
    let path = absolute(path)?;
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path)?;
    Ok(path)
}

/// Switches the file to a write-ahead log. Returns the journal mode, which is a property of the
/// file.
fn write_ahead_log(connection: &mut SqliteConnection) -> QueryResult<String> {
    // SQLite itself does not wait if two processes switch a new file at once.
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
    fn a_file_that_was_moved_away_is_not_created_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b%20?mode=ro#.db");
        let database = Database::open(&path).unwrap();
        assert!(database.connect(Role::Reader).is_ok());
        std::fs::rename(&path, folder.path().join("elsewhere.db")).unwrap();
        assert!(database.connect(Role::Reader).is_err());
        assert!(!path.exists());
    }

    #[test]
    fn the_file_its_log_and_its_index_are_readable_by_the_owner_only() {
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
        std::fs::write(&path, "this is no database, despite its name").unwrap();
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
