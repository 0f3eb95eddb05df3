//! Settings, from variables of the environment.
//!
//! Each setting `NAME` is given by the variable `NAME`, or by `NAME_FILE`, which names a file with the value. An empty variable
//! counts as not given, as container tools pass on what was left out.

use crate::logging::LogFilter;
use crate::mail_route::MailRoute;
use crate::public_url::PublicUrl;
use crate::store::StoreUrl;
use hearback_api::{Limits, NoNetworks, NoRate, Rate, TrustedProxies};
use hearback_app::MasterKey;
use hearback_domain::delivery::{NoSchedule, RetrySchedule};
use hearback_mail::{Sender, SmtpMailer};
use hearback_webhook::Policy;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zeroize::Zeroizing;

/// All settings, checked.
#[derive(Debug)]
pub struct Config {
    /// `DATABASE_URL`: where the store is. By default the embedded one, in the data directory.
    pub store: StoreUrl,
    /// `HEARBACK_DATA_DIR` (`./data`): where the embedded store and what goes with it are kept.
    pub data_dir: PathBuf,
    /// `HEARBACK_LISTEN` (`127.0.0.1:8080`): where requests are taken.
    pub listen: SocketAddr,
    /// `HEARBACK_MASTER_KEY`.
    pub master_key: Option<MasterKey>,
    /// `HEARBACK_LOG` (`info`): what is logged.
    pub log: LogFilter,
    /// `HEARBACK_MAX_BODY_BYTES` (1 MiB): the largest body of a request.
    pub max_body_bytes: usize,
    /// `HEARBACK_RATE_LIMIT_PER_KEY` (none): how many requests may be sent with an organization's key.
    pub rate_limit_per_key: Option<Rate>,
    /// `HEARBACK_RATE_LIMIT_PER_ADDRESS` (none): how many requests an address may send.
    pub rate_limit_per_address: Option<Rate>,
    /// `HEARBACK_TRUSTED_PROXIES` (none): who is believed to say from which address a request comes.
    pub trusted_proxies: TrustedProxies,
    /// `HEARBACK_SMTP_URL` and `HEARBACK_MAIL_FROM` (`Hearback <hearback@localhost>`): where mails go, and whom they are from. By
    /// default into files in the data directory.
    pub mail: MailRoute,
    /// `HEARBACK_PUBLIC_URL`: what links in mails begin with. By default the address that is listened on, unless there is a mail
    /// server.
    pub public_url: Option<PublicUrl>,
    /// `HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS` (`false`) and `HEARBACK_WEBHOOK_ALLOWED_PORTS` (any): where deliveries may go.
    pub webhook_policy: Policy,
    /// `HEARBACK_WEBHOOK_RETRY_SCHEDULE` (`5s,5m,30m,2h,5h,10h,14h,20h,24h`): when a delivery that failed is tried again.
    pub webhook_retry_schedule: RetrySchedule,
}

