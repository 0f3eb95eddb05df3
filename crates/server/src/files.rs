//! Files that appear whole or not at all.

use crate::data_dir;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The path of the file that is to be made or replaced; `None` where something else is there: a pipe, a device.
pub(crate) fn regular(path: &Path) -> Option<PathBuf> {
    // What a link names is replaced, and not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&path) {
        Ok(metadata) if !metadata.is_file() => None,
        Ok(_) | Err(_) => Some(path),
    }
}

/// Brings a file that was written under another name in the same directory, or in one below it, to the disk and to its name.
pub(crate) fn put(written: impl AsRef<Path>, path: &Path) -> io::Result<()> {
    File::open(&written)?.sync_all()?;
    fs::rename(&written, path)?;
    data_dir::sync_parent(path)
}
