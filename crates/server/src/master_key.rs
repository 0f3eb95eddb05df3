//! Where the master key comes from: `HEARBACK_MASTER_KEY`, or with the embedded store a file in the
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

/// There is no master key.
#[derive(Debug, thiserror::Error)]
pub enum MasterKeyError {
    /// The store is not embedded and none was given.
    #[error(
        "HEARBACK_MASTER_KEY is not set, and a store on PostgreSQL requires it: set it to 64 hex \
         digits, such as `openssl rand -hex 32` prints, the same for every process on the store"
    )]
    NotGiven,
    /// The embedded store was made with one, and its file is gone.
    #[error("{} is missing: put the master key that this store was made with there, or into \
             HEARBACK_MASTER_KEY", path.display())]
    Gone {
        /// The file.
        path: PathBuf,
    },
    /// The file has something else in it.
    #[error("{} is not a master key", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What it should hold.
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
    /// The file could not be made.
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
    /// There is nothing to replace.
    #[error("HEARBACK_NEW_MASTER_KEY is the present master key of {}", path.display())]
    Same {
        /// The file.
        path: PathBuf,
    },
    /// The key itself is elsewhere, where nobody is known to look for another one.
    #[error("{} is a link, and links are not replaced: set HEARBACK_MASTER_KEY_FILE to the \
             present key, and HEARBACK_NEW_MASTER_KEY_FILE to the next one", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// There is no directory for the file.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// No random bytes.
    #[error("cannot generate a master key")]
    Randomness(#[from] NoRandomness),
    /// Whether the store was made with one could not be learnt.
    #[error("cannot read the check value of the master key")]
    Store(#[from] StoreError),
}

/// Where the master key is.
#[derive(Debug)]
pub(crate) enum MasterKeySource<'a> {
    /// It was given.
    Given(&'a MasterKey),
    /// In the data directory, made when there is none yet.
    InDirectory(&'a Path),
}

impl<'a> MasterKeySource<'a> {
    /// Where the settings say that it is.
    pub(crate) fn new(config: &'a Config) -> Result<Self, MasterKeyError> {
        match (&config.master_key, &config.store) {
            (Some(key), _) => Ok(Self::Given(key)),
            (None, StoreUrl::Sqlite(_)) => Ok(Self::InDirectory(&config.data_dir)),
            (None, StoreUrl::Postgres(_)) => Err(MasterKeyError::NotGiven),
        }
    }

    /// Opens the store's vault with it, and makes nothing: `None` where the store was not made with
    /// any master key yet.
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

    /// The file that it is in, or will be, unless it was given.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        match self {
            Self::Given(_) => None,
            Self::InDirectory(directory) => Some(Self::file(directory)),
        }
    }

    /// Fails where there is none yet.
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

    /// Opens the store's vault with it.
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

/// The key of the data directory that is to take the place of the present one.
///
/// **Whatever ends the replacement early, one of two files has the store's key**: the next key is
/// on the disk as `master.key.new` before the store goes by it, and becomes `master.key` by a
/// rename when it does. Whoever finds that `master.key` does not fit and the other one does makes
/// up for the rename. Both files are changed only by who has [`Hold`].
///
/// A next key that is there already was left by a replacement that seems to have come to nothing.
/// It is not thrown away, since the store may yet come to go by it: what was committed when its
/// process was killed may come to light only when the next one reads the log anew. Nor is it a key
/// to stay with: it was not made now, and whom it is to be kept from may know it. So it takes the
/// present one's place first, and the key that is wanted takes its place then.
pub(crate) struct NextKey<'a> {
    directory: &'a Path,
    hold: Hold,
    /// The present one.
    pub(crate) present: MasterKey,
    /// The next one.
    pub(crate) next: MasterKey,
    /// Whether that is the one that was given, or a new one, and none that was left.
    pub(crate) is_wanted: bool,
}

impl<'a> NextKey<'a> {
    /// Keeps the one that was given, or a new one, unless one was left.
    pub(crate) fn keep(
        directory: &'a Path,
        given: Option<&MasterKey>,
    ) -> Result<Self, MasterKeyError> {
        let (file, path) = (MasterKeySource::file(directory), next_file(directory));
        let hold =
            Hold::take(directory)?.ok_or_else(|| MasterKeyError::Locked { path: file.clone() })?;
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
        Ok(Self { directory, hold, present, next, is_wanted })
    }

    /// Puts the next key in the present one's place, now that the store goes by it.
    pub(crate) fn take_over(self) -> Result<(), MasterKeyError> {
        self.hold.take_over(self.directory)
    }
}

/// The right to put another key in the place of `master.key`: a lock on the file that has this
/// name. Who waited for it has a file that has lost the name.
struct Hold {
    _file: File,
}

impl Hold {
    /// `None` while somebody else has it.
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

/// The vault, where the replacement of the key was not seen to its end, or is under way, or ended
/// just now.
async fn unlock_with_next(
    directory: &Path,
    instance: &dyn InstanceRepository,
) -> Result<Vault, UnlockError> {
    // Whoever replaces the key sees to it; without anybody, nothing changes from here on.
    let hold = Hold::take(directory)?;
    if let Some(next) = read(&next_file(directory))? {
        match Vault::unlock(instance, &next).await {
            Err(hearback_app::vault::UnlockError::WrongKey) => {}
            unlocked => {
                let vault = unlocked?;
                if let Some(hold) = hold {
                    hold.take_over(directory)?;
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

/// Of a replacement that was not seen to its end, which the next command sees to, or that ended
/// just now.
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

/// Removes keys that were written and, since somebody was killed, got no name.
fn remove_unnamed(directory: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_name().as_encoded_bytes().starts_with(UNNAMED.as_bytes()) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// A vault was not opened.
#[derive(Debug, thiserror::Error)]
pub enum UnlockError {
    /// There is no master key.
    #[error(transparent)]
    MasterKey(#[from] MasterKeyError),
    /// It does not fit.
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
    // A new key beside an old store could open nothing in it, and would hide that the right one is
    // missing.
    if Vault::exists(instance).await? {
        // A process that made the store a moment ago kept its key first.
        return read(&path)?.ok_or(MasterKeyError::Gone { path });
    }
    data_dir::make(directory)?;
    let key = MasterKey::random()?;
    keep_first(&path, &key)
        .map_err(|source| MasterKeyError::Write { path: path.clone(), source })?;
    // Another process may have been faster: what counts is what the file holds.
    read(&path)?.ok_or(MasterKeyError::Gone { path })
}

/// The file in the data directory.
const FILE: &str = "master.key";
/// What a file is called before it has its name.
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

/// Writes the file (mode 0600, and for root of the owner of `master.key` or of the directory)
/// unless there is one. It appears whole or not at all, and the first of several at once stays.
fn keep_first(path: &Path, key: &MasterKey) -> io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(UNNAMED).tempfile_in(data_dir::parent(path))?;
    file.write_all(key.to_hex().as_bytes())?;
    file.write_all(b"\n")?;
    give_to_owner(file.as_file(), &MasterKeySource::file(data_dir::parent(path)))?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        // Where another one is there, it may be gone before it got its name ([`remove_unnamed`]).
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
        assert!(Hold::take(directory).unwrap().is_none());
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
