//! Measures Hearback against the limit of the machine that it runs on.
//!
//! Each command runs what is measured and a hand-written floor side by side and compares them: figures of two machines, or of
//! two days, say little.

mod child;
mod cpu_time;
mod deliveries;
mod failure;
mod floor;
mod help_centers;
mod helper;
mod import;
mod organization;
mod outbox;
mod posting;
mod receiver;
mod request;
mod rows;
mod search;
mod server;
mod spread;
mod stores;
mod verdict;

use clap::{Parser, Subcommand};
use std::error::Error;
use std::process::ExitCode;
use tikv_jemallocator::Jemalloc;
use verdict::Verdict;

/// Hearback's: the floor has whatever Hearback has.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

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
    /// Deliveries to subscriptions against a bare loop of the same requests
    Deliveries(deliveries::Options),
    /// What deliveries go to, in a process of its own
    #[command(hide = true)]
    Receive(receiver::Options),
    /// The bare loop, in a process of its own
    #[command(hide = true)]
    Post(posting::Options),
}

fn main() -> ExitCode {
    let measured = match CommandLine::parse().command {
        Command::Import(options) => import::run(&options),
        Command::Search(options) => search::run(&options),
        Command::Deliveries(options) => deliveries::run(&options),
        Command::Receive(options) => receiver::run(&options).map(|()| Verdict::Met),
        Command::Post(options) => posting::run(&options).map(|()| Verdict::Met),
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
