//! The whole product at once: people in the portal, the team in the dashboard, edits, an import of
//! another organization, and receivers of webhooks.

use crate::child::{Hearback, Usage};
use crate::draw::SLUG;
use crate::failure::Failure;
use crate::load::{self, Load, Observed, Pace};
use crate::operation::updates;
use crate::people::{Person, board, posts};
use crate::receiver::Receiver;
use crate::report::{Page, Report};
use crate::requests::NAME;
use crate::server::Server;
use crate::stores::Stores;
use crate::verdict::Verdict;
use crate::world::{Keep, Size, World, WorldFolder};
use clap::Args;
use std::path::{Path, PathBuf};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};
use url::Url;

/// The options of the measurement.
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    keep: Keep,
    /// The number of posts. Articles, comments and the rest are in proportion
    #[arg(long, default_value_t = 300_000, value_parser = clap::value_parser!(u32).range(1_000..))]
    posts: u32,
    /// The measured store
    #[arg(long, value_enum, default_value_t = Stores::Both)]
    store: Stores,
    /// The number of people in the portal
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(10..))]
    people: u32,
    /// The number of members in the dashboard
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    members: u32,
    /// The number of posts of the organization that is imported meanwhile. With 0, none is
    #[arg(long, default_value_t = 100_000)]
    imported: u32,
    /// The number of receivers of webhooks
    #[arg(long, default_value_t = 10)]
    receivers: u32,
    /// The length of all stages, in seconds
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    #[command(flatten)]
    page: Page,
}

/// The load of each stage, as a multiple of that of the first.
const STAGES: [u32; 4] = [1, 2, 4, 8];
/// The most connections of a kind of request.
const CONNECTIONS: usize = 200;
/// A kind of request gives in if its 99th percentile is above this.
const LIMIT: Duration = Duration::from_secs(1);
/// The warm-up of a stage.
const WARM_UP: Duration = Duration::from_secs(2);
/// The pause between two looks at the queue of deliveries, and the most looks.
const LOOK: Duration = Duration::from_secs(5);
const MOST_LOOKS: usize = 60;
/// The slug of the organization that is imported.
const IMPORTED: &str = "moving-in";

/// A kind of request.
struct Kind {
    name: &'static str,
    /// The number of requests a second in the first stage.
    rate: f64,
    /// The file of the requests.
    requests: PathBuf,
    /// The request with which the next stage goes on.
    next: usize,
}

/// Measures, prints the figures, and compares them with the requirements.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let folder = options.keep.folder()?;
    let world = folder.world(NAME, &Size::with_posts(options.posts))?;
    let mut verdicts = Vec::new();
    for mut report in options.page.reports("product", options.store)? {
        verdicts.push(all_at_once(options, &folder, &world, &mut report)?);
        report.write()?;
    }
    Ok(Verdict::on_all(verdicts))
}