/// A setting is wrong. Values are never quoted: a secret may have been put into the wrong variable.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Both forms of a setting are given.
    #[error("{name} and {name}_FILE are both given: leave one of them out")]
    GivenTwice {
        /// The setting.
        name: &'static str,
    },
    /// The value is not text.
    #[error("{variable} is not UTF-8")]
    NotUnicode {
        /// The variable.
        variable: String,
    },
    /// The file that a variable names could not be read.
    #[error("cannot read the file that {variable} names")]
    File {
        /// The variable.
        variable: String,
        /// Why.
        source: std::io::Error,
    },
    /// Another setting needs one that is not given.
    #[error("{name} is not set, which HEARBACK_SMTP_URL needs: {why}")]
    Missing {
        /// The setting that is not given.
        name: &'static str,
        /// What it is needed for.
        why: &'static str,
    },
    /// The value is none that the setting can have.
    #[error("{variable} is wrong")]
    Wrong {
        /// The variable.
        variable: String,
        /// What it should be.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Config {
    /// Reads and checks all settings. `variable` looks one up, such as [`std::env::var_os`].
    pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, ConfigError> {
        let settings = Settings { variable: &variable };
        let data_dir = settings.read("HEARBACK_DATA_DIR", directory)?.unwrap_or_else(|| PathBuf::from("data"));
        let store = settings.read("DATABASE_URL", StoreUrl::parse)?;
        let public_url = settings.read("HEARBACK_PUBLIC_URL", PublicUrl::parse)?;
        Ok(Self {
            mail: settings.mail(&data_dir, public_url.as_ref())?,
            public_url,
            store: store.unwrap_or_else(|| StoreUrl::Sqlite(data_dir.join(DATABASE_FILE))),
            data_dir,
            listen: settings.read("HEARBACK_LISTEN", listen)?.unwrap_or(DEFAULT_LISTEN),
            master_key: settings.read("HEARBACK_MASTER_KEY", MasterKey::parse)?,
            log: settings.read("HEARBACK_LOG", LogFilter::parse)?.unwrap_or_default(),
            max_body_bytes: settings.read("HEARBACK_MAX_BODY_BYTES", bytes)?.unwrap_or(Limits::default().max_body_bytes),
            rate_limit_per_key: settings.read("HEARBACK_RATE_LIMIT_PER_KEY", rate)?,
            rate_limit_per_address: settings.read("HEARBACK_RATE_LIMIT_PER_ADDRESS", rate)?,
            trusted_proxies: settings.read("HEARBACK_TRUSTED_PROXIES", proxies)?.unwrap_or_default(),
            webhook_policy: Policy {
                allows_private_networks: settings.read("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", flag)?.unwrap_or(false),
                ports: settings.read("HEARBACK_WEBHOOK_ALLOWED_PORTS", ports)?,
            },
            webhook_retry_schedule: settings.read("HEARBACK_WEBHOOK_RETRY_SCHEDULE", retry_schedule)?.unwrap_or_default(),
        })
    }
}

/// The embedded store's file in the data directory.
const DATABASE_FILE: &str = "hearback.db";
/// The directory of the mails in the data directory.
const MAIL_DIRECTORY: &str = "mail";
/// An address that no mail server would take: it is for files only.
const DEFAULT_SENDER: &str = "Hearback <hearback@localhost>";
/// Reached from this machine only, until somebody decides otherwise.
const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8080);

struct Settings<'a> {
    variable: &'a dyn Fn(&str) -> Option<OsString>,
}

impl Settings<'_> {
    /// Where mails go, by settings that need each other.
    fn mail(&self, data_dir: &Path, public_url: Option<&PublicUrl>) -> Result<MailRoute, ConfigError> {
        const FROM: &str = "HEARBACK_MAIL_FROM";
        let given = self.read(FROM, Sender::parse)?;
        let is_given = given.is_some();
        let sender = given.map_or_else(|| Sender::parse(DEFAULT_SENDER), Ok);
        let sender = sender.map_err(|error| ConfigError::Wrong { variable: FROM.to_owned(), source: error.into() })?;
        let Some(mailer) = self.read("HEARBACK_SMTP_URL", |url| SmtpMailer::parse(url, sender.clone()))? else {
            return Ok(MailRoute::Files { folder: data_dir.join(MAIL_DIRECTORY), sender });
        };
        if !is_given {
            return Err(ConfigError::Missing { name: FROM, why: "a mail server wants to know whom a mail is from" });
        }
        if public_url.is_none() {
            return Err(ConfigError::Missing { name: "HEARBACK_PUBLIC_URL", why: "the links in mails must lead somewhere" });
        }
        Ok(MailRoute::Smtp(Arc::new(mailer)))
    }

    /// The value of a setting in either form; `None` when it is not given.
    fn read<T, E>(&self, name: &'static str, parse: impl FnOnce(&str) -> Result<T, E>) -> Result<Option<T>, ConfigError>
    where
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let in_file = format!("{name}_FILE");
        let (variable, value) = match (self.text(name)?, self.text(&in_file)?) {
            (None, None) => return Ok(None),
            (Some(_), Some(_)) => return Err(ConfigError::GivenTwice { name }),
            (Some(value), None) => (name.to_owned(), value),
            (None, Some(path)) => match std::fs::read_to_string(&*path) {
                Ok(content) => (in_file, Zeroizing::new(content)),
                Err(source) => return Err(ConfigError::File { variable: in_file, source }),
            },
        };
        // An editor ends a file's last line.
        match parse(value.trim_end_matches(['\r', '\n'])) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(ConfigError::Wrong { variable, source: error.into() }),
        }
    }

    fn text(&self, variable: &str) -> Result<Option<Zeroizing<String>>, ConfigError> {
        match (self.variable)(variable).map(OsString::into_string) {
            None => Ok(None),
            Some(Ok(text)) if text.is_empty() => Ok(None),
            Some(Ok(text)) => Ok(Some(Zeroizing::new(text))),
            Some(Err(_)) => Err(ConfigError::NotUnicode { variable: variable.to_owned() }),
        }
    }
}

