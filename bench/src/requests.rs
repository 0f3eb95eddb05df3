//! Requests to Hearback against the same requests to a bare server on the same database.

use crate::bare::{Bare, Style};
use crate::child::Hearback;
use crate::cpu_time;
use crate::draw::SLUG;
use crate::failure::Failure;
use crate::floor::Floor;
use crate::load::{self, Load, Observed, Pace};
use crate::operation::{self, Operation};
use crate::report::{Page, Report};
use crate::server::Server;
use crate::spread::Spread;
use crate::stores::{Store, Stores};
use crate::verdict::Verdict;
use crate::world::{Keep, Size, World, WorldFolder};
use clap::Args;
use serde_json::json;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The options of the measurement.
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    keep: Keep,
    /// The number of posts. Votes, users, comments and articles are in proportion
    #[arg(long, default_value_t = 300_000, value_parser = clap::value_parser!(u32).range(1_000..))]
    posts: u32,
    /// A part of the paths of the endpoints to measure. Empty: all endpoints
    #[arg(long, default_value = "")]
    only: String,
    /// The measured store
    #[arg(long, value_enum, default_value_t = Stores::Both)]
    store: Stores,
    /// The number of turns of each side
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// The length of a turn, in seconds
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    #[command(flatten)]
    page: Page,
}

/// The number of connections of a load.
pub(crate) const CONNECTIONS: usize = 32;
/// The time of the warm-up of a turn.
pub(crate) const WARM_UP: Duration = Duration::from_millis(500);
/// The number of turns at half load for each in the closed loop. Other work of the machine moves
/// the 99th percentile most, so its median needs more turns than that of rates.
const TURNS_AT_HALF_LOAD: u32 = 3;
/// The most of the 99th percentile at half load, as a multiple of the bare server's.
const MOST_LATENCY: f64 = 1.5;
/// The least rate of `/feedback-posts/retrieve` on PostgreSQL, as a multiple of that of the bare
/// server with a pool, which bounds that server.
const LEAST_OVER_POOL: f64 = 1.2;

/// The number of callers who vote on one post at once.
const CALLERS: usize = 64;
/// The least rate of their votes on one post, as a part of that on as many posts.
const LEAST_HOT: f64 = 0.5;
/// The number of posts of a bulk update.
const IN_BULK: usize = 100;
/// The least rate of posts in bulk updates, as a multiple of that in single ones.
const LEAST_IN_BULK: f64 = 20.0;

/// The number of searches beside point reads.
const SEARCHES: usize = 2;
/// The most of the 99th percentile beside searches, as a multiple of that without.
const MOST_BESIDE_SEARCHES: f64 = 2.0;
/// The time until abandoned searches are over. The server does not notice, and finishes them.
const SEARCHES_END: Duration = Duration::from_secs(4);
/// Longer than any turn.
const LONG: Duration = Duration::from_hours(1);
/// The warm-up beside searches. Searches that began on an idle server make way within this time.
const BESIDE_SEARCHES: Duration = Duration::from_secs(3);

/// The search that runs all the time.
struct Searched {
    what: &'static str,
    endpoint: &'static str,
    /// The member of a request with the text.
    member: &'static str,
}

const SEARCHED: [Searched; 2] = [
    Searched { what: "posts", endpoint: "/feedback-posts/list", member: "search" },
    Searched { what: "help articles", endpoint: "/help-articles/search", member: "query" },
];

/// Measures, prints the figures, and compares them with the requirements.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let folder = options.keep.folder()?;
    let world = folder.world(NAME, &Size::with_posts(options.posts))?;
    let mut verdicts = Vec::new();
    for mut report in options.page.reports("requests", options.store)? {
        verdicts.push(compare(options, &folder, &world, &mut report)?);
        report.write()?;
    }
    Ok(Verdict::on_all(verdicts))
}

/// The name of the world and of its database.
pub(crate) const NAME: &str = "hearback_bench_requests";