fn all_at_once(
    options: &Options,
    folder: &WorldFolder,
    world: &World,
    report: &mut Report<'_>,
) -> Result<Verdict, Failure> {
    let floor = report.store.floor(folder.path())?;
    report.line(format_args!("{world}\n"));
    let database = folder.database(NAME, world, &*floor)?;
    let hearback = Hearback::beside_this_binary(folder.path())?;
    let other = folder.path().join(IMPORTED).with_extension("jsonl");
    if options.imported > 0 {
        World::write_alone(&other, IMPORTED, options.imported)?;
    }

    let secret = hearback.open_to_tokens(&database.url, SLUG)?;
    let server = hearback.serve_without_limits(&database.url)?;
    let mut kinds = kinds(options, folder, world, (&server, &database.key, &secret))?;
    let members = members(&hearback, &server, &database.url, options.members)?;
    kinds.insert(2, dashboard(folder, &members)?);
    let receivers = (0..options.receivers)
        .map(|_| Receiver::start(u32::MAX, None))
        .collect::<Result<Vec<Receiver>, Failure>>()?;
    for receiver in &receivers {
        hearback.subscribe(&database.url, SLUG, &receiver.address)?;
    }
    let idle = server.memory()?;

    report.line(format_args!(
        "{} people, {} members and {} receivers for {} s. Latencies are 99th percentiles in \
         milliseconds.\n",
        options.people, options.members, options.receivers, options.seconds,
    ));
    let mut columns = vec!["Requests a second"];
    columns.extend(kinds.iter().map(|kind| kind.name));
    columns.push("Memory, MB");
    report.table(&columns);
    let (stages, imported) = std::thread::scope(|scope| {
        let import = || hearback.import(&database.url, &other);
        let import = (options.imported > 0).then(|| scope.spawn(import));
        let stages = stages(options, &server, &mut kinds, report);
        let imported = import.map(ScopedJoinHandle::join).transpose();
        let imported = imported.map_err(|_| Failure::Helper { command: "import" })?;
        Ok::<_, Failure>((stages?, imported.transpose()?))
    })?;
    report.end();
    report
        .line(format_args!("Memory of the server before the load: {:.0} MB.\n", idle as f64 / 1e6));
    if let Some(Usage { time, peak_memory }) = imported {
        report.line(format_args!(
            "An import of an organization of {} posts, begun with the load, took {:.0} s and \
             {:.0} MB.\n",
            options.imported,
            time.as_secs_f64(),
            peak_memory as f64 / 1e6,
        ));
    }
    report.line(match &stages.gave_in {
        Some(first) => format!("First to give in: {first}.\n"),
        None => "No kind of request gave in.\n".to_owned(),
    });
    let begin = Instant::now();
    let left = drained(&server)?;
    let verdicts = [
        report.verdict(
            Verdict::of(stages.in_first.is_empty()),
            format!("in the first stage each 99th percentile is under {} s", LIMIT.as_secs()),
        ),
        report.verdict(
            Verdict::of(left == 0),
            format!(
                "{left} deliveries were left {:.0} s behind the load",
                begin.elapsed().as_secs_f64()
            ),
        ),
    ];
    drop(server);
    folder.give_up(&database, &*floor)?;
    Ok(Verdict::on_all(verdicts))
}

/// The requests of people and of programs.
fn kinds(
    options: &Options,
    folder: &WorldFolder,
    world: &World,
    (server, key, secret): (&Server, &str, &str),
) -> Result<Vec<Kind>, Failure> {
    let board = board(server, key)?;
    let posts = posts(server, key, world)?;
    let mut people = Vec::new();
    for n in 0..options.people as usize {
        let (_, post) = &posts[n % posts.len()];
        people.push(Person::sign_in(server, secret, n, &board, post)?);
    }
    let pages = people.iter().flat_map(|person| person.pages(&board)).collect();
    let forms = people.iter().flat_map(|person| person.forms(&board)).collect();
    let edits = updates(world, key, 1);
    let edits = edits.iter().map(|body| load::post("/feedback-posts/update", body)).collect();
    // A person reads a page each 20 s and sends a form each 200 s.
    let people = f64::from(options.people);
    Ok(vec![
        Kind::new(folder.path(), "pages", people / 20.0, pages)?,
        Kind::new(folder.path(), "forms", people / 200.0, forms)?,
        Kind::new(folder.path(), "edits", f64::from(options.members) / 10.0, edits)?,
    ])
}

/// The cookies of members who have signed in.
fn members(
    hearback: &Hearback<'_>,
    server: &Server,
    url: &str,
    number: u32,
) -> Result<Vec<String>, Failure> {
    let mut cookies = Vec::new();
    for n in 0..number {
        let link = hearback.invite(url, SLUG, &format!("member-{n}@bench.example"))?;
        let path = Url::parse(&link).map(|url| url.path().to_owned()).unwrap_or_default();
        cookies.push(server.submit(&path)?.cookies.join("; "));
    }
    Ok(cookies)
}

