//! Settings, from variables of the environment.
//!
//! Each setting `NAME` is given by the variable `NAME`, or by `NAME_FILE`, which names a file with
//! the value. An empty variable counts as not given, since container tools pass empty variables on.
//! [`settings`] lists all settings.

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
use hearback_domain::erasure::EraseAfter;
use hearback_domain::spam::HASTE_MILLIS;
use hearback_images::Place;
use hearback_store_postgres::PgOptions;
use hearback_webhook::Policy;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

/// All settings, checked. README's table has their meanings.
#[derive(Debug)]
pub struct Config {
    /// `DATABASE_URL`: the store. By default the embedded one, in the data directory.
    pub store: StoreUrl,
    /// `HEARBACK_READ_DATABASE_URL`: a replica of the store that lists may be read from.
    pub replica: Option<PostgresUrl>,
    /// `HEARBACK_WRITE_CONNECTIONS`: the most connections to PostgreSQL for writes.
    pub write_connections: usize,
    /// `HEARBACK_DATA_DIR`: the directory of the embedded store, the master key and mails as files.
    pub data_dir: PathBuf,
    /// `HEARBACK_LISTEN`: the address that takes requests.
    pub listen: SocketAddr,
    /// `HEARBACK_WORKERS`: threads that answer requests; as many run background work. By default
    /// one per processor.
    pub workers: usize,
    /// `HEARBACK_METRICS_LISTEN`: the address of `/metrics`. By default the address that takes
    /// requests.
    pub metrics_listen: Option<SocketAddr>,
    /// `HEARBACK_MASTER_KEY`.
    pub master_key: Option<MasterKey>,
    /// `HEARBACK_NEW_MASTER_KEY`: the key that `hearback key reseal` replaces it with.
    pub new_master_key: Option<MasterKey>,
    /// `HEARBACK_LOG`: the filter of the log.
    pub log: LogFilter,
    /// `HEARBACK_MAX_BODY_BYTES`: the largest body of a request.
    pub max_body_bytes: usize,
    /// `HEARBACK_CONNECTIONS_PER_ADDRESS`: the most connections of a client address.
    pub connections_per_address: Option<usize>,
    /// `HEARBACK_RATE_LIMIT_PER_KEY`: the rate of requests with an organization's key.
    pub rate_limit_per_key: Option<Rate>,
    /// `HEARBACK_RATE_LIMIT_PER_ADDRESS`: the rate of requests from a client address.
    pub rate_limit_per_address: Option<Rate>,
    /// `HEARBACK_FORM_LIMIT_PER_ADDRESS`: the rate of forms of the portal from a client address.
    pub form_limit_per_address: Rate,
    /// `HEARBACK_FORM_LIMIT_PER_NETWORK`: the rate of forms of the portal from a network.
    pub form_limit_per_network: Rate,
    /// `HEARBACK_FORM_MINIMUM_AGE`: the least time in which a person fills in a form of the portal.
    pub form_minimum_age: Duration,
    /// `HEARBACK_TRUSTED_PROXIES`: the proxies that are trusted to name the client of a request.
    pub trusted_proxies: TrustedProxies,
    /// `HEARBACK_SMTP_URL` and `HEARBACK_MAIL_FROM`: the route and the sender of mails. By default
    /// files in the data directory.
    pub mail: MailRoute,
    /// `HEARBACK_IMAGES_URL`: the place of images. By default a folder in the data directory.
    pub images: Place,
    /// `HEARBACK_IMAGES_QUOTA_BYTES`: the most that the images of an organization take together.
    pub images_quota: u64,
    /// `HEARBACK_PUBLIC_URL`: the beginning of links in mails. By default the address that takes
    /// requests, unless there is a mail server.
    pub public_url: Option<PublicUrl>,
    /// `HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS` and `HEARBACK_WEBHOOK_ALLOWED_PORTS`: the
    /// addresses that deliveries may go to.
    pub webhook_policy: Policy,
    /// `HEARBACK_WEBHOOK_NAME_SERVERS`: the DNS servers for the hosts of receivers. By default those
    /// of `/etc/resolv.conf`.
    pub webhook_name_servers: Vec<SocketAddr>,
    /// `HEARBACK_WEBHOOK_RETRY_SCHEDULE`: the times of the attempts after a failed one.
    pub webhook_retry_schedule: RetrySchedule,
    /// `HEARBACK_TRENDING_EVERY`: the pause after which the recent votes of posts are counted
    /// again.
    pub trending_every: Duration,
    /// `HEARBACK_ERASE_AFTER`: the time after which deleted records are erased.
    pub erase_after: EraseAfter,
}

impl Config {
    /// Reads and checks all settings. `variable` looks a variable up, as [`std::env::var_os`] does.
    pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, ConfigError> {
        let Reading { config, faults, .. } = Reading::new(variable);
        faults.into_iter().next().map_or(Ok(config), Err)
    }