fn compare(
    options: &Options,
    folder: &WorldFolder,
    world: &World,
    report: &mut Report<'_>,
) -> Result<Verdict, Failure> {
    let store = report.store;
    let floor = store.floor(folder.path())?;
    report.line(format_args!("{world}\n"));
    report.line(format_args!("Durability: {}.\n", floor.sync_commits()?));
    let database = folder.database(NAME, world, &*floor)?;
    // It takes connections and never answers, so that few deliveries are sent: the fan-out is
    // measured.
    let receiver = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .map_err(Failure::machine("listening for deliveries"))?;
    let port = receiver.local_addr().map_err(Failure::machine("listening for deliveries"))?.port();
    let hearback = Hearback::beside_this_binary(folder.path())?;
    hearback.subscribe_alone(&database.url, SLUG, &format!("http://127.0.0.1:{port}/"))?;

    let sides = Side::all(store, &hearback, &database.url)?;
    let requests = folder.path().join("requests");
    let bench = Bench { options, requests, floor: &*floor, key: database.key.clone(), sides };
    let mut measured = Vec::new();
    for operation in
        Operation::ALL.into_iter().filter(|operation| operation.endpoint().contains(&options.only))
    {
        measured.push(bench.measure(operation, world)?);
    }
    let mut verdicts = vec![shown(report, &measured)];
    if measured.iter().any(|measured| measured.operation == Operation::Toggle) {
        verdicts.push(bench.hot_posts(world, report)?);
    }
    if "/feedback-posts/bulk-update".contains(&options.only) {
        verdicts.push(bench.bulk_updates(world, report)?);
    }
    // After the toggles, so that the searches are not charged with the upkeep after them.
    floor.keep_up(&database.name)?;
    floor.settle()?;
    if let Some(posts) =
        measured.iter().find(|measured| measured.operation == Operation::RetrievePost)
    {
        for search in &SEARCHED {
            verdicts.push(bench.beside_searches(search, posts, world, folder.path(), report)?);
        }
    }
    drop(measured);
    drop(bench);
    folder.give_up(&database, &*floor)?;
    Ok(Verdict::on_all(verdicts))
}

/// A server.
struct Side {
    name: &'static str,
    address: SocketAddr,
    process: u32,
    is_for_writes: bool,
    _running: Running,
}

/// The processes that end with the side.
enum Running {
    Bare { _process: Bare },
    Hearback { _process: Server },
}

impl Side {
    /// The bare sides and Hearback. Hearback is compared with the last bare one.
    fn all(
        store: Store,
        hearback: &Hearback<'_>,
        database_url: &str,
    ) -> Result<Vec<Self>, Failure> {
        let styles = match store {
            Store::Sqlite => vec![("bare", Style::Embedded)],
            Store::Postgres => {
                vec![("bare, pooled", Style::Pooled), ("bare, pipelined", Style::Pipelined)]
            }
        };
        let mut sides = Vec::new();
        for (name, style) in styles {
            let bare = Bare::start(style, database_url)?;
            let (address, process) = (bare.address, bare.process.id());
            let is_for_writes = style != Style::Pipelined;
            sides.push(Self {
                name,
                address,
                process,
                is_for_writes,
                _running: Running::Bare { _process: bare },
            });
        }
        let server = hearback.serve(database_url)?;
        let (address, process) = (server.address()?, server.id());
        let _running = Running::Hearback { _process: server };
        sides.push(Self { name: "Hearback", address, process, is_for_writes: true, _running });
        Ok(sides)
    }
}

struct Bench<'a> {
    options: &'a Options,
    /// The file of the requests.
    requests: PathBuf,
    floor: &'a dyn Floor,
    /// The key of the organization.
    key: String,
    sides: Vec<Side>,
}

/// The result of one side in one turn.
struct Turn {
    observed: Observed,
    /// Processor time of the server, a request, in microseconds.
    server: f64,
    /// The processor time of the store, if it has processes of its own.
    store: Option<f64>,
}

/// The results of one side in all turns.
struct Turns<'a> {
    side: &'a Side,
    closed: Vec<Turn>,
    half_load: Vec<Turn>,
}

struct Measured<'a> {
    operation: Operation,
    /// Hearback is the last one.
    sides: Vec<Turns<'a>>,
}

