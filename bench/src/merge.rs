//! `/feedback-posts/merge` of a running server against the statements that a merge needs.

use crate::child::Hearback;
use crate::draw::{BOARDS, Draw, FOUNDED_AT, SLUG, STATUSES, YEAR};
use crate::failure::Failure;
use crate::floor::{Floor, Merge};
use crate::portable::{self, Portable};
use crate::report::{Page, Report};
use crate::rows::{Table, table};
use crate::server::Server;
use crate::spread::Spread;
use crate::stores::Stores;
use crate::verdict::Verdict;
use clap::Args;
use serde_json::json;
use std::iter;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// The options of the measurement.
#[derive(Args)]
pub(crate) struct Options {
    /// The number of votes that a merge moves or drops
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(10..=100_000))]
    votes: u32,
    /// The measured store
    #[arg(long, value_enum, default_value_t = Stores::Both)]
    store: Stores,
    /// The number of turns of each side
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=20))]
    rounds: u32,
    #[command(flatten)]
    page: Page,
}

/// The required rate, as a part of that of the bare statements.
const LEAST_RATIO: f64 = 0.8;

/// The time between two looks whether all votes of a merge have moved.
const POLL: Duration = Duration::from_millis(2);

/// The number of merges of each kind in a round.
const MERGES: usize = 3;

/// The users who voted for both posts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Nobody,
    /// One in five of the source's voters. Half of them voted for the source first.
    Some,
}

impl Kind {
    const ALL: [Self; 2] = [Self::Nobody, Self::Some];

    fn shown(self) -> &'static str {
        match self {
            Self::Nobody => "nobody voted for both posts",
            Self::Some => "one in five voted for both posts",
        }
    }

    /// The number of these voters who voted for the target, too.
    fn voters_of_both(self, voters: usize) -> usize {
        match self {
            Self::Nobody => 0,
            Self::Some => voters / 5,
        }
    }
}

/// Measures, prints the figures, and compares them with the requirements.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let reports = options.page.reports("merge", options.store)?;
    let folder = tempfile::tempdir().map_err(Failure::machine("making a temporary folder"))?;
    let file = folder.path().join("duplicates.jsonl");
    let votes = options.votes as usize;
    // One round more warms plans and caches, and is not measured.
    let rounds = options.rounds as usize + 1;
    let merges = write(&file, votes, rounds * MERGES)
        .map_err(Failure::machine("writing duplicates to a file"))?;
    let bench = Bench { folder: folder.path(), file, votes, merges };
    let mut verdicts = Vec::new();
    for mut report in reports {
        verdicts.push(bench.compare(&mut report)?);
        report.write()?;
    }
    Ok(Verdict::on_all(verdicts))
}

struct Bench<'a> {
    folder: &'a Path,
    file: PathBuf,
    /// The votes of each source.
    votes: usize,
    /// The merges, of each kind in turn.
    merges: Vec<(Kind, Merge)>,
}

/// The times of the same merge on both sides, in seconds.
struct Turn {
    kind: Kind,
    bare: f64,
    hearback: f64,
}

/// The names of the databases, whose contents are the same before and after.
const BARE: &str = "hearback_bench_merge_bare";
const HEARBACK: &str = "hearback_bench_merge";

impl Bench<'_> {
    fn compare(&self, report: &mut Report<'_>) -> Result<Verdict, Failure> {
        let floor = report.store.floor(self.folder)?;
        let commits = floor.sync_commits()?;
        report.line(format_args!(
            "Posts with {} votes, merged one after the other; commits with {commits}",
            self.votes
        ));
        let hearback = Hearback::beside_this_binary(self.folder)?;
        for name in [BARE, HEARBACK] {
            let url = floor.create(name)?;
            hearback.migrate(&url)?;
            hearback.import(&url, &self.file)?;
            floor.keep_up(name)?;
        }
        let url = floor.url(HEARBACK);
        let key = hearback.generate_key(&url, SLUG)?;
        floor.settle()?;
        let turns = self.measure(&*floor, &hearback.serve(&url)?, &key)?;
        for table in written() {
            if floor.content(BARE, &table)? != floor.content(HEARBACK, &table)? {
                return Err(Failure::Different { table: table.name });
            }
        }
        for name in [BARE, HEARBACK] {
            floor.remove(name)?;
        }
        Ok(conclude(report, self.votes, &turns))
    }

    fn measure(&self, floor: &dyn Floor, server: &Server, key: &str) -> Result<Vec<Turn>, Failure> {
        let mut merger = floor.merger(BARE)?;
        let mut turns = Vec::new();
        for (kind, merge) in &self.merges {
            let body = json!({
                "api_key": key,
                "merge_post_id": merge.source,
                "into_post_id": merge.target,
                "merger_id": merge.merger,
            });
            let body = body.to_string();
            let bare = seconds(|| merger.merge(merge))?;
            // On SQLite, most votes move after the answer.
            let hearback = seconds(|| {
                server.ask("/feedback-posts/merge", &body)?;
                while floor.is_merging(HEARBACK)? {
                    sleep(POLL);
                }
                Ok(())
            })?;
            println!(
                "{}: bare {:.0} ms, hearback {:.0} ms",
                kind.shown(),
                1_000.0 * bare,
                1_000.0 * hearback
            );
            turns.push(Turn { kind: *kind, bare, hearback });
        }
        Ok(turns.split_off(Kind::ALL.len() * MERGES))
    }
}

