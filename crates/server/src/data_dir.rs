//! The directory of the embedded store and its master key.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};

/// The directory could not be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot make the data directory {} (HEARBACK_DATA_DIR)", path.display())]
pub struct DataDirError {
    path: PathBuf,
    source: io::Error,
}

/// Makes the directory and its parents, if they are missing, with mode 0700.
pub(crate) fn make(path: &Path) -> Result<(), DataDirError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|source| DataDirError { path: path.to_owned(), source })
}

/// Syncs the name of a file to the disk. The content must have been synced before.
pub(crate) fn sync_parent(path: &Path) -> io::Result<()> {
    File::open(parent(path))?.sync_all()
}

/// The directory of a file. `.` for a bare name.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Whether two paths name the same directory by their components, such as `./data` and `data`.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    let named = |component: &Component<'_>| *component != Component::CurDir;
    one.components().filter(named).eq(other.components().filter(named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_the_same_with_and_without_a_dot() {
        for (one, other) in
            [("data", "./data"), ("./data/", "data"), (".", "./"), ("/srv/./data", "/srv/data")]
        {
            assert!(is_same(one.as_ref(), other.as_ref()), "{one} {other}");
        }
        for (one, other) in
            [("data", "/data"), ("data", "../data"), ("data", "data/x"), (".", "data")]
        {
            assert!(!is_same(one.as_ref(), other.as_ref()), "{one} {other}");
        }
    }
}
