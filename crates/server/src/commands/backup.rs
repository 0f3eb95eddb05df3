//! `hearback backup`

use super::Task;
use crate::cli::Backup;
use crate::config::Config;
use crate::data_dir;
use crate::error::Error;
use crate::files::{PrivateDirectory, put, regular};
use crate::installation::SetUpError;
use crate::master_key::MasterKeySource;
use crate::store::{OpenError, StoreUrl};
use hearback_store_sqlite::{SqliteStore, is_backup};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Copies the embedded store to a file, also with the schema of another release.
pub(crate) async fn run(task: &Task<'_>, arguments: Backup) -> Result<(), Error> {
    let url = &task.config.store;
    let StoreUrl::Sqlite(path) = url else {
        return Err(Error::NotEmbedded {
            command: "backup",
            store: url.clone(),
            instead: "pg_dump",
        });
    };
    require(url)?;
    let target = target(&arguments.file, path)?;
    let store = SqliteStore::open_existing(path).map_err(|source| SetUpError::Open {
        store: url.clone(),
        source: OpenError::Sqlite(source),
    })?;
    let backed_up = back_up(task.config, &store, &target).await;
    store.close().await;
    backed_up?;
    // The backup is done, even if standard error is closed.
    let _ = writeln!(io::stderr(), "{}", tell(&arguments.file, task.config));
    Ok(())
}

/// Fails without an embedded store, since opening a mistyped path would make an empty store.
pub(super) fn require(store: &StoreUrl) -> Result<(), Error> {
    let StoreUrl::Sqlite(path) = store else { return Ok(()) };
    let exists = path.try_exists().map_err(|source| Error::File {
        doing: "find",
        path: path.clone(),
        source,
    })?;
    if exists { Ok(()) } else { Err(Error::NoStore { store: store.clone() }) }
}

async fn back_up(config: &Config, store: &SqliteStore, path: &Path) -> Result<(), Error> {
    // A backup with the wrong master key would fail only when it is restored.
    MasterKeySource::new(config)
        .map_err(SetUpError::MasterKey)?
        .reopen(store)
        .await
        .map_err(SetUpError::Unlock)?;
    let failed = |source| Error::File { doing: "write", path: path.to_owned(), source };
    // A directory, since SQLite has a journal beside the copy. It is on the same disk, and is
    // removed also after a failure.
    let temporary = PrivateDirectory::make(data_dir::parent(path), ".hearback-backup.");
    // The error leaves the temporary name out.
    let temporary = temporary.map_err(|error| failed(error.kind().into()))?;
    let copy = temporary.file("copy.db");
    store
        .back_up(copy.clone())
        .await
        .map_err(|source| Error::Backup { path: path.to_owned(), source })?;
    put(&copy, path).map_err(failed)
}

/// The path of the backup. Only another backup is replaced, since the store and its master key are
/// close by.
fn target(file: &Path, store: &Path) -> Result<PathBuf, Error> {
    let refused = |what| Error::NoBackupFile { path: file.to_owned(), what };
    // Other commands write to standard output for this name.
    if file == Path::new("-") {
        return Err(refused("not a file"));
    }
    let path = regular(file).ok_or_else(|| refused("not a file"))?;
    let directory = data_dir::parent(&path);
    fs::metadata(directory).map_err(|source| Error::File {
        doing: "find the directory",
        path: directory.to_owned(),
        source,
    })?;
    let failed = |source| Error::File { doing: "read", path: path.clone(), source };
    let present = match File::open(&path) {
        Ok(present) => present,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path),
        Err(error) => return Err(failed(error)),
    };
    let identity = |metadata: &fs::Metadata| (metadata.dev(), metadata.ino());
    let metadata = present.metadata().map_err(failed)?;
    if fs::metadata(store).is_ok_and(|store| identity(&store) == identity(&metadata)) {
        return Err(refused("the store itself"));
    }
    if metadata.len() > 0 && !is_backup(present).map_err(failed)? {
        return Err(refused("not a backup"));
    }
    Ok(path)
}

fn tell(path: &Path, config: &Config) -> String {
    let key = match MasterKeySource::new(config) {
        Ok(MasterKeySource::InDirectory(directory)) => {
            MasterKeySource::file(directory).display().to_string()
        }
        Ok(MasterKeySource::Given(_)) | Err(_) => {
            "the key that HEARBACK_MASTER_KEY gives".to_owned()
        }
    };
    let path = path.display();
    format!(
        "backed up to {path}. It cannot be restored without the master key, which is not in it: \
         keep {key}, too, apart from it"
    )
}
