//! Settings, from variables of the environment.
//!
//! Each setting `NAME` is given by the variable `NAME`, or by `NAME_FILE`, which names a file with
//! the value. An empty variable counts as not given, as container tools pass on what was left out.
//! [`settings`] lists them all.

mod error;
mod given;

pub use error::{ConfigError, Form};
pub(crate) use given::Origin;

use crate::logging::LogFilter;
use crate::mail_route::MailRoute;
use crate::public_url::PublicUrl;
use crate::settings;
use crate::store::{Connections, PostgresUrl, StoreUrl};
use given::Given;
use hearback_api::{Limits, Rate, TrustedProxies};
use hearback_app::MasterKey;
use hearback_domain::delivery::RetrySchedule;
use hearback_store_postgres::PgOptions;
use hearback_webhook::Policy;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::thread;

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
    /// `HEARBACK_WORKERS`: threads that answer requests; as many run background work. By default
    /// one per processor.
    pub workers: usize,
    /// `HEARBACK_METRICS_LISTEN`: where `/metrics` is shown. By default it is where requests are
    /// taken.
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
    /// `HEARBACK_RATE_LIMIT_PER_ADDRESS`: how many requests a client address may send.
    pub rate_limit_per_address: Option<Rate>,
    /// `HEARBACK_TRUSTED_PROXIES`: who is believed to say from which address a request comes.
    pub trusted_proxies: TrustedProxies,
    /// `HEARBACK_SMTP_URL` and `HEARBACK_MAIL_FROM`: where mails go, and whom they are from. By
    /// default into files in the data directory.
    pub mail: MailRoute,
    /// `HEARBACK_PUBLIC_URL`: what links in mails begin with. By default the address that is
    /// listened on, unless there is a mail server.
    pub public_url: Option<PublicUrl>,
    /// `HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS` and `HEARBACK_WEBHOOK_ALLOWED_PORTS`: where
    /// deliveries may go.
    pub webhook_policy: Policy,
    /// `HEARBACK_WEBHOOK_RETRY_SCHEDULE`: when a delivery that failed is tried again.
    pub webhook_retry_schedule: RetrySchedule,
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

/// All settings as they were found, for who wants to know of every fault.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The settings; one that is wrong is what it would be if it were not given.
    pub(crate) config: Config,
    /// What is wrong.
    pub(crate) faults: Vec<ConfigError>,
    origins: BTreeMap<&'static str, Origin>,
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
/// Reached from this machine only, until somebody decides otherwise.
const DEFAULT_LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8080);

#[cfg(test)]
mod tests;
