//! `hearback import` against a bare bulk insert of the same rows into the same schema.

use crate::child::{Hearback, Usage};
use crate::draw::SLUG;
use crate::failure::Failure;
use crate::floor::{Content, Floor, Sqlite};
use crate::organization::Organization;
use crate::report::{Page, Report};
use crate::stores::Stores;
use crate::verdict::Verdict;
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The options of the measurement.
#[derive(Args)]
pub(crate) struct Options {
    /// The number of feedback posts. Users are half as many
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    posts: u32,
    /// The number of votes
    #[arg(long, default_value_t = 1_000_000)]
    votes: u32,
    /// The measured store
    #[arg(long, value_enum, default_value_t = Stores::Both)]
    store: Stores,
    /// The number of turns of each side
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    #[command(flatten)]
    page: Page,
}

/// The required rate of an import, as a part of the floor's.
const LEAST_RATIO: f64 = 0.33;
/// The memory of an import must stay below this, in bytes.
const MEMORY_LIMIT: u64 = 300 * MIB;

/// Measures, prints the figures, and compares them with the requirements.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let reports = options.page.reports("import", options.store)?;
    let folder = tempfile::tempdir().map_err(Failure::machine("making a temporary folder"))?;
    let sqlite = Sqlite { folder: folder.path() };
    let bench = Bench::prepare(&sqlite, folder.path(), options)?;
    let mut verdicts = Vec::new();
    for mut report in reports {
        let floor = report.store.floor(folder.path())?;
        verdicts.push(bench.compare(&*floor, options.rounds, &mut report)?);
        report.write()?;
    }
    Ok(Verdict::on_all(verdicts))
}

/// An organization, and its file.
struct Bench<'a> {
    hearback: Hearback<'a>,
    organization: Organization,
    rows: usize,
    file: PathBuf,
    /// In bytes.
    size: u64,
}

/// The cost of the same rows on both sides.
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
        hearback.export(&url, SLUG, &file)?;
        sqlite.remove(DATABASE)?;

        let size = file.metadata().map_err(Failure::machine("looking at the exported file"))?.len();
        Ok(Self { hearback, organization, rows, file, size })
    }

    fn compare(
        &self,
        floor: &dyn Floor,
        rounds: u32,
        report: &mut Report<'_>,
    ) -> Result<Verdict, Failure> {
        let (Organization { users, posts, votes, .. }, rows, mib) =
            (&self.organization, self.rows, self.size.div_ceil(MIB));
        let [users, posts, votes] = [users.len(), posts.len(), votes.len()];
        report.line(format_args!(
            "{users} users, {posts} posts, {votes} votes; {rows} rows; {mib} MiB as a file"
        ));
        let mut all = Vec::new();
        for n in 1..=rounds {
            let figures = self.round(floor)?;
            println!("round {n}: {figures}");
            all.push(figures);
        }
        let figures = Figures::typical(&all, self.rows);
        report.table(&[&report.store.to_string(), "Time", "Rows a second", "Most memory"]);
        report.row(&["bare insert", &seconds(figures.floor), &figures.rate(figures.floor), "–"]);
        let Usage { time, peak_memory } = figures.import;
        report.row(&[
            "`hearback import`",
            &seconds(time),
            &figures.rate(time),
            &mebibytes(peak_memory),
        ]);
        report.end();
        let ratio = figures.ratio();
        let limit = mebibytes(MEMORY_LIMIT);
        Ok(Verdict::on_all([
            report.verdict(
                Verdict::of(ratio >= LEAST_RATIO),
                format_args!("{ratio:.2} of the bare insert's rate, at least {LEAST_RATIO}"),
            ),
            report.verdict(
                Verdict::of(peak_memory < MEMORY_LIMIT),
                format_args!("{} of memory, less than {limit}", mebibytes(peak_memory)),
            ),
        ]))
    }

    /// Runs both sides one after the other, each on a new database.
    fn round(&self, floor: &dyn Floor) -> Result<Figures, Failure> {
        let (floor_time, inserted) = self.slot(floor, |_| {
            let start = Instant::now();
            floor.insert(DATABASE, self.organization.tables().into())?;
            Ok(start.elapsed())
        })?;
        let (import, imported) = self.slot(floor, |url| self.hearback.import(url, &self.file))?;
        for ((table, inserted), imported) in
            self.organization.tables().iter().zip(inserted).zip(imported)
        {
            if inserted != imported || inserted.count != table.count as u64 {
                return Err(Failure::Different { table: table.name });
            }
        }
        Ok(Figures { rows: self.rows, floor: floor_time, import })
    }

    /// Works on a database with nothing but the schema, and returns its content.
    fn slot<T>(
        &self,
        floor: &dyn Floor,
        work: impl FnOnce(&str) -> Result<T, Failure>,
    ) -> Result<(T, Vec<Content>), Failure> {
        let url = floor.create(DATABASE)?;
        self.hearback.migrate(&url)?;
        floor.settle()?;
        let done = work(&url)?;
        let tables = self.organization.tables();
        let contents =
            tables.iter().map(|table| floor.content(DATABASE, table)).collect::<Result<_, _>>()?;
        floor.remove(DATABASE)?;
        Ok((done, contents))
    }
}

/// The name of the one database that exists at a time.
const DATABASE: &str = "hearback_bench";

impl Figures {
    /// The median of each time, and the peak of the memory.
    fn typical(all: &[Self], rows: usize) -> Self {
        let median = |time: fn(&Self) -> Duration| {
            let mut times: Vec<Duration> = all.iter().map(time).collect();
            times.sort_unstable();
            times.get(times.len() / 2).copied().unwrap_or_default()
        };
        let peak_memory =
            all.iter().map(|figures| figures.import.peak_memory).max().unwrap_or_default();
        let time = median(|figures| figures.import.time);
        Self { rows, floor: median(|figures| figures.floor), import: Usage { time, peak_memory } }
    }

    /// The import's rate, as a part of the floor's.
    fn ratio(&self) -> f64 {
        self.floor.as_secs_f64() / self.import.time.as_secs_f64()
    }

    /// In rows a second.
    fn rate(&self, time: Duration) -> String {
        format!("{:.0}", self.rows as f64 / time.as_secs_f64())
    }
}

const MIB: u64 = 1024 * 1024;

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(MIB))
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (floor, import, memory) = (
            self.rate(self.floor),
            self.rate(self.import.time),
            mebibytes(self.import.peak_memory),
        );
        write!(
            f,
            "floor {floor} rows/s, import {import} rows/s, ratio {:.2}, peak memory {memory}",
            self.ratio()
        )
    }
}
