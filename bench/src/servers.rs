//! One, two and three servers on one PostgreSQL, behind a balancer that hands them connections in
//! turn.

use crate::child::Hearback;
use crate::draw::SLUG;
use crate::failure::Failure;
use crate::floor::Floor;
use crate::load::{self, Load, Observed, Pace};
use crate::operation::Operation;
use crate::report::{Page, Report};
use crate::requests::NAME;
use crate::server::Server;
use crate::spread::Spread;
use crate::stores::Stores;
use crate::verdict::Verdict;
use crate::world::{Keep, Size, World};
use clap::Args;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
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
    /// The number of turns of each number of servers
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// The length of a turn, in seconds
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    #[command(flatten)]
    page: Page,
}

/// The most servers.
const MOST_SERVERS: usize = 3;
/// A read by one look-up, a page, and a write.
const OPERATIONS: [Operation; 3] =
    [Operation::RetrievePost, Operation::ListPosts, Operation::Toggle];
/// The connections to all servers together: the same load for any number of servers.
const CONNECTIONS: usize = 96;
/// The connections to PostgreSQL for the writes of all servers together: the default of one. More
/// of them would slow each other down.
const WRITE_CONNECTIONS: usize = 16;
/// The warm-up of a turn: its servers have just started.
const WARM_UP: Duration = Duration::from_secs(1);
/// The required rate of several servers, as a part of that of one. They share the processors of one
/// machine, so they cannot have more, and two runs of one server may differ by the rest.
const LEAST_OF_ONE: f64 = 0.95;

/// Measures, prints the figures, and compares them with the requirements.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let folder = options.keep.folder()?;
    let world = folder.world(NAME, &Size::with_posts(options.posts))?;
    let mut verdicts = Vec::new();
    for mut report in options.page.reports("servers", Stores::Postgres)? {
        let floor = report.store.floor(folder.path())?;
        report.line(format_args!("{world}\n"));
        let database = folder.database(NAME, &world, &*floor)?;
        // It takes connections and never answers, so that few deliveries are sent.
        let receiver = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .map_err(Failure::machine("listening for deliveries"))?;
        let receiver_address =
            receiver.local_addr().map_err(Failure::machine("listening for deliveries"))?;
        let hearback = Hearback::beside_this_binary(folder.path())?;
        hearback.subscribe_alone(&database.url, SLUG, &format!("http://{receiver_address}/"))?;

        let requests = folder.path().join("requests");
        let bench =
            Bench { options, requests, floor: &*floor, hearback, database_url: &database.url };
        let operations =
            OPERATIONS.iter().filter(|operation| operation.endpoint().contains(&options.only));
        let measured = operations.map(|operation| bench.measure(*operation, &world, &database.key));
        verdicts.push(shown(&mut report, &measured.collect::<Result<Vec<_>, _>>()?));
        folder.give_up(&database, &*floor)?;
        report.write()?;
    }
    Ok(Verdict::on_all(verdicts))
}

/// Some servers and the balancer in front of them. All of them end when this is dropped.
struct Front {
    servers: Vec<Server>,
    address: SocketAddr,
    /// `scripts/balancer`, which ends with its standard input.
    balancer: Child,
}

impl Front {
    fn start(servers: Vec<Server>) -> Result<Self, Failure> {
        let failed = || Failure::machine("running scripts/balancer");
        let addresses =
            servers.iter().map(|server| server.address().map(|address| address.to_string()));
        let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/balancer"));
        command
            .args(addresses.collect::<Result<Vec<_>, _>>()?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut balancer = command.spawn().map_err(failed())?;
        let mut port = String::new();
        if let Some(printed) = balancer.stdout.take() {
            BufReader::new(printed).read_line(&mut port).map_err(failed())?;
        }
        let mut front =
            Self { servers, address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), balancer };
        front.address.set_port(port.trim_end().parse().map_err(|_| Failure::NoBalancer)?);
        Ok(front)
    }

    fn cpu_time(&self) -> Result<Duration, Failure> {
        self.servers.iter().map(Server::cpu_time).sum()
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        drop(self.balancer.stdin.take());
        // It may have ended already.
        let _ = self.balancer.wait();
    }
}

struct Bench<'a> {
    options: &'a Options,
    /// The file of the requests.
    requests: PathBuf,
    floor: &'a dyn Floor,
    hearback: Hearback<'a>,
    database_url: &'a str,
}

/// The result of this number of servers in one turn.
struct Turn {
    observed: Observed,
    /// Processor time of all of them, a request, in microseconds.
    servers: f64,
    /// The processor time of the store.
    store: f64,
}

struct Measured {
    operation: Operation,
    /// By the number of servers, from one on.
    turns: Vec<Vec<Turn>>,
}

