//! Measures Hearback against the limit of the machine that it runs on.
//!
//! Each command runs Hearback and a hand-written floor side by side and compares them, since
//! figures of two machines, or of two days, cannot be compared.

mod bare;
mod child;
mod cpu_time;
mod deliveries;
mod draw;
mod failure;
mod floor;
mod growth;
mod help_centers;
mod helper;
mod import;
mod load;
mod machine;
mod merge;
mod message;
mod operation;
mod organization;
mod outbox;
mod pages;
mod people;
mod plot;
mod portable;
mod posting;
mod product;
mod receiver;
mod report;
mod requests;
mod rows;
mod search;
mod server;
mod servers;
mod similar;
mod spread;
mod stores;
mod verdict;
mod world;

use clap::{Parser, Subcommand};
use std::error::Error;
use std::process::ExitCode;
use tikv_jemallocator::Jemalloc;
use verdict::Verdict;

/// Hearback's allocator, so that the floor has it, too.
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
    /// `/feedback-posts/similar` with damaged titles
    Similar(similar::Options),
    /// Requests to the API against a bare server that runs the same statements
    Requests(requests::Options),
    /// Pages of the portal against the endpoints that show the same as JSON, and the dashboard
    Pages(pages::Options),
    /// People who read, vote and write in the portal at once
    People(people::Options),
    /// People, members, edits, an import and receivers of webhooks at once
    Product(product::Options),
    /// Deliveries to subscriptions against a bare loop of the same requests
    Deliveries(deliveries::Options),
    /// `/feedback-posts/merge` against the statements that a merge needs
    Merge(merge::Options),
    /// Several servers on one PostgreSQL, behind a balancer, against one
    Servers(servers::Options),
    /// The growth of the cost of requests with the number of records and organizations
    Growth(growth::Options),
    /// The bare server, in a process of its own
    #[command(hide = true)]
    ServeBare(bare::Options),
    /// The client of the servers, in a process of its own
    #[command(hide = true)]
    Load(load::Options),
    /// The receiver of deliveries, in a process of its own
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
        Command::Similar(options) => similar::run(&options),
        Command::Requests(options) => requests::run(&options),
        Command::Pages(options) => pages::run(&options),
        Command::People(options) => people::run(&options),
        Command::Product(options) => product::run(&options),
        Command::Deliveries(options) => deliveries::run(&options),
        Command::Merge(options) => merge::run(&options),
        Command::Servers(options) => servers::run(&options),
        Command::Growth(options) => growth::run(&options),
        Command::ServeBare(options) => bare::run(&options).map(|()| Verdict::Met),
        Command::Load(options) => load::run(&options).map(|()| Verdict::Met),
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
