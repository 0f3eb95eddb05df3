//! Pages of the portal against the endpoints that show the same as JSON, and the dashboard over the
//! same data.

mod dashboard;

use crate::child::Hearback;
use crate::draw::SLUG;
use crate::failure::Failure;
use crate::floor::Floor;
use crate::load::{self, Load, Pace};
use crate::report::{Page, Report};
use crate::requests::{CONNECTIONS, NAME, WARM_UP};
use crate::server::Server;
use crate::spread::Spread;
use crate::stores::Stores;
use crate::verdict::Verdict;
use crate::world::{Database, Keep, Size, World};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use uuid::Uuid;

/// The options of the measurement.
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    keep: Keep,
    /// The parts to measure
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_values_t = [Part::Pages, Part::Dashboard]
    )]
    parts: Vec<Part>,
    /// The number of posts. Articles, comments and the rest are in proportion
    #[arg(long, default_value_t = 300_000, value_parser = clap::value_parser!(u32).range(1_000..))]
    posts: u32,
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

/// A part of the measurement, with a block of its own on the page of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    Pages,
    Dashboard,
}

/// The least rate of a page, as a part of that of the endpoints.
const LEAST_RATIO: f64 = 0.5;
/// The number of posts and articles whose pages are asked for.
const MANY: usize = 500;
/// The number of plans on the roadmap. One page shows them all, and so does one list.
const PLANS: usize = 60;
/// The columns of the roadmap.
const COLUMNS: usize = 4;

/// A kind of page, and the requests that show the same as JSON.
struct Compared {
    name: &'static str,
    /// The endpoints that show the same as one page.
    endpoints: Vec<&'static str>,
    pages: Vec<String>,
    /// A request to each endpoint for each page.
    json: Vec<String>,
}

/// A path of the portal, and the endpoints that show the same, each with a body.
type Shown = (String, Vec<(&'static str, Value)>);

/// A server with the data, and the data.
struct Bench<'a> {
    options: &'a Options,
    folder: &'a Path,
    world: &'a World,
    floor: &'a dyn Floor,
    database: &'a Database,
    hearback: &'a Hearback<'a>,
    caller: Caller<'a>,
}

/// Measures, prints the figures, and compares them with the requirements. Both parts of a store
/// share its data, which takes minutes to load.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let folder = options.keep.folder()?;
    let world = folder.world(NAME, &Size::with_posts(options.posts))?;
    let pages = options.page.reports("pages", options.store)?;
    let dashboards = options.page.reports("dashboard", options.store)?;
    let mut verdicts = Vec::new();
    for (mut pages, mut dashboard) in pages.into_iter().zip(dashboards) {
        let floor = pages.store.floor(folder.path())?;
        let database = folder.database(NAME, &world, &*floor)?;
        let hearback = Hearback::beside_this_binary(folder.path())?;
        let server = hearback.serve(&database.url)?;
        let bench = Bench {
            options,
            folder: folder.path(),
            world: &world,
            floor: &*floor,
            database: &database,
            hearback: &hearback,
            caller: Caller { server: &server, key: &database.key },
        };
        if options.parts.contains(&Part::Pages) {
            verdicts.push(bench.compare(&mut pages)?);
            pages.write()?;
        }
        if options.parts.contains(&Part::Dashboard) {
            verdicts.push(bench.dashboard(&mut dashboard)?);
            dashboard.write()?;
        }
        drop(server);
        folder.give_up(&database, &*floor)?;
    }
    Ok(Verdict::on_all(verdicts))
}

impl Bench<'_> {
    /// Brings the store up to date after requests that have changed it.
    fn settle(&self) -> Result<(), Failure> {
        self.floor.keep_up(&self.database.name)?;
        self.floor.settle()
    }

    /// Pages of the portal against the endpoints.
    fn compare(&self, report: &mut Report<'_>) -> Result<Verdict, Failure> {
        report.line(format_args!("{}\n", self.world));
        let compared = self.caller.compared(self.world)?;
        self.settle()?;

        report.line(format_args!(
            "Closed loop: {CONNECTIONS} connections, and turns of pages and of endpoints by turns. \
             Figures are medians of turns, ratios medians of rounds.\n"
        ));
        report.table(&["", "Pages a second", "As JSON"]);
        let mut ratios = Vec::new();
        for Compared { name, endpoints, pages, json } in &compared {
            let mut rates = [Vec::new(), Vec::new()];
            for _ in 0..self.options.rounds {
                for (rates, (requests, each)) in
                    rates.iter_mut().zip([(pages, 1), (json, endpoints.len())])
                {
                    let file = self.folder.join("requests");
                    load::write_all(&file, requests)?;
                    let load = Load {
                        requests: &file,
                        connections: CONNECTIONS,
                        warm_up: WARM_UP,
                        time: Duration::from_secs(self.options.seconds),
                    };
                    let (observed, _) =
                        load.send(self.caller.server.address()?, Pace::Closed, 0, || Ok(()))?;
                    rates.push(observed.rate / each as f64);
                }
            }
            let [pages, json] = rates;
            let ratio = Spread::of(pages.iter().zip(&json).map(|(page, json)| page / json));
            let shown = |rates: Vec<f64>| format!("{:.0}", Spread::of(rates.into_iter()).median);
            let label = format!("{name}, `{}`", endpoints.join("` and `"));
            report.row(&[label, shown(pages), shown(json)]);
            ratios.push((*name, ratio));
        }
        report.end();
        let verdicts: Vec<Verdict> = ratios
            .into_iter()
            .map(|(name, Spread { low, median, high })| {
                let said = format!(
                    "{name}: {median:.2} of the rate as JSON (half of the rounds: {low:.2} to \
                     {high:.2}), at least {LEAST_RATIO:.2}"
                );
                report.verdict(Verdict::of(median >= LEAST_RATIO), said)
            })
            .collect();
        Ok(Verdict::on_all(verdicts))
    }
}

