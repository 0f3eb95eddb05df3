//! Folders for the files of tests.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A folder of this process, in `root`, for files that live as long as the process, such as a
/// database that all tests share. `root` is cargo's `CARGO_TARGET_TMPDIR` if the test has it.
///
/// A test binary has no hook at its end, so the next run removes the folder.
pub fn folder(root: &Path) -> &'static Path {
    static FOLDER: OnceLock<(PathBuf, File)> = OnceLock::new();
    let (folder, _lock) = FOLDER.get_or_init(|| {
        let root = root.join("scratch");
        fs::create_dir_all(&root).expect("a folder for scratch folders");
        // Without this lock, another process could remove the new folder as abandoned before it is
        // locked.
        let _turn = locked(&root);
        remove_abandoned(&root);
        let folder = tempfile::tempdir_in(&root).expect("a new folder").keep();
        let lock = locked(&folder);
        (folder, lock)
    });
    folder
}

/// Locks a folder until the file is dropped, at the latest until the process ends.
fn locked(folder: &Path) -> File {
    let lock = File::create(folder.join(LOCK)).expect("a lock file");
    lock.lock().expect("a lock");
    lock
}

const LOCK: &str = "lock";

fn remove_abandoned(root: &Path) {
    for entry in fs::read_dir(root).expect("the scratch folders").flatten() {
        let folder = entry.path();
        if File::open(folder.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok()) {
            fs::remove_dir_all(folder).expect("an abandoned folder can be removed");
        }
    }
}
