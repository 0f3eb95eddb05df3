//! `hearback import` against a bare bulk insert of the same rows into the same schema.

use crate::child::{Hearback, Usage};
use crate::failure::Failure;
use crate::floor::{Content, Floor, Sqlite};
use crate::organization::Organization;
use crate::stores::{Store, Stores};
use crate::verdict::Verdict;
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What is measured, and how often.
#[derive(Args)]
pub(crate) struct Options {
    /// How many feedback posts the organization has; its users are half as many
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    posts: u32,
    /// How many votes the posts have
    #[arg(long, default_value_t = 1_000_000)]
    votes: u32,
    /// Where to
    #[arg(long, value_enum, default_value_t = Stores::Both)]
    store: Stores,
    /// How often each side is measured in turn
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

/// What is required of an import's rate: this part of the floor's.
const LEAST_RATIO: f64 = 0.33;
/// What is required of its memory: at any time less than this, in bytes.
const MEMORY_LIMIT: u64 = 300 * MIB;

/// Measures, prints the figures, and compares them with what is required.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let folder = tempfile::tempdir().map_err(Failure::machine("making a temporary folder"))?;
    let sqlite = Sqlite { folder: folder.path() };
    let bench = Bench::prepare(&sqlite, folder.path(), options)?;
    let mut verdicts = Vec::new();
    for &store in options.store.each() {
        verdicts.push(bench.compare(store, &*store.floor(folder.path())?, options.rounds)?);
    }
    Ok(Verdict::on_all(verdicts))
}

/// An organization, and a file of it.
struct Bench<'a> {
    hearback: Hearback<'a>,
    organization: Organization,
    rows: usize,
    file: PathBuf,
}

/// What both sides took for the same rows.
struct Figures {
    rows: usize,
    floor: Duration,
    import: Usage,
}

impl<'a> Bench<'a> {
    fn prepare(sqlite: &Sqlite<'_>, folder: &'a Path, options: &Options) -> Result<Self, Failure> {
        let organization = Organization::generate(options.posts as usize, options.votes as usize)?;
        let rows = organization.tables().iter().map(|table| table.count).sum();
        let hearback = Hearback::beside_this_binary(folder)?;
        let file = folder.join("organization.jsonl");
        let url = sqlite.create(DATABASE)?;
        hearback.migrate(&url)?;
        sqlite.insert(DATABASE, organization.tables().into())?;
        hearback.export(&url, Organization::SLUG, &file)?;
        sqlite.remove(DATABASE)?;

        let size = file.metadata().map_err(Failure::machine("looking at the exported file"))?.len();
        let Organization { users, posts, votes, .. } = &organization;
        println!(
            "{} users, {} posts, {} votes; {rows} rows; {} MiB as a file",
            users.len(),
            posts.len(),
            votes.len(),
            size.div_ceil(MIB)
        );
        Ok(Self { hearback, organization, rows, file })
    }

    fn compare(&self, store: Store, floor: &dyn Floor, rounds: u32) -> Result<Verdict, Failure> {
        let mut all = Vec::new();
        for n in 1..=rounds {
            let figures = self.round(floor)?;
            println!("{store:10} round {n}: {figures}");
            all.push(figures);
        }
        let figures = Figures::typical(&all, self.rows);
        let verdict = figures.verdict();
        let limit = MEMORY_LIMIT / MIB;
        println!("{store:10} median:  {figures}; at least {LEAST_RATIO} and less than {limit} MiB: {verdict}");
        Ok(verdict)
    }

    /// Both sides, one after the other, each into a new database.
    fn round(&self, floor: &dyn Floor) -> Result<Figures, Failure> {
        let (floor_time, inserted) = self.slot(floor, |_| {
            let start = Instant::now();
            floor.insert(DATABASE, self.organization.tables().into())?;
            Ok(start.elapsed())
        })?;
        let (import, imported) = self.slot(floor, |url| self.hearback.import(url, &self.file))?;
        for ((table, inserted), imported) in self.organization.tables().iter().zip(inserted).zip(imported) {
            if inserted != imported || inserted.count != table.count as u64 {
                return Err(Failure::Different { table: table.name });
            }
        }
        Ok(Figures { rows: self.rows, floor: floor_time, import })
    }

    /// Does something with a database that has nothing but the schema, and looks at what it holds then.
    fn slot<T>(&self, floor: &dyn Floor, work: impl FnOnce(&str) -> Result<T, Failure>) -> Result<(T, Vec<Content>), Failure> {
        let url = floor.create(DATABASE)?;
        self.hearback.migrate(&url)?;
        floor.settle()?;
        let done = work(&url)?;
        let tables = self.organization.tables();
        let contents = tables.iter().map(|table| floor.content(DATABASE, table)).collect::<Result<_, _>>()?;
        floor.remove(DATABASE)?;
        Ok((done, contents))
    }
}

/// The name of the one database that there is at a time.
const DATABASE: &str = "hearback_bench";

impl Figures {
    /// The median of each time, and the most memory.
    fn typical(all: &[Self], rows: usize) -> Self {
        let median = |time: fn(&Self) -> Duration| {
            let mut times: Vec<Duration> = all.iter().map(time).collect();
            times.sort_unstable();
            times.get(times.len() / 2).copied().unwrap_or_default()
        };
        let peak_memory = all.iter().map(|figures| figures.import.peak_memory).max().unwrap_or_default();
        let time = median(|figures| figures.import.time);
        Self { rows, floor: median(|figures| figures.floor), import: Usage { time, peak_memory } }
    }

    /// The import's rate by the floor's.
    fn ratio(&self) -> f64 {
        self.floor.as_secs_f64() / self.import.time.as_secs_f64()
    }

    fn verdict(&self) -> Verdict {
        Verdict::of(self.ratio() >= LEAST_RATIO && self.import.peak_memory < MEMORY_LIMIT)
    }
}

const MIB: u64 = 1024 * 1024;

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rate = |time: Duration| self.rows as f64 / time.as_secs_f64();
        write!(
            f,
            "floor {:7.0} rows/s, import {:7.0} rows/s, ratio {:.2}, peak memory {} MiB",
            rate(self.floor),
            rate(self.import.time),
            self.ratio(),
            self.import.peak_memory.div_ceil(MIB)
        )
    }
}
