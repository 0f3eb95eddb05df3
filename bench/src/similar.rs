//! `/feedback-posts/similar` of a running server, with the damaged titles of stored posts.

use crate::child::Hearback;
use crate::failure::Failure;
use crate::report::{Page, Report};
use crate::server::{Item, Server};
use crate::spread::Spread;
use crate::stores::Stores;
use crate::verdict::Verdict;
use crate::world::{Keep, Size, World, WorldFolder};
use clap::Args;
use serde::Deserialize;
use serde_json::json;
use std::time::Instant;
use uuid::Uuid;

/// The options of the measurement.
#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    keep: Keep,
    /// The number of posts of the organization
    #[arg(long, default_value_t = 300_000, value_parser = clap::value_parser!(u32).range(1_000..))]
    posts: u32,
    /// The measured store
    #[arg(long, value_enum, default_value_t = Stores::Both)]
    store: Stores,
    /// The number of requests
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(10..))]
    requests: u32,
    #[command(flatten)]
    page: Page,
}

/// The most of the median of a request, in milliseconds.
const MOST: f64 = 20.0;
/// The least part of the posts that are among the first five by their damaged titles.
const LEAST_RECALL: f64 = 0.8;

/// The name of the world and of its database.
const NAME: &str = "hearback_bench_similar";

/// Measures, prints the figures, and compares them with the requirements.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let folder = options.keep.folder()?;
    let size = Size { posts: options.posts as usize, ..Size::LEAST };
    let world = folder.world(NAME, &size)?;
    let mut verdicts = Vec::new();
    for mut report in options.page.reports("similar", options.store)? {
        verdicts.push(measure(options, &folder, &world, &mut report)?);
        report.write()?;
    }
    Ok(Verdict::on_all(verdicts))
}

fn measure(
    options: &Options,
    folder: &WorldFolder,
    world: &World,
    report: &mut Report<'_>,
) -> Result<Verdict, Failure> {
    let floor = report.store.floor(folder.path())?;
    let database = folder.database(NAME, world, &*floor)?;
    let server = Hearback::beside_this_binary(folder.path())?.serve(&database.url)?;
    let (mut times, mut found) = (Vec::new(), 0_u32);
    let step = (world.posts.len() / options.requests as usize).max(1);
    for post in world.posts.iter().step_by(step) {
        let title = damaged(&title(&server, &database.key, post.id)?);
        let body = json!({ "api_key": database.key, "title": title }).to_string();
        let start = Instant::now();
        let answer = server.ask("/feedback-posts/similar", &body)?;
        times.push(start.elapsed().as_secs_f64() * 1_000.0);
        let similar: Vec<Item> = serde_json::from_slice(&answer)?;
        found += u32::from(similar.iter().any(|item| item.id == post.id));
    }
    drop(server);
    folder.give_up(&database, &*floor)?;
    let recall = f64::from(found) / times.len() as f64;
    times.sort_unstable_by(f64::total_cmp);
    let Spread { low, median, high } = Spread::of(times.iter().copied());
    let slow = times.get(times.len() * 99 / 100).copied().unwrap_or_default();
    report.line(format_args!(
        "{} posts, {} titles with their words in the reverse order and a typo. A request takes {median:.1} ms at the median, \
         half of them {low:.1} to {high:.1} ms, and 99 % at most {slow:.1} ms.",
        options.posts,
        times.len()
    ));
    report.end();
    Ok(Verdict::on_all([
        report.verdict(
            Verdict::of(median <= MOST),
            format_args!("the median: {median:.1} ms, at most {MOST}"),
        ),
        report.verdict(
            Verdict::of(recall >= LEAST_RECALL),
            format_args!("posts among the first five: {recall:.2}, at least {LEAST_RECALL}"),
        ),
    ]))
}

/// A post, as far as it is used.
#[derive(Deserialize)]
struct Titled {
    title: String,
}

fn title(server: &Server, key: &str, id: Uuid) -> Result<String, Failure> {
    let body = json!({ "api_key": key, "id": id }).to_string();
    let post: Titled = serde_json::from_slice(&server.ask("/feedback-posts/retrieve", &body)?)?;
    Ok(post.title)
}

/// The words of a title in the reverse order, the longest with two letters exchanged.
fn damaged(title: &str) -> String {
    let mut words: Vec<Vec<char>> =
        title.split(' ').rev().map(|word| word.chars().collect()).collect();
    if let Some(longest) = words.iter_mut().max_by_key(|word| word.len())
        && longest.len() > 3
    {
        let middle = longest.len() / 2;
        longest.swap(middle - 1, middle);
    }
    let words: Vec<String> = words.into_iter().map(String::from_iter).collect();
    words.join(" ")
}
