//! Measures Hearback against the limit of the machine that it runs on.
//!
//! Each command runs what is measured and a hand-written floor side by side and compares them: figures of two machines, or of
//! two days, say little.

mod child;
mod failure;
mod floor;
mod help_centers;
mod import;
mod organization;
mod rows;
mod search;
mod server;
mod stores;
mod verdict;

use clap::{Parser, Subcommand};
use std::error::Error;
use std::process::ExitCode;
use verdict::Verdict;

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
    /// `/help-articles/search` against a statement that reads every article
    Search(search::Options),
}

fn main() -> ExitCode {
    let measured = match CommandLine::parse().command {
        Command::Import(options) => import::run(&options),
        Command::Search(options) => search::run(&options),
    };
    match measured {
        Ok(Verdict::Met) => ExitCode::SUCCESS,
        Ok(Verdict::Missed) => ExitCode::FAILURE,
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
