//! The rules of the architecture, checked on the files of the workspace.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "what goes wrong in a helper is to fail the test"
)]

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
