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

/// A private temporary directory, which is removed with its content on drop.
pub(crate) struct PrivateDirectory(PathBuf);

impl PrivateDirectory {
    /// Makes `name` in `parent`. A name that ends in a dot gets a random suffix.
    pub(crate) fn make(parent: &Path, name: &str) -> io::Result<Self> {
        let random = if name.ends_with('.') { 6 } else { 0 };
        tempfile::Builder::new()
            .prefix(name)
            .rand_bytes(random)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(parent)
            .map(|directory| Self(directory.keep()))
    }

    /// The path of a file in the directory.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for PrivateDirectory {
    fn drop(&mut self) {
        // The thread of a stopped command still makes files. A file that is made between the
        // removal of the content and of the directory keeps the directory.
        while fs::remove_dir_all(&self.0)
            .is_err_and(|error| error.kind() == io::ErrorKind::DirectoryNotEmpty)
        {}
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_directory_is_removed_while_a_thread_makes_files_in_it() {
        let parent = tempfile::tempdir().unwrap();
        for _ in 0..100 {
            let directory = PrivateDirectory::make(parent.path(), ".made.").unwrap();
            let file = |n: u32| directory.file(&n.to_string());
            let files: Vec<_> = (0..100).map(file).collect();
            File::create(&files[0]).unwrap();
            let making = thread::spawn(move || {
                files.iter().map_while(|file| File::create(file).ok()).count()
            });
            drop(directory);
            making.join().unwrap();
            assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
        }
    }
}
