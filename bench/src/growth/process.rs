//! The cost of the server itself: memory, and the time of its start.

use super::asked::Asked;
use super::{Bench, least, of_votes};
use crate::failure::Failure;
use crate::load;
use crate::plot;
use crate::report::Report;
use crate::server::Server;
use crate::spread::Spread;
use crate::stores::Store;
use crate::verdict::Verdict;
use std::thread::sleep;
use std::time::Duration;

/// The time after which a server is idle, and has given unused memory back.
const IDLE: Duration = Duration::from_secs(3);

/// The memory of a server after its first requests must be less than this, in bytes.
fn idle_limit(store: Store) -> u64 {
    match store {
        Store::Sqlite => 20_000_000,
        Store::Postgres => 25_000_000,
    }
}

/// The time from the start to the first answer must be less than this, on SQLite.
const START_LIMIT: Duration = Duration::from_millis(50);

/// Memory is flat if it stays below this multiple of the memory after the first round of all kinds
/// of requests.
const FLAT: f64 = 1.1;

/// The number of starts.
const STARTS: usize = 15;

impl Bench<'_> {
    pub(super) fn process(&self, report: &mut Report<'_>) -> Result<Verdict, Failure> {
        let votes = least(&self.options.votes);
        let (world, database) =
            self.database(&format!("hearback_bench_votes_{votes}"), &of_votes(votes))?;
        let asked = Asked::all(&world, &database.key);
        let Some(first) = asked.first() else { return Ok(Verdict::Met) };
        let start = || -> Result<Server, Failure> {
            let server = self.hearback.serve(&database.url)?;
            load::ask(server.address()?, first.endpoint, &first.bodies[0])?;
            Ok(server)
        };
        let mut starts = Vec::new();
        for _ in 0..STARTS {
            let server = start()?;
            starts.push(server.spawned.elapsed().as_secs_f64() * 1_000.0);
        }
        let server = start()?;
        sleep(IDLE);
        let idle = server.memory()?;
        let mut answered = 0;
        let mut memory = Vec::new();
        while answered < self.options.requests {
            for asked in &asked {
                answered += self.meter.press(&server, asked)?;
            }
            memory.push((answered, server.memory()?));
            println!("after {answered} requests: {}", megabytes(server.memory()?));
        }
        // The memory after many requests of each kind.
        let (early, early_memory) = memory.first().copied().unwrap_or((0, idle));
        let (all, all_memory) = memory.last().copied().unwrap_or((0, idle));
        sleep(IDLE);
        let afterwards = server.memory()?;
        drop(server);
        self.folder.give_up(&database, self.floor)?;

        let start = Spread::of(starts.into_iter()).median;
        let store = report.store;
        report.line(format_args!("\n### {store}, the server itself"));
        report.table(&[&store.to_string(), ""]);
        report.row(&["from its start to its first answer".to_owned(), format!("{start:.0} ms")]);
        report.row(&["memory when idle".to_owned(), megabytes(idle)]);
        report.row(&[
            format!("memory after {} requests over 32 connections", plot::shown(early as f64)),
            megabytes(early_memory),
        ]);
        report.row(&[
            format!("memory after {} requests", plot::shown(all as f64)),
            megabytes(all_memory),
        ]);
        report.row(&["memory when idle again".to_owned(), megabytes(afterwards)]);
        report.end();
        let limit = idle_limit(store);
        let mut verdicts = vec![
            report.verdict(
                Verdict::of(idle < limit),
                format_args!(
                    "{} of memory when idle, less than {}",
                    megabytes(idle),
                    megabytes(limit)
                ),
            ),
            report.verdict(
                Verdict::of(all_memory as f64 <= early_memory as f64 * FLAT),
                format_args!(
                    "{:.2} times the memory after all requests as after the first of each kind",
                    all_memory as f64 / early_memory as f64
                ),
            ),
        ];
        if store == Store::Sqlite {
            let limit = START_LIMIT.as_millis() as f64;
            verdicts.push(report.verdict(
                Verdict::of(start < limit),
                format_args!("{start:.0} ms to the first answer, less than {limit:.0} ms"),
            ));
        }
        Ok(Verdict::on_all(verdicts))
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1_000_000.0)
}
