//! The table of settings: the name, meaning and default of each, and functions that read and show
//! its value.
//!
//! `hearback --help`, `hearback config` and `hearback doctor` read [`ALL`], and a test compares it
//! with README's table. A new setting is a constant here, its place in [`ALL`], and a line in
//! [`Reading::new`](crate::config::Reading::new).

use crate::config::Config;
use crate::logging::LogFilter;
use crate::mail_route::MailRoute;
use crate::public_url::PublicUrl;
use crate::store::{PostgresUrl, StoreUrl};
use hearback_api::{NoNetworks, NoRate, Rate, TrustedProxies};
use hearback_app::MasterKey;
use hearback_domain::delivery::{NoSchedule, RetrySchedule};
use hearback_domain::erasure::{EraseAfter, NoEraseAfter};
use hearback_images::Place;
use hearback_mail::{Sender, SmtpServer};
use std::error::Error;
use std::fmt::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// A setting whose value is a `T`.
pub(crate) struct Setting<T> {
    /// The variable that gives it.
    pub(crate) name: &'static str,
    /// Its meaning, in one line of Markdown.
    pub(crate) meaning: &'static str,
    /// The value if it is not given, in one line of Markdown.
    pub(crate) default: &'static str,
    /// Reads a value. The error never quotes it: a secret may have been put into the wrong
    /// variable.
    pub(crate) parse: fn(&str) -> Result<T, Box<dyn Error + Send + Sync>>,
    /// The value in effect, for people. A secret is [`SECRET`], and a missing value [`NONE`].
    pub(crate) show: fn(&Config) -> String,
}

/// A setting with values of any type.
pub(crate) trait AnySetting: Sync {
    /// [`Setting::name`]
    fn name(&self) -> &'static str;
    /// [`Setting::meaning`]
    fn meaning(&self) -> &'static str;
    /// [`Setting::default`]
    fn default(&self) -> &'static str;
    /// [`Setting::show`]
    fn show(&self, config: &Config) -> String;
}

impl<T> AnySetting for Setting<T> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn meaning(&self) -> &'static str {
        self.meaning
    }

    fn default(&self) -> &'static str {
        self.default
    }

    fn show(&self, config: &Config) -> String {
        (self.show)(config)
    }
}

/// All settings, in the order of the table.
pub(crate) const ALL: &[&dyn AnySetting] = &[
    &DATABASE_URL,
    &READ_DATABASE_URL,
    &WRITE_CONNECTIONS,
    &DATA_DIR,
    &LISTEN,
    &WORKERS,
    &METRICS_LISTEN,
    &MASTER_KEY,
    &NEW_MASTER_KEY,
    &MAX_BODY_BYTES,
    &CONNECTIONS_PER_ADDRESS,
    &RATE_LIMIT_PER_KEY,
    &RATE_LIMIT_PER_ADDRESS,
    &FORM_LIMIT_PER_ADDRESS,
    &FORM_LIMIT_PER_NETWORK,
    &FORM_MINIMUM_AGE,
    &TRUSTED_PROXIES,
    &SMTP_URL,
    &MAIL_FROM,
    &IMAGES_URL,
    &IMAGES_QUOTA_BYTES,
    &PUBLIC_URL,
    &WEBHOOK_ALLOW_PRIVATE_NETWORKS,
    &WEBHOOK_ALLOWED_PORTS,
    &WEBHOOK_NAME_SERVERS,
    &WEBHOOK_RETRY_SCHEDULE,
    &TRENDING_EVERY,
    &ERASE_AFTER,
    &LOG,
];

pub(crate) const DATABASE_URL: Setting<StoreUrl> = Setting {
    name: "DATABASE_URL",
    meaning: "store: `sqlite:PATH`, `postgres://…` or `postgresql://…`",
    default: "the embedded store in the data directory",
    parse: |text| Ok(StoreUrl::parse(text)?),
    show: |config| config.store.to_string(),
};

pub(crate) const READ_DATABASE_URL: Setting<PostgresUrl> = Setting {
    name: "HEARBACK_READ_DATABASE_URL",
    meaning: "streaming replica of a PostgreSQL store, for lists and searches",
    default: "none",
    parse: |text| Ok(PostgresUrl::parse(text)?),
    show: |config| shown(config.replica.as_ref()),
};

