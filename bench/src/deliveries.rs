//! Deliveries to subscriptions of a running server against a bare loop of the same requests.

use crate::child::Hearback;
use crate::failure::Failure;
use crate::floor::Floor;
use crate::outbox::Outbox;
use crate::posting;
use crate::receiver::{Received, Receiver};
use crate::report::{Page, Report};
use crate::spread::Spread;
use crate::stores::Stores;
use crate::verdict::Verdict;
use clap::Args;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The options of the measurement.
#[derive(Args)]
pub(crate) struct Options {
    /// The number of events, each for all subscriptions
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u32).range(100..=100_000))]
    events: u32,
    /// The measured store
    #[arg(long, value_enum, default_value_t = Stores::Both)]
    store: Stores,
    /// The number of turns of each side
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(3..))]
    rounds: u32,
    #[command(flatten)]
    page: Page,
}

/// The deliveries in flight: Hearback sends at most eight at once to each subscription.
const IN_FLIGHT: usize = 64;
const SUBSCRIPTIONS: usize = IN_FLIGHT / 8;

/// The bare loop posts each request this many times. So both sides take about as long, and a
/// machine that slows down in a long run slows both.
const BARE_TIMES: u32 = 2;

/// The required rate, as a part of the bare loop's.
const LEAST_RATIO: f64 = 0.5;

/// Measures, prints the figures, and compares them with the requirements.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let reports = options.page.reports("deliveries", options.store)?;
    let folder = tempfile::tempdir().map_err(Failure::machine("making a temporary folder"))?;
    let outbox = Outbox::generate(SUBSCRIPTIONS, options.events as usize);
    let deliveries = options.events * SUBSCRIPTIONS as u32;
    let bench = Bench {
        folder: folder.path(),
        requests: folder.path().join("requests"),
        outbox,
        deliveries,
        rounds: options.rounds,
    };
    let mut verdicts = Vec::new();
    for mut report in reports {
        verdicts.push(bench.compare(&mut report)?);
        report.write()?;
    }
    Ok(Verdict::on_all(verdicts))
}

struct Bench<'a> {
    folder: &'a Path,
    /// The requests that the bare loop posts.
    requests: PathBuf,
    outbox: Outbox,
    deliveries: u32,
    rounds: u32,
}

/// The cost of one side.
struct Turn {
    requests: u32,
    /// From the first arrival to the last.
    time: Duration,
    /// The processor time of the sender.
    sender: Duration,
    receiver: Duration,
    /// The processor time of the store, if it has processes of its own.
    store: Option<Duration>,
}

/// One turn of each side.
struct Round {
    bare: Turn,
    hearback: Turn,
}

/// The name of the one database that exists at a time.
const DATABASE: &str = "hearback_bench_deliveries";

/// The time that the last deliveries have to be committed, before processor times are read.
const COMMITTED: Duration = Duration::from_millis(200);