/// The rows of a merge, without the time and the identifier of the record, which differ each time.
fn written() -> [Table<'static>; 3] {
    let read = |name, columns| table(name, columns, 0, iter::empty());
    [
        read(
            "votes",
            "organization_id, id, user_id, feedback_post_id, roadmap_post_id, created_at",
        ),
        read("feedback_posts", "organization_id, id, merged_into_id, canonical_id"),
        read(
            "merges",
            "organization_id, merge_post_id, into_post_id, merger_id, moved_user_ids, dropped_user_ids",
        ),
    ]
}

/// Writes an organization with this number of sources for each kind of merge, and as many targets.
fn write(path: &Path, votes: usize, merges: usize) -> std::io::Result<Vec<(Kind, Merge)>> {
    let mut draw = Draw::new();
    let mut file = Portable::create(path)?;
    let organization = draw.id(FOUNDED_AT);
    file.line(&portable::organization(organization, SLUG))?;
    let users: Vec<_> = YEAR.moments(2 * votes).map(|(n, at)| draw.user(n, at)).collect();
    file.lines(users.iter().map(portable::user))?;
    let users: Vec<Uuid> = users.iter().map(|user| user.user_id).collect();
    let (boards, statuses) = (draw.named(&BOARDS), draw.named(&STATUSES.map(|(name, _)| name)));
    let tags = draw.named(&["duplicate"]);
    file.lines(boards.iter().map(portable::board))?;
    file.lines(statuses.iter().map(portable::status))?;
    file.lines(tags.iter().map(portable::tag))?;
    let mut posts = Vec::new();
    for (n, at) in YEAR.moments(2 * merges * Kind::ALL.len()) {
        let mut post = draw.post(n, at, [&boards, &statuses, &tags], &users);
        post.is_active = true;
        file.line(&portable::post(&post))?;
        posts.push(post.id);
    }
    let pairs = posts.chunks_exact(2).map(|pair| {
        let (id, merger) = (draw.id(FOUNDED_AT), users[draw.rng.usize(..users.len())]);
        Merge { organization, id, source: pair[0], target: pair[1], merger }
    });
    let merges: Vec<(Kind, Merge)> = Kind::ALL.into_iter().cycle().zip(pairs).collect();
    // The votes of all posts are interleaved, as in a real organization.
    let mut cast = Vec::new();
    for (kind, merge) in &merges {
        let mut voters = users.clone();
        draw.rng.shuffle(&mut voters);
        let both = kind.voters_of_both(votes);
        let of_source = voters.iter().take(votes).map(|voter| (*voter, merge.source));
        let of_target =
            voters.iter().skip(votes - both).take(votes / 5).map(|voter| (*voter, merge.target));
        cast.extend(of_source.chain(of_target));
    }
    draw.rng.shuffle(&mut cast);
    for ((_, at), (voter, post)) in YEAR.moments(cast.len()).zip(cast) {
        file.line(&portable::vote(&draw.vote(at, voter, post)))?;
    }
    file.finish()?;
    Ok(merges)
}

fn seconds(work: impl FnOnce() -> Result<(), Failure>) -> Result<f64, Failure> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

/// Reports the figures and the verdicts.
fn conclude(report: &mut Report<'_>, votes: usize, turns: &[Turn]) -> Verdict {
    let store = report.store.to_string();
    report.table(&[
        &store,
        "Bare statements",
        "Hearback",
        "Votes a second",
        "Ratio",
        "Half of the merges",
    ]);
    let mut ratios = Vec::new();
    for kind in Kind::ALL {
        let of_kind = || turns.iter().filter(|turn| turn.kind == kind);
        let bare = Spread::of(of_kind().map(|turn| turn.bare)).median;
        let hearback = Spread::of(of_kind().map(|turn| turn.hearback)).median;
        // By turn, since the two sides of a turn were measured right after each other.
        let ratio = Spread::of(of_kind().map(|turn| turn.bare / turn.hearback));
        report.row(&[
            kind.shown().to_owned(),
            format!("{:.0} ms", 1_000.0 * bare),
            format!("{:.0} ms", 1_000.0 * hearback),
            format!("{:.0}", votes as f64 / hearback),
            format!("{:.2}", ratio.median),
            format!("{:.2} to {:.2}", ratio.low, ratio.high),
        ]);
        ratios.push((kind, ratio.median));
    }
    report.end();
    Verdict::on_all(
        ratios
            .iter()
            .map(|(kind, ratio)| {
                let requirement = format!(
                    "{}: {ratio:.2} of the bare statements' rate, at least {LEAST_RATIO}",
                    kind.shown()
                );
                report.verdict(Verdict::of(*ratio >= LEAST_RATIO), requirement)
            })
            .collect::<Vec<_>>(),
    )
}
