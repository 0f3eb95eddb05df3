//! The machine and the time of a measurement.

use crate::failure::Failure;
use crate::floor::Postgres;
use crate::stores::Store;
use hearback_domain::Time;
use std::fmt;
use std::fs::read_to_string;
use std::time::{Duration, SystemTime};

/// The machine and its software: a line in Markdown.
pub(crate) struct Machine {
    date: String,
    store: String,
    processors: String,
    gib: u64,
    kernel: String,
}

impl Machine {
    /// Looks at this machine, and at a store on it.
    pub(crate) fn look(store: Store) -> Result<Self, Failure> {
        let failed = || Failure::machine("looking at the machine");
        let count = std::thread::available_parallelism().map_err(failed())?;
        let cpu_info = read_to_string("/proc/cpuinfo").map_err(failed())?;
        let memory = read_to_string("/proc/meminfo").map_err(failed())?;
        let kernel = read_to_string("/proc/sys/kernel/osrelease").map_err(failed())?;
        let kib: u64 =
            value_of("MemTotal", &memory).trim_end_matches(" kB").parse().unwrap_or_default();
        Ok(Self {
            date: today(),
            store: match store {
                Store::Sqlite => format!("SQLite {}", rusqlite::version()),
                Store::Postgres => format!("PostgreSQL {}", Postgres::new()?.version()?),
            },
            processors: format!("{count} × {}", value_of("model name", &cpu_info)),
            gib: kib.div_ceil(1024 * 1024),
            // The text after the version is the builder's.
            kernel: kernel.trim_end().split('-').next().unwrap_or_default().to_owned(),
        })
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { date, store, processors, gib, kernel } = self;
        let (hearback, rustc) = (env!("CARGO_PKG_VERSION"), env!("HEARBACK_BENCH_RUSTC"));
        write!(
            f,
            "*{date}, Hearback {hearback} by {rustc}, {store}, {processors}, {gib} GiB, Linux {kernel}; "
        )?;
        write!(f, "again: `scripts/with-postgres target/release/hearback-bench {}`*", arguments())
    }
}

/// The arguments of this process, without those that name places on this machine.
fn arguments() -> String {
    let mut kept = Vec::new();
    let mut all = std::env::args().skip(1);
    while let Some(argument) = all.next() {
        let name = argument.split('=').next().unwrap_or_default();
        if !["--report", "--keep"].contains(&name) {
            kept.push(argument);
        } else if argument == name {
            all.next();
        }
    }
    kept.join(" ")
}

/// The text after a name and a colon.
fn value_of<'a>(name: &str, info: &'a str) -> &'a str {
    let value =
        info.lines().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix(':'));
    value.unwrap_or_default().trim()
}

/// The date, in UTC.
fn today() -> String {
    let time = i64::try_from(since_1970().as_millis())
        .ok()
        .and_then(|millis| Time::from_unix_millis(millis).ok());
    time.unwrap_or(Time::MIN).to_string().chars().take("2026-11-22".len()).collect()
}

/// The time since 1970.
pub(crate) fn since_1970() -> Duration {
    #[expect(
        clippy::disallowed_methods,
        reason = "there is no Clock port here, and nothing is decided by it"
    )]
    let now = SystemTime::now();
    now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO)
}