pub(crate) const WRITE_CONNECTIONS: Setting<usize> = Setting {
    name: "HEARBACK_WRITE_CONNECTIONS",
    meaning: "connections to PostgreSQL for writes",
    default: "`16`",
    parse: count,
    show: |config| config.write_connections.to_string(),
};

pub(crate) const DATA_DIR: Setting<PathBuf> = Setting {
    name: "HEARBACK_DATA_DIR",
    meaning: "directory of the embedded store, the master key and mails as files",
    default: "`./data`",
    parse: |text| {
        if text.is_empty() {
            Err("expected the path of a directory".into())
        } else {
            Ok(PathBuf::from(text))
        }
    },
    show: |config| config.data_dir.display().to_string(),
};

pub(crate) const LISTEN: Setting<SocketAddr> = Setting {
    name: "HEARBACK_LISTEN",
    meaning: "address and port",
    default: "`127.0.0.1:8080`",
    parse: address,
    show: |config| config.listen.to_string(),
};

pub(crate) const WORKERS: Setting<usize> = Setting {
    name: "HEARBACK_WORKERS",
    meaning: "threads that answer requests; as many run background work",
    default: "one per processor",
    parse: count,
    show: |config| config.workers.to_string(),
};

pub(crate) const METRICS_LISTEN: Setting<SocketAddr> = Setting {
    name: "HEARBACK_METRICS_LISTEN",
    meaning: "address and port of a separate listener for `/metrics`",
    default: "none: `/metrics` is served with the API",
    parse: address,
    show: |config| shown(config.metrics_listen),
};

pub(crate) const MASTER_KEY: Setting<MasterKey> = Setting {
    name: "HEARBACK_MASTER_KEY",
    meaning: "key that seals the secrets in the store: 64 hex digits",
    default: "generated in the data directory; required with PostgreSQL",
    parse: |text| Ok(MasterKey::parse(text)?),
    show: |config| shown(config.master_key.as_ref().map(|_| SECRET)),
};

pub(crate) const NEW_MASTER_KEY: Setting<MasterKey> = Setting {
    name: "HEARBACK_NEW_MASTER_KEY",
    meaning: "key that `hearback key reseal` replaces it with: 64 hex digits",
    default: "generated if the present key is in the data directory",
    parse: |text| Ok(MasterKey::parse(text)?),
    show: |config| shown(config.new_master_key.as_ref().map(|_| SECRET)),
};

pub(crate) const MAX_BODY_BYTES: Setting<usize> = Setting {
    name: "HEARBACK_MAX_BODY_BYTES",
    meaning: "largest request body, in bytes",
    default: "`1048576`",
    parse: |text| {
        let positive = text.parse().ok().filter(|&bytes| bytes > 0);
        positive.ok_or_else(|| "expected a number of bytes, such as 1048576".into())
    },
    show: |config| config.max_body_bytes.to_string(),
};

pub(crate) const CONNECTIONS_PER_ADDRESS: Setting<usize> = Setting {
    name: "HEARBACK_CONNECTIONS_PER_ADDRESS",
    meaning: "connections per client address; trusted proxies have no limit",
    default: "none",
    parse: count,
    show: |config| shown(config.connections_per_address),
};

pub(crate) const RATE_LIMIT_PER_KEY: Setting<Rate> = Setting {
    name: "HEARBACK_RATE_LIMIT_PER_KEY",
    meaning: "requests per API key, such as `600/m`, `50/s` or `10000/h`",
    default: "none",
    parse: rate,
    show: |config| shown(config.rate_limit_per_key),
};

pub(crate) const RATE_LIMIT_PER_ADDRESS: Setting<Rate> = Setting {
    name: "HEARBACK_RATE_LIMIT_PER_ADDRESS",
    meaning: "requests per client address, in the same form",
    default: "none",
    parse: rate,
    show: |config| shown(config.rate_limit_per_address),
};

pub(crate) const FORM_LIMIT_PER_ADDRESS: Setting<Rate> = Setting {
    name: "HEARBACK_FORM_LIMIT_PER_ADDRESS",
    meaning: "posts, comments, votes and other forms of the portal per client address, in the same \
              form",
    default: "`60/m`",
    parse: rate,
    show: |config| config.form_limit_per_address.to_string(),
};

