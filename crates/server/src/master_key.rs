//! The source of the master key: `HEARBACK_MASTER_KEY`, or with the embedded store a file in the
//! data directory.

use crate::config::Config;
use crate::data_dir::{self, DataDirError};
use crate::files::give_to_owner;
use crate::store::StoreUrl;
use hearback_app::vault::{NoMasterKey, NoRandomness};
use hearback_app::{MasterKey, Vault};
use hearback_ports::{InstanceRepository, StoreError};
use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// The master key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MasterKeyError {
    /// The store is not embedded, and no key is given.
    #[error(
        "HEARBACK_MASTER_KEY is not set, and a store on PostgreSQL requires it: set it to 64 hex \
         digits, such as `openssl rand -hex 32` prints, the same for every process on the store"
    )]
    NotGiven,
    /// The file of the embedded store's key is gone.
    #[error("{} is missing: put the master key that this store was made with there, or into \
             HEARBACK_MASTER_KEY", path.display())]
    Gone {
        /// The file.
        path: PathBuf,
    },
    /// The content of the file is not a key.
    #[error("{} is not a master key", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The expected content.
        source: NoMasterKey,
    },
    /// The file could not be read.
    #[error("cannot read the master key from {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file could not be written.
    #[error("cannot write a new master key to {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process is replacing the key.
    #[error("another `hearback key reseal` is replacing {}", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The new key is the present one.
    #[error("HEARBACK_NEW_MASTER_KEY is the present master key of {}", path.display())]
    Same {
        /// The file.
        path: PathBuf,
    },
    /// The file is a link. No process would look for the next key beside its target.
    #[error("{} is a link, and links are not replaced: set HEARBACK_MASTER_KEY_FILE to the \
             present key, and HEARBACK_NEW_MASTER_KEY_FILE to the next one", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// There is no directory for the file.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The system gave no random bytes.
    #[error("cannot generate a master key")]
    Randomness(#[from] NoRandomness),
    /// The check value in the store could not be read.
    #[error("cannot read the check value of the master key")]
    Store(#[from] StoreError),
}

/// The source of the master key.
#[derive(Debug)]
pub(crate) enum MasterKeySource<'a> {
    /// The settings.
    Given(&'a MasterKey),
    /// The data directory. A missing key is made.
    InDirectory(&'a Path),
}

impl<'a> MasterKeySource<'a> {
    /// The source by the settings.
    pub(crate) fn new(config: &'a Config) -> Result<Self, MasterKeyError> {
        match (&config.master_key, &config.store) {
            (Some(key), _) => Ok(Self::Given(key)),
            (None, StoreUrl::Sqlite(_)) => Ok(Self::InDirectory(&config.data_dir)),
            (None, StoreUrl::Postgres(_)) => Err(MasterKeyError::NotGiven),
        }
    }

    /// Opens the store's vault with the key, and makes nothing. `None` if the store has no master
    /// key yet.
    pub(crate) async fn reopen(
        &self,
        instance: &dyn InstanceRepository,
    ) -> Result<Option<Vault>, UnlockError> {
        let directory = match self {
            Self::Given(key) => return Ok(Vault::reopen(instance, key).await?),
            Self::InDirectory(directory) => directory,
        };
        let path = Self::file(directory);
        match read(&path)? {
            Some(key) => match Vault::reopen(instance, &key).await {
                Err(hearback_app::vault::UnlockError::WrongKey) => {
                    reopen_with_next(directory, instance).await
                }
                reopened => Ok(reopened?),
            },
            None if Vault::exists(instance).await.map_err(MasterKeyError::Store)? => {
                Err(MasterKeyError::Gone { path }.into())
            }
            None => Ok(None),
        }
    }

    /// The present or future file of the key, unless the settings give the key.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        match self {
            Self::Given(_) => None,
            Self::InDirectory(directory) => Some(Self::file(directory)),
        }
    }

    /// Fails if there is no key yet.
    pub(crate) fn require(&self) -> Result<(), MasterKeyError> {
        match self {
            Self::Given(_) => Ok(()),
            Self::InDirectory(directory) => {
                let path = Self::file(directory);
                read(&path)?.map(drop).ok_or(MasterKeyError::Gone { path })
            }
        }
    }

    /// The file in the data directory.
    pub(crate) fn file(directory: &Path) -> PathBuf {
        directory.join(FILE)
    }

    /// Opens the store's vault with the key.
    pub(crate) async fn unlock(
        &self,
        instance: &dyn InstanceRepository,
    ) -> Result<Vault, UnlockError> {
        match self {
            Self::Given(key) => Ok(Vault::unlock(instance, key).await?),
            Self::InDirectory(directory) => {
                let key = find_or_make(directory, instance).await?;
                match Vault::unlock(instance, &key).await {
                    Err(hearback_app::vault::UnlockError::WrongKey) => {
                        unlock_with_next(directory, instance).await
                    }
                    unlocked => Ok(unlocked?),
                }
            }
        }
    }
}

