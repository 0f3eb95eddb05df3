//! The errors of settings.

use crate::settings;
use crate::store::StoreUrl;
use std::error::Error;
use std::fmt;

/// A setting is wrong. Values are never quoted: a secret may have been put into the wrong variable.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Both forms of a setting are given.
    #[error("{name} and {name}_FILE are both set: unset one of them")]
    GivenTwice {
        /// The setting.
        name: &'static str,
    },
    /// The value is not UTF-8.
    #[error("{name}{form} is not UTF-8")]
    NotUnicode {
        /// The setting.
        name: &'static str,
        /// The form in which it is given.
        form: Form,
    },
    /// The file that a variable names could not be read.
    #[error("cannot read the file of {name}{}", Form::File)]
    File {
        /// The setting.
        name: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// Another setting needs a setting that is not given.
    #[error("{name} is not set, and HEARBACK_SMTP_URL requires it: {why}")]
    Missing {
        /// The setting that is not given.
        name: &'static str,
        /// The reason why it is needed.
        why: &'static str,
    },
    /// A store in a file has no replica.
    #[error(
        "HEARBACK_READ_DATABASE_URL is set, but the store {store} is not on PostgreSQL and has no \
         replica"
    )]
    NoReplica {
        /// The store.
        store: StoreUrl,
    },
    /// Two listeners cannot have one address.
    #[error(
        "HEARBACK_METRICS_LISTEN and HEARBACK_LISTEN have the same address: unset \
         HEARBACK_METRICS_LISTEN to serve /metrics there"
    )]
    SameAddress,
    /// The value is invalid.
    #[error("{name}{form} is invalid")]
    Wrong {
        /// The setting.
        name: &'static str,
        /// The form in which it is given.
        form: Form,
        /// The expected value.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// The form in which a setting is given. `Display` shows the end of the variable's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `NAME` has the value.
    Value,
    /// `NAME_FILE` has the path of a file with it.
    File,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value => "",
            Self::File => "_FILE",
        })
    }
}

impl ConfigError {
    /// The setting.
    pub(crate) fn setting(&self) -> &'static str {
        match self {
            Self::GivenTwice { name }
            | Self::NotUnicode { name, .. }
            | Self::File { name, .. }
            | Self::Missing { name, .. }
            | Self::Wrong { name, .. } => name,
            Self::NoReplica { .. } => settings::READ_DATABASE_URL.name,
            Self::SameAddress => settings::METRICS_LISTEN.name,
        }
    }
}
