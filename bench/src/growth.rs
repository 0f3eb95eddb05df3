//! The growth of the cost of requests with the number of records and of organizations, with the
//! depth of a page, and with the number of searched articles; and the memory and the start of the
//! server itself.

mod asked;
mod depth;
mod meter;
mod process;

use crate::child::Hearback;
use crate::failure::Failure;
use crate::floor::Floor;
use crate::plot::{self, Line, Plot};
use crate::report::{Page, Report};
use crate::stores::Stores;
use crate::verdict::Verdict;
use crate::world::{Database, Keep, Size, World, WorldFolder};
use asked::Asked;
use clap::{Args, ValueEnum};
use meter::{Cost, Meter};

/// The options of the measurement.
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    keep: Keep,
    /// The parts to measure
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Part::Votes, Part::Organizations, Part::Depth, Part::Search, Part::Process])]
    parts: Vec<Part>,
    /// The number of votes of an organization. Posts, users, comments, entries and articles are in
    /// proportion
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 100_000, 1_000_000, 5_000_000], value_parser = clap::value_parser!(u32).range(1_000..))]
    votes: Vec<u32>,
    /// The number of organizations: one with the least of the votes, the others small
    #[arg(long, value_delimiter = ',', default_values_t = [1, 100, 10_000], value_parser = clap::value_parser!(u32).range(1..))]
    organizations: Vec<u32>,
    /// The number of records before a deep page
    #[arg(long, value_delimiter = ',', default_values_t = [1, 1_000, 100_000], value_parser = clap::value_parser!(u32).range(1..))]
    depths: Vec<u32>,
    /// The number of searched articles
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 10_000, 100_000], value_parser = clap::value_parser!(u32).range(100..))]
    articles: Vec<u32>,
    /// The number of requests before the second measurement of memory
    #[arg(long, default_value_t = 1_000_000)]
    requests: u64,
    /// The measured store
    #[arg(long, value_enum, default_value_t = Stores::Both)]
    store: Stores,
    /// The number of turns of each request
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// The length of a turn, in seconds
    #[arg(long, default_value_t = 0.7)]
    seconds: f64,
    #[command(flatten)]
    page: Page,
}

/// A part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    Votes,
    Organizations,
    Depth,
    Search,
    Process,
}

/// Measures, prints and draws the figures, and compares them with the requirements.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let folder = options.keep.folder()?;
    let mut verdicts = Vec::new();
    for mut report in options.page.reports("growth", options.store)? {
        let floor = report.store.floor(folder.path())?;
        report.line(format_args!("Commits with {}.", floor.sync_commits()?));
        let hearback = Hearback::beside_this_binary(folder.path())?;
        let bench = Bench {
            options,
            folder: &folder,
            floor: &*floor,
            hearback,
            meter: Meter::new(options, &folder, &*floor),
        };
        for part in &options.parts {
            verdicts.push(match part {
                Part::Votes => bench.votes(&mut report)?,
                Part::Organizations => bench.organizations(&mut report)?,
                Part::Depth => bench.depth(&mut report)?,
                Part::Search => bench.search(&mut report)?,
                Part::Process => bench.process(&mut report)?,
            });
        }
        report.write()?;
    }
    Ok(Verdict::on_all(verdicts))
}

struct Bench<'a> {
    options: &'a Options,
    folder: &'a WorldFolder,
    floor: &'a dyn Floor,
    hearback: Hearback<'a>,
    meter: Meter<'a>,
}

/// The costs of one kind of request at several sizes.
struct Series {
    name: &'static str,
    /// The reason why it may grow faster than the logarithm, if there is one.
    forced: Option<&'static str>,
    points: Vec<Point>,
}

struct Point {
    /// The size that grows.
    x: u32,
    /// The number of all records.
    records: usize,
    cost: Cost,
}

