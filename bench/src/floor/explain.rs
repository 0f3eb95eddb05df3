//! PostgreSQL's work for the statements that Hearback sends, from the log of `auto_explain`.

use super::Explainer;
use super::postgres::Postgres;
use crate::failure::Failure;
use serde::Deserialize;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// The plans in the log of all later sessions.
pub(super) struct LoggedPlans<'a> {
    postgres: &'a Postgres,
    database: String,
    /// The log, read up to its position.
    log: File,
}

const LOGGED: [&str; 5] = [
    "session_preload_libraries = 'auto_explain'",
    "auto_explain.log_min_duration = 0",
    "auto_explain.log_analyze = on",
    "auto_explain.log_buffers = on",
    "auto_explain.log_format = 'json'",
];

#[derive(Deserialize)]
struct Explained {
    #[serde(rename = "Query Text")]
    query: String,
    #[serde(rename = "Plan")]
    plan: Plan,
}

/// The uppermost node, whose figures include those of all others.
#[derive(Deserialize)]
struct Plan {
    #[serde(rename = "Shared Hit Blocks")]
    hit: u64,
    #[serde(rename = "Shared Read Blocks")]
    read: u64,
}

impl<'a> LoggedPlans<'a> {
    pub(super) fn new(postgres: &'a Postgres, database: &str) -> Result<Self, Failure> {
        let failed = || Failure::machine("opening PostgreSQL's log");
        // The standard error of the server, wherever it leads.
        let mut log =
            File::open(format!("/proc/{}/fd/2", postgres.postmaster()?)).map_err(failed())?;
        log.seek(SeekFrom::End(0)).map_err(failed())?;
        for setting in LOGGED {
            postgres.on_server(&format!("ALTER DATABASE {database} SET {setting}"))?;
        }
        Ok(Self { postgres, database: database.to_owned(), log })
    }
}

impl Explainer for LoggedPlans<'_> {
    fn buffers(&mut self, table: &str) -> Result<u64, Failure> {
        let mut logged = Vec::new();
        self.log.read_to_end(&mut logged).map_err(Failure::machine("reading PostgreSQL's log"))?;
        let logged = String::from_utf8_lossy(&logged);
        // All lines of an entry but the first begin with a tab.
        let plans = logged.split("plan:\n").skip(1).map(|rest| {
            let lines: Vec<&str> = rest.lines().take_while(|line| line.starts_with('\t')).collect();
            lines.concat()
        });
        let of_table = plans
            .filter_map(|plan| serde_json::from_str::<Explained>(&plan).ok())
            .filter(|plan| plan.query.contains(table));
        let last = of_table.last().ok_or_else(|| Failure::NoPlan { table: table.to_owned() })?;
        Ok(last.plan.hit + last.plan.read)
    }

    fn end(self: Box<Self>) -> Result<(), Failure> {
        self.postgres.on_server(&format!("ALTER DATABASE {} RESET ALL", self.database))
    }
}