pub(crate) const FORM_LIMIT_PER_NETWORK: Setting<Rate> = Setting {
    name: "HEARBACK_FORM_LIMIT_PER_NETWORK",
    meaning: "the same per network of clients: 24 bits of an IPv4 address, 64 of an IPv6 one",
    default: "`240/m`",
    parse: rate,
    show: |config| config.form_limit_per_network.to_string(),
};

pub(crate) const FORM_MINIMUM_AGE: Setting<Duration> = Setting {
    name: "HEARBACK_FORM_MINIMUM_AGE",
    meaning: "least time in which a person fills in a form of the portal, from `0s` (any time) to \
              `60s`",
    default: "`3s`",
    parse: |text| {
        let seconds = text.strip_suffix('s').and_then(|number| number.parse().ok());
        let seconds = seconds.filter(|seconds| (0..=60).contains(seconds));
        let fault = || "expected a time from 0s to 60s, such as 3s".into();
        seconds.map(Duration::from_secs).ok_or_else(fault)
    },
    show: |config| format!("{}s", config.form_minimum_age.as_secs()),
};

pub(crate) const TRUSTED_PROXIES: Setting<TrustedProxies> = Setting {
    name: "HEARBACK_TRUSTED_PROXIES",
    meaning: "reverse proxies whose word on client addresses is taken, such as \
              `127.0.0.1,10.0.0.0/8`",
    default: "none",
    parse: |text| {
        let proxies = TrustedProxies::parse(text);
        proxies.map_err(|NoNetworks| {
            "expected addresses and networks, such as 127.0.0.1,10.0.0.0/8".into()
        })
    },
    show: |config| {
        shown(Some(config.trusted_proxies.to_string()).filter(|proxies| !proxies.is_empty()))
    },
};

pub(crate) const SMTP_URL: Setting<SmtpServer> = Setting {
    name: "HEARBACK_SMTP_URL",
    meaning: "mail server, such as `smtps://USER:PASSWORD@HOST`",
    default: "none: mails are written to the data directory as `.eml` files",
    parse: |text| Ok(SmtpServer::parse(text)?),
    show: |config| match &config.mail {
        MailRoute::Smtp(mailer) => mailer.server().to_string(),
        MailRoute::Files { .. } => NONE.to_owned(),
    },
};

pub(crate) const MAIL_FROM: Setting<Sender> = Setting {
    name: "HEARBACK_MAIL_FROM",
    meaning: "sender of mails",
    default: "`Hearback <hearback@localhost>`; required with a mail server",
    parse: |text| Ok(Sender::parse(text)?),
    show: |config| config.mail.sender().to_string(),
};

pub(crate) const IMAGES_URL: Setting<Place> = Setting {
    name: "HEARBACK_IMAGES_URL",
    meaning: "place of images: a folder, or `s3://BUCKET/PREFIX`",
    default: "the folder `images` in the data directory",
    parse: |text| Ok(Place::parse(text)?),
    show: |config| config.images.to_string(),
};

pub(crate) const IMAGES_QUOTA_BYTES: Setting<u64> = Setting {
    name: "HEARBACK_IMAGES_QUOTA_BYTES",
    meaning: "most bytes of the images of an organization",
    default: "`5368709120`",
    parse: |text| text.parse().map_err(|_| "expected a number of bytes, such as 5368709120".into()),
    show: |config| config.images_quota.to_string(),
};

pub(crate) const PUBLIC_URL: Setting<PublicUrl> = Setting {
    name: "HEARBACK_PUBLIC_URL",
    meaning: "beginning of the links in mails; agents may name its host",
    default: "`http://` and `HEARBACK_LISTEN`; required with a mail server",
    parse: |text| Ok(PublicUrl::parse(text)?),
    show: |config| {
        config.public_url.clone().unwrap_or_else(|| PublicUrl::of(config.listen)).to_string()
    },
};

