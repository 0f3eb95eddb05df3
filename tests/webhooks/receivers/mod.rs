//! Verifiers of deliveries: the examples, a library of the Standard Webhooks specification, and the
//! documentation's page.

mod documentation;
mod example;
mod examples;
mod forged;
mod standard_webhooks;

use std::path::{Path, PathBuf};
use std::process::Command;

/// A path in the repository.
fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").join(path)
}

/// Runs `python` or `node`, with the packages of the tests.
fn interpreter(language: &str) -> Command {
    let mut command = Command::new(in_repository("scripts/interpreter"));
    command.arg(language);
    command
}
