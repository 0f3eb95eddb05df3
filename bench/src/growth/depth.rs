//! The cost of a page behind many others.

use super::Bench;
use super::asked::Asked;
use super::meter::Cost;
use crate::failure::Failure;
use crate::plot::{self, Line, Plot};
use crate::report::Report;
use crate::server::Server;
use crate::verdict::Verdict;
use crate::world::{Database, Size, World};
use serde::Deserialize;
use serde_json::{Value, json};

/// A list, and the way to its pages.
struct List {
    name: &'static str,
    endpoint: &'static str,
    /// The members of a request beside the page.
    fields: Value,
    /// The table of the listed records.
    table: &'static str,
    way: Way,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Cursor,
    /// By `skip`, which the contract has for this list.
    Skip,
}

/// The cost of a page.
struct Page {
    depth: u32,
    cost: Cost,
    /// The number of the store's pages that the statement reads, if the store reports it.
    buffers: Option<u64>,
}

/// The most time of a deep page, as a multiple of that of the first.
const MOST_TIME: f64 = 2.0;
/// The most buffers of a deep page, as a multiple of those of the first. 25 records may lie on more
/// or fewer pages of the store.
const MOST_BUFFERS: f64 = 1.25;
/// The most time of the first page of posts in another order, as a multiple of that of the newest.
const MOST_OF_NEWEST: f64 = 2.0;
/// The name of the list of the newest posts.
const NEWEST: &str = "posts";

impl Bench<'_> {
    pub(super) fn depth(&self, report: &mut Report<'_>) -> Result<Verdict, Failure> {
        let deepest = self.options.depths.iter().copied().max().unwrap_or_default() as usize;
        // Some of the posts and articles are not active.
        let enough = deepest + deepest / 10 + 200;
        let size = Size {
            users: 2 * enough,
            posts: 3 * enough,
            votes: enough,
            favourite: Some(enough),
            entries: enough,
            articles: enough,
            ..Size::LEAST
        };
        let (world, database) = self.database("hearback_bench_depth", &size)?;
        let lists = lists(&world);
        let server = self.hearback.serve(&database.url)?;
        let mut asked = Vec::new();
        for list in &lists {
            for &depth in &self.options.depths {
                asked.push(list.page(&server, &database.key, depth)?);
            }
        }
        let costs = self.meter.costs(&server, &asked)?;
        drop(server);
        let tables: Vec<&str> =
            lists.iter().flat_map(|list| self.options.depths.iter().map(|_| list.table)).collect();
        let buffers = self.buffers(&database, &asked, &tables)?;
        let mut pages = costs.into_iter().enumerate().map(|(n, cost)| {
            let buffers = buffers.as_ref().and_then(|buffers| buffers.get(n).copied());
            Page { depth: self.options.depths[n % self.options.depths.len()], cost, buffers }
        });
        let figures: Vec<(List, Vec<Page>)> = lists
            .into_iter()
            .map(|list| (list, pages.by_ref().take(self.options.depths.len()).collect()))
            .collect();
        self.folder.give_up(&database, self.floor)?;
        conclude(report, &figures)
    }
}

impl Bench<'_> {
    /// The number of the store's pages that the statement on a table reads for each of some
    /// requests, if the store reports it.
    fn buffers(
        &self,
        database: &Database,
        asked: &[Asked],
        tables: &[&str],
    ) -> Result<Option<Vec<u64>>, Failure> {
        let Some(mut explainer) = self.floor.explainer(&database.name)? else { return Ok(None) };
        let server = self.hearback.serve(&database.url)?;
        let mut all = Vec::new();
        for (asked, table) in asked.iter().zip(tables) {
            // The first executions have custom plans.
            for body in asked.bodies.iter().cycle().take(8) {
                server.ask(asked.endpoint, body)?;
            }
            all.push(explainer.buffers(table)?);
        }
        explainer.end()?;
        Ok(Some(all))
    }
}

fn lists(world: &World) -> Vec<List> {
    let favourite = world.posts.iter().max_by_key(|post| post.votes).map(|post| post.id);
    let voters = json!({ "post_id": favourite, "post_type": "feedback" });
    let list = |name, endpoint, fields, table, way| List { name, endpoint, fields, table, way };
    let sorted = |name, sort, table| {
        list(name, "/feedback-posts/list", json!({ "sort": sort }), table, Way::Cursor)
    };
    vec![
        list(NEWEST, "/feedback-posts/list", json!({}), "feedback_posts", Way::Cursor),
        sorted("posts by votes", "votes", "feedback_post_counts"),
        sorted("posts by trend", "trending", "feedback_post_counts"),
        sorted("posts by spend", "spend", "feedback_post_counts"),
        sorted("posts by change", "updated", "feedback_posts"),
        list("voters of a post", "/votes/voters", voters, "votes", Way::Cursor),
        list("help articles", "/help-articles/list", json!({}), "help_articles", Way::Cursor),
        list(
            "changelog entries, by cursor",
            "/changelog/list",
            json!({}),
            "changelog_entries",
            Way::Cursor,
        ),
        list(
            "changelog entries, by `skip`",
            "/changelog/list",
            json!({}),
            "changelog_entries",
            Way::Skip,
        ),
    ]
}

