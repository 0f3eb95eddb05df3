//! The variables of the environment as values of settings.

use super::{ConfigError, Form};
use crate::mail_route::MailRoute;
use crate::settings::{self, Setting};
use hearback_mail::{SmtpMailer, SmtpServer};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zeroize::Zeroizing;

/// The origin of a setting's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The setting is not given.
    Default,
    /// The variable `NAME`, or a faulty `NAME_FILE`.
    Environment,
    /// The file that `NAME_FILE` names.
    File(PathBuf),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Environment => f.write_str("environment"),
            Self::File(path) => write!(f, "file {}", path.display()),
        }
    }
}

/// The directory of the mails in the data directory.
const MAIL_DIRECTORY: &str = "mail";

/// The variables, with the faults and origins found so far.
pub(super) struct Given<'a> {
    pub(super) variable: &'a dyn Fn(&str) -> Option<OsString>,
    pub(super) faults: Vec<ConfigError>,
    pub(super) origins: BTreeMap<&'static str, Origin>,
}

impl Given<'_> {
    /// The route of mails, by settings that need each other.
    pub(super) fn mail(&mut self, data_dir: &Path) -> MailRoute {
        let sender = self.read(&settings::MAIL_FROM);
        let server: Option<SmtpServer> = self.read(&settings::SMTP_URL);
        let Some(server) = server else {
            return MailRoute::Files {
                folder: data_dir.join(MAIL_DIRECTORY),
                sender: sender.unwrap_or_default(),
            };
        };
        for (name, why) in [
            (settings::MAIL_FROM.name, "a mail needs a sender"),
            (settings::PUBLIC_URL.name, "a mail has links to this server"),
        ] {
            if !self.origins.contains_key(name) {
                self.faults.push(ConfigError::Missing { name, why });
            }
        }
        MailRoute::Smtp(Arc::new(SmtpMailer::new(server, sender.unwrap_or_default())))
    }

    /// The value of a setting. `None` if it is not given or wrong.
    pub(super) fn read<T>(&mut self, setting: &Setting<T>) -> Option<T> {
        match self.find(setting) {
            Ok(value) => value,
            Err(fault) => {
                self.faults.push(fault);
                None
            }
        }
    }

    fn find<T>(&mut self, setting: &Setting<T>) -> Result<Option<T>, ConfigError> {
        let name = setting.name;
        let (value, path) = (self.text(name, Form::Value), self.text(name, Form::File));
        if !matches!((&value, &path), (Ok(None), Ok(None))) {
            self.origins.insert(name, Origin::Environment);
        }
        let (form, value) = match (value?, path?) {
            (None, None) => return Ok(None),
            (Some(_), Some(_)) => return Err(ConfigError::GivenTwice { name }),
            (Some(value), None) => (Form::Value, value),
            (None, Some(path)) => {
                let content = std::fs::read_to_string(&*path)
                    .map_err(|source| ConfigError::File { name, source })?;
                // Only a file that was read is named: a value in the place of a path may be the
                // secret itself.
                self.origins.insert(name, Origin::File(PathBuf::from(&*path)));
                (Form::File, Zeroizing::new(content))
            }
        };
        // Editors end the last line of a file.
        let parsed = (setting.parse)(value.trim_end_matches(['\r', '\n']));
        parsed.map(Some).map_err(|source| ConfigError::Wrong { name, form, source })
    }

    fn text(
        &self,
        name: &'static str,
        form: Form,
    ) -> Result<Option<Zeroizing<String>>, ConfigError> {
        match (self.variable)(&format!("{name}{form}")).map(OsString::into_string) {
            None => Ok(None),
            Some(Ok(text)) if text.is_empty() => Ok(None),
            Some(Ok(text)) => Ok(Some(Zeroizing::new(text))),
            Some(Err(_)) => Err(ConfigError::NotUnicode { name, form }),
        }
    }
}
