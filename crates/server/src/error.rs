//! The errors of commands, and their report.

use crate::commands::DemoError;
use crate::config::ConfigError;
use crate::installation::SetUpError;
use crate::serve::ServeError;
use crate::store::{PostgresUrl, StoreUrl};
use hearback_app::keys::KeyError;
use hearback_app::oidc_providers::ProviderError;
use hearback_app::organizations::OrganizationError;
use hearback_app::password::PasswordError;
use hearback_app::portable::{ExportError, ImportError};
use hearback_app::reseal::ResealError;
use hearback_app::second_factor::ResetError;
use hearback_app::sso_secrets::SsoSecretError;
use hearback_app::sso_sign_in::SsoRefusal;
use hearback_domain::id::{DeliveryId, SubscriptionId};
use hearback_images::FilesError;
use hearback_store_sqlite::{BackupError, ReplaceError, UnfitCopy};
use hearback_webhook::{BadAddress, SetupError};
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// A command failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A setting is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Settings are wrong. The command that reports them all returns this.
    #[error("settings are invalid")]
    Settings(Vec<ConfigError>),
    /// The doctor found problems.
    #[error("found {count} {}", if *count == 1 { "problem" } else { "problems" })]
    Problems {
        /// The number of problems.
        count: usize,
    },
    /// The threads could not be started.
    #[error("cannot start the runtime")]
    Runtime(#[source] io::Error),
    /// Signals could not be listened for.
    #[error("cannot listen for signals")]
    Signals(#[source] io::Error),
    /// The metrics could not be set up.
    #[error("cannot set up the metrics")]
    Metrics(#[from] metrics_exporter_prometheus::BuildError),
    /// Logging could not be set up.
    #[error("cannot set up the log")]
    Logging(#[source] io::Error),
    /// The store, its schema or its vault is not fit for use.
    #[error(transparent)]
    SetUp(#[from] SetUpError),
    /// The replica does not belong to the store.
    #[error("cannot read lists from {replica} (HEARBACK_READ_DATABASE_URL)")]
    Replica {
        /// The address of the replica, without secrets.
        replica: PostgresUrl,
        /// Why not.
        source: hearback_store_postgres::Unfit,
    },
    /// The server did not start or broke off.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// The connection to an agent broke off.
    #[error(transparent)]
    Agent(#[from] hearback_mcp::StdioError),
    /// An organization could not be made, found, listed or deleted.
    #[error(transparent)]
    Organization(#[from] OrganizationError),
    /// No option names a setting of an organization.
    #[error("no setting is given: `hearback organization set --help` lists them")]
    NothingToSet,
    /// Another organization has the host.
    #[error("--host names the host of another organization")]
    HostTaken,
    /// A key could not be made, shown or revoked.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A secret of single sign-on could not be made or retired.
    #[error(transparent)]
    SsoSecret(#[from] SsoSecretError),
    /// The place of images is not fit for use.
    #[error(transparent)]
    Images(#[from] FilesError),
    /// A provider of OpenID Connect could not be added or removed.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The server may send nothing to the issuer of a provider.
    #[error(
        "--issuer: {0} (HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS, HEARBACK_WEBHOOK_ALLOWED_PORTS)"
    )]
    Issuer(#[source] BadAddress),
    /// A password was not set.
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// A second factor was not removed.
    #[error(transparent)]
    SecondFactor(#[from] ResetError),
    /// Standard input could not be read.
    #[error("cannot read standard input")]
    Input(#[source] io::Error),
    /// A token of single sign-on signs nobody in.
    #[error(transparent)]
    Token(#[from] SsoRefusal),
    /// The master key was not replaced.
    #[error(transparent)]
    Reseal(#[from] ResealError),
    /// The new master key is missing.
    #[error(
        "HEARBACK_NEW_MASTER_KEY is not set: set it to 64 hex digits, such as `openssl rand -hex \
         32` prints"
    )]
    NoNewMasterKey,
    /// A file was not imported.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A file that was to be read or written could not be used.
    #[error("cannot {doing} {}", path.display())]
    File {
        /// The action that failed.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// An organization was not exported.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The demo could not be loaded.
    #[error(transparent)]
    Demo(#[from] DemoError),
    /// The organization has no such webhook subscription.
    #[error("the organization has no webhook subscription {0}")]
    NoWebhook(SubscriptionId),
    /// A webhook subscription was imported without its secret.
    #[error(
        "the webhook subscription {0} was imported without its signing secret: rotate it first"
    )]
    AwaitsRotation(SubscriptionId),
    /// A delivery to replay is unknown or has not failed.
    #[error("the organization has no failed delivery {0}")]
    NotFailed(DeliveryId),
    /// A use case failed or refused.
    #[error(transparent)]
    UseCase(#[from] hearback_app::Error),
    /// The URL of a receiver is invalid, or refused by a setting. It is not quoted, since it may
    /// hold a secret.
    #[error("--url is {}", refusal(*.0))]
    Receiver(#[source] BadAddress),
    /// A receiver did not take a test.
    #[error("the answer of the receiver is not a 2xx")]
    TestFailed,
    /// The HTTP client of webhooks could not be set up.
    #[error(transparent)]
    Sending(#[from] SetupError),
    /// The output could not be written.
    #[error("cannot write to standard output")]
    Output(#[source] io::Error),
    /// A command that destroys something was not confirmed. The text names its effect.
    #[error("{0}: pass --yes to confirm")]
    Unconfirmed(String),
    /// The store is not the embedded one.
    #[error(
        "`hearback {command}` works on the embedded store, and the store is {store}: use \
         {instead} (docs/operations.md)"
    )]
    NotEmbedded {
        /// The command.
        command: &'static str,
        /// The store, without secrets.
        store: StoreUrl,
        /// The tool of the database.
        instead: &'static str,
    },
    /// The tables of the store cannot be spread.
    #[error(
        "the store {store} has no Citus: `CREATE EXTENSION citus` adds it to a PostgreSQL database \
         (docs/operations.md)"
    )]
    NoCitus {
        /// The store, without secrets.
        store: StoreUrl,
    },
    /// The embedded store does not exist.
    #[error("there is no store {store} (DATABASE_URL, HEARBACK_DATA_DIR)")]
    NoStore {
        /// The store.
        store: StoreUrl,
    },
    /// A backup would replace a file that is no backup.
    #[error("{} is {what}: a backup replaces nothing but an earlier backup", path.display())]
    NoBackupFile {
        /// The path.
        path: PathBuf,
        /// The kind of the file.
        what: &'static str,
    },
    /// No backup was made.
    #[error("cannot back up to {}", path.display())]
    Backup {
        /// The file of the backup.
        path: PathBuf,
        /// Why not.
        source: BackupError,
    },
    /// The store was not replaced.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// A file cannot be restored.
    #[error("{} cannot be restored", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: UnfitCopy,
    },
    /// A backup does not fit this release or the master key.
    #[error("{} cannot be restored", path.display())]
    Foreign {
        /// The backup.
        path: PathBuf,
        /// Why not.
        source: SetUpError,
    },
    /// A backup was made with another master key.
    #[error(
        "{} cannot be restored: it was made with another master key: set HEARBACK_MASTER_KEY to \
         that key",
        path.display()
    )]
    OtherKey {
        /// The backup.
        path: PathBuf,
    },
    /// SIGTERM or Ctrl-C came before the end.
    #[error("interrupted by a signal")]
    Stopped,
}

/// The reason why a receiver's URL is refused, with its setting.
fn refusal(reason: BadAddress) -> &'static str {
    match reason {
        BadAddress::NoUrl | BadAddress::UserInfo => "invalid",
        BadAddress::Unencrypted | BadAddress::NotPublic => {
            "refused unless HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS is true"
        }
        BadAddress::Port => "refused by HEARBACK_WEBHOOK_ALLOWED_PORTS",
    }
}

/// Reports an error on standard error, with all its causes on one line. Several wrong settings have
/// a line each. Answers the exit status.
pub(crate) fn report(error: &Error) -> ExitCode {
    let lines = match error {
        Error::Settings(faults) => faults.iter().map(|fault| chain(fault)).collect(),
        error => vec![chain(error)],
    };
    for line in lines {
        // `eprintln!` would panic on a closed stream.
        let _ = io::Write::write_fmt(&mut io::stderr(), format_args!("hearback: {line}\n"));
    }
    ExitCode::from(match error {
        Error::Unconfirmed(_) | Error::Receiver(_) | Error::NothingToSet => 2,
        _ => 1,
    })
}

/// An error and its causes, from the outermost to the innermost.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        // Some libraries repeat the cause in the text of the error above it.
        if !text.ends_with(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Layer {
        text: &'static str,
        source: Option<Box<Layer>>,
    }

    fn layer(text: &'static str, source: Option<Layer>) -> Layer {
        Layer { text, source: source.map(Box::new) }
    }

    #[test]
    fn all_causes_are_reported_on_one_line_each_once() {
        let error = layer(
            "opening the store",
            Some(layer("db error: no\n  route\n", Some(layer("no\n  route\n", None)))),
        );
        assert_eq!(chain(&error), "opening the store: db error: no route");
        assert_eq!(chain(&layer("a", Some(layer("b", Some(layer("c", None)))))), "a: b: c");
    }
}