impl Bench<'_> {
    fn votes(&self, report: &mut Report<'_>) -> Result<Verdict, Failure> {
        let sizes = self.options.votes.iter().map(|&votes| (votes, of_votes(votes)));
        let series = self.grow(sizes, "votes", Asked::all)?;
        conclude(
            report,
            "votes",
            "votes of the organization, with posts, users and all else in proportion",
            &series,
        )
    }

    fn organizations(&self, report: &mut Report<'_>) -> Result<Verdict, Failure> {
        let size = of_votes(least(&self.options.votes));
        let of =
            |organizations: u32| Size { neighbours: organizations as usize - 1, ..size.clone() };
        let sizes = self
            .options
            .organizations
            .iter()
            .map(|&organizations| (organizations, of(organizations)));
        let series = self.grow(sizes, "organizations", Asked::all)?;
        conclude(
            report,
            "organizations",
            "organizations, all but the one that is asked small ones",
            &series,
        )
    }

    fn search(&self, report: &mut Report<'_>) -> Result<Verdict, Failure> {
        let size = |articles: u32| Size { articles: articles as usize, ..Size::LEAST };
        let sizes = self.options.articles.iter().map(|&articles| (articles, size(articles)));
        let series = self.grow(sizes, "articles", Asked::searches)?;
        conclude(report, "articles", "help articles of the organization", &series)
    }

    /// The costs of some requests at each size.
    fn grow(
        &self,
        sizes: impl Iterator<Item = (u32, Size)>,
        what: &str,
        asked: impl Fn(&World, &str) -> Vec<Asked>,
    ) -> Result<Vec<Series>, Failure> {
        let mut all: Vec<Series> = Vec::new();
        for (x, size) in sizes {
            let (world, database) = self.database(&format!("hearback_bench_{what}_{x}"), &size)?;
            let server = self.hearback.serve(&database.url)?;
            let asked = asked(&world, &database.key);
            for (n, (asked, cost)) in
                asked.iter().zip(self.meter.costs(&server, &asked)?).enumerate()
            {
                println!("{x} {what}: {}: {cost}", asked.name);
                if all.len() == n {
                    all.push(Series { name: asked.name, forced: asked.forced, points: Vec::new() });
                }
                all[n].points.push(Point { x, records: size.records(), cost });
            }
            drop(server);
            self.folder.give_up(&database, self.floor)?;
        }
        Ok(all)
    }

    fn database(&self, name: &str, size: &Size) -> Result<(World, Database), Failure> {
        let world = self.folder.world(name, size)?;
        let database = self.folder.database(name, &world, self.floor)?;
        Ok((world, database))
    }
}

/// An organization with this number of votes.
fn of_votes(votes: u32) -> Size {
    let votes = votes as usize;
    Size {
        votes,
        posts: votes / 10,
        users: (votes / 20).max(Size::LEAST.users),
        comments: votes / 10,
        entries: votes / 200,
        articles: votes / 200,
        ..Size::LEAST
    }
}

fn least(figures: &[u32]) -> u32 {
    figures.iter().copied().min().unwrap_or_default()
}

/// The tolerance above the logarithm of the number of records: the difference between two
/// measurements of the same.
const NOISE: f64 = 1.25;

/// Reports and draws the costs of requests, and judges their growth.
fn conclude(
    report: &mut Report<'_>,
    part: &'static str,
    x: &str,
    series: &[Series],
) -> Result<Verdict, Failure> {
    let store = report.store;
    report.line(format_args!("\n### {store}, by {part}\n"));
    report.line(
        "Processor time of a request, of server and store together, over several connections (one, if it takes 20 ms), and median \
         latency over one.",
    );
    let columns = series.first().map(|series| {
        series.points.iter().map(|point| plot::shown(point.x.into())).collect::<Vec<_>>()
    });
    let head: Vec<String> =
        [format!("{store}: {x}")].into_iter().chain(columns.unwrap_or_default()).collect();
    report.table(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for Series { name, points, .. } in series {
        let cells: Vec<String> = [(*name).to_owned()]
            .into_iter()
            .chain(points.iter().map(|point| point.cost.to_string()))
            .collect();
        report.row(&cells);
    }
    report.end();
    let line = |series: &Series| Line {
        name: series.name.to_owned(),
        points: series
            .points
            .iter()
            .map(|point| (f64::from(point.x), point.cost.processors))
            .collect(),
    };
    let title = format!("What a request costs on {store}, by {part}");
    let y = "processor time of server and store, µs";
    report.plot(
        &format!("growth-{part}-{}", store.code()),
        &Plot { title, x, y, lines: series.iter().map(line).collect() },
    )?;
    Ok(Verdict::on_all(
        series.iter().filter_map(|series| judge(report, series)).collect::<Vec<_>>(),
    ))
}

/// The verdict on the growth of the cost of a request. `None` if it may grow as it does.
fn judge(report: &mut Report<'_>, series: &Series) -> Option<Verdict> {
    let (first, last) = (series.points.first()?, series.points.last()?);
    let grown = last.cost.processors / first.cost.processors;
    let logarithm = (last.records as f64).ln() / (first.records as f64).ln();
    let said =
        format!("{}: {grown:.2} times the cost, the logarithm {logarithm:.2} times", series.name);
    match series.forced {
        Some(reason) => {
            report.line(format_args!("- {said}; it has to: {reason}"));
            None
        }
        None => Some(report.verdict(Verdict::of(grown <= logarithm * NOISE), said)),
    }
}
