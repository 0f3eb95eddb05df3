//! The rules of the architecture, checked on the files of the workspace.

#![expect(clippy::expect_used, clippy::panic, reason = "a failure in a helper must fail the test")]

mod deployment;
mod layering;
mod parity;
mod suite;

use std::path::PathBuf;

/// The workspace's folder.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ is in the workspace")
        .to_owned()
}
