//! The commands, one file each.

mod backup;
mod completions;
mod config;
mod demo;
mod doctor;
mod export;
mod import;
mod key;
mod man;
mod mcp;
mod member;
mod migrate;
mod oidc;
mod organization;
mod recount;
mod reseal;
mod restore;
mod serve;
mod sso;
mod webhook;

pub use demo::DemoError;

use crate::cli::{Command, CommandLine, Selected};
use crate::config::Config;
use crate::error::Error;
use crate::installation::{Installation, Migration};
use crate::signals::StopSignal;
use crate::{logging, output};
use hearback_app::{Caller, organizations};
use std::io::{self, BufRead, Read};
use zeroize::Zeroizing;

/// Runs a command until it is done, or until it is asked to stop.
pub(crate) async fn run(command_line: CommandLine) -> Result<(), Error> {
    let migration = command_line.migration();
    match command_line.command {
        // These report wrong settings, or use none.
        Command::Config => config::run(),
        Command::Doctor => doctor::run().await,
        Command::Completions { shell } => completions::run(shell),
        Command::Man { directory } => man::run(directory.as_deref()),
        Command::Openapi => output::print(hearback_api::openapi()),
        // A signal is the regular end of these, and no error.
        Command::Serve => {
            let config = configured()?;
            serve::run(&Task { config: &config, migration }, watched()?).await
        }
        Command::Mcp(selected) => {
            let config = configured()?;
            mcp::run(&Task { config: &config, migration }, &selected, watched()?).await
        }
        // Every command on the store begins with this one.
        Command::Migrate { distribute } => {
            on_store(migration, async |task| migrate::run(task, distribute).await).await
        }
        Command::Demo => on_store(migration, demo::run).await,
        Command::Import(arguments) => {
            on_store(migration, async |task| import::run(task, arguments).await).await
        }
        Command::Export(arguments) => {
            on_store(migration, async |task| export::run(task, arguments).await).await
        }
        Command::Backup(arguments) => {
            on_store(migration, async |task| backup::run(task, arguments).await).await
        }
        Command::Restore(arguments) => {
            on_store(migration, async |task| restore::run(task, arguments).await).await
        }
        Command::Recount { organization } => {
            on_store(migration, async |task| recount::run(task, organization.as_deref()).await)
                .await
        }
        Command::Organization(command) => {
            on_store(migration, async |task| organization::run(task, command).await).await
        }
        Command::Member(command) => {
            on_store(migration, async |task| member::run(task, command).await).await
        }
        Command::Key(command) => {
            on_store(migration, async |task| key::run(task, command).await).await
        }
        Command::Sso(command) => {
            on_store(migration, async |task| sso::run(task, command).await).await
        }
        Command::Oidc(command) => {
            on_store(migration, async |task| oidc::run(task, command).await).await
        }
        Command::Webhook(command) => {
            on_store(migration, async |task| webhook::run(task, command).await).await
        }
    }
}

/// The first line of standard input, which is a secret.
fn secret_from_input() -> Result<Zeroizing<String>, Error> {
    let mut line = Zeroizing::new(String::new());
    let mut input = io::stdin().lock().take(LONGEST_SECRET);
    input.read_line(&mut line).map_err(Error::Input)?;
    let length = line.trim_end_matches(['\r', '\n']).len();
    line.truncate(length);
    Ok(line)
}

/// The longest secret that is read, in bytes.
const LONGEST_SECRET: u64 = 64 * 1024;

/// Runs a command that works on the store.
async fn on_store(
    migration: Migration,
    command: impl AsyncFnOnce(&Task<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let config = configured()?;
    let mut stop = watched()?;
    let task = Task { config: &config, migration };
    tokio::select! {
        result = command(&task) => result,
        // The drop takes a transaction back, and removes a half-written file.
        () = stop.requested() => Err(Error::Stopped),
    }
}

/// Reads the settings, and starts the log by them.
fn configured() -> Result<Config, Error> {
    let config = Config::read(|name| std::env::var_os(name))?;
    logging::start(&config.log).map_err(Error::Logging)?;
    Ok(config)
}

fn watched() -> Result<StopSignal, Error> {
    StopSignal::watch().map_err(Error::Signals)
}

/// The settings and options of a command.
pub(crate) struct Task<'a> {
    pub(crate) config: &'a Config,
    pub(crate) migration: Migration,
}

impl Task<'_> {
    /// Opens the installation, works on it, and closes it, also after a failure.
    pub(crate) async fn run(
        &self,
        work: impl AsyncFnOnce(&Installation) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let installation = Installation::open(self.config, self.migration).await?;
        let result = work(&installation).await;
        installation.close().await;
        result
    }

    /// Opens the installation and works for one organization.
    pub(crate) async fn within(
        &self,
        selected: &Selected,
        work: impl AsyncFnOnce(&Installation, Caller) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.run(async |installation| {
            let organization = organizations::find(&installation.ports, &selected.slug).await?;
            let caller = Caller::command_line(organization.id);
            work(installation, caller.keeping_events(organization.events_ledger)).await
        })
        .await
    }
}
