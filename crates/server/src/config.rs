//! Settings, from variables of the environment.
//!
//! Each setting `NAME` is given by the variable `NAME`, or by `NAME_FILE`, which names a file with the value. An empty variable
//! counts as not given, as container tools pass on what was left out. [`settings`] lists them all.

use crate::logging::LogFilter;
use crate::mail_route::MailRoute;
use crate::public_url::PublicUrl;
use crate::settings::{self, Setting};
use crate::store::{Connections, PostgresUrl, StoreUrl};
use hearback_api::{Limits, Rate, TrustedProxies};
use hearback_app::MasterKey;
use hearback_domain::delivery::RetrySchedule;
use hearback_mail::{SmtpMailer, SmtpServer};
use hearback_store_postgres::PgOptions;
use hearback_webhook::Policy;
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use zeroize::Zeroizing;

/// All settings, checked. README's table says what each one means.
#[derive(Debug)]
pub struct Config {
    /// `DATABASE_URL`: where the store is. By default the embedded one, in the data directory.
    pub store: StoreUrl,
    /// `HEARBACK_READ_DATABASE_URL`: where a replica of the store is that lists may be read from.
    pub replica: Option<PostgresUrl>,
    /// `HEARBACK_WRITE_CONNECTIONS`: how many connections to PostgreSQL changes go over at most.
    pub write_connections: usize,
    /// `HEARBACK_DATA_DIR`: where the embedded store and what goes with it are kept.
    pub data_dir: PathBuf,
    /// `HEARBACK_LISTEN`: where requests are taken.
    pub listen: SocketAddr,
    /// `HEARBACK_WORKERS`: how many threads answer requests, and as many do what goes on beside. By default one for each processor.
    pub workers: usize,
    /// `HEARBACK_METRICS_LISTEN`: where `/metrics` is shown. By default it is where requests are taken.
    pub metrics_listen: Option<SocketAddr>,
    /// `HEARBACK_MASTER_KEY`.
    pub master_key: Option<MasterKey>,
    /// `HEARBACK_NEW_MASTER_KEY`: what `hearback key reseal` puts in its place.
    pub new_master_key: Option<MasterKey>,
    /// `HEARBACK_LOG`: what is logged.
    pub log: LogFilter,
    /// `HEARBACK_MAX_BODY_BYTES`: the largest body of a request.
    pub max_body_bytes: usize,
    /// `HEARBACK_RATE_LIMIT_PER_KEY`: how many requests may be sent with an organization's key.
    pub rate_limit_per_key: Option<Rate>,
    /// `HEARBACK_RATE_LIMIT_PER_ADDRESS`: how many requests an address may send.
    pub rate_limit_per_address: Option<Rate>,
    /// `HEARBACK_TRUSTED_PROXIES`: who is believed to say from which address a request comes.
    pub trusted_proxies: TrustedProxies,
    /// `HEARBACK_SMTP_URL` and `HEARBACK_MAIL_FROM`: where mails go, and whom they are from. By default into files in the data
    /// directory.
    pub mail: MailRoute,
    /// `HEARBACK_PUBLIC_URL`: what links in mails begin with. By default the address that is listened on, unless there is a mail
    /// server.
    pub public_url: Option<PublicUrl>,
    /// `HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS` and `HEARBACK_WEBHOOK_ALLOWED_PORTS`: where deliveries may go.
    pub webhook_policy: Policy,
    /// `HEARBACK_WEBHOOK_RETRY_SCHEDULE`: when a delivery that failed is tried again.
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
    #[error("{name}{form} is not UTF-8")]
    NotUnicode {
        /// The setting.
        name: &'static str,
        /// In which form it is given.
        form: Form,
    },
    /// The file that a variable names could not be read.
    #[error("cannot read the file that {name}{} names", Form::File)]
    File {
        /// The setting.
        name: &'static str,
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
    /// A file has no replica.
    #[error(
        "HEARBACK_READ_DATABASE_URL is set, but the store is {store}, and only one of PostgreSQL has a replica"
    )]
    NoReplica {
        /// The store.
        store: StoreUrl,
    },
    /// Two listeners cannot have one address.
    #[error(
        "HEARBACK_METRICS_LISTEN is the address of HEARBACK_LISTEN: leave it out to have /metrics there"
    )]
    SameAddress,
    /// The value is none that the setting can have.
    #[error("{name}{form} is wrong")]
    Wrong {
        /// The setting.
        name: &'static str,
        /// In which form it is given.
        form: Form,
        /// What it should be.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// The form in which a setting is given. `Display` shows what that form has behind the name.
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

impl Config {
    /// Reads and checks all settings. `variable` looks one up, such as [`std::env::var_os`].
    pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, ConfigError> {
        let Reading { config, faults, .. } = Reading::new(variable);
        faults.into_iter().next().map_or(Ok(config), Err)
    }

    /// What the server may take of PostgreSQL.
    pub(crate) fn connections(&self) -> Connections {
        Connections { workers: self.workers, writes: self.write_connections }
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

/// All settings as they were found, for who wants to know of every fault.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The settings; one that is wrong is what it would be if it were not given.
    pub(crate) config: Config,
    /// What is wrong.
    pub(crate) faults: Vec<ConfigError>,
    origins: BTreeMap<&'static str, Origin>,
}

/// Where the value of a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Nowhere: it is not given.
    Default,
    /// The variable `NAME`, or something that is wrong with `NAME_FILE`.
    Environment,
    /// This file, which `NAME_FILE` names.
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

impl Reading {
    /// Reads all settings. `variable` looks one up, such as [`std::env::var_os`].
    pub(crate) fn new(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let mut given = Given { variable: &variable, faults: Vec::new(), origins: BTreeMap::new() };
        let data_dir = given.read(&settings::DATA_DIR).unwrap_or_else(|| PathBuf::from("data"));
        let store = given.read(&settings::DATABASE_URL);
        let public_url = given.read(&settings::PUBLIC_URL);
        let config = Config {
            mail: given.mail(&data_dir),
            public_url,
            store: store.unwrap_or_else(|| StoreUrl::Sqlite(data_dir.join(DATABASE_FILE))),
            replica: given.read(&settings::READ_DATABASE_URL),
            write_connections: given
                .read(&settings::WRITE_CONNECTIONS)
                .unwrap_or(PgOptions::WRITE_CONNECTIONS),
            data_dir,
            listen: given.read(&settings::LISTEN).unwrap_or(DEFAULT_LISTEN),
            workers: given.read(&settings::WORKERS).unwrap_or_else(processors),
            metrics_listen: given.read(&settings::METRICS_LISTEN),
            master_key: given.read(&settings::MASTER_KEY),
            new_master_key: given.read(&settings::NEW_MASTER_KEY),
            log: given.read(&settings::LOG).unwrap_or_default(),
            max_body_bytes: given
                .read(&settings::MAX_BODY_BYTES)
                .unwrap_or(Limits::default().max_body_bytes),
            rate_limit_per_key: given.read(&settings::RATE_LIMIT_PER_KEY),
            rate_limit_per_address: given.read(&settings::RATE_LIMIT_PER_ADDRESS),
            trusted_proxies: given.read(&settings::TRUSTED_PROXIES).unwrap_or_default(),
            webhook_policy: Policy {
                allows_private_networks: given
                    .read(&settings::WEBHOOK_ALLOW_PRIVATE_NETWORKS)
                    .unwrap_or(false),
                ports: given.read(&settings::WEBHOOK_ALLOWED_PORTS),
            },
            webhook_retry_schedule: given
                .read(&settings::WEBHOOK_RETRY_SCHEDULE)
                .unwrap_or_default(),
        };
        // Where DATABASE_URL is wrong, nobody knows what the store is.
        let is_known =
            given.faults.iter().all(|fault| fault.setting() != settings::DATABASE_URL.name);
        if let (Some(_), StoreUrl::Sqlite(_), true) = (&config.replica, &config.store, is_known) {
            given.faults.push(ConfigError::NoReplica { store: config.store.clone() });
        }
        // Of port 0 there are as many as anybody wants.
        if config
            .metrics_listen
            .is_some_and(|address| address == config.listen && address.port() != 0)
        {
            given.faults.push(ConfigError::SameAddress);
        }
        Self { config, faults: given.faults, origins: given.origins }
    }

    /// Whether something is wrong with a setting.
    pub(crate) fn is_wrong(&self, name: &str) -> bool {
        self.faults.iter().any(|fault| fault.setting() == name)
    }

    /// Where the value of a setting comes from.
    pub(crate) fn origin(&self, name: &str) -> &Origin {
        self.origins.get(name).unwrap_or(&Origin::Default)
    }
}

/// How many processors this process may run on; one where that is not known.
fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The embedded store's file in the data directory.
const DATABASE_FILE: &str = "hearback.db";
/// The directory of the mails in the data directory.
const MAIL_DIRECTORY: &str = "mail";
/// Reached from this machine only, until somebody decides otherwise.
const DEFAULT_LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8080);

/// What is given, and what was found out about it.
struct Given<'a> {
    variable: &'a dyn Fn(&str) -> Option<OsString>,
    faults: Vec<ConfigError>,
    origins: BTreeMap<&'static str, Origin>,
}

