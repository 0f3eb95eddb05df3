//! The `hearback` binary: configuration, wiring, command line, shutdown.
//!
//! [`main`] reads the command line and runs one command. Each command has a file in `commands`.
//! Most read the settings and work on an [`Installation`]: the store with its schema up to date and
//! its vault unlocked. [`serve()`] is the HTTP server, with `workers` beside it. `settings` is the
//! table of settings, and `doctor` looks for problems.
//!
//! **Architecture invariant:** the only crate that names both stores, and the only place where time
//! is read and identifiers are made ([`SystemClock`], [`UuidIds`]).

mod alarm;
mod cli;
mod clock;
mod commands;
mod config;
mod data_dir;
mod doctor;
mod error;
mod files;
mod ids;
mod images;
mod installation;
mod json_lines;
mod logging;
mod mail_route;
mod master_key;
mod metrics;
mod output;
mod public_url;
mod serve;
mod settings;
mod signals;
mod store;
mod workers;

pub use alarm::ProcessAlarm;
pub use clock::SystemClock;
pub use commands::DemoError;
pub use config::{Config, ConfigError, Form};
pub use data_dir::DataDirError;
pub use error::Error;
pub use ids::UuidIds;
pub use installation::{Installation, Migration, SetUpError};
pub use logging::{LogFilter, NoLogFilter};
pub use mail_route::MailRoute;
pub use master_key::{MasterKeyError, UnlockError};
pub use public_url::{NoPublicUrl, PublicUrl};
pub use serve::{ServeError, Serving, serve};
pub use store::{Connections, NoStoreUrl, OpenError, PostgresUrl, Store, StoreUrl};

use clap::Parser;
use cli::CommandLine;
use config::Reading;
use std::process::ExitCode;

/// Runs the command of the command line. The exit status is 0 after success, 1 after a failure, and
/// 2 for a wrong command line.
pub fn main() -> ExitCode {
    let command_line = CommandLine::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers())
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return error::report(&Error::Runtime(error)),
    };
    let result = runtime.block_on(commands::run(command_line));
    // This does not wait for threads: after a fault, an import's reading thread may wait for
    // standard input for ever.
    runtime.shutdown_background();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error::report(&error),
    }
}

/// The value of `HEARBACK_WORKERS`, or the default if it is wrong, which the command reports. No
/// other setting is read this early, since the file of a setting may be readable only once.
fn workers() -> usize {
    let variable =
        |name: &str| std::env::var_os(name).filter(|_| name.starts_with(settings::WORKERS.name));
    Reading::new(variable).config.workers
}
