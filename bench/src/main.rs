//! Measures Hearback against the limit of the machine that it runs on.
//!
//! Each command runs what is measured and a hand-written floor side by side and compares them: figures of two machines, or of
//! two days, say little.

mod child;
mod failure;
mod floor;
mod import;
mod organization;
mod rows;

use clap::{Parser, Subcommand};
use std::error::Error;
use std::process::ExitCode;

#[derive(Parser)]
#[command(version, about)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// `hearback import` against a bare bulk insert of the same rows
    Import(import::Options),
}

fn main() -> ExitCode {
    let CommandLine { command: Command::Import(options) } = CommandLine::parse();
    match import::run(&options) {
        Ok(import::Verdict::Met) => ExitCode::SUCCESS,
        Ok(import::Verdict::Missed) => ExitCode::FAILURE,
        Err(failure) => {
            eprint!("hearback-bench: {failure}");
            let mut source = failure.source();
            while let Some(cause) = source {
                eprint!(": {cause}");
                source = cause.source();
            }
            eprintln!();
            ExitCode::FAILURE
        }
    }
}
