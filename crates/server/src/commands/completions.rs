//! `hearback completions`

use crate::cli::CommandLine;
use crate::error::Error;
use crate::output::print;
use clap::CommandFactory;
use clap_complete::{Shell, generate};

/// Prints the script of a shell.
pub(crate) fn run(shell: Shell) -> Result<(), Error> {
    let mut command = CommandLine::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    generate(shell, &mut command, name, &mut script);
    print(&String::from_utf8_lossy(&script))
}
