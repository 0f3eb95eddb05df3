//! Copies a store to a backup, and replaces a store by a backup.
//!
//! `VACUUM INTO` makes the copy. It is one read transaction, so the copy is of one moment. The copy
//! is one file without a log. Writers continue meanwhile. Only the log cannot restart before the
//! copy is done, so it grows by the writes in between. SQLite's backup API would copy page by page,
//! with the free pages, and would begin again whenever another process writes, unless it copied all
//! pages in one step, as `VACUUM INTO` does.

use crate::SqliteStore;
use crate::connection::{Database, Role, location, make_file, parent};
use crate::error::{is_damage, store_error};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::Error;
use diesel::sql_types::{BigInt, Nullable, Text};
use hearback_ports::StoreError;
use hearback_store_rows::queries;
use hearback_store_rows::schema::{organizations, sqlite_schema};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl SqliteStore {
    /// Copies the store, as it is at one moment, into a new file (mode 0600), and checks the copy.
    /// The store may be written meanwhile.
    pub async fn back_up(&self, copy: PathBuf) -> Result<(), BackupError> {
        let database = Arc::clone(&self.database);
        let copying = tokio::task::spawn_blocking(move || {
            copy_into(&database, &copy)?;
            inspect(&copy).map_err(BackupError::Unfit)
        });
        copying
            .await
            .map_err(|error| StoreError::Backend { doing: COPYING, source: Box::new(error) })?
    }
}

/// A backup could not be made.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The store could not be read, or the copy could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The copy did not pass its check. Most likely the store would not pass it either.
    #[error("the copy did not pass its check, so the store itself may be damaged")]
    Unfit(#[source] UnfitCopy),
}

/// The reason why a file cannot replace a store.
#[derive(Debug, thiserror::Error)]
pub enum UnfitCopy {
    /// The file is not a store.
    #[error("it is not a database of hearback")]
    NotOurs,
    /// The file is in use, or was not closed: a log beside it contains a part of the data.
    #[error("{} is beside it: it is not a backup but a store that is in use or was not closed", log.display())]
    Unclosed {
        /// The log.
        log: PathBuf,
    },
    /// The file is damaged.
    #[error("it is damaged: {finding}")]
    Damaged {
        /// The first damage that the check found.
        finding: String,
    },
    /// The file could not be read, or its copy could not be written.
    #[error("it cannot be copied")]
    Copy(#[from] io::Error),
}

const COPYING: &str = "copying the database";

fn copy_into(database: &Database, copy: &Path) -> Result<(), StoreError> {
    let copy = make_file(copy)
        .map_err(|error| StoreError::Backend { doing: COPYING, source: Box::new(error) })?;
    let mut connection = database.connect(Role::Copier)?;
    let copied = diesel::sql_query("VACUUM INTO ?").bind::<Text, _>(&copy).execute(&mut connection);
    copied.map_err(|error| store_error(COPYING, error))?;
    mark(Path::new(&copy), BACKUP).map_err(|error| store_error(COPYING, error))
}

/// The application ID of a backup. It distinguishes a backup from a store, which has none.
const BACKUP: u32 = 0x4842_424b;

/// Sets the application ID of a file that is not in use.
fn mark(path: &Path, application_id: u32) -> QueryResult<()> {
    connect(path)?.batch_execute(&format!("PRAGMA application_id = {application_id}"))
}

/// Returns whether a file is a backup. It reads the first 72 bytes. A backup that was opened as a
/// store is no backup any more.
pub fn is_backup(file: impl Read) -> io::Result<bool> {
    let mut beginning = Vec::new();
    file.take(72).read_to_end(&mut beginning)?;
    let is_database = beginning.starts_with(MAGIC) && beginning.get(18) != Some(&WITH_LOG);
    Ok(is_database && beginning.get(68..72) == Some(&BACKUP.to_be_bytes()))
}

/// The value of byte 18 of a database with a write-ahead log.
const WITH_LOG: u8 = 2;

/// Copies a backup to a new file (mode 0600), and checks that the copy is a database of Hearback
/// and not damaged. `opened` is the file `backup`. It is read as a plain file, because SQLite would
/// write files beside it. The copy is not marked as a backup.
pub fn take_copy(backup: &Path, mut opened: File, copy: &Path) -> Result<(), UnfitCopy> {
    for log in LOGS.map(|suffix| beside(backup, suffix)) {
        if fs::metadata(&log).is_ok_and(|metadata| metadata.len() > 0) {
            return Err(UnfitCopy::Unclosed { log });
        }
    }
    let mut new = OpenOptions::new().write(true).create_new(true).mode(0o600).open(copy)?;
    io::copy(&mut opened, &mut new)?;
    drop(new);
    inspect(copy)?;
    mark(copy, 0).map_err(|error| UnfitCopy::Copy(io::Error::other(error)))
}

/// Checks that a file is a database of Hearback, and that every page, index and reference is
/// intact. The file must not be in use.
fn inspect(path: &Path) -> Result<(), UnfitCopy> {
    let mut beginning = Vec::new();
    File::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut beginning)?;
    if beginning != MAGIC {
        return Err(UnfitCopy::NotOurs);
    }
    match connect(path).and_then(first_finding) {
        Ok(None) => Ok(()),
        Ok(Some(unfit)) => Err(unfit),
        Err(error) => Err(UnfitCopy::Damaged { finding: error.to_string() }),
    }
}