    /// The connections to PostgreSQL.
    pub(crate) fn connections(&self) -> Connections {
        Connections { workers: self.workers, writes: self.write_connections }
    }
}

/// All settings, with all their faults.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The settings. A wrong setting has its default.
    pub(crate) config: Config,
    /// The faults.
    pub(crate) faults: Vec<ConfigError>,
    origins: BTreeMap<&'static str, Origin>,
}

impl Reading {
    /// Reads all settings. `variable` looks a variable up, as [`std::env::var_os`] does.
    pub(crate) fn new(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let mut given = Given { variable: &variable, faults: Vec::new(), origins: BTreeMap::new() };
        let data_dir = given.read(&settings::DATA_DIR).unwrap_or_else(|| PathBuf::from("data"));
        let store = given.read(&settings::DATABASE_URL);
        let public_url = given.read(&settings::PUBLIC_URL);
        let config = Config {
            mail: given.mail(&data_dir),
            images: given
                .read(&settings::IMAGES_URL)
                .unwrap_or_else(|| Place::Folder(data_dir.join(IMAGES_FOLDER))),
            images_quota: given.read(&settings::IMAGES_QUOTA_BYTES).unwrap_or(IMAGES_QUOTA),
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
            connections_per_address: given.read(&settings::CONNECTIONS_PER_ADDRESS),
            rate_limit_per_key: given.read(&settings::RATE_LIMIT_PER_KEY),
            rate_limit_per_address: given.read(&settings::RATE_LIMIT_PER_ADDRESS),
            form_limit_per_address: given
                .read(&settings::FORM_LIMIT_PER_ADDRESS)
                .unwrap_or(FORMS_PER_ADDRESS),
            form_limit_per_network: given
                .read(&settings::FORM_LIMIT_PER_NETWORK)
                .unwrap_or(FORMS_PER_NETWORK),
            form_minimum_age: given.read(&settings::FORM_MINIMUM_AGE).unwrap_or(FORM_MINIMUM_AGE),
            trusted_proxies: given.read(&settings::TRUSTED_PROXIES).unwrap_or_default(),
            webhook_policy: Policy {
                allows_private_networks: given
                    .read(&settings::WEBHOOK_ALLOW_PRIVATE_NETWORKS)
                    .unwrap_or(false),
                ports: given.read(&settings::WEBHOOK_ALLOWED_PORTS),
            },
            webhook_name_servers: given.read(&settings::WEBHOOK_NAME_SERVERS).unwrap_or_default(),
            webhook_retry_schedule: given
                .read(&settings::WEBHOOK_RETRY_SCHEDULE)
                .unwrap_or_default(),
            trending_every: given.read(&settings::TRENDING_EVERY).unwrap_or(TRENDING_EVERY),
            erase_after: given.read(&settings::ERASE_AFTER).unwrap_or_default(),
        };
        // With a wrong DATABASE_URL the store is unknown.
        let is_known =
            given.faults.iter().all(|fault| fault.setting() != settings::DATABASE_URL.name);
        if let (Some(_), StoreUrl::Sqlite(_), true) = (&config.replica, &config.store, is_known) {
            given.faults.push(ConfigError::NoReplica { store: config.store.clone() });
        }
        // Port 0 is another port for each listener.
        if config
            .metrics_listen
            .is_some_and(|address| address == config.listen && address.port() != 0)
        {
            given.faults.push(ConfigError::SameAddress);
        }
        Self { config, faults: given.faults, origins: given.origins }
    }

    /// Whether a setting is wrong.
    pub(crate) fn is_wrong(&self, name: &str) -> bool {
        self.faults.iter().any(|fault| fault.setting() == name)
    }

    /// The origin of a setting's value.
    pub(crate) fn origin(&self, name: &str) -> &Origin {
        self.origins.get(name).unwrap_or(&Origin::Default)
    }
}

/// The number of processors of this process, and 1 if it is unknown.
fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Trends are at most a minute old: this pause, and the rounds around it.
const TRENDING_EVERY: Duration = Duration::from_secs(30);
/// A person votes on many posts of a list, one after the other.
const FORMS_PER_ADDRESS: Rate = Rate::per_minute(60);
/// Many people are behind one network.
const FORMS_PER_NETWORK: Rate = Rate::per_minute(240);
/// Nobody types a sentence faster.
const FORM_MINIMUM_AGE: Duration = Duration::from_millis(HASTE_MILLIS as u64);
/// The folder of images in the data directory.
const IMAGES_FOLDER: &str = "images";
/// The most bytes of the images of an organization: 5 GiB.
const IMAGES_QUOTA: u64 = 5 * 1024 * 1024 * 1024;
/// The embedded store's file in the data directory.
const DATABASE_FILE: &str = "hearback.db";
/// Only this machine reaches the default address.
const DEFAULT_LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8080);

#[cfg(test)]
mod tests;
