//! Files that appear whole or not at all.

use crate::data_dir;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

/// The path of a file that can be made or replaced. `None` for anything else, such as a pipe or a
/// device.
pub(crate) fn regular(path: &Path) -> Option<PathBuf> {
    // The target of a link is replaced, and not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&path) {
        Ok(metadata) if !metadata.is_file() => None,
        Ok(_) | Err(_) => Some(path),
    }
}

/// A builder of private temporary directories, which are removed with their content.
pub(crate) fn private_directory(prefix: &str) -> tempfile::Builder<'_, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).permissions(Permissions::from_mode(0o700));
    builder
}

/// Gives a file of root's to the owner of the file that it replaces, or of the directory if there
/// is none. A server that runs as another user has to read it.
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

/// Syncs a file to the disk, and renames it to its final path. Its present path is in the same
/// directory or below it.
pub(crate) fn put(written: impl AsRef<Path>, path: &Path) -> io::Result<()> {
    File::open(&written)?.sync_all()?;
    fs::rename(&written, path)?;
    data_dir::sync_parent(path)
}
