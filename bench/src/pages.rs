//! Pages of the portal against the endpoints that show the same as JSON.

use crate::child::Hearback;
use crate::draw::SLUG;
use crate::failure::Failure;
use crate::load::{self, Load, Pace};
use crate::report::{Page, Report};
use crate::requests::NAME;
use crate::server::Server;
use crate::spread::Spread;
use crate::stores::Stores;
use crate::verdict::Verdict;
use crate::world::{Database, Keep, Size, World, WorldFolder};
use clap::Args;
use serde_json::{Value, json};
use std::time::Duration;
use uuid::Uuid;

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
    /// The number of turns of each side
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// The length of a turn, in seconds
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    #[command(flatten)]
    page: Page,
}

const CONNECTIONS: usize = 32;
/// The time of the warm-up of a turn.
const WARM_UP: Duration = Duration::from_millis(500);
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
    pages: Vec<String>,
    /// The requests for each page, one after the other: paths of endpoints, and bodies.
    endpoints: Vec<Vec<(&'static str, Value)>>,
}

/// Measures, prints the figures, and compares them with the requirement.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let folder = options.keep.folder()?;
    let world = folder.world(NAME, &Size::with_posts(options.posts))?;
    let mut verdicts = Vec::new();
    for mut report in options.page.reports("pages", options.store)? {
        verdicts.push(compare(options, &folder, &world, &mut report)?);
        report.write()?;
    }
    Ok(Verdict::on_all(verdicts))
}

fn compare(
    options: &Options,
    folder: &WorldFolder,
    world: &World,
    report: &mut Report<'_>,
) -> Result<Verdict, Failure> {
    let floor = report.store.floor(folder.path())?;
    report.line(format_args!("{world}\n"));
    let database = folder.database(NAME, world, &*floor)?;
    let hearback = Hearback::beside_this_binary(folder.path())?;
    let server = hearback.serve(&database.url)?;
    let compared = Caller { server: &server, key: &database.key }.compared(world)?;
    floor.keep_up(&database.name)?;
    floor.settle()?;

    report.line(format_args!(
        "Closed loop: {CONNECTIONS} connections, and turns of pages and of endpoints by turns. \
         Figures are medians of turns, ratios medians of rounds.\n"
    ));
    report.table(&["", "Pages a second", "As JSON"]);
    let mut ratios = Vec::new();
    for compared in &compared {
        let mut rates = [Vec::new(), Vec::new()];
        for _ in 0..options.rounds {
            for (rates, side) in rates.iter_mut().zip([Compared::pages, Compared::endpoints]) {
                let (requests, each) = side(compared, &database);
                let file = folder.path().join("requests");
                load::write_all(&file, &requests)?;
                let load = Load {
                    requests: &file,
                    connections: CONNECTIONS,
                    warm_up: WARM_UP,
                    time: Duration::from_secs(options.seconds),
                };
                let (observed, _) = load.send(server.address()?, Pace::Closed, 0, || Ok(()))?;
                rates.push(observed.rate / each as f64);
            }
        }
        let [pages, endpoints] = rates;
        let ratio = Spread::of(pages.iter().zip(&endpoints).map(|(page, json)| page / json));
        let shown = |rates: Vec<f64>| format!("{:.0}", Spread::of(rates.into_iter()).median);
        let names: Vec<&str> = compared.endpoints[0].iter().map(|(path, _)| *path).collect();
        let name = format!("{}, `{}`", compared.name, names.join("` and `"));
        report.row(&[name, shown(pages), shown(endpoints)]);
        ratios.push((compared.name, ratio));
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
    drop(server);
    folder.give_up(&database, &*floor)?;
    Ok(Verdict::on_all(verdicts))
}

impl Compared {
    /// Requests for the pages, of which one shows one page.
    fn pages(&self, _: &Database) -> (Vec<String>, usize) {
        (self.pages.iter().map(|path| load::get(path)).collect(), 1)
    }

    /// Requests to the endpoints, and the number of those that show the same as one page.
    fn endpoints(&self, database: &Database) -> (Vec<String>, usize) {
        let request = |(path, body): &(&str, Value)| {
            let mut body = body.clone();
            body["api_key"] = json!(database.key);
            load::post(path, &body.to_string())
        };
        (self.endpoints.iter().flatten().map(request).collect(), self.endpoints[0].len())
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
        let mut boards = (vec![], vec![]);
        for board in list(&self.ask("/feedback-boards/list", json!({}))?) {
            boards.0.push(format!("{base}/b/{}?sort=newest", text(&board["slug"])));
            boards.1.push(vec![("/feedback-posts/list", json!({ "board_id": board["id"] }))]);
        }
        let mut posts = (vec![], vec![]);
        for post in spread(&world.posts) {
            let body = json!({ "id": post.id });
            let retrieved = self.ask("/feedback-posts/retrieve", body.clone())?;
            let is_seen = retrieved["moderation_status_code"] == "accepted";
            if !is_seen || !retrieved["merged_into_id"].is_null() {
                continue;
            }
            posts.0.push(format!("{base}/p/{}", text(&retrieved["slug"])));
            let comments = json!({ "feedback_post_id": post.id, "limit": 100 });
            posts.1.push(vec![("/feedback-posts/retrieve", body), ("/comments/list", comments)]);
        }
        let mut articles = (vec![], vec![]);
        for id in spread::<Uuid>(&world.articles) {
            let body = json!({ "article_id": id });
            let retrieved = self.ask("/help-articles/retrieve", body.clone())?;
            if retrieved["status_code"] == "published" {
                articles.0.push(format!("{base}{}", address(&retrieved)));
                articles.1.push(vec![("/help-articles/retrieve", body)]);
            }
        }
        let plans = self.plans()?;
        let compared = [
            ("board", boards),
            ("post", posts),
            ("roadmap", (vec![format!("{base}/roadmap")], vec![vec![plans]])),
            (
                "changelog",
                (
                    vec![format!("{base}/changelog")],
                    vec![vec![("/changelog/list", json!({ "limit": 10 }))]],
                ),
            ),
            ("article", articles),
        ];
        let of = |(name, (pages, endpoints))| Compared { name, pages, endpoints };
        Ok(compared.map(of).into())
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
fn spread<T>(all: &[T]) -> impl Iterator<Item = &T> {
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
