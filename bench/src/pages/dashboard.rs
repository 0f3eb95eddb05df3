//! The inbox over all posts, with each filter in each order, and the insights of all votes.

use super::{Bench, list, text};
use crate::draw::{MIN_USERS, SLUG};
use crate::failure::Failure;
use crate::report::Report;
use crate::spread::Spread;
use crate::verdict::Verdict;
use hearback_domain::ClosedSet;
use hearback_domain::feedback_post::PostSort;
use serde_json::json;
use std::time::{Duration, Instant};
use url::Url;
use uuid::Uuid;

/// The limit of the median of the inbox, in milliseconds.
const LIMIT_OF_INBOX: f64 = 50.0;
/// The limit of the median of insights, in milliseconds.
const LIMIT_OF_INSIGHTS: f64 = 200.0;
/// The number of requests of a median.
const REQUESTS: usize = 21;

/// The address of the member who reads.
const MEMBER: &str = "owner@bench.example";
/// Of this many posts, one is in the category.
const OUTSIDE: usize = 100;
/// The number of posts of a bulk update.
const IN_BULK: usize = 100;

/// The pause between two looks at the counts of days, and the most looks.
const LOOK: Duration = Duration::from_secs(2);
const MOST_LOOKS: usize = 300;

/// A kind of filter, and the queries of some of its values.
type Filter = (&'static str, Vec<String>);

impl Bench<'_> {
    /// Pages of the dashboard, as a member of the team gets them.
    pub(super) fn dashboard(&self, report: &mut Report<'_>) -> Result<Verdict, Failure> {
        report.line(format_args!("{}\n", self.world));
        let cookie = self.sign_in()?;
        let filters = self.filters()?;
        let votes = self.counted_votes(&cookie)?;
        self.settle()?;

        report.line(format_args!(
            "One connection. Medians of {REQUESTS} pages in milliseconds, with several values of \
             a filter in turn.\n"
        ));
        let sorts: Vec<&str> = PostSort::ALL.iter().map(|sort| sort.code()).collect();
        let mut columns = vec!["Inbox"];
        columns.extend(&sorts);
        report.table(&columns);
        let mut slowest = Vec::new();
        for (name, queries) in &filters {
            let mut medians = Vec::new();
            for sort in &sorts {
                let path = |query: &String| format!("dashboard?{query}&sort={sort}");
                let paths: Vec<String> = queries.iter().map(path).collect();
                medians.push(self.median(&paths, &cookie)?);
            }
            let mut row = vec![(*name).to_owned()];
            row.extend(medians.iter().map(|median| format!("{median:.1}")));
            report.row(&row);
            slowest.push((*name, medians.into_iter().fold(0.0, f64::max)));
        }
        report.end();
        let insights = self.median(&["dashboard/insights?span=years".to_owned()], &cookie)?;
        let mut verdicts = Vec::new();
        for (name, median) in slowest {
            let said =
                format!("{name}: {median:.1} ms in the slowest order, under {LIMIT_OF_INBOX:.0}");
            verdicts.push(report.verdict(Verdict::of(median < LIMIT_OF_INBOX), said));
        }
        let said = format!(
            "insights of five years, {votes} votes counted by day: {insights:.1} ms, under \
             {LIMIT_OF_INSIGHTS:.0}"
        );
        let met = votes > 0 && insights < LIMIT_OF_INSIGHTS;
        verdicts.push(report.verdict(Verdict::of(met), said));
        Ok(Verdict::on_all(verdicts))
    }

    /// Signs the member in. Returns the cookie.
    fn sign_in(&self) -> Result<String, Failure> {
        let link = self.hearback.invite(&self.database.url, SLUG, MEMBER)?;
        let path = Url::parse(&link).map(|url| url.path().to_owned()).unwrap_or_default();
        let cookie = self.caller.server.submit(&path)?.cookies.join("; ");
        if cookie.is_empty() { Err(Failure::NotSignedIn) } else { Ok(cookie) }
    }

    fn filters(&self) -> Result<Vec<Filter>, Failure> {
        let ids = |endpoint: &str| -> Result<Vec<String>, Failure> {
            let all = list(&self.caller.ask(endpoint, json!({}))?);
            Ok(all.iter().map(|record| text(&record["id"]).to_owned()).collect())
        };
        let (boards, statuses) = (ids("/feedback-boards/list")?, ids("/statuses/list")?);
        let tags = ids("/tags/list")?;
        let owners: Vec<String> =
            self.world.users.iter().take(MIN_USERS).map(Uuid::to_string).collect();
        let of = |field: &str, ids: &[String]| -> Vec<String> {
            ids.iter().map(|id| format!("{field}={id}")).collect()
        };
        let together = boards.iter().zip(&statuses).zip(tags.iter().zip(&owners));
        let together = together.map(|((board, status), (tag, owner))| {
            format!("board_id={board}&status_id={status}&tag_ids={tag}&owner_id={owner}")
        });
        Ok(vec![
            ("no filter", vec![String::new()]),
            ("board", of("board_id", &boards)),
            ("status", of("status_id", &statuses)),
            ("group of statuses", of("status_group_code", &["open", "closed"].map(str::to_owned))),
            ("category", of("category_id", &[self.category()?])),
            ("tag", of("tag_ids", &tags)),
            ("owner", of("owner_id", &owners)),
            ("state of moderation", vec!["moderation_status_code=pending".to_owned()]),
            ("board, status, tag and owner", together.collect()),
            ("search, a frequent word", vec!["search=export".to_owned()]),
            // The last one of the words, from which early ones are drawn more often.
            ("search, a rare word", vec!["search=roadmap".to_owned()]),
            ("search, a word in no post", vec!["search=xylophone".to_owned()]),
        ])
    }

    /// The category of some posts. Makes it if there is none.
    fn category(&self) -> Result<String, Failure> {
        let known = list(&self.caller.ask("/categories/list", json!({}))?);
        if let Some(category) = known.first() {
            return Ok(text(&category["id"]).to_owned());
        }
        let category = self.caller.ask("/categories/create", json!({ "name": "Later" }))?;
        let id = text(&category["id"]);
        let posts: Vec<Uuid> =
            self.world.posts.iter().step_by(OUTSIDE).map(|post| post.id).collect();
        for posts in posts.chunks(IN_BULK) {
            let filed = json!({ "post_ids": posts, "category_id": id });
            self.caller.ask("/feedback-posts/bulk-update", filed)?;
        }
        Ok(id.to_owned())
    }

    /// Waits until the server has counted the votes of each day, which it does at its start, after
    /// all other kinds of records. Returns their number, or what there is of it in the end.
    fn counted_votes(&self, cookie: &str) -> Result<u64, Failure> {
        let path = format!("/o/{SLUG}/dashboard/insights/votes.csv?span=years");
        let mut counted = 0;
        for _ in 0..MOST_LOOKS {
            let table = self.caller.server.visit(&path, cookie)?.page;
            // `"2026-11-01","547"`
            let numbers =
                table.lines().filter_map(|line| line.split('"').nth(3)?.parse::<u64>().ok());
            let now: u64 = numbers.sum();
            if now > 0 && now == counted {
                break;
            }
            counted = now;
            std::thread::sleep(LOOK);
        }
        Ok(counted)
    }

    /// The median time of pages of the portal, in milliseconds. A page that the server gives up
    /// takes for ever.
    fn median(&self, paths: &[String], cookie: &str) -> Result<f64, Failure> {
        let mut times = Vec::new();
        for path in paths.iter().cycle().take(REQUESTS) {
            let start = Instant::now();
            let page = self.caller.server.visit(&format!("/o/{SLUG}/{path}"), cookie);
            let time = start.elapsed().as_secs_f64() * 1_000.0;
            times.push(match page {
                Ok(_) => time,
                Err(Failure::Refused { status, .. }) if status.is_server_error() => f64::INFINITY,
                Err(failure) => return Err(failure),
            });
        }
        Ok(Spread::of(times.into_iter()).median)
    }
}
