//! The `hearback` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    hearback_server::main()
}