/// The members of an answer that are used.
#[derive(Deserialize)]
struct Walked {
    cursor: Option<String>,
}

impl List {
    /// The request for the page after this number of records, or for the first page.
    fn page(&self, server: &Server, key: &str, depth: u32) -> Result<Asked, Failure> {
        let mut behind = if depth == 1 { 0 } else { depth };
        let mut fields = self.fields.clone();
        fields["api_key"] = json!(key);
        if self.way == Way::Skip {
            fields["skip"] = json!(behind);
            behind = 0;
        }
        while behind > 0 {
            let limit = behind.min(100);
            fields["limit"] = json!(limit);
            let walked: Walked =
                serde_json::from_slice(&server.ask(self.endpoint, &fields.to_string())?)?;
            fields["cursor"] = json!(walked.cursor);
            behind -= limit;
        }
        fields["limit"] = json!(25);
        Ok(Asked {
            name: self.name,
            endpoint: self.endpoint,
            bodies: vec![fields.to_string()],
            forced: None,
        })
    }
}

fn conclude(report: &mut Report<'_>, figures: &[(List, Vec<Page>)]) -> Result<Verdict, Failure> {
    let store = report.store;
    report.line(format_args!("\n### {store}, by depth\n"));
    report.line(
        "Processor time of a request for a page of 25, of server and store together, over several connections (one, if it \
         takes 20 ms), median latency over one, and the buffers of its statement, where the store tells.",
    );
    let depths = figures.first().map(|(_, pages)| {
        pages.iter().map(|page| plot::shown(page.depth.into())).collect::<Vec<_>>()
    });
    let head: Vec<String> = [format!("{store}: behind so many records")]
        .into_iter()
        .chain(depths.unwrap_or_default())
        .collect();
    report.table(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for (list, pages) in figures {
        let cells = pages.iter().map(|page| match page.buffers {
            Some(buffers) => format!("{}, {buffers} buffers", page.cost),
            None => page.cost.to_string(),
        });
        report.row(&[list.name.to_owned()].into_iter().chain(cells).collect::<Vec<_>>());
    }
    report.end();
    let line = |(list, pages): &(List, Vec<Page>)| Line {
        name: list.name.replace('`', ""),
        points: pages.iter().map(|page| (f64::from(page.depth), page.cost.latency)).collect(),
    };
    let lines = figures.iter().map(line).collect();
    let title = format!("How long a page takes on {store}, by depth");
    let plot = Plot { title, x: "records in front of the page", y: "median latency, µs", lines };
    report.plot(&format!("growth-depth-{}", store.code()), &plot)?;
    let mut verdicts = Vec::new();
    let newest = figures.iter().find(|(list, _)| list.name == NEWEST);
    let newest = newest.and_then(|(_, pages)| pages.first()).map(|page| page.cost.latency);
    for (list, pages) in figures {
        let (Some(first), Some(last)) = (pages.first(), pages.last()) else { continue };
        if let Some(newest) = newest
            && list.endpoint == "/feedback-posts/list"
            && list.name != NEWEST
        {
            let time = first.cost.latency / newest;
            let said = format!("{}: {time:.2} times the time of the newest", list.name);
            verdicts.push(report.verdict(Verdict::of(time <= MOST_OF_NEWEST), said));
        }
        let time = last.cost.latency / first.cost.latency;
        let mut said = format!("{}: {time:.2} times the time of the first page", list.name);
        let mut is_met = time <= MOST_TIME;
        if let (Some(first), Some(last)) = (first.buffers, last.buffers) {
            let buffers = last as f64 / first.max(1) as f64;
            said += &format!(", {buffers:.2} times the buffers");
            is_met &= buffers <= MOST_BUFFERS;
        }
        match list.way {
            Way::Cursor => verdicts.push(report.verdict(Verdict::of(is_met), said)),
            Way::Skip => report
                .line(format_args!("- {said}; it has to: what is skipped is counted, one by one")),
        }
    }
    Ok(Verdict::on_all(verdicts))
}