impl Bench<'_> {
    fn compare(&self, report: &mut Report<'_>) -> Result<Verdict, Failure> {
        let floor = report.store.floor(self.folder)?;
        let (deliveries, commits) = (self.deliveries, floor.sync_commits()?);
        report.line(format_args!(
            "{deliveries} deliveries to {SUBSCRIPTIONS} subscriptions, {IN_FLIGHT} in flight; commits with {commits}"
        ));
        // An unmeasured round makes the requests for the other side.
        self.hearback(&*floor, Some(&self.requests))?;
        let mut rounds = Vec::new();
        for n in 1..=self.rounds {
            let round = Round { bare: self.bare()?, hearback: self.hearback(&*floor, None)? };
            let (bare, hearback, ratio) = (round.bare.rate(), round.hearback.rate(), round.ratio());
            println!("round {n}: bare {bare:6.0}/s, hearback {hearback:6.0}/s, ratio {ratio:.2}");
            rounds.push(round);
        }
        Ok(conclude(report, &rounds))
    }

    fn bare(&self) -> Result<Turn, Failure> {
        let requests = self.deliveries * BARE_TIMES;
        let receiver = Receiver::start(requests, None)?;
        let sender = posting::post(&receiver.address, &self.requests, BARE_TIMES, IN_FLIGHT)?;
        let Received { time, cpu_time } = receiver.wait()?;
        Ok(Turn { requests, time, sender, receiver: cpu_time, store: None })
    }

    /// Runs on a new database, in which everything is due when the server starts.
    fn hearback(&self, floor: &dyn Floor, keep: Option<&Path>) -> Result<Turn, Failure> {
        let hearback = Hearback::beside_this_binary(self.folder)?;
        let receiver = Receiver::start(self.deliveries, keep)?;
        let file = self.folder.join("subscriptions.jsonl");
        self.outbox.write(&file, &receiver.address)?;
        let url = floor.create(DATABASE)?;
        hearback.migrate(&url)?;
        hearback.import(&url, &file)?;
        floor.insert(DATABASE, self.outbox.tables())?;
        floor.keep_up(DATABASE)?;
        floor.settle()?;
        let before = floor.cpu_time()?;
        let server = hearback.serve(&url)?;
        let Received { time, cpu_time } = receiver.wait()?;
        // The time is read first, since the count costs the store something, too.
        std::thread::sleep(COMMITTED);
        let sender = server.cpu_time()?;
        let store =
            floor.cpu_time()?.zip(before).map(|(after, before)| after.saturating_sub(before));
        self.wait_until_kept(floor)?;
        drop(server);
        floor.remove(DATABASE)?;
        Ok(Turn { requests: self.deliveries, time, sender, receiver: cpu_time, store })
    }

    /// Waits until all arrived deliveries are settled.
    fn wait_until_kept(&self, floor: &dyn Floor) -> Result<(), Failure> {
        const LIMIT: Duration = Duration::from_secs(10);
        let deadline = Instant::now() + LIMIT;
        loop {
            let delivered = floor.delivered(DATABASE)?;
            if delivered == u64::from(self.deliveries) {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(Failure::NotDelivered { delivered, expected: self.deliveries });
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Turn {
    /// In requests a second.
    fn rate(&self) -> f64 {
        f64::from(self.requests - 1) / self.time.as_secs_f64()
    }
}

impl Round {
    fn ratio(&self) -> f64 {
        self.hearback.rate() / self.bare.rate()
    }
}

/// Reports the figures and the verdicts.
fn conclude(report: &mut Report<'_>, rounds: &[Round]) -> Verdict {
    let store = report.store.to_string();
    report.table(&[
        &store,
        "Deliveries a second",
        "Half of the rounds",
        "CPU of the sender",
        "of the store",
        "of the receiver",
    ]);
    report_side(report, "bare loop", rounds.iter().map(|round| &round.bare).collect());
    report_side(report, "Hearback", rounds.iter().map(|round| &round.hearback).collect());
    report.end();
    let ratio = Spread::of(rounds.iter().map(Round::ratio));
    let (noise, Spread { low, median, high }) = (100.0 * ratio.noise(), ratio);
    report.line(format_args!("Half of the rounds have a ratio of {low:.2} to {high:.2}, within {noise:.1} % of the median."));
    report.end();
    let requirement = format_args!("{median:.2} of the bare loop's rate, at least {LEAST_RATIO}");
    report.verdict(Verdict::of(median >= LEAST_RATIO), requirement)
}

fn report_side(report: &mut Report<'_>, name: &str, turns: Vec<&Turn>) {
    let Spread { low, median, high } = Spread::of(turns.iter().map(|turn| turn.rate()));
    let cpu = |part: fn(&Turn) -> Option<Duration>| {
        // A store has processes of its own in all turns or in none.
        let had: Vec<f64> = turns
            .iter()
            .filter_map(|turn| Some(part(turn)?.as_secs_f64() / f64::from(turn.requests)))
            .collect();
        Micros((!had.is_empty()).then(|| Spread::of(had.into_iter()).median * 1_000_000.0))
    };
    let (sender, store, receiver) =
        (cpu(|turn| Some(turn.sender)), cpu(|turn| turn.store), cpu(|turn| Some(turn.receiver)));
    report.line(format_args!(
        "| {name} | {median:.0} | {low:.0} to {high:.0} | {sender} | {store} | {receiver} |"
    ));
}

/// Microseconds, if there are any.
struct Micros(Option<f64>);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(micros) => write!(f, "{micros:.1} µs"),
            None => f.write_str("–"),
        }
    }
}
