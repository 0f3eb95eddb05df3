//! Whether the master key exists if it is required, and is private. The part about the store
//! checks whether it fits.

use super::skipped;
use crate::config::Reading;
use crate::master_key::MasterKeySource;
use crate::settings::{DATA_DIR, DATABASE_URL, MASTER_KEY};
use hearback_ports::examination::Finding;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

pub(super) fn examine(reading: &Reading) -> Vec<Finding> {
    if let Some(finding) =
        skipped(reading, "master key", &[MASTER_KEY.name, DATABASE_URL.name, DATA_DIR.name])
    {
        return vec![finding];
    }
    match MasterKeySource::new(&reading.config) {
        Ok(source) => source.path().and_then(|path| open_to_others(&path)).into_iter().collect(),
        Err(error) => {
            let remedy = "set HEARBACK_MASTER_KEY_FILE to a file with it, and keep a copy apart \
                          from the database";
            vec![Finding::problem(error.to_string(), remedy)]
        }
    }
}

/// Whether others may read the file. The part about the store reports a missing file.
fn open_to_others(path: &Path) -> Option<Finding> {
    let mode = std::fs::metadata(path).ok()?.permissions().mode() & 0o777;
    let told = format!("the master key in {} is open to others (mode {mode:04o})", path.display());
    let remedy = format!("run `chmod 600 {}`", path.display());
    match mode {
        _ if mode & 0o007 != 0 => Some(Finding::problem(told, remedy)),
        _ if mode & 0o070 != 0 => Some(Finding::warning(told, remedy)),
        _ => None,
    }
}