fn directory(text: &str) -> Result<PathBuf, &'static str> {
    if text.is_empty() { Err("it is the path of a directory") } else { Ok(PathBuf::from(text)) }
}

fn listen(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "it is an address with a port, such as 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080")
}

fn bytes(text: &str) -> Result<usize, &'static str> {
    let positive = text.parse().ok().filter(|&bytes| bytes > 0);
    positive.ok_or("it is a number of bytes, such as 1048576")
}

fn rate(text: &str) -> Result<Rate, &'static str> {
    Rate::parse(text).map_err(|NoRate| "it is 1 to 1000000 requests in a second, minute or hour, such as 50/s, 600/m or 10000/h")
}

fn proxies(text: &str) -> Result<TrustedProxies, &'static str> {
    TrustedProxies::parse(text).map_err(|NoNetworks| "it is a list of addresses and networks, such as 127.0.0.1,10.0.0.0/8")
}

fn flag(text: &str) -> Result<bool, &'static str> {
    text.parse().map_err(|_| "it is true or false")
}

fn ports(text: &str) -> Result<Vec<u16>, &'static str> {
    let port = |text: &str| text.trim().parse().ok().filter(|&port| port > 0);
    text.split(',').map(port).collect::<Option<_>>().ok_or("it is a list of ports, such as 443,8443")
}

