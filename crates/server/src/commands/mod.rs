//! What the command line can name, one file for each command.

mod backup;
mod demo;
mod export;
mod import;
mod key;
mod organization;
mod reseal;
mod restore;
mod serve;
mod webhook;

pub use demo::DemoError;

use crate::cli::{Command, CommandLine};
use crate::config::Config;
use crate::error::Error;
use crate::installation::{Installation, Migration};
use crate::output;
use crate::signals::StopSignal;

/// Runs a command until it is done, or until it is asked to stop.
pub(crate) async fn run(command_line: CommandLine, config: &Config, mut stop: StopSignal) -> Result<(), Error> {
    let task = Task { config, migration: command_line.migration() };
    let command = match command_line.command {
        // It is done when it is asked to stop.
        Command::Serve => return serve::run(&task, stop).await,
        command => command,
    };
    tokio::select! {
        result = complete(command, &task) => result,
        // What was begun is dropped: a transaction is taken back, a half-written file is removed.
        () = stop.requested() => Err(Error::Stopped),
    }
}

async fn complete(command: Command, task: &Task<'_>) -> Result<(), Error> {
    match command {
        Command::Serve => Ok(()),
        // Every command begins with what this one is.
        Command::Migrate => task.run(async |_| Ok(())).await,
        Command::Demo => demo::run(task).await,
        Command::Import(arguments) => import::run(task, arguments).await,
        Command::Export(arguments) => export::run(task, arguments).await,
        Command::Backup(arguments) => backup::run(task, arguments).await,
        Command::Restore(arguments) => restore::run(task, arguments).await,
        Command::Openapi => output::print(hearback_api::openapi()),
        Command::Organization(command) => organization::run(task, command).await,
        Command::Key(command) => key::run(task, command).await,
        Command::Webhook(command) => webhook::run(task, command).await,
    }
}

/// What a command works with.
pub(crate) struct Task<'a> {
    pub(crate) config: &'a Config,
    pub(crate) migration: Migration,
}

impl Task<'_> {
    /// Opens the installation, works on it, and closes it whatever came of the work.
    pub(crate) async fn run(&self, work: impl AsyncFnOnce(&Installation) -> Result<(), Error>) -> Result<(), Error> {
        let installation = Installation::open(self.config, self.migration).await?;
        let result = work(&installation).await;
        installation.close().await;
        result
    }
}