/// The first bytes of an SQLite database.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// The first fault of a database. Returns the error of SQLite if it cannot check the file.
fn first_finding(mut connection: SqliteConnection) -> QueryResult<Option<UnfitCopy>> {
    let connection = &mut connection;
    connection.batch_execute(
        "PRAGMA busy_timeout = 2000; PRAGMA query_only = ON; PRAGMA cache_size = -32768",
    )?;
    let ours = sqlite_schema::table
        .filter(sqlite_schema::name.eq_any(["__diesel_schema_migrations", "instance"]))
        .count();
    if ours.get_result::<i64>(connection)? < 2 {
        return Ok(Some(UnfitCopy::NotOurs));
    }
    let found: Finding = diesel::sql_query("PRAGMA integrity_check(1)").get_result(connection)?;
    if found.integrity_check != "ok" {
        return Ok(Some(UnfitCopy::Damaged { finding: found.integrity_check }));
    }
    let dangling = diesel::sql_query("PRAGMA foreign_key_check")
        .load_iter::<Dangling, _>(connection)?
        .next()
        .transpose()?;
    Ok(dangling.map(|Dangling { table, rowid, parent }| {
        let row = rowid.map(|rowid| format!(" {rowid}")).unwrap_or_default();
        UnfitCopy::Damaged {
            finding: format!("row{row} of {table} refers to a row that is not in {parent}"),
        }
    }))
}

#[derive(QueryableByName)]
struct Finding {
    #[diesel(sql_type = Text)]
    integrity_check: String,
}

#[derive(QueryableByName)]
struct Dangling {
    #[diesel(sql_type = Text)]
    table: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    rowid: Option<i64>,
    #[diesel(sql_type = Text)]
    parent: String,
}

/// The exclusive use of a store, for its replacement. The store cannot be opened until this is
/// dropped.
pub struct Replacement {
    path: PathBuf,
    /// The directory of the store, locked exclusively. [`Database::open`] locks it shared before it
    /// opens the store.
    _directory: File,
}

/// The reason why a store was not replaced.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// The store is open.
    #[error("the store {} is in use: stop the server and all other programs on it first", path.display())]
    InUse {
        /// The store.
        path: PathBuf,
    },
    /// A file could not be read, moved or written.
    #[error("cannot {doing} {}", path.display())]
    File {
        /// The operation that failed.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The log of the store could not be written into its file.
    #[error("cannot close the store {}", path.display())]
    Settle {
        /// The store.
        path: PathBuf,
        /// The cause.
        source: StoreError,
    },
}

impl Replacement {
    /// Locks the store. Fails with [`ReplaceError::InUse`] if the store is open. The store need not
    /// exist, but its directory must.
    pub fn begin(path: &Path) -> Result<Self, ReplaceError> {
        let path = location(path).map_err(failed("find", path))?;
        let directory = parent(&path);
        let directory = File::open(directory).map_err(failed("open", directory))?;
        match directory.try_lock() {
            Ok(()) => Ok(Self { path, _directory: directory }),
            Err(TryLockError::WouldBlock) => Err(ReplaceError::InUse { path }),
            Err(TryLockError::Error(source)) => {
                Err(ReplaceError::File { doing: "lock the directory of", path, source })
            }
        }
    }

    /// The path of the store.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the store has organizations, or cannot be read.
    pub fn loses_something(&self) -> bool {
        if fs::metadata(&self.path).is_ok_and(|metadata| metadata.len() == 0)
            || !fs::exists(&self.path).unwrap_or(true)
        {
            return false;
        }
        let found = connect(&self.path).and_then(|mut connection| {
            queries::present()
                .select(organizations::slug)
                .first::<String>(&mut connection)
                .optional()
        });
        !matches!(found, Ok(None))
    }