/// The next key of the data directory, before it replaces the present one.
///
/// **If the replacement is interrupted, one of two files has the store's key.** The next key is on
/// the disk as `master.key.new` before the store changes to it, and is renamed to `master.key`
/// after that. A process that finds that `master.key` does not fit, and `master.key.new` does,
/// makes up for the rename. Both files are changed only under the lock of the key file.
///
/// An existing `master.key.new` is left from an interrupted replacement. It is not thrown away,
/// since the store may still change to it: a commit of the killed process may come to light when
/// the log is read anew. It is not kept either, since an attacker may know it, whom the wanted key
/// locks out. So it replaces the present key first, and the wanted key replaces it then.
pub(crate) struct NextKey<'a> {
    directory: &'a Path,
    lock: KeyLock,
    /// The present key.
    pub(crate) present: MasterKey,
    /// The next key.
    pub(crate) next: MasterKey,
    /// Whether the next key is the wanted one, and not one that was left.
    pub(crate) is_wanted: bool,
}

impl<'a> NextKey<'a> {
    /// Keeps the given key or a new one on the disk, unless another one was left there.
    pub(crate) fn keep(
        directory: &'a Path,
        given: Option<&MasterKey>,
    ) -> Result<Self, MasterKeyError> {
        let (file, path) = (MasterKeySource::file(directory), next_file(directory));
        let lock = KeyLock::take(directory)?
            .ok_or_else(|| MasterKeyError::Locked { path: file.clone() })?;
        if file.is_symlink() {
            return Err(MasterKeyError::Link { path: file });
        }
        let present = read(&file)?.ok_or_else(|| MasterKeyError::Gone { path: file.clone() })?;
        if given.is_some_and(|given| is_same(given, &present)) {
            return Err(MasterKeyError::Same { path: file });
        }
        let failed = |source| MasterKeyError::Write { path: path.clone(), source };
        remove_unnamed(directory).map_err(failed)?;
        let wanted = match given {
            Some(key) => key,
            None => &MasterKey::random()?,
        };
        if read(&path)?.is_some_and(|left| is_same(&left, &present)) {
            std::fs::remove_file(&path).map_err(failed)?;
        }
        keep_first(&path, wanted).map_err(failed)?;
        let next = read(&path)?.ok_or_else(|| MasterKeyError::Gone { path: path.clone() })?;
        let is_wanted = is_same(&next, wanted);
        Ok(Self { directory, lock, present, next, is_wanted })
    }

    /// Puts the next key in the place of the present one, after the store has changed to it.
    pub(crate) fn take_over(self) -> Result<(), MasterKeyError> {
        self.lock.take_over(self.directory)
    }
}

/// The lock on the file `master.key`, which is the right to replace the file.
struct KeyLock {
    _file: File,
}

impl KeyLock {
    /// `None` while another process has the lock, or if the locked file has lost its name.
    fn take(directory: &Path) -> Result<Option<Self>, MasterKeyError> {
        let path = MasterKeySource::file(directory);
        let failed = |source| MasterKeyError::Read { path: path.clone(), source };
        let file = File::open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let (locked, named) =
            (file.metadata().map_err(failed)?, std::fs::metadata(&path).map_err(failed)?);
        let is_named = (locked.dev(), locked.ino()) == (named.dev(), named.ino());
        Ok(is_named.then_some(Self { _file: file }))
    }

    fn take_over(self, directory: &Path) -> Result<(), MasterKeyError> {
        let path = MasterKeySource::file(directory);
        let moved = std::fs::rename(next_file(directory), &path)
            .and_then(|()| data_dir::sync_parent(&path));
        moved.map_err(|source| MasterKeyError::Write { path, source })
    }
}

/// Opens the vault during a replacement of the key, or after an interrupted one.
async fn unlock_with_next(
    directory: &Path,
    instance: &dyn InstanceRepository,
) -> Result<Vault, UnlockError> {
    // The process that replaces the key renames the file. Without such a process, nothing changes
    // from here on.
    let lock = KeyLock::take(directory)?;
    if let Some(next) = read(&next_file(directory))? {
        match Vault::unlock(instance, &next).await {
            Err(hearback_app::vault::UnlockError::WrongKey) => {}
            unlocked => {
                let vault = unlocked?;
                if let Some(lock) = lock {
                    lock.take_over(directory)?;
                    tracing::info!("replaced the master key");
                }
                return Ok(vault);
            }
        }
    }
    let path = MasterKeySource::file(directory);
    let key = read(&path)?.ok_or(MasterKeyError::Gone { path })?;
    Ok(Vault::unlock(instance, &key).await?)
}

