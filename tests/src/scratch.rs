//! Folders for what tests write.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A folder of this process for files that must live as long as it does, such as a database that
/// all tests share. It is in `root`, which is cargo's `CARGO_TARGET_TMPDIR` where a test gives
/// that.
///
/// Nothing runs when a test binary ends, so it is the next run that removes the folder.
pub fn folder(root: &Path) -> &'static Path {
    static FOLDER: OnceLock<(PathBuf, File)> = OnceLock::new();
    let (folder, _lock) = FOLDER.get_or_init(|| {
        let root = root.join("scratch");
        fs::create_dir_all(&root).expect("a folder for scratch folders");
        // Between a folder's making and its locking nobody may look for abandoned ones.
        let _turn = locked(&root);
        remove_abandoned(&root);
        let folder = tempfile::tempdir_in(&root).expect("a new folder").keep();
        let lock = locked(&folder);
        (folder, lock)
    });
    folder
}

/// Held for as long as the process lives that a folder belongs to.
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