pub(crate) const WEBHOOK_ALLOW_PRIVATE_NETWORKS: Setting<bool> = Setting {
    name: "HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS",
    meaning: "whether webhooks and requests to sign-in providers may go to private networks and to `http://`: `true` or `false`",
    default: "`false`",
    parse: |text| text.parse().map_err(|_| "expected true or false".into()),
    show: |config| config.webhook_policy.allows_private_networks.to_string(),
};

pub(crate) const WEBHOOK_ALLOWED_PORTS: Setting<Vec<u16>> = Setting {
    name: "HEARBACK_WEBHOOK_ALLOWED_PORTS",
    meaning: "ports that webhooks and requests to sign-in providers may go to, such as `443,8443`",
    default: "any",
    parse: |text| {
        let port = |text: &str| text.trim().parse().ok().filter(|&port| port > 0);
        let ports = text.split(',').map(port).collect::<Option<_>>();
        ports.ok_or_else(|| "expected ports, such as 443,8443".into())
    },
    show: |config| {
        let ports = config.webhook_policy.ports.as_ref();
        shown(ports.map(|ports| ports.iter().map(u16::to_string).collect::<Vec<_>>().join(",")))
    },
};

pub(crate) const WEBHOOK_NAME_SERVERS: Setting<Vec<SocketAddr>> = Setting {
    name: "HEARBACK_WEBHOOK_NAME_SERVERS",
    meaning: "DNS servers that webhooks ask, such as `10.0.0.2,10.0.0.3:5353`",
    default: "those of `/etc/resolv.conf`",
    parse: |text| {
        let server = |text: &str| {
            let ip = text.trim().parse().map(|ip| SocketAddr::new(ip, 53));
            ip.or_else(|_| text.trim().parse()).ok()
        };
        let servers = text.split(',').map(server).collect::<Option<_>>();
        servers.ok_or_else(|| "expected addresses, such as 10.0.0.2,10.0.0.3:5353".into())
    },
    show: |config| {
        let servers = &config.webhook_name_servers;
        let servers: Vec<_> = servers.iter().map(SocketAddr::to_string).collect();
        shown((!servers.is_empty()).then(|| servers.join(",")))
    },
};

pub(crate) const WEBHOOK_RETRY_SCHEDULE: Setting<RetrySchedule> = Setting {
    name: "HEARBACK_WEBHOOK_RETRY_SCHEDULE",
    meaning: "pauses before a failed webhook is sent again",
    default: "`5s,5m,30m,2h,5h,10h,14h,20h,24h`",
    parse: |text| {
        let schedule = RetrySchedule::parse(text);
        schedule.map_err(|NoSchedule| {
            "expected up to 100 pauses of 1s to 30d, such as 5s,5m,30m,2h,1d".into()
        })
    },
    show: |config| config.webhook_retry_schedule.to_string(),
};

pub(crate) const TRENDING_EVERY: Setting<Duration> = Setting {
    name: "HEARBACK_TRENDING_EVERY",
    meaning: "pause after which the recent votes of posts are counted again, from `1s` to `60s`",
    default: "`30s`",
    parse: |text| {
        let seconds = text.strip_suffix('s').and_then(|number| number.parse().ok());
        let seconds = seconds.filter(|seconds| (1..=60).contains(seconds));
        let fault = || "expected a time from 1s to 60s, such as 30s".into();
        seconds.map(Duration::from_secs).ok_or_else(fault)
    },
    show: |config| format!("{}s", config.trending_every.as_secs()),
};

pub(crate) const ERASE_AFTER: Setting<EraseAfter> = Setting {
    name: "HEARBACK_ERASE_AFTER",
    meaning: "time after which deleted records are erased, from `1d` to `3650d`",
    default: "`30d`",
    parse: |text| {
        let time = EraseAfter::parse(text);
        time.map_err(|NoEraseAfter| "expected a time from 1d to 3650d, such as 30d".into())
    },
    show: |config| config.erase_after.to_string(),
};

pub(crate) const LOG: Setting<LogFilter> = Setting {
    name: "HEARBACK_LOG",
    meaning: "log filter, such as `debug` or `hearback_http=debug,info`",
    default: "`info,actix_server=warn,actix_http=off,rmcp=warn`",
    parse: |text| Ok(LogFilter::parse(text)?),
    show: |config| config.log.to_string(),
};