impl Bench<'_> {
    fn measure(&self, operation: Operation, world: &World, key: &str) -> Result<Measured, Failure> {
        let bodies = operation.bodies(world, key);
        load::write(&self.requests, operation.endpoint(), &bodies)?;
        if !operation.writes() {
            self.check(operation, &bodies)?;
        }
        let mut turns: Vec<Vec<Turn>> = (0..MOST_SERVERS).map(|_| Vec::new()).collect();
        let mut next = 0;
        for round in 1..=self.options.rounds {
            // Toggles make the tables larger, so each number of servers is as often the first as
            // the last.
            let mut order: Vec<(usize, &mut Vec<Turn>)> = (1..).zip(&mut turns).collect();
            if round % 2 == 0 {
                order.reverse();
            }
            for (count, turns) in order {
                // No other servers run: their background work would be counted.
                let turn = self.turn(&self.front(count)?, &self.requests, next)?;
                next = turn.observed.next;
                turns.push(turn);
            }
            let rates = turns
                .iter()
                .filter_map(|turns| turns.last())
                .map(|turn| format!("{:.0}/s", turn.observed.rate));
            println!(
                "{} round {round}: {}",
                operation.endpoint(),
                rates.collect::<Vec<_>>().join(", ")
            );
        }
        Ok(Measured { operation, turns })
    }

    /// This number of servers, which share the resources of one: a worker for each processor, and
    /// the connections for writes.
    fn front(&self, count: usize) -> Result<Front, Failure> {
        let workers = thread::available_parallelism().map_or(1, usize::from).div_ceil(count);
        let server =
            |_| self.hearback.serve_with(self.database_url, workers, WRITE_CONNECTIONS / count);
        Front::start((0..count).map(server).collect::<Result<_, _>>()?)
    }

    /// Checks that all servers behind a balancer give the same answers to some of the requests.
    fn check(&self, operation: Operation, bodies: &[String]) -> Result<(), Failure> {
        const SOME: usize = 20;
        let front = self.front(MOST_SERVERS)?;
        for body in bodies.iter().take(SOME) {
            let addresses = front.servers.iter().map(|_| front.address);
            let answers = addresses.map(|address| load::ask(address, operation.endpoint(), body));
            let answers = answers.collect::<Result<Vec<_>, _>>()?;
            if answers.windows(2).any(|pair| pair[0] != pair[1]) {
                return Err(Failure::DifferentAnswers {
                    endpoint: operation.endpoint(),
                    body: body.clone(),
                });
            }
        }
        Ok(())
    }

    fn turn(&self, front: &Front, requests: &Path, next: usize) -> Result<Turn, Failure> {
        let time = Duration::from_secs(self.options.seconds);
        let load = Load { requests, connections: CONNECTIONS, warm_up: WARM_UP, time };
        let processors = || Ok((front.cpu_time()?, self.floor.cpu_time()?.unwrap_or_default()));
        let (observed, [before, after]) =
            load.send(front.address, Pace::Closed, next, processors)?;
        let each =
            |time: Duration| time.as_secs_f64() * 1_000_000.0 / f64::from(observed.answers.max(1));
        let servers = each(after.0.saturating_sub(before.0));
        Ok(Turn { observed, servers, store: each(after.1.saturating_sub(before.1)) })
    }
}

fn shown(report: &mut Report<'_>, measured: &[Measured]) -> Verdict {
    report.line(format_args!(
        "{CONNECTIONS} connections, each of which sends its next request when it has its answer, over haproxy, which hands them to \
         the servers in turn. The servers of a turn share out a worker for each processor and {WRITE_CONNECTIONS} connections for \
         writes. Servers, PostgreSQL, haproxy and the client share the machine's processors.\n"
    ));
    report.table(&[
        "",
        "Requests a second",
        "Of one server's",
        "p99",
        "CPU of the servers",
        "CPU of the store",
    ]);
    let mut verdicts = Vec::new();
    for Measured { operation, turns } in measured {
        let median = |turns: &[Turn], figure: &dyn Fn(&Turn) -> f64| {
            Spread::of(turns.iter().map(figure)).median
        };
        for (index, of_these) in turns.iter().enumerate() {
            let servers =
                if index == 0 { "one server".to_owned() } else { format!("{} servers", index + 1) };
            let ratio = ratio(&turns[0], of_these).median;
            report.row(&[
                format!("`{}`, {servers}", operation.endpoint()),
                format!("{:.0}", median(of_these, &|turn| turn.observed.rate)),
                format!("{ratio:.2}"),
                format!(
                    "{:.2} ms",
                    median(of_these, &|turn| turn.observed.p99.as_secs_f64() * 1_000.0)
                ),
                format!("{:.1} µs", median(of_these, &|turn| turn.servers)),
                format!("{:.1} µs", median(of_these, &|turn| turn.store)),
            ]);
        }
    }
    report.end();
    for Measured { operation, turns } in measured {
        for (index, of_these) in turns.iter().enumerate().skip(1) {
            let Spread { low, median, high } = ratio(&turns[0], of_these);
            let said = format!(
                "`{}` {median:.2} of one server's rate with {} (half of the rounds: {low:.2} to {high:.2}), at least {LEAST_OF_ONE}",
                operation.endpoint(),
                index + 1
            );
            verdicts.push(report.verdict(Verdict::of(median >= LEAST_OF_ONE), said));
        }
    }
    Verdict::on_all(verdicts)
}

/// The rate of several servers as a part of that of one, by round.
fn ratio(one: &[Turn], several: &[Turn]) -> Spread {
    Spread::of(
        one.iter().zip(several).map(|(one, several)| several.observed.rate / one.observed.rate),
    )
}
