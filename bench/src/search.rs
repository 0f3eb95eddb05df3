//! `/help-articles/search` of a running server against a statement that reads every article of the
//! organization.

use crate::child::Hearback;
use crate::draw::SLUG;
use crate::failure::Failure;
use crate::floor::{Hit, PAGE, Scan};
use crate::help_centers::{
    self, IN_A_FIFTIETH, IN_A_THOUSANDTH, IN_FIVE, IN_OLD_ONES, NEIGHBOURS, NEIGHBOURS_ARTICLES,
};
use crate::report::{self, Report};
use crate::server::{Page, Server};
use crate::spread::Spread;
use crate::stores::{Store, Stores};
use crate::verdict::Verdict;
use clap::Args;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// The options of the measurement.
#[derive(Args)]
pub(crate) struct Options {
    /// The number of articles of the large organization
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    articles: u32,
    /// The measured store
    #[arg(long, value_enum, default_value_t = Stores::Both)]
    store: Stores,
    /// The number of turns of each side
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(3..))]
    rounds: u32,
    #[command(flatten)]
    page: report::Page,
}

/// Measures, prints the figures, and compares them with the requirements.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let reports = options.page.reports("search", options.store)?;
    let folder = tempfile::tempdir().map_err(Failure::machine("making a temporary folder"))?;
    let file = folder.path().join("help-centers.jsonl");
    let articles = options.articles as usize;
    let organization = help_centers::write(&file, articles)?;
    let bench =
        Bench { folder: folder.path(), file, articles, organization, rounds: options.rounds };
    let mut verdicts = Vec::new();
    for mut report in reports {
        verdicts.push(bench.compare(&mut report)?);
        report.write()?;
    }
    Ok(Verdict::on_all(verdicts))
}

/// A measured page of a search.
struct Search {
    /// The kind of the text.
    kind: &'static str,
    text: &'static str,
    page: usize,
    goal: Goal,
}

/// The requirements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// The page is faster than the scan by a factor: see [`least_ratio`].
    Fast,
    /// The page is no slower than the scan.
    NotSlower,
}

const SEARCHES: [Search; 12] = [
    first_page("a word that nearly every article contains", "the", Goal::Fast),
    first_page("a word that almost half contain", "status", Goal::Fast),
    first_page("a word that 2 % contain", IN_A_FIFTIETH, Goal::NotSlower),
    Search { kind: "the same, page 2", page: 2, ..first_page("", IN_A_FIFTIETH, Goal::NotSlower) },
    Search {
        kind: "the same, page 40",
        page: 40,
        ..first_page("", IN_A_FIFTIETH, Goal::NotSlower)
    },
    first_page(
        "a word that 5 % contain, none of them in the newer half",
        IN_OLD_ONES,
        Goal::NotSlower,
    ),
    first_page("a word that 0.1 % contain", IN_A_THOUSANDTH, Goal::NotSlower),
    first_page("a word that 5 articles contain", IN_FIVE, Goal::Fast),
    first_page("a word that none contains", "nosuchword", Goal::NotSlower),
    first_page("two letters that nearly every article contains", "ab", Goal::NotSlower),
    first_page("two letters that none contains", "xq", Goal::NotSlower),
    first_page("three common words, rare together", "the status of", Goal::NotSlower),
];

const fn first_page(kind: &'static str, text: &'static str, goal: Goal) -> Search {
    Search { kind, text, page: 1, goal }
}

/// The factor of [`Goal::Fast`]: the scan's time by Hearback's.
fn least_ratio(store: Store) -> f64 {
    match store {
        Store::Sqlite => 20.0,
        Store::Postgres => 50.0,
    }
}

struct Bench<'a> {
    folder: &'a Path,
    file: PathBuf,
    articles: usize,
    organization: Uuid,
    rounds: u32,
}

/// The name of the database.
const DATABASE: &str = "hearback_bench_search";

impl Bench<'_> {
    fn compare(&self, report: &mut Report<'_>) -> Result<Verdict, Failure> {
        let (articles, neighbours_articles, rounds) =
            (self.articles, NEIGHBOURS * NEIGHBOURS_ARTICLES, self.rounds);
        report.line(format_args!(
            "{articles} articles of 2 KB, beside {neighbours_articles} of {NEIGHBOURS} other organizations; medians of {rounds} rounds"
        ));
        let floor = report.store.floor(self.folder)?;
        let hearback = Hearback::beside_this_binary(self.folder)?;
        let url = floor.create(DATABASE)?;
        hearback.migrate(&url)?;
        let import = hearback.import(&url, &self.file)?;
        println!("imported in {:.0} s", import.time.as_secs_f64());
        let key = hearback.generate_key(&url, SLUG)?;
        floor.keep_up(DATABASE)?;
        let mut scan = floor.scan(DATABASE, self.organization)?;
        floor.settle()?;
        let server = hearback.serve(&url)?;
        let figures = self.measure(&server, &key, &mut *scan)?;
        drop((server, scan));
        floor.remove(DATABASE)?;
        Ok(conclude(report, &figures))
    }

    fn measure(
        &self,
        server: &Server,
        key: &str,
        scan: &mut dyn Scan,
    ) -> Result<Vec<Figures>, Failure> {
        let mut sides = Vec::new();
        for search in &SEARCHES {
            let (cursor, behind) = place(server, key, scan, search)?;
            let body = Server::search_body(key, search.text, cursor.as_deref());
            sides.push((
                Figures { search, hits: scan.count(search.text)?, rounds: Vec::new() },
                body,
                behind,
            ));
        }
        for _ in 0..self.rounds {
            for (figures, body, behind) in &mut sides {
                let text = figures.search.text;
                let (answer, hearback) = turn(|| server.search(body))?;
                let (hits, scan) = turn(|| scan.hits(text, *behind))?;
                if !is_same(&serde_json::from_slice(&answer)?, &hits) {
                    return Err(Failure::DifferentHits { text, page: figures.search.page });
                }
                figures.rounds.push(Round { scan, hearback });
            }
        }
        Ok(sides.into_iter().map(|(figures, ..)| figures).collect())
    }
}