/// The pages of the dashboard, each of which a member opens every 10 s.
fn dashboard(folder: &WorldFolder, members: &[String]) -> Result<Kind, Failure> {
    let queries =
        ["", "?sort=votes", "?status_group_code=open&sort=trending", "/insights", "/moderation"];
    let page = |query: &str, cookie: &String| {
        format!(
            "GET /o/{SLUG}/dashboard{query} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n"
        )
    };
    let pages = members.iter().flat_map(|cookie| queries.map(|query| page(query, cookie)));
    Kind::new(folder.path(), "dashboard", members.len() as f64 / 10.0, pages.collect())
}

impl Kind {
    fn new(
        folder: &Path,
        name: &'static str,
        rate: f64,
        requests: Vec<String>,
    ) -> Result<Self, Failure> {
        let file = folder.join(name);
        load::write_all(&file, &requests)?;
        Ok(Self { name, rate, requests: file, next: 0 })
    }
}

/// The result of the stages.
#[derive(Default)]
struct Stages {
    /// The first kind of request that gave in, with its stage.
    gave_in: Option<String>,
    /// The kinds that gave in during the first stage.
    in_first: Vec<&'static str>,
}

/// Sends the load of each stage, until an answer fails.
fn stages(
    options: &Options,
    server: &Server,
    kinds: &mut [Kind],
    report: &mut Report<'_>,
) -> Result<Stages, Failure> {
    let mut stages = Stages::default();
    let time = Duration::from_secs(options.seconds) / STAGES.len() as u32;
    for stage in STAGES {
        let mut running = Vec::new();
        for kind in &*kinds {
            let pace = Pace::Open(kind.rate * f64::from(stage));
            let load = Load {
                requests: &kind.requests,
                connections: pace.connections(CONNECTIONS),
                warm_up: WARM_UP,
                time: time.saturating_sub(WARM_UP),
            };
            running.push(load.start(server.address()?, pace, kind.next)?);
        }
        let rates: Vec<String> =
            kinds.iter().map(|kind| format!("{:.0}", kind.rate * f64::from(stage))).collect();
        let mut row = vec![rates.join(" + ")];
        let mut has_failed = false;
        for (kind, load) in kinds.iter_mut().zip(&mut running) {
            // The beginning of the count, its end, and the result.
            let observed =
                load.line().and_then(|_| load.line()).and_then(|_| Observed::read(&load.line()?));
            let gives_in = match &observed {
                Ok(observed) => {
                    row.push(format!("{:.0}", observed.p99.as_secs_f64() * 1000.0));
                    kind.next = observed.next;
                    observed.p99 > LIMIT
                }
                Err(_) => {
                    row.push("failed".to_owned());
                    has_failed = true;
                    true
                }
            };
            if gives_in {
                let rate = kind.rate * f64::from(stage);
                let first = || format!("{} at {rate:.0} a second", kind.name);
                stages.gave_in.get_or_insert_with(first);
                if stage == STAGES[0] {
                    stages.in_first.push(kind.name);
                }
            }
        }
        row.push(format!("{:.0}", server.memory()? as f64 / 1e6));
        report.row(&row);
        if has_failed {
            break;
        }
    }
    Ok(stages)
}

/// Waits until no delivery waits. Returns the number that still waits in the end.
fn drained(server: &Server) -> Result<u64, Failure> {
    let name = "hearback_queue_waiting{queue=\"deliveries\"} ";
    let mut left = 0;
    for _ in 0..MOST_LOOKS {
        let metrics = server.visit("/metrics", "")?.page;
        let value = metrics.lines().find_map(|line| line.strip_prefix(name));
        left = value.and_then(|value| value.parse::<f64>().ok()).unwrap_or(f64::MAX) as u64;
        if left == 0 {
            break;
        }
        std::thread::sleep(LOOK);
    }
    Ok(left)
}