impl<'a> Bench<'a> {
    fn measure(&'a self, operation: Operation, world: &World) -> Result<Measured<'a>, Failure> {
        let bodies = operation.bodies(world, &self.key);
        load::write(&self.requests, operation.endpoint(), &bodies)?;
        let of_this = self.sides.iter().filter(|side| side.is_for_writes || !operation.writes());
        let mut sides: Vec<Turns<'_>> =
            of_this.map(|side| Turns { side, closed: Vec::new(), half_load: Vec::new() }).collect();
        if !operation.writes() {
            check(operation, &bodies, &sides)?;
        }
        let mut next = 0;
        for round in 1..=self.options.rounds {
            for turns in &mut sides {
                turns.closed.push(self.turn(turns.side, Pace::Closed, &mut next)?);
            }
            let rates = sides
                .iter()
                .map(|turns| format!("{} {:.0}/s", turns.side.name, last_rate(&turns.closed)));
            println!(
                "{} round {round}: {}",
                operation.label(),
                rates.collect::<Vec<_>>().join(", ")
            );
        }
        // All sides have the same load: half of Hearback's rate.
        let half = sides.last().map_or(0.0, |turns| turns.rate().median) / 2.0;
        for _ in 0..self.turns_at_half_load() {
            for turns in &mut sides {
                turns.half_load.push(self.turn(turns.side, Pace::Open(half), &mut next)?);
            }
        }
        Ok(Measured { operation, sides })
    }

    /// Hearback's rate of toggles on one post against that on many posts, with as many callers.
    fn hot_posts(&self, world: &World, report: &mut Report<'_>) -> Result<Verdict, Failure> {
        let ratio = self.alternate(
            CALLERS,
            ["/votes/toggle"; 2],
            [
                operation::toggles(world, &self.key, 1),
                operation::toggles(world, &self.key, CALLERS),
            ],
        )?;
        let said = format!(
            "{CALLERS} callers who toggle votes on one post: {:.2} of their rate on {CALLERS} posts (half of the rounds: \
             {:.2} to {:.2}), at least {LEAST_HOT:.2}",
            ratio.median, ratio.low, ratio.high
        );
        Ok(report.verdict(Verdict::of(ratio.median >= LEAST_HOT), said))
    }

    /// One bulk update against an update of each of its posts, one after the other.
    fn bulk_updates(&self, world: &World, report: &mut Report<'_>) -> Result<Verdict, Failure> {
        let ratio = self.alternate(
            1,
            ["/feedback-posts/bulk-update", "/feedback-posts/update"],
            [
                operation::updates(world, &self.key, IN_BULK),
                operation::updates(world, &self.key, 1),
            ],
        )?;
        let faster = |ratio: f64| ratio * IN_BULK as f64;
        let said = format!(
            "an update of {IN_BULK} posts at once is {:.0} times as fast as {IN_BULK} updates (half of the rounds: {:.0} to \
             {:.0}), at least {LEAST_IN_BULK:.0}",
            faster(ratio.median),
            faster(ratio.low),
            faster(ratio.high)
        );
        Ok(report.verdict(Verdict::of(faster(ratio.median) >= LEAST_IN_BULK), said))
    }

    /// Hearback's rate of some requests as a part of its rate of others, by round.
    fn alternate(
        &self,
        connections: usize,
        endpoints: [&str; 2],
        bodies: [Vec<String>; 2],
    ) -> Result<Spread, Failure> {
        let Some(hearback) = self.sides.last() else { return Ok(Spread::of(std::iter::empty())) };
        let mut next = [0; 2];
        let mut ratios = Vec::new();
        for _ in 0..self.options.rounds {
            let mut rates = [0.0; 2];
            for n in 0..2 {
                load::write(&self.requests, endpoints[n], &bodies[n])?;
                let time = Duration::from_secs(self.options.seconds);
                let load = Load { requests: &self.requests, connections, warm_up: WARM_UP, time };
                let (observed, _) =
                    load.send(hearback.address, Pace::Closed, next[n], || Ok(()))?;
                (rates[n], next[n]) = (observed.rate, observed.next);
            }
            ratios.push(rates[0] / rates[1]);
        }
        Ok(Spread::of(ratios.into_iter()))
    }

    /// Point reads of Hearback at half load, beside the worst searches and alone.
    fn beside_searches(
        &self,
        searched: &Searched,
        posts: &Measured<'_>,
        world: &World,
        folder: &Path,
        report: &mut Report<'_>,
    ) -> Result<Verdict, Failure> {
        let Some(hearback) = posts.sides.last() else { return Ok(Verdict::Met) };
        load::write(
            &self.requests,
            posts.operation.endpoint(),
            &posts.operation.bodies(world, &self.key),
        )?;
        let searches = folder.join("searches");
        // No index finds two letters, and no text has these, so each search reads everything.
        let search = json!({ "api_key": self.key, (searched.member): "qx" }).to_string();
        load::write(&searches, searched.endpoint, &[search])?;
        let half = Pace::Open(hearback.rate().median / 2.0);
        let p99 = |turn: Turn| turn.observed.p99.as_secs_f64() * 1_000.0;
        let (mut next, mut without, mut with) = (0, Vec::new(), Vec::new());
        for _ in 0..self.turns_at_half_load() {
            without.push(p99(self.turn_after(BESIDE_SEARCHES, hearback.side, half, &mut next)?));
            let searching = Load {
                requests: &searches,
                connections: SEARCHES,
                warm_up: Duration::ZERO,
                time: LONG,
            };
            let searching = searching.start(hearback.side.address, Pace::Closed, 0)?;
            with.push(p99(self.turn_after(BESIDE_SEARCHES, hearback.side, half, &mut next)?));
            drop(searching);
            std::thread::sleep(SEARCHES_END);
        }
        let (without, with) =
            (Spread::of(without.into_iter()).median, Spread::of(with.into_iter()).median);
        let said = format!(
            "`{}` p99 {with:.2} ms at half load with {SEARCHES} searches of all {} all the time, {without:.2} ms without, at most \
             {MOST_BESIDE_SEARCHES} times as much",
            posts.operation.endpoint(),
            searched.what
        );
        Ok(report.verdict(Verdict::of(with <= MOST_BESIDE_SEARCHES * without), said))
    }

    fn turns_at_half_load(&self) -> u32 {
        self.options.rounds * TURNS_AT_HALF_LOAD
    }

    fn turn(&self, side: &Side, pace: Pace, next: &mut usize) -> Result<Turn, Failure> {
        self.turn_after(WARM_UP, side, pace, next)
    }

    fn turn_after(
        &self,
        warm_up: Duration,
        side: &Side,
        pace: Pace,
        next: &mut usize,
    ) -> Result<Turn, Failure> {
        let time = Duration::from_secs(self.options.seconds);
        let load = Load { requests: &self.requests, connections: CONNECTIONS, warm_up, time };
        let processors = || Ok((cpu_time::of(side.process)?, self.floor.cpu_time()?));
        let (observed, [before, after]) = load.send(side.address, pace, *next, processors)?;
        *next = observed.next;
        let each =
            |time: Duration| time.as_secs_f64() * 1_000_000.0 / f64::from(observed.answers.max(1));
        let server = each(after.0.saturating_sub(before.0));
        let store = after.1.zip(before.1).map(|(after, before)| each(after.saturating_sub(before)));
        Ok(Turn { observed, server, store })
    }
}

/// Checks that all sides give the same answers to some of the requests, except for the cursor of a
/// page.
fn check(operation: Operation, bodies: &[String], sides: &[Turns<'_>]) -> Result<(), Failure> {
    const SOME: usize = 100;
    for body in bodies.iter().take(SOME) {
        let answers =
            sides.iter().map(|turns| load::ask(turns.side.address, operation.endpoint(), body));
        let answers = answers.collect::<Result<Vec<_>, _>>()?;
        let shown: Vec<&str> = answers.iter().map(|answer| without_cursor(answer)).collect();
        if shown.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(Failure::DifferentAnswers {
                endpoint: operation.endpoint(),
                body: body.clone(),
            });
        }
    }
    Ok(())
}

/// The member before the cursor of a page, which comes last.
fn without_cursor(answer: &str) -> &str {
    answer.split_once(r#","cursor":"#).map_or(answer, |(before, _)| before)
}

fn last_rate(turns: &[Turn]) -> f64 {
    turns.last().map_or(0.0, |turn| turn.observed.rate)
}

impl Turns<'_> {
    fn rate(&self) -> Spread {
        Spread::of(self.closed.iter().map(|turn| turn.observed.rate))
    }

    /// In milliseconds, at half load.
    fn latency(&self, part: impl Fn(&Observed) -> Duration) -> f64 {
        Spread::of(self.half_load.iter().map(|turn| part(&turn.observed).as_secs_f64() * 1_000.0))
            .median
    }

    fn server(&self) -> f64 {
        Spread::of(self.closed.iter().map(|turn| turn.server)).median
    }

    fn store(&self) -> Option<f64> {
        let all: Option<Vec<f64>> = self.closed.iter().map(|turn| turn.store).collect();
        all.map(|all| Spread::of(all.into_iter()).median)
    }

    /// The rate of another side as a part of this one's, by round.
    fn ratio(&self, other: &Turns<'_>) -> Spread {
        let pairs = self.closed.iter().zip(&other.closed);
        Spread::of(pairs.map(|(this, other)| other.observed.rate / this.observed.rate))
    }

    /// The 99th percentile of another side at half load as a multiple of this one's, by round.
    fn slowness(&self, other: &Turns<'_>) -> Spread {
        let pairs = self.half_load.iter().zip(&other.half_load);
        Spread::of(pairs.map(|(this, other)| {
            other.observed.p99.as_secs_f64() / this.observed.p99.as_secs_f64()
        }))
    }
}

fn shown(report: &mut Report<'_>, measured: &[Measured<'_>]) -> Verdict {
    report.line(format_args!(
        "Closed loop: {CONNECTIONS} connections. Half load: the same number of requests a second to each side, half of what \
         Hearback answers in the closed loop, in {TURNS_AT_HALF_LOAD} times as many turns. Figures are medians of turns, ratios \
         medians of rounds.\n"
    ));
    report.table(&[
        "",
        "Requests a second",
        "p50 at half load",
        "p99 at half load",
        "CPU of the server",
        "CPU of the store",
    ]);
    for Measured { operation, sides } in measured {
        for turns in sides {
            let micros = |time: f64| format!("{time:.1} µs");
            report.row(&[
                format!("`{}`, {}", operation.label(), turns.side.name),
                format!("{:.0}", turns.rate().median),
                format!("{:.2} ms", turns.latency(|observed| observed.p50)),
                format!("{:.2} ms", turns.latency(|observed| observed.p99)),
                micros(turns.server()),
                turns.store().map_or_else(|| "–".to_owned(), micros),
            ]);
        }
    }
    report.end();
    let mut verdicts = Vec::new();
    for Measured { operation, sides } in measured {
        let Some((hearback, bare)) = sides.split_last() else { continue };
        for turns in bare {
            let over_pool =
                turns.side.name != "bare" && turns.side.is_for_writes && !operation.writes();
            let least = match over_pool {
                false => Some(operation.least_ratio(report.store)),
                true if *operation == Operation::RetrievePost => Some(LEAST_OVER_POOL),
                true => None,
            };
            let ratio = turns.ratio(hearback);
            let said = format!(
                "`{}` {:.2} of the rate of {} (half of the rounds: {:.2} to {:.2})",
                operation.label(),
                ratio.median,
                turns.side.name,
                ratio.low,
                ratio.high
            );
            match least {
                Some(least) => verdicts.push(report.verdict(
                    Verdict::of(ratio.median >= least),
                    format_args!("{said}, at least {least:.2}"),
                )),
                None => report.line(format_args!("- {said}")),
            }
        }
        let Some(limit) = bare.last() else { continue };
        let Spread { low, median, high } = limit.slowness(hearback);
        let said = format!(
            "`{}` p99 {median:.2} times that of {} (half of the rounds: {low:.2} to {high:.2}), at most {MOST_LATENCY}",
            operation.label(),
            limit.side.name
        );
        verdicts.push(report.verdict(Verdict::of(median <= MOST_LATENCY), said));
    }
    Verdict::on_all(verdicts)
}