/// The beginning of a page, for each side. The pages before it are compared on the way.
fn place(
    server: &Server,
    key: &str,
    scan: &mut dyn Scan,
    search: &Search,
) -> Result<(Option<String>, Option<Hit>), Failure> {
    let (mut cursor, mut behind) = (None, None);
    for page in 1..=search.page {
        let answer = server.search(&Server::search_body(key, search.text, cursor.as_deref()))?;
        let found: Page = serde_json::from_slice(&answer)?;
        let hits = scan.hits(search.text, behind)?;
        if !is_same(&found, &hits) {
            return Err(Failure::DifferentHits { text: search.text, page });
        }
        if page < search.page {
            let (Some(next), Some(last)) = (found.cursor, hits.get(PAGE - 1)) else {
                return Err(Failure::TooFewHits { text: search.text, page: page + 1 });
            };
            (cursor, behind) = (Some(next), Some(*last));
        }
    }
    Ok((cursor, behind))
}

fn is_same(page: &Page, hits: &[Hit]) -> bool {
    let shown = page.items.iter().map(|item| item.id);
    shown.eq(hits.iter().take(PAGE).map(|hit| hit.id)) && page.has_next_page == (hits.len() > PAGE)
}

/// The result of some work, and its time: the mean of the repetitions in a turn, at least one. So
/// the short work of one side does not always meet caches that the long work of the other has
/// filled.
fn turn<T>(mut work: impl FnMut() -> Result<T, Failure>) -> Result<(T, Duration), Failure> {
    const TURN: Duration = Duration::from_millis(100);
    let start = Instant::now();
    let mut times = 0;
    loop {
        let made = work()?;
        times += 1;
        let elapsed = start.elapsed();
        if elapsed >= TURN {
            return Ok((made, elapsed / times));
        }
    }
}

/// The times of the same page on both sides.
struct Figures {
    search: &'static Search,
    /// The number of articles that contain the text.
    hits: u64,
    rounds: Vec<Round>,
}

struct Round {
    scan: Duration,
    hearback: Duration,
}

impl Round {
    fn ratio(&self) -> f64 {
        self.scan.as_secs_f64() / self.hearback.as_secs_f64()
    }
}

impl Figures {
    fn scan(&self) -> Spread {
        Spread::of(self.rounds.iter().map(|round| round.scan.as_secs_f64()))
    }

    fn hearback(&self) -> Spread {
        Spread::of(self.rounds.iter().map(|round| round.hearback.as_secs_f64()))
    }

    /// By round, since the two sides of a round were measured right after each other.
    fn ratio(&self) -> Spread {
        Spread::of(self.rounds.iter().map(Round::ratio))
    }
}

/// Reports the figures and the verdicts.
fn conclude(report: &mut Report<'_>, all: &[Figures]) -> Verdict {
    report.table(&[
        "What is searched for",
        "Articles",
        "Scan",
        "Hearback",
        "Faster than the scan",
        "Half of the rounds",
    ]);
    for figures in all {
        let Figures { search: Search { kind, text, .. }, hits, .. } = figures;
        let (scan, hearback, ratio) =
            (Millis(figures.scan().median), Millis(figures.hearback().median), figures.ratio());
        let (median, low, high) = (Times(ratio.median), Times(ratio.low), Times(ratio.high));
        report.line(format_args!("| {kind} (`{text}`) | {hits} | {scan} | {hearback} | {median} times | {low} to {high} |"));
    }
    report.end();
    let noise = |side: fn(&Figures) -> Spread| {
        100.0 * Spread::of(all.iter().map(|figures| side(figures).noise())).median
    };
    let (scan, hearback) = (noise(Figures::scan), noise(Figures::hearback));
    report
        .line(format_args!("Half of the rounds are within {scan:.1} % of the scan's median, and {hearback:.1} % of Hearback's."));
    report.end();
    let mut verdicts = Vec::new();
    for figures in all {
        let Search { kind, goal, .. } = figures.search;
        let Spread { median, high, .. } = figures.ratio();
        let (least, reached) = match goal {
            Goal::Fast => (least_ratio(report.store), median),
            // Between equal sides, the scan is faster in half of the rounds.
            Goal::NotSlower => (1.0, high),
        };
        let requirement = format_args!("{kind}: {} times faster, at least {least}", Times(median));
        verdicts.push(report.verdict(Verdict::of(reached >= least), requirement));
    }
    Verdict::on_all(verdicts)
}

/// A time in seconds, shown in milliseconds.
struct Millis(f64);

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0 * 1_000.0;
        write!(f, "{millis:.*} ms", decimals(millis))
    }
}

/// The factor by which it is faster.
struct Times(f64);

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.*}", decimals(self.0), self.0)
    }
}

/// The figure with two or three digits.
fn decimals(figure: f64) -> usize {
    if figure >= 20.0 {
        0
    } else if figure >= 2.0 {
        1
    } else {
        2
    }
}
