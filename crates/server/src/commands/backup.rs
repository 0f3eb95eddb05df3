//! `hearback backup`

use super::Task;
use crate::cli::Backup;
use crate::config::Config;
use crate::data_dir;
use crate::error::Error;
use crate::files::{private_directory, put, regular};
use crate::master_key::MasterKeySource;
use crate::store::{Store, StoreUrl};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Copies the embedded store to a file.
pub(crate) async fn run(task: &Task<'_>, arguments: Backup) -> Result<(), Error> {
    let store = &task.config.store;
    let not_embedded = || Error::NotEmbedded { command: "backup", store: store.clone(), instead: "pg_dump" };
    let StoreUrl::Sqlite(source) = store else { return Err(not_embedded()) };
    // A mistyped setting is told of, and no empty store made and copied.
    if !source.exists() {
        return Err(Error::NoStore { store: store.clone() });
    }
    let path = target(&arguments.file, source)?;
    task.run(async |installation| {
        let Store::Sqlite(store) = &installation.store else { return Err(not_embedded()) };
        let failed = |source| Error::File { doing: "writing", path: path.clone(), source };
        // A directory, since SQLite has a journal beside the copy. It is on the same disk, and goes whatever happens.
        let temporary = private_directory(".hearback-backup.").tempdir_in(data_dir::parent(&path));
        let temporary = temporary.map_err(failed)?;
        let copy = temporary.path().join("copy.db");
        store.back_up(copy.clone()).await?;
        put(&copy, &path).map_err(failed)?;
        // A closed standard error does not undo what was done.
        let _ = writeln!(io::stderr(), "{}", tell(&arguments.file, task.config));
        Ok(())
    })
    .await
}

/// Where the backup is to be. Only another backup is replaced: the store itself and its master key are a slip of the hand away.
fn target(file: &Path, store: &Path) -> Result<PathBuf, Error> {
    let refused = |what| Error::NoBackupFile { path: file.to_owned(), what };
    let path = regular(file).ok_or_else(|| refused("no file"))?;
    let failed = |source| Error::File { doing: "reading", path: path.clone(), source };
    let present = match File::open(&path) {
        Ok(present) => present,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path),
        Err(error) => return Err(failed(error)),
    };
    let identity = |metadata: &fs::Metadata| (metadata.dev(), metadata.ino());
    let present_identity = present.metadata().map(|metadata| identity(&metadata)).map_err(failed)?;
    if fs::metadata(store).is_ok_and(|metadata| identity(&metadata) == present_identity) {
        return Err(refused("the store itself"));
    }
    let mut beginning = Vec::new();
    present.take(20).read_to_end(&mut beginning).map_err(failed)?;
    match beginning.strip_prefix(DATABASE) {
        Some([_, _, WITH_LOG, _]) => Err(refused("a store, and no backup")),
        Some([_, _, _, _]) => Ok(path),
        _ if beginning.is_empty() => Ok(path),
        _ => Err(refused("something else")),
    }
}

/// What every file of SQLite begins with.
const DATABASE: &[u8] = b"SQLite format 3\0";
/// What stands at byte 18 of one that has a write-ahead log: every store that was opened, and no backup.
const WITH_LOG: u8 = 2;

fn tell(path: &Path, config: &Config) -> String {
    let key = match MasterKeySource::new(config) {
        Ok(MasterKeySource::InDirectory(directory)) => MasterKeySource::file(directory).display().to_string(),
        Ok(MasterKeySource::Given(_)) | Err(_) => "the key that HEARBACK_MASTER_KEY gives".to_owned(),
    };
    let path = path.display();
    format!(
        "backed up to {path}. It cannot be restored without the master key, which is not in it: keep {key}, too, apart from it"
    )
}
