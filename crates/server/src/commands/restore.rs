//! `hearback restore`

use super::Task;
use super::reseal::is_wrong_key;
use crate::cli::Restore;
use crate::clock::SystemClock;
use crate::data_dir;
use crate::error::Error;
use crate::files::{PrivateDirectory, give_to_owner};
use crate::installation::{Installation, SetUpError};
use crate::output::print_line;
use crate::store::StoreUrl;
use hearback_ports::Clock;
use hearback_store_sqlite::{Replacement, UnfitCopy, take_copy};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Replaces the embedded store by a backup, after all checks of a copy of the backup.
pub(crate) async fn run(task: &Task<'_>, arguments: Restore) -> Result<(), Error> {
    let config = task.config;
    let StoreUrl::Sqlite(path) = &config.store else {
        return Err(Error::NotEmbedded {
            command: "restore",
            store: config.store.clone(),
            instead: "pg_restore",
        });
    };
    let backup = arguments.file;
    // Nothing is made for a backup that cannot be read.
    let opened = opened(backup.clone()).await?;
    if data_dir::is_same(data_dir::parent(path), &config.data_dir) {
        data_dir::make(&config.data_dir).map_err(SetUpError::DataDir)?;
    }
    // No other process can open the store until the end.
    let replacement = Replacement::begin(path)?;
    if !arguments.yes && replacement.loses_something() {
        let store = &config.store;
        return Err(Error::Unconfirmed(format!(
            "the store {store} would be replaced and kept beside the new one"
        )));
    }
    let path = replacement.path();
    let temporary = temporary(path).map_err(|source| Error::File {
        doing: "write beside",
        path: path.to_owned(),
        source,
    })?;
    let copy = temporary.file("copy.db");
    copied(backup.clone(), opened, copy.clone()).await?;
    let foreign = |source| match source {
        source if is_wrong_key(&source) => Error::OtherKey { path: backup.clone() },
        source => Error::Foreign { path: backup.clone(), source },
    };
    Installation::open_copy(config, task.migration, &copy, &backup)
        .await
        .map_err(foreign)?
        .close()
        .await;
    let given = File::open(&copy).and_then(|copy| give_to_owner(&copy, path));
    given.map_err(|source| Error::File {
        doing: "give the copy the owner of",
        path: path.to_owned(),
        source,
    })?;

    let kept = kept(path);
    if replacement.put(&copy, &kept)? {
        print_line(&kept.display().to_string())?;
    }
    // The restore is done, even if standard error is closed.
    let _ = writeln!(io::stderr(), "restored {} to {}", backup.display(), config.store);
    Ok(())
}

/// A private directory beside the store, and on the same disk. The directory of a killed restore is
/// removed: only one restore at a time has the store.
fn temporary(store: &Path) -> io::Result<PrivateDirectory> {
    const NAME: &str = ".hearback-restore";
    let parent = data_dir::parent(store);
    match fs::remove_dir_all(parent.join(NAME)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    PrivateDirectory::make(parent, NAME)
}

/// Opens the backup on a thread of its own: a pipe opens when its writer comes, and a signal ends
/// the command before that.
async fn opened(backup: PathBuf) -> Result<File, Error> {
    let path = backup.clone();
    let opened = tokio::task::spawn_blocking(move || File::open(&backup)).await;
    let opened = opened.unwrap_or_else(|error| Err(io::Error::other(error)));
    opened.map_err(|source| Error::File { doing: "open", path, source })
}

/// Copies the backup on a thread of its own, too.
async fn copied(backup: PathBuf, opened: File, copy: PathBuf) -> Result<(), Error> {
    let path = backup.clone();
    let copied = tokio::task::spawn_blocking(move || take_copy(&backup, opened, &copy)).await;
    let copied = copied.unwrap_or_else(|error| Err(UnfitCopy::Copy(io::Error::other(error))));
    copied.map_err(|source| Error::Unfit { path, source })
}

/// The new name of a replaced store. Colons have another meaning in paths of other systems.
fn kept(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(format!(".replaced-{}", SystemClock.now().to_string().replace(':', "-")));
    name.into()
}