fn retry_schedule(text: &str) -> Result<RetrySchedule, &'static str> {
    RetrySchedule::parse(text)
        .map_err(|NoSchedule| "it is a list of up to 100 pauses, each of a second to 30 days, such as 5s,5m,30m,2h,1d")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::error::Error;
    use std::os::unix::ffi::OsStringExt;

    fn read(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let variables: HashMap<&str, &str> = variables.iter().copied().collect();
        Config::read(|name| variables.get(name).map(OsString::from))
    }

    /// The error with its causes, as it is printed.
    fn error(variables: &[(&str, &str)]) -> String {
        let error = read(variables).unwrap_err();
        let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
        format!("{error}{source}")
    }

    #[test]
    fn nothing_needs_to_be_set() {
        for variables in [&[][..], &[("DATABASE_URL", ""), ("HEARBACK_LISTEN", ""), ("HEARBACK_MASTER_KEY_FILE", "")]] {
            let config = read(variables).unwrap();
            assert_eq!(config.store, StoreUrl::Sqlite("data/hearback.db".into()));
            assert_eq!(config.data_dir, PathBuf::from("data"));
            assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
            assert!(config.master_key.is_none());
            assert_eq!(config.log, LogFilter::default());
            assert_eq!(config.max_body_bytes, 1_048_576);
            assert_eq!((config.rate_limit_per_key, config.rate_limit_per_address), (None, None));
            assert_eq!(config.trusted_proxies, TrustedProxies::default());
            assert_eq!(files(&config.mail), (Path::new("data/mail"), &Sender::parse("Hearback <hearback@localhost>").unwrap()));
            assert_eq!(config.public_url, None);
            assert_eq!(config.webhook_policy, Policy { allows_private_networks: false, ports: None });
            assert_eq!(config.webhook_retry_schedule, RetrySchedule::default());
        }
    }

    #[track_caller]
    fn files(route: &MailRoute) -> (&Path, &Sender) {
        match route {
            MailRoute::Files { folder, sender } => (folder, sender),
            MailRoute::Smtp(_) => panic!("there is a mail server"),
        }
    }

    #[test]
    fn each_setting_is_read() {
        let config = read(&[
            ("DATABASE_URL", "sqlite:/srv/store.db"),
            ("HEARBACK_DATA_DIR", "/srv/data"),
            ("HEARBACK_LISTEN", "[::1]:80"),
            ("HEARBACK_MASTER_KEY", &"ab".repeat(32)),
            ("HEARBACK_LOG", "debug"),
            ("HEARBACK_MAX_BODY_BYTES", "2048"),
            ("HEARBACK_RATE_LIMIT_PER_KEY", "600/m"),
            ("HEARBACK_RATE_LIMIT_PER_ADDRESS", "50/s"),
            ("HEARBACK_TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/8"),
            ("HEARBACK_SMTP_URL", "smtp://mail.example:2525?tls=none"),
            ("HEARBACK_MAIL_FROM", "Acme <news@acme.example>"),
            ("HEARBACK_PUBLIC_URL", "https://feedback.example/"),
            ("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "true"),
            ("HEARBACK_WEBHOOK_ALLOWED_PORTS", "443, 8443"),
            ("HEARBACK_WEBHOOK_RETRY_SCHEDULE", "1s,2h"),
        ])
        .unwrap();
        assert_eq!(config.store, StoreUrl::Sqlite("/srv/store.db".into()));
        assert_eq!(config.data_dir, PathBuf::from("/srv/data"));
        assert_eq!(config.listen.to_string(), "[::1]:80");
        assert_eq!(*config.master_key.unwrap().to_hex(), "ab".repeat(32));
        assert_eq!(config.log, LogFilter::parse("debug").unwrap());
        assert_eq!(config.max_body_bytes, 2048);
        assert_eq!(config.rate_limit_per_key, Some(Rate::parse("600/m").unwrap()));
        assert_eq!(config.rate_limit_per_address, Some(Rate::parse("50/s").unwrap()));
        assert_eq!(config.trusted_proxies, TrustedProxies::parse("127.0.0.1/32,10.0.0.0/8").unwrap());
        let mail = format!("{:?}", config.mail);
        assert!(mail.starts_with("Smtp(") && mail.contains("\"mail.example\"") && mail.contains("2525"), "{mail}");
        assert_eq!(config.public_url.unwrap().to_string(), "https://feedback.example");
        assert_eq!(config.webhook_policy, Policy { allows_private_networks: true, ports: Some(vec![443, 8443]) });
        assert_eq!(config.webhook_retry_schedule, RetrySchedule::parse("1s,2h").unwrap());
    }

    #[test]
    fn private_networks_are_no_place_for_deliveries_unless_that_is_said() {
        for (value, allowed) in [("true", true), ("false", false), ("", false)] {
            let config = read(&[("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", value)]).unwrap();
            assert_eq!(config.webhook_policy.allows_private_networks, allowed, "{value}");
        }
    }

    #[test]
    fn without_a_mail_server_mails_are_files_in_the_data_directory() {
        let config = read(&[
            ("HEARBACK_DATA_DIR", "/srv/data"),
            ("HEARBACK_MAIL_FROM", "news@acme.example"),
            ("HEARBACK_PUBLIC_URL", "https://feedback.example"),
        ])
        .unwrap();
        assert_eq!(files(&config.mail), (Path::new("/srv/data/mail"), &Sender::parse("news@acme.example").unwrap()));
        assert_eq!(config.public_url.unwrap().to_string(), "https://feedback.example");
    }

    #[test]
    fn a_mail_server_needs_a_sender_and_a_public_url() {
        let smtp = ("HEARBACK_SMTP_URL", "smtp://me:s3cr3t@mail.example?tls=none");
        let from = ("HEARBACK_MAIL_FROM", "news@acme.example");
        let public = ("HEARBACK_PUBLIC_URL", "https://feedback.example");
        assert!(matches!(read(&[smtp, from, public]).unwrap().mail, MailRoute::Smtp(_)));
        for given in [&[smtp, public][..], &[smtp]] {
            assert_eq!(
                error(given),
                "HEARBACK_MAIL_FROM is not set, which HEARBACK_SMTP_URL needs: a mail server wants to know whom a mail is from"
            );
        }
        assert_eq!(
            error(&[smtp, from, ("HEARBACK_PUBLIC_URL", "")]),
            "HEARBACK_PUBLIC_URL is not set, which HEARBACK_SMTP_URL needs: the links in mails must lead somewhere"
        );
    }

    #[test]
    fn the_embedded_store_is_in_the_data_directory_unless_its_path_is_given() {
        assert_eq!(read(&[("HEARBACK_DATA_DIR", "/srv")]).unwrap().store, StoreUrl::Sqlite("/srv/hearback.db".into()));
    }

    #[test]
    fn a_setting_may_be_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("setting");
        let path_text = path.to_str().unwrap();
        for (name, value) in [
            ("DATABASE_URL", "sqlite:/srv/store.db"),
            ("HEARBACK_DATA_DIR", "/srv/data"),
            ("HEARBACK_LISTEN", "[::1]:80"),
            ("HEARBACK_MASTER_KEY", &"ab".repeat(32)),
            ("HEARBACK_LOG", "debug"),
            ("HEARBACK_MAX_BODY_BYTES", "2048"),
            ("HEARBACK_RATE_LIMIT_PER_KEY", "600/m"),
            ("HEARBACK_RATE_LIMIT_PER_ADDRESS", "50/s"),
            ("HEARBACK_TRUSTED_PROXIES", "10.0.0.0/8"),
            ("HEARBACK_MAIL_FROM", "news@acme.example"),
            ("HEARBACK_PUBLIC_URL", "https://feedback.example"),
            ("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "true"),
            ("HEARBACK_WEBHOOK_ALLOWED_PORTS", "443"),
            ("HEARBACK_WEBHOOK_RETRY_SCHEDULE", "1s"),
        ] {
            std::fs::write(&path, format!("{value}\n")).unwrap();
            let in_file = format!("{name}_FILE");
            assert_eq!(format!("{:?}", read(&[(&in_file, path_text)])), format!("{:?}", read(&[(name, value)])), "{name}");
            assert_eq!(
                error(&[(name, value), (&in_file, path_text)]),
                format!("{name} and {name}_FILE are both given: leave one of them out")
            );
            assert_eq!(
                error(&[(&in_file, "/nowhere/s3cr3t")]),
                format!("cannot read the file that {name}_FILE names: No such file or directory (os error 2)")
            );
        }
        std::fs::write(&path, "s3cr3t").unwrap();
        assert_eq!(
            error(&[("HEARBACK_MASTER_KEY_FILE", path_text)]),
            "HEARBACK_MASTER_KEY_FILE is wrong: a master key is 64 hex digits"
        );
        std::fs::write(&path, "smtp://me:s3cr3t@mail.example?tls=none\n").unwrap();
        let others = [("HEARBACK_MAIL_FROM", "news@acme.example"), ("HEARBACK_PUBLIC_URL", "https://feedback.example")];
        let config = read(&[&others[..], &[("HEARBACK_SMTP_URL_FILE", path_text)]].concat()).unwrap();
        assert!(matches!(config.mail, MailRoute::Smtp(_)));
    }

    #[test]
    fn a_wrong_setting_is_named_and_not_quoted() {
        for (name, value) in [
            ("DATABASE_URL", "mysql://s3cr3t@localhost/s3cr3t"),
            ("DATABASE_URL", "s3cr3t"),
            ("HEARBACK_LISTEN", "s3cr3t"),
            ("HEARBACK_LISTEN", "localhost:8080"),
            ("HEARBACK_LISTEN", "8080"),
            ("HEARBACK_LISTEN", "127.0.0.1:65536"),
            ("HEARBACK_MASTER_KEY", "s3cr3t"),
            ("HEARBACK_LOG", "s3cr3t"),
            ("HEARBACK_MAX_BODY_BYTES", "s3cr3t"),
            ("HEARBACK_MAX_BODY_BYTES", "0"),
            ("HEARBACK_MAX_BODY_BYTES", "-1"),
            ("HEARBACK_MAX_BODY_BYTES", "1M"),
            ("HEARBACK_RATE_LIMIT_PER_KEY", "s3cr3t"),
            ("HEARBACK_RATE_LIMIT_PER_KEY", "600"),
            ("HEARBACK_RATE_LIMIT_PER_KEY", "0/s"),
            ("HEARBACK_RATE_LIMIT_PER_KEY", "1000001/s"),
            ("HEARBACK_RATE_LIMIT_PER_ADDRESS", "s3cr3t/m"),
            ("HEARBACK_RATE_LIMIT_PER_ADDRESS", "600/d"),
            ("HEARBACK_TRUSTED_PROXIES", "s3cr3t"),
            ("HEARBACK_TRUSTED_PROXIES", "10.0.0.0/33"),
            ("HEARBACK_SMTP_URL", "s3cr3t"),
            ("HEARBACK_SMTP_URL", "https://mail.example/s3cr3t"),
            ("HEARBACK_SMTP_URL", "smtp://me:12/s3cr3t@mail.example"),
            ("HEARBACK_MAIL_FROM", "s3cr3t"),
            ("HEARBACK_MAIL_FROM", "a@acme.example, s3cr3t@acme.example"),
            ("HEARBACK_PUBLIC_URL", "s3cr3t"),
            ("HEARBACK_PUBLIC_URL", "https://me:s3cr3t@feedback.example"),
            ("HEARBACK_PUBLIC_URL", "https://feedback.example?key=s3cr3t"),
            ("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "s3cr3t"),
            ("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "1"),
            ("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "True"),
            ("HEARBACK_WEBHOOK_ALLOWED_PORTS", "s3cr3t"),
            ("HEARBACK_WEBHOOK_ALLOWED_PORTS", "443,"),
            ("HEARBACK_WEBHOOK_ALLOWED_PORTS", "0"),
            ("HEARBACK_WEBHOOK_ALLOWED_PORTS", "65536"),
            ("HEARBACK_WEBHOOK_ALLOWED_PORTS", "-1"),
            ("HEARBACK_WEBHOOK_RETRY_SCHEDULE", "s3cr3t"),
            ("HEARBACK_WEBHOOK_RETRY_SCHEDULE", "5"),
            ("HEARBACK_WEBHOOK_RETRY_SCHEDULE", "5s,0s"),
        ] {
            let error = error(&[(name, value)]);
            assert!(error.starts_with(&format!("{name} is wrong: ")), "{error}");
            assert!(!error.contains("s3cr3t"), "{error}");
        }
        let error = Config::read(|name| (name == "HEARBACK_LISTEN").then(|| OsString::from_vec(vec![0xff]))).unwrap_err();
        assert_eq!(error.to_string(), "HEARBACK_LISTEN is not UTF-8");
    }

    #[test]
    fn no_secret_is_in_debug_output() {
        let master_key = "ab".repeat(32);
        let config = read(&[
            ("DATABASE_URL", "postgres://me:s3cr3t@localhost/store"),
            ("HEARBACK_MASTER_KEY", &master_key),
            ("HEARBACK_SMTP_URL", "smtp://me:s3cr3t@mail.example?tls=none"),
            ("HEARBACK_MAIL_FROM", "news@acme.example"),
            ("HEARBACK_PUBLIC_URL", "https://feedback.example"),
        ]);
        let shown = format!("{:?}", config.unwrap());
        assert!(!shown.contains("s3cr3t") && !shown.contains(&master_key), "{shown}");
    }
}