fn address(text: &str) -> Result<SocketAddr, Box<dyn Error + Send + Sync>> {
    text.parse().map_err(|_| {
        "expected an address with a port, such as 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080".into()
    })
}

fn count(text: &str) -> Result<usize, Box<dyn Error + Send + Sync>> {
    let count = text.parse().ok().filter(|count| (1..=1_000).contains(count));
    count.ok_or_else(|| "expected a number from 1 to 1000, such as 16".into())
}

fn rate(text: &str) -> Result<Rate, Box<dyn Error + Send + Sync>> {
    let rate = Rate::parse(text);
    rate.map_err(|NoRate| {
        "expected 1 to 1000000 requests a second, minute or hour, such as 50/s, 600/m or 10000/h"
            .into()
    })
}

fn shown(value: Option<impl ToString>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| value.to_string())
}

/// The sign of a missing value.
pub(crate) const NONE: &str = "-";
/// The sign of a secret.
const SECRET: &str = "***";

/// The end of the help: examples, and the settings.
pub(crate) fn help() -> String {
    let mut text = "\
Examples:
  hearback demo                  Load an example organization
  hearback serve                 Serve it on http://127.0.0.1:8080, with /docs to try every endpoint
  hearback organization create --slug acme --name 'Acme Inc.'
  hearback key generate --organization acme

Settings:
  Each is an environment variable NAME, or NAME_FILE with the path of a file that has the value.

"
    .to_owned();
    for setting in ALL {
        let (meaning, default) =
            (setting.meaning().replace('`', ""), setting.default().replace('`', ""));
        // Writing to a text does not fail.
        let _ = write!(text, "  {}\n          {meaning} [default: {default}]\n", setting.name());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Reading;
    use std::cell::RefCell;
    use std::collections::BTreeSet;
    use std::ffi::OsString;

    #[test]
    fn readme_has_the_same_table() {
        let rows = ALL.iter().map(|setting| {
            let (name, meaning, default) = (setting.name(), setting.meaning(), setting.default());
            format!("| `{name}` | {meaning} | {default} |\n")
        });
        let table = format!(
            "| Setting | Meaning | Default |\n|---|---|---|\n{}\n",
            rows.collect::<String>()
        );
        let readme = include_str!("../../../README.md");
        assert!(readme.contains(&table), "README.md has another table than\n\n{table}");
    }

    #[test]
    fn every_variable_that_is_read_is_in_the_table() {
        let asked = RefCell::new(BTreeSet::new());
        Reading::new(|name| {
            asked.borrow_mut().insert(name.to_owned());
            None
        });
        let known = ALL
            .iter()
            .flat_map(|setting| [setting.name().to_owned(), format!("{}_FILE", setting.name())]);
        assert_eq!(asked.into_inner(), known.collect());
    }

    #[test]
    fn the_default_in_the_table_is_the_one_in_effect() {
        let shown = |given: Option<(&str, &str)>| {
            let variable = |name: &str| {
                given.filter(|(given, _)| *given == name).map(|(_, value)| OsString::from(value))
            };
            let reading = Reading::new(variable);
            assert!(reading.faults.is_empty(), "{given:?}: {:?}", reading.faults);
            // `./data` and `data` are the same directory.
            ALL.iter()
                .map(|setting| setting.show(&reading.config).replace("./", ""))
                .collect::<Vec<_>>()
        };
        let mut held = 0;
        for setting in ALL {
            let (value, _) = setting
                .default()
                .strip_prefix('`')
                .and_then(|rest| rest.split_once('`'))
                .unwrap_or_default();
            // A default in words is no value, and neither is the beginning of an address.
            if !value.is_empty() && value != "http://" {
                assert_eq!(shown(Some((setting.name(), value))), shown(None), "{}", setting.name());
                held += 1;
            }
        }
        assert!(held > 5, "{held} defaults are values");
    }

    #[test]
    fn the_texts_of_a_setting_fit_into_a_row() {
        for setting in ALL {
            for text in [setting.name(), setting.meaning(), setting.default()] {
                assert!(!text.is_empty() && !text.contains(['|', '\n']), "{text}");
            }
        }
    }
}