/// Opens the vault during a replacement of the key, or after an interrupted one, which the next
/// command finishes.
async fn reopen_with_next(
    directory: &Path,
    instance: &dyn InstanceRepository,
) -> Result<Option<Vault>, UnlockError> {
    if let Some(next) = read(&next_file(directory))? {
        match Vault::reopen(instance, &next).await {
            Err(hearback_app::vault::UnlockError::WrongKey) => {}
            reopened => return Ok(reopened?),
        }
    }
    let path = MasterKeySource::file(directory);
    let key = read(&path)?.ok_or(MasterKeyError::Gone { path })?;
    Ok(Vault::reopen(instance, &key).await?)
}

fn next_file(directory: &Path) -> PathBuf {
    directory.join("master.key.new")
}

fn is_same(one: &MasterKey, other: &MasterKey) -> bool {
    *one.to_hex() == *other.to_hex()
}

/// Removes the temporary files of killed processes.
fn remove_unnamed(directory: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_name().as_encoded_bytes().starts_with(UNNAMED.as_bytes()) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// The vault was not opened.
#[derive(Debug, thiserror::Error)]
pub enum UnlockError {
    /// The master key cannot be used.
    #[error(transparent)]
    MasterKey(#[from] MasterKeyError),
    /// The master key does not fit.
    #[error(transparent)]
    Vault(#[from] hearback_app::vault::UnlockError),
}

async fn find_or_make(
    directory: &Path,
    instance: &dyn InstanceRepository,
) -> Result<MasterKey, MasterKeyError> {
    let path = MasterKeySource::file(directory);
    if let Some(key) = read(&path)? {
        return Ok(key);
    }
    // A new key could open nothing in an old store, and would hide that the right one is missing.
    if Vault::exists(instance).await? {
        // A process that made the store a moment ago kept its key before.
        return read(&path)?.ok_or(MasterKeyError::Gone { path });
    }
    data_dir::make(directory)?;
    let key = MasterKey::random()?;
    keep_first(&path, &key)
        .map_err(|source| MasterKeyError::Write { path: path.clone(), source })?;
    // Another process may have been faster. The content of the file counts.
    read(&path)?.ok_or(MasterKeyError::Gone { path })
}

/// The file in the data directory.
const FILE: &str = "master.key";
/// The beginning of the name of a temporary file.
const UNNAMED: &str = ".master.key.";

fn read(path: &Path) -> Result<Option<MasterKey>, MasterKeyError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => Zeroizing::new(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(MasterKeyError::Read { path: path.to_owned(), source }),
    };
    match MasterKey::parse(&text) {
        Ok(key) => Ok(Some(key)),
        Err(source) => Err(MasterKeyError::Damaged { path: path.to_owned(), source }),
    }
}

/// Writes the file unless it exists, with mode 0600. A file of root's gets the owner of
/// `master.key` or of the directory. The file appears whole or not at all, and the first of several
/// at once stays.
fn keep_first(path: &Path, key: &MasterKey) -> io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(UNNAMED).tempfile_in(data_dir::parent(path))?;
    file.write_all(key.to_hex().as_bytes())?;
    file.write_all(b"\n")?;
    give_to_owner(file.as_file(), &MasterKeySource::file(data_dir::parent(path)))?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        // If the file exists, the temporary file may be gone already ([`remove_unnamed`]).
        Err(error) if !path.try_exists()? => Err(error.error),
        Ok(_) | Err(_) => data_dir::sync_parent(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_puts_another_key_in_the_place_of_the_present_one() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path();
        let [old, new] = [1, 2].map(|_| MasterKey::random().unwrap());
        keep_first(&MasterKeySource::file(directory), &old).unwrap();
        let replacing = NextKey::keep(directory, Some(&new)).unwrap();
        assert!(KeyLock::take(directory).unwrap().is_none());
        assert!(matches!(NextKey::keep(directory, None), Err(MasterKeyError::Locked { .. })));
        replacing.take_over().unwrap();
        assert_eq!(
            *read(&MasterKeySource::file(directory)).unwrap().unwrap().to_hex(),
            *new.to_hex()
        );
        assert!(!next_file(directory).exists());
        assert_eq!(*NextKey::keep(directory, None).unwrap().present.to_hex(), *new.to_hex());
    }
}
