//! Files that appear whole or not at all.

use crate::data_dir;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

/// The path of the file that is to be made or replaced; `None` where something else is there: a
/// pipe, a device.
pub(crate) fn regular(path: &Path) -> Option<PathBuf> {
    // What a link names is replaced, and not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&path) {
        Ok(metadata) if !metadata.is_file() => None,
        Ok(_) | Err(_) => Some(path),
    }
}

/// What makes a directory that only its owner may look into, and that goes with all that is in it.
pub(crate) fn private_directory(prefix: &str) -> tempfile::Builder<'_, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).permissions(Permissions::from_mode(0o700));
    builder
}

/// Gives what root wrote to the owner of the file that it comes in the place of, or of the
/// directory where there is none: a server that runs as another user has to read it.
pub(crate) fn give_to_owner(written: &File, path: &Path) -> io::Result<()> {
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let owner = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::metadata(data_dir::parent(path))?
        }
        present => present?,
    };
    fchown(written, Some(owner.uid()), Some(owner.gid()))
}

/// Brings a file that was written under another name in the same directory, or in one below it, to
/// the disk and to its name.
pub(crate) fn put(written: impl AsRef<Path>, path: &Path) -> io::Result<()> {
    File::open(&written)?.sync_all()?;
    fs::rename(&written, path)?;
    data_dir::sync_parent(path)
}