    /// Replaces the store by the file `new`, and moves the store to `kept`. `new` must be on the
    /// same disk, and `kept` must not exist. Returns whether there was a store.
    ///
    /// **An interruption leaves the old or the new store in place**, and never a log beside a
    /// database that it does not belong to. SQLite would read such a log into the database.
    ///
    /// 1. Each of the two becomes a single file: the content of its log is written into it, and
    ///    SQLite removes the log. This takes SQLite's exclusive lock, so that other programs that
    ///    have the store open, such as SQLite's shell, are detected too.
    /// 2. The store gets a second name, `kept`.
    /// 3. A log that still exists belongs to a store that SQLite cannot read, or whose database
    ///    file is gone. It is moved to `kept` too.
    /// 4. One `rename` puts the new file in the place of the old one, which keeps its second name.
    ///
    /// Each step is on the disk before the next one, and step 4 before this returns.
    pub fn put(self, new: &Path, kept: &Path) -> Result<bool, ReplaceError> {
        let sync = |path: &Path| {
            File::open(path).and_then(|file| file.sync_all()).map_err(failed("write", path))
        };
        settle(new).map_err(unsettled(new))?;
        let is_there = fs::exists(&self.path).map_err(failed("find", &self.path))?;
        if is_there {
            match settle(&self.path) {
                Err(error) if is_damage(&error) => {}
                settled => settled.map_err(unsettled(&self.path))?,
            }
            fs::hard_link(&self.path, kept).map_err(failed("keep the store as", kept))?;
            sync(parent(&self.path))?;
        }
        for suffix in LOGS {
            let log = beside(&self.path, suffix);
            match fs::rename(&log, beside(kept, suffix)) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(failed("move", &log)(source));
                }
                Ok(()) | Err(_) => {}
            }
        }
        sync(new)?;
        sync(parent(&self.path))?;
        fs::rename(new, &self.path).map_err(failed("write", &self.path))?;
        sync(parent(&self.path))?;
        Ok(is_there)
    }
}

/// The suffixes of the files that SQLite writes beside a database: the write-ahead log, its index,
/// and the journal of other modes.
const LOGS: [&str; 3] = ["-wal", "-shm", "-journal"];

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ReplaceError {
    move |source| ReplaceError::File { doing, path: path.to_owned(), source }
}

/// Writes the log of a database into its file, and removes the log. Fails if another connection has
/// the database open. The next [`Database::open`] switches it back to a write-ahead log.
fn settle(path: &Path) -> QueryResult<()> {
    let mut connection = connect(path)?;
    connection.batch_execute(
        "PRAGMA busy_timeout = 0; PRAGMA synchronous = FULL; PRAGMA locking_mode = EXCLUSIVE",
    )?;
    diesel::sql_query("PRAGMA journal_mode = DELETE").execute(&mut connection)?;
    connection.batch_execute("BEGIN EXCLUSIVE; COMMIT")
}

fn unsettled(path: &Path) -> impl FnOnce(Error) -> ReplaceError {
    let path = path.to_owned();
    move |error| match store_error("writing the log into the file", error) {
        StoreError::Busy => ReplaceError::InUse { path },
        source => ReplaceError::Settle { path, source },
    }
}

fn connect(path: &Path) -> QueryResult<SqliteConnection> {
    let path =
        path.to_str().ok_or_else(|| Error::QueryBuilderError("the path is not UTF-8".into()))?;
    SqliteConnection::establish(path).map_err(|error| Error::QueryBuilderError(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    #[test]
    fn a_store_cannot_be_opened_while_it_is_replaced_or_replaced_while_it_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let replacement = Replacement::begin(&path).unwrap();
        assert!(matches!(Replacement::begin(&path), Err(ReplaceError::InUse { .. })));
        let refused = SqliteStore::open(&path).err().unwrap();
        assert_eq!(
            refused.source().unwrap().source().unwrap().to_string(),
            "a backup is being restored there"
        );
        assert!(!path.exists());
        drop(replacement);
        // The store is in use even before its first read, when SQLite has no lock on it.
        let store = SqliteStore::open(&path).unwrap();
        assert!(matches!(Replacement::begin(&path), Err(ReplaceError::InUse { .. })));
        drop(store);
        assert!(Replacement::begin(&path).is_ok());
    }

    #[test]
    fn a_store_that_cannot_be_kept_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [store, new, kept] =
            ["store.db", "new.db", "kept.db"].map(|name| folder.path().join(name));
        for (path, table) in [(&store, "one"), (&new, "other")] {
            connect(path)
                .unwrap()
                .batch_execute(&format!("CREATE TABLE {table} (text text)"))
                .unwrap();
        }
        fs::write(&kept, "something else").unwrap();
        let refused = Replacement::begin(&store).unwrap().put(&new, &kept);
        assert!(matches!(refused, Err(ReplaceError::File { doing: "keep the store as", .. })));
        assert_eq!(fs::read_to_string(&kept).unwrap(), "something else");
        connect(&store).unwrap().batch_execute("SELECT text FROM one").unwrap();
    }
}