impl Given<'_> {
    /// Where mails go, by settings that need each other.
    fn mail(&mut self, data_dir: &Path) -> MailRoute {
        let sender = self.read(&settings::MAIL_FROM);
        let server: Option<SmtpServer> = self.read(&settings::SMTP_URL);
        let Some(server) = server else {
            return MailRoute::Files {
                folder: data_dir.join(MAIL_DIRECTORY),
                sender: sender.unwrap_or_default(),
            };
        };
        for (name, why) in [
            (settings::MAIL_FROM.name, "a mail server wants to know whom a mail is from"),
            (settings::PUBLIC_URL.name, "the links in mails must lead somewhere"),
        ] {
            if !self.origins.contains_key(name) {
                self.faults.push(ConfigError::Missing { name, why });
            }
        }
        MailRoute::Smtp(Arc::new(SmtpMailer::new(server, sender.unwrap_or_default())))
    }

    /// The value of a setting; `None` when it is not given or wrong.
    fn read<T>(&mut self, setting: &Setting<T>) -> Option<T> {
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
                // Not told before: what names no file may be the secret itself.
                self.origins.insert(name, Origin::File(PathBuf::from(&*path)));
                (Form::File, Zeroizing::new(content))
            }
        };
        // An editor ends a file's last line.
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

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_mail::Sender;
    use std::collections::HashMap;
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
        for variables in [
            &[][..],
            &[("DATABASE_URL", ""), ("HEARBACK_LISTEN", ""), ("HEARBACK_MASTER_KEY_FILE", "")],
        ] {
            let config = read(variables).unwrap();
            assert_eq!(config.store, StoreUrl::Sqlite("data/hearback.db".into()));
            assert_eq!(config.data_dir, PathBuf::from("data"));
            assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
            assert_eq!(config.metrics_listen, None);
            assert!(config.master_key.is_none() && config.new_master_key.is_none());
            assert_eq!(config.log, LogFilter::default());
            assert_eq!((config.max_body_bytes, config.write_connections), (1_048_576, 16));
            assert_eq!(config.workers, processors());
            assert_eq!((config.rate_limit_per_key, config.rate_limit_per_address), (None, None));
            assert_eq!(config.trusted_proxies, TrustedProxies::default());
            assert_eq!(
                files(&config.mail),
                (Path::new("data/mail"), &Sender::parse("Hearback <hearback@localhost>").unwrap())
            );
            assert_eq!(config.public_url, None);
            assert_eq!(
                config.webhook_policy,
                Policy { allows_private_networks: false, ports: None }
            );
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
            ("HEARBACK_WRITE_CONNECTIONS", "5"),
            ("HEARBACK_WORKERS", "3"),
            ("HEARBACK_DATA_DIR", "/srv/data"),
            ("HEARBACK_LISTEN", "[::1]:80"),
            ("HEARBACK_MASTER_KEY", &"ab".repeat(32)),
            ("HEARBACK_NEW_MASTER_KEY", &"cd".repeat(32)),
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
        assert_eq!((config.write_connections, config.workers), (5, 3));
        assert_eq!(config.data_dir, PathBuf::from("/srv/data"));
        assert_eq!(config.listen.to_string(), "[::1]:80");
        assert_eq!(*config.master_key.unwrap().to_hex(), "ab".repeat(32));
        assert_eq!(*config.new_master_key.unwrap().to_hex(), "cd".repeat(32));
        assert_eq!(config.log, LogFilter::parse("debug").unwrap());
        assert_eq!(config.max_body_bytes, 2048);
        assert_eq!(config.rate_limit_per_key, Some(Rate::parse("600/m").unwrap()));
        assert_eq!(config.rate_limit_per_address, Some(Rate::parse("50/s").unwrap()));
        assert_eq!(
            config.trusted_proxies,
            TrustedProxies::parse("127.0.0.1/32,10.0.0.0/8").unwrap()
        );
        let mail = format!("{:?}", config.mail);
        assert!(
            mail.starts_with("Smtp(") && mail.contains("\"mail.example\"") && mail.contains("2525"),
            "{mail}"
        );
        assert_eq!(config.public_url.unwrap().to_string(), "https://feedback.example");
        assert_eq!(
            config.webhook_policy,
            Policy { allows_private_networks: true, ports: Some(vec![443, 8443]) }
        );
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
        assert_eq!(
            files(&config.mail),
            (Path::new("/srv/data/mail"), &Sender::parse("news@acme.example").unwrap())
        );
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
    fn metrics_are_not_listened_for_where_requests_are() {
        let told = "HEARBACK_METRICS_LISTEN is the address of HEARBACK_LISTEN: leave it out to have /metrics there";
        assert_eq!(error(&[("HEARBACK_METRICS_LISTEN", "127.0.0.1:8080")]), told);
        assert_eq!(
            error(&[("HEARBACK_METRICS_LISTEN", "[::1]:80"), ("HEARBACK_LISTEN", "[::1]:80")]),
            told
        );
        assert!(
            read(&[("HEARBACK_METRICS_LISTEN", "127.0.0.1:0"), ("HEARBACK_LISTEN", "127.0.0.1:0")])
                .is_ok()
        );
    }

    #[test]
    fn the_embedded_store_is_in_the_data_directory_unless_its_path_is_given() {
        assert_eq!(
            read(&[("HEARBACK_DATA_DIR", "/srv")]).unwrap().store,
            StoreUrl::Sqlite("/srv/hearback.db".into())
        );
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
            ("HEARBACK_METRICS_LISTEN", "127.0.0.1:9464"),
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
            assert_eq!(
                format!("{:?}", read(&[(&in_file, path_text)])),
                format!("{:?}", read(&[(name, value)])),
                "{name}"
            );
            assert_eq!(
                error(&[(name, value), (&in_file, path_text)]),
                format!("{name} and {name}_FILE are both given: leave one of them out")
            );
            assert_eq!(
                error(&[(&in_file, "/nowhere/s3cr3t")]),
                format!(
                    "cannot read the file that {name}_FILE names: No such file or directory (os error 2)"
                )
            );
        }
        std::fs::write(&path, "s3cr3t").unwrap();
        assert_eq!(
            error(&[("HEARBACK_MASTER_KEY_FILE", path_text)]),
            "HEARBACK_MASTER_KEY_FILE is wrong: a master key is 64 hex digits"
        );
        std::fs::write(&path, "smtp://me:s3cr3t@mail.example?tls=none\n").unwrap();
        let others = [
            ("HEARBACK_MAIL_FROM", "news@acme.example"),
            ("HEARBACK_PUBLIC_URL", "https://feedback.example"),
        ];
        let config =
            read(&[&others[..], &[("HEARBACK_SMTP_URL_FILE", path_text)]].concat()).unwrap();
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
            ("HEARBACK_METRICS_LISTEN", "s3cr3t"),
            ("HEARBACK_MASTER_KEY", "s3cr3t"),
            ("HEARBACK_LOG", "s3cr3t"),
            ("HEARBACK_WRITE_CONNECTIONS", "s3cr3t"),
            ("HEARBACK_WRITE_CONNECTIONS", "0"),
            ("HEARBACK_WRITE_CONNECTIONS", "-1"),
            ("HEARBACK_WRITE_CONNECTIONS", "1001"),
            ("HEARBACK_WORKERS", "0"),
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
        let error = Config::read(|name| {
            (name == "HEARBACK_LISTEN").then(|| OsString::from_vec(vec![0xff]))
        })
        .unwrap_err();
        assert_eq!(error.to_string(), "HEARBACK_LISTEN is not UTF-8");
    }

    #[test]
    fn every_fault_is_found_at_once_and_the_rest_is_read() {
        let given = |name: &str| match name {
            "HEARBACK_LISTEN" => Some("8080"),
            "HEARBACK_MASTER_KEY" | "HEARBACK_MASTER_KEY_FILE" => Some("s3cr3t"),
            "HEARBACK_LOG_FILE" => Some("/nowhere/s3cr3t"),
            "HEARBACK_SMTP_URL" => Some("smtp://mail.example?tls=none"),
            "HEARBACK_MAX_BODY_BYTES" => Some("2048"),
            _ => None,
        };
        let Reading { config, faults, .. } = Reading::new(|name| given(name).map(OsString::from));
        let mut wrong: Vec<&str> = faults.iter().map(ConfigError::setting).collect();
        wrong.sort_unstable();
        let named = [
            "HEARBACK_LISTEN",
            "HEARBACK_LOG",
            "HEARBACK_MAIL_FROM",
            "HEARBACK_MASTER_KEY",
            "HEARBACK_PUBLIC_URL",
        ];
        assert_eq!(wrong, named);
        assert_eq!((config.listen, config.max_body_bytes), (DEFAULT_LISTEN, 2048));
    }

    #[test]
    fn a_setting_is_told_with_where_it_comes_from() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("setting");
        std::fs::write(&path, "8080").unwrap();
        let reading = Reading::new(|name| match name {
            "HEARBACK_MAX_BODY_BYTES_FILE" | "HEARBACK_LISTEN_FILE" => Some(path.clone().into()),
            "HEARBACK_LOG" => Some("debug".into()),
            "HEARBACK_DATA_DIR" => Some("".into()),
            "HEARBACK_MASTER_KEY_FILE" => Some("s3cr3t".into()),
            _ => None,
        });
        assert_eq!(reading.config.max_body_bytes, 8080);
        for (name, origin) in [
            ("HEARBACK_MAX_BODY_BYTES", Origin::File(path.clone())),
            // A file that was read is told, though what it has is wrong.
            ("HEARBACK_LISTEN", Origin::File(path.clone())),
            ("HEARBACK_LOG", Origin::Environment),
            ("HEARBACK_DATA_DIR", Origin::Default),
            ("DATABASE_URL", Origin::Default),
            // What should be a path may be the secret itself.
            ("HEARBACK_MASTER_KEY", Origin::Environment),
        ] {
            assert_eq!(*reading.origin(name), origin, "{name}");
        }
    }

    #[test]
    fn no_secret_is_in_debug_output() {
        let master_key = "ab".repeat(32);
        let config = read(&[
            ("DATABASE_URL", "postgres://me:s3cr3t@localhost/store"),
            ("HEARBACK_READ_DATABASE_URL", "postgres://me:s3cr3t@standby/store"),
            ("HEARBACK_MASTER_KEY", &master_key),
            ("HEARBACK_SMTP_URL", "smtp://me:s3cr3t@mail.example?tls=none"),
            ("HEARBACK_MAIL_FROM", "news@acme.example"),
            ("HEARBACK_PUBLIC_URL", "https://feedback.example"),
        ]);
        let shown = format!("{:?}", config.unwrap());
        assert!(!shown.contains("s3cr3t") && !shown.contains(&master_key), "{shown}");
    }
}