/// A caller of the API.
struct Caller<'a> {
    server: &'a Server,
    key: &'a str,
}

impl Caller<'_> {
    fn ask(&self, endpoint: &str, mut body: Value) -> Result<Value, Failure> {
        body["api_key"] = json!(self.key);
        Ok(serde_json::from_slice(&self.server.ask(endpoint, &body.to_string())?)?)
    }

    fn compared(&self, world: &World) -> Result<Vec<Compared>, Failure> {
        let base = format!("/o/{SLUG}");
        let boards = list(&self.ask("/feedback-boards/list", json!({}))?);
        let boards = boards.iter().map(|board| {
            let path = format!("{base}/b/{}?sort=new", text(&board["slug"]));
            (path, vec![("/feedback-posts/list", json!({ "board_id": board["id"] }))])
        });
        let mut posts = vec![];
        for post in spread(&world.posts) {
            let body = json!({ "id": post.id });
            let retrieved = self.ask("/feedback-posts/retrieve", body.clone())?;
            let is_seen = retrieved["moderation_status_code"] == "accepted";
            if is_seen && retrieved["merged_into_id"].is_null() {
                let comments = json!({ "feedback_post_id": post.id, "limit": 100 });
                posts.push((
                    format!("{base}/p/{}", text(&retrieved["slug"])),
                    vec![("/feedback-posts/retrieve", body), ("/comments/list", comments)],
                ));
            }
        }
        let mut articles = vec![];
        for id in spread::<Uuid>(&world.articles) {
            let body = json!({ "article_id": id });
            let retrieved = self.ask("/help-articles/retrieve", body.clone())?;
            if retrieved["status_code"] == "published" {
                let path = format!("{base}{}", address(&retrieved));
                articles.push((path, vec![("/help-articles/retrieve", body)]));
            }
        }
        let roadmap = (format!("{base}/roadmap"), vec![self.plans()?]);
        let entries = vec![("/changelog/list", json!({ "limit": 10 }))];
        Ok(vec![
            self.requests("board", boards.collect()),
            self.requests("post", posts),
            self.requests("roadmap", vec![roadmap]),
            self.requests("changelog", vec![(format!("{base}/changelog"), entries)]),
            self.requests("article", articles),
        ])
    }

    fn requests(&self, name: &'static str, shown: Vec<Shown>) -> Compared {
        let request = |(path, mut body): (&'static str, Value)| {
            body["api_key"] = json!(self.key);
            load::post(path, &body.to_string())
        };
        let of_one = shown.first().map(|(_, endpoints)| endpoints.as_slice()).unwrap_or_default();
        Compared {
            name,
            endpoints: of_one.iter().map(|(path, _)| *path).collect(),
            pages: shown.iter().map(|(path, _)| load::get(path)).collect(),
            json: shown.into_iter().flat_map(|(_, endpoints)| endpoints).map(request).collect(),
        }
    }

    /// Makes the plans if there are none. Returns the request that lists them.
    fn plans(&self) -> Result<(&'static str, Value), Failure> {
        let boards = list(&self.ask("/roadmap-boards/list", json!({}))?);
        let board = match boards.first() {
            Some(board) => board["id"].clone(),
            None => {
                let board = self.ask("/roadmap-boards/create", json!({ "name": "Roadmap" }))?;
                let statuses = list(&self.ask("/statuses/list", json!({}))?);
                let columns: Vec<&Value> =
                    statuses.iter().map(|status| &status["id"]).take(COLUMNS).collect();
                for status in &columns {
                    let shown = json!({ "status_id": status, "show_on_roadmap": true });
                    self.ask("/statuses/update", shown)?;
                }
                for n in 0..PLANS {
                    let plan = json!({
                        "roadmap_board_id": board["id"],
                        "title": format!("Plan {n}"),
                        "description": "A calendar for everybody, with a reminder in time.",
                        "status_id": columns[n % columns.len()],
                    });
                    self.ask("/roadmap-posts/create", plan)?;
                }
                board["id"].clone()
            }
        };
        Ok(("/roadmap-posts/list", json!({ "roadmap_board_id": board, "limit": 100 })))
    }
}

/// Up to [`MANY`] of them, evenly spread.
pub(crate) fn spread<T>(all: &[T]) -> impl Iterator<Item = &T> {
    all.iter().step_by((all.len() / MANY).max(1)).take(MANY)
}

/// The path of an article in the help center.
fn address(article: &Value) -> String {
    let slug = |part: &Value| format!("/{}", text(&part["slug"]));
    let category = &article["category"];
    let category = if category.is_null() { String::new() } else { slug(category) };
    format!("/help{}{category}{}", slug(&article["collection"]), slug(article))
}

/// The records of a list, with pages or without.
fn list(answer: &Value) -> Vec<Value> {
    answer.get("items").unwrap_or(answer).as_array().cloned().unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
