//! A large organization beside many small ones, and requests to it: the same on every run.

use crate::child::Hearback;
use crate::draw::{
    BOARDS, Ballot, Draw, FOUNDED_AT, LABELS, MIN_USERS, Named, SLUG, STATUSES, TAGS, YEARS, words,
};
use crate::failure::Failure;
use crate::floor::Floor;
use crate::help_centers::{self, Drawn, HelpCenter};
use crate::portable::{self, Portable};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use uuid::Uuid;

/// The numbers of records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Size {
    pub(crate) users: usize,
    /// At most [`BOARDS`].
    pub(crate) boards: usize,
    /// At most [`TAGS`].
    pub(crate) tags: usize,
    pub(crate) posts: usize,
    pub(crate) votes: usize,
    /// The number of votes of one of the posts, if it is not its share.
    pub(crate) favourite: Option<usize>,
    pub(crate) comments: usize,
    /// Changelog entries of 1 KB.
    pub(crate) entries: usize,
    /// Help articles of 2 KB.
    pub(crate) articles: usize,
    /// Small organizations. Half of them were founded before the large one.
    pub(crate) neighbours: usize,
    /// The receiver of all events of the large organization, if it has a subscription.
    pub(crate) receiver: Option<String>,
}

impl Default for Size {
    fn default() -> Self {
        Self {
            posts: 300_000,
            votes: 1_000_000,
            users: 150_000,
            comments: 100_000,
            entries: 5_000,
            articles: 100_000,
            neighbours: 1_000,
            ..Self::LEAST
        }
    }
}

impl Size {
    /// A world with a post on each board, and no more of all that grows.
    pub(crate) const LEAST: Self = Self {
        users: MIN_USERS,
        boards: BOARDS.len(),
        tags: 20,
        posts: BOARDS.len(),
        votes: 0,
        favourite: None,
        comments: 0,
        entries: 0,
        articles: 0,
        neighbours: 0,
        receiver: None,
    };

    /// A world with this number of posts, and the rest in proportion.
    pub(crate) fn with_posts(posts: u32) -> Self {
        let whole = Self::default();
        let part =
            |all: usize| (all as f64 * f64::from(posts) / whole.posts as f64).ceil() as usize;
        Self {
            posts: part(whole.posts),
            votes: part(whole.votes),
            users: part(whole.users),
            comments: part(whole.comments),
            entries: part(whole.entries),
            articles: part(whole.articles),
            neighbours: part(whole.neighbours),
            ..whole
        }
    }

    /// The number of all records.
    pub(crate) fn records(&self) -> usize {
        let Self {
            users, boards, tags, posts, votes, comments, entries, articles, neighbours, ..
        } = self;
        let of_neighbours = if *neighbours == 0 { 0 } else { neighbours * Self::SMALL.records() };
        users + boards + tags + posts + votes + comments + entries + articles + of_neighbours
    }

    /// The size of a small organization.
    const SMALL: Self = Self {
        boards: 2,
        tags: 3,
        posts: 10,
        votes: 30,
        comments: 5,
        entries: 2,
        articles: 3,
        ..Self::LEAST
    };
}

/// The targets of requests in the large organization. Only active records are in it.
#[derive(Serialize, Deserialize)]
pub(crate) struct World {
    size: Size,
    pub(crate) organization: Uuid,
    /// Users, by their `user_id`.
    pub(crate) users: Vec<Uuid>,
    /// The addresses of the users, in the same order.
    pub(crate) emails: Vec<String>,
    pub(crate) boards: Vec<Uuid>,
    pub(crate) posts: Vec<VotedPost>,
    pub(crate) comments: Vec<Uuid>,
    pub(crate) collections: Vec<Uuid>,
    pub(crate) categories: Vec<Uuid>,
    pub(crate) articles: Vec<Uuid>,
    /// Pairs of voters and posts. Half of the voters have voted already.
    pub(crate) pairs: Vec<Pair>,
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Size { users, posts, votes, comments, entries, articles, neighbours, .. } = &self.size;
        write!(
            f,
            "An organization of {posts} posts, {votes} votes, {comments} comments, {users} users, {entries} changelog entries and \
             {articles} help articles, beside {neighbours} small ones."
        )
    }
}

/// A post and its number of votes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct VotedPost {
    pub(crate) id: Uuid,
    pub(crate) votes: usize,
}

/// A post and a user.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Pair {
    pub(crate) post: Uuid,
    pub(crate) voter: Uuid,
}

/// The most pairs.
const PAIRS: usize = 200_000;

impl World {
    /// Writes the world of this size to a file of the portable format. Fails if the posts cannot
    /// have that many votes.
    pub(crate) fn write(path: &Path, size: &Size) -> Result<Self, Failure> {
        let file = Portable::create(path).map_err(Failure::machine(WRITING))?;
        let mut writer = Writer { file, draw: Draw::new(), centers: help_centers::Draw::new() };
        writer.neighbours(0..size.neighbours / 2)?;
        let world = writer.organization(SLUG, size, &help_centers::LARGE)?;
        writer.neighbours(size.neighbours / 2..size.neighbours)?;
        writer.file.finish().map_err(Failure::machine(WRITING))?;
        Ok(world)
    }

    /// Writes an organization with this number of posts, and the rest in proportion. It shares no
    /// identifier with a world.
    pub(crate) fn write_alone(path: &Path, slug: &str, posts: u32) -> Result<(), Failure> {
        let file = Portable::create(path).map_err(Failure::machine(WRITING))?;
        let centers = help_centers::Draw::new();
        let mut writer = Writer { file, draw: Draw::with_seed(2), centers };
        writer.organization(slug, &Size::with_posts(posts), &help_centers::LARGE)?;
        writer.file.finish().map_err(Failure::machine(WRITING))
    }
}

const WRITING: &str = "writing organizations to a file";

struct Writer {
    file: Portable,
    draw: Draw,
    centers: help_centers::Draw,
}

impl Writer {
    fn neighbours(&mut self, numbers: Range<usize>) -> Result<(), Failure> {
        let center = HelpCenter { collections: 1, categories: 2, ..help_centers::LARGE };
        for n in numbers {
            self.organization(&format!("neighbour-{n}"), &Size::SMALL, &center)?;
        }
        Ok(())
    }

    fn organization(
        &mut self,
        slug: &str,
        size: &Size,
        center: &HelpCenter,
    ) -> Result<World, Failure> {
        let mut counts = self.draw.vote_counts(size.posts, size.votes, size.users / 2)?;
        if let (Some(first), Some(votes)) = (counts.first_mut(), size.favourite) {
            *first = votes.min(size.users);
        }
        let center = HelpCenter { articles: size.articles, ..*center };
        self.records(slug, size, &counts, &center).map_err(Failure::machine(WRITING))
    }

    /// Writes an organization whose n-th post has the n-th count of votes.
    fn records(
        &mut self,
        slug: &str,
        size: &Size,
        counts: &[usize],
        center: &HelpCenter,
    ) -> io::Result<World> {
        let organization = self.draw.id(FOUNDED_AT);
        self.file.line(&portable::organization(organization, slug))?;
        let (users, emails) = self.users(size.users)?;
        let (tags, statuses) = (words(TAGS), STATUSES.map(|(name, _)| name));
        let boards = self.draw.named(&BOARDS[..size.boards.min(BOARDS.len())]);
        let statuses = self.draw.named(&statuses);
        let tags = self.draw.named(&tags[..size.tags.min(tags.len())]);
        self.file.lines(boards.iter().map(portable::board))?;
        self.file.lines(statuses.iter().map(portable::status))?;
        self.file.lines(tags.iter().map(portable::tag))?;
        let posts = self.posts(size.posts, [&boards, &statuses, &tags], &users)?;
        let active: Vec<usize> = (0..posts.len()).filter(|&n| posts[n].is_active).collect();
        let comments = self.comments(size.comments, &active, &posts, &users)?;
        let ballots = self.draw.ballots(counts, users.len());
        self.votes(&ballots, &posts, &users)?;
        let pairs = self.pairs(&ballots, &active, &posts, &users);
        self.entries(size.entries, &users)?;
        let Drawn { collections, categories, articles } =
            self.centers.help_center(&mut self.file, center)?;
        if let Some(url) = &size.receiver {
            self.file.line(&portable::subscription(self.draw.id(FOUNDED_AT), url))?;
        }
        Ok(World {
            size: size.clone(),
            organization,
            users,
            emails,
            boards: boards.iter().map(|board| board.id).collect(),
            posts: active
                .iter()
                .map(|&n| VotedPost { id: posts[n].id, votes: counts[n] })
                .collect(),
            comments,
            collections,
            categories,
            articles,
            pairs,
        })
    }

    /// Returns their `user_id` and their addresses.
    fn users(&mut self, count: usize) -> io::Result<(Vec<Uuid>, Vec<String>)> {
        let users = YEARS.moments(count).map(|(n, at)| {
            let user = self.draw.user(n, at);
            self.file.line(&portable::user(&user))?;
            Ok((user.user_id, user.email))
        });
        users.collect()
    }

    fn posts(
        &mut self,
        count: usize,
        filed: [&[Named]; 3],
        users: &[Uuid],
    ) -> io::Result<Vec<DrawnPost>> {
        let posts = YEARS.moments(count).map(|(n, at)| {
            let mut post = self.draw.post(n, at, filed, users);
            // The first post may be the favourite.
            post.is_active |= n == 0;
            self.file.line(&portable::post(&post))?;
            Ok(DrawnPost { id: post.id, is_active: post.is_active })
        });
        posts.collect()
    }

    /// Comments on active posts.
    fn comments(
        &mut self,
        count: usize,
        active: &[usize],
        posts: &[DrawnPost],
        users: &[Uuid],
    ) -> io::Result<Vec<Uuid>> {
        let comments = YEARS.moments(count).map(|(_, at)| {
            let (id, content) = (self.draw.id(at), self.draw.text(1..6));
            let (post, author) = (
                active[self.draw.rng.usize(..active.len())],
                users[self.draw.rng.usize(..users.len())],
            );
            self.file.line(&portable::comment(id, &content, author, posts[post].id, at))?;
            Ok(id)
        });
        comments.collect()
    }

    fn votes(&mut self, ballots: &[Ballot], posts: &[DrawnPost], users: &[Uuid]) -> io::Result<()> {
        for ((_, at), ballot) in YEARS.moments(ballots.len()).zip(ballots) {
            let vote =
                self.draw.vote(at, users[ballot.user as usize], posts[ballot.post as usize].id);
            self.file.line(&portable::vote(&vote))?;
        }
        Ok(())
    }

    /// Pairs in random order, half of them with a vote.
    fn pairs(
        &mut self,
        ballots: &[Ballot],
        active: &[usize],
        posts: &[DrawnPost],
        users: &[Uuid],
    ) -> Vec<Pair> {
        let cast: HashSet<Ballot> = ballots.iter().copied().collect();
        let mut pairs: Vec<Ballot> = ballots
            .iter()
            .filter(|ballot| posts[ballot.post as usize].is_active)
            .copied()
            .collect();
        pairs.truncate(PAIRS / 2);
        let mut others = HashSet::new();
        while others.len() < pairs.len() {
            let (user, post) =
                (self.draw.rng.usize(..users.len()), active[self.draw.rng.usize(..active.len())]);
            let ballot = Ballot { user: user as u32, post: post as u32 };
            if !cast.contains(&ballot) {
                others.insert(ballot);
            }
        }
        // The order of a set differs on each run.
        let mut others: Vec<Ballot> = others.into_iter().collect();
        others.sort_unstable();
        pairs.extend(others);
        self.draw.rng.shuffle(&mut pairs);
        pairs
            .iter()
            .map(|pair| Pair {
                post: posts[pair.post as usize].id,
                voter: users[pair.user as usize],
            })
            .collect()
    }

    fn entries(&mut self, count: usize, authors: &[Uuid]) -> io::Result<()> {
        let labels = self.draw.named(&LABELS);
        self.file.lines(labels.iter().map(portable::label))?;
        for (n, at) in YEARS.moments(count) {
            let entry = self.draw.entry(n, at, &labels, authors);
            self.file.line(&portable::entry(&entry))?;
        }
        Ok(())
    }
}

/// A drawn post. The file has its other values.
struct DrawnPost {
    id: Uuid,
    is_active: bool,
}

/// The place of worlds.
#[derive(Args)]
pub(crate) struct Keep {
    /// A folder that keeps the data for the next run, since making it takes minutes; on PostgreSQL,
    /// the server does that
    #[arg(long = "keep", value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

impl Keep {
    /// The folder, or a temporary one that is removed when it is dropped.
    pub(crate) fn folder(&self) -> Result<WorldFolder, Failure> {
        match &self.folder {
            Some(folder) => {
                fs::create_dir_all(folder)
                    .map_err(Failure::machine("making the folder of the data"))?;
                // The address of a database must be valid from every working directory.
                let folder = folder
                    .canonicalize()
                    .map_err(Failure::machine("looking for the folder of the data"))?;
                Ok(WorldFolder::Kept(folder))
            }
            None => tempfile::tempdir()
                .map(WorldFolder::Temporary)
                .map_err(Failure::machine("making a temporary folder")),
        }
    }
}

/// A folder of worlds.
pub(crate) enum WorldFolder {
    Kept(PathBuf),
    Temporary(TempDir),
}

/// A database with a world in it, and the targets of requests.
pub(crate) struct Database {
    pub(crate) name: String,
    pub(crate) url: String,
    /// The identifier of the large organization.
    pub(crate) key: String,
}

impl WorldFolder {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Kept(folder) => folder,
            Self::Temporary(folder) => folder.path(),
        }
    }

    /// The world of a name and a size: a kept one, or a new one.
    pub(crate) fn world(&self, name: &str, size: &Size) -> Result<World, Failure> {
        let facts = self.path().join(name).with_extension("json");
        // An incomplete world, or one of another version, is made anew.
        let kept: Option<World> =
            fs::read(&facts).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if let Some(world) = kept.filter(|world| world.size == *size && self.file(name).exists()) {
            return Ok(world);
        }
        let world = World::write(&self.file(name), size)?;
        fs::write(facts, serde_json::to_vec(&world)?).map_err(Failure::machine(WRITING))?;
        Ok(world)
    }

    /// A database of this name with the world in it: a kept one, or a new one. The store has no
    /// upkeep or writes left to do.
    pub(crate) fn database(
        &self,
        name: &str,
        world: &World,
        floor: &dyn Floor,
    ) -> Result<Database, Failure> {
        let hearback = Hearback::beside_this_binary(self.path())?;
        // No measurement makes or removes articles.
        let expected = world.size.articles + world.size.neighbours * Size::SMALL.articles;
        let found = floor.count(name, "help_articles");
        let (url, key) = if found.is_ok_and(|articles| articles == expected as u64) {
            let url = floor.url(name);
            hearback.migrate(&url)?;
            (url.clone(), hearback.reveal_key(&url, SLUG)?)
        } else {
            floor.remove(name)?;
            let url = floor.create(name)?;
            hearback.migrate(&url)?;
            let import = hearback.import(&url, &self.file(name))?;
            println!("{name}: imported in {:.0} s", import.time.as_secs_f64());
            (url.clone(), hearback.generate_key(&url, SLUG)?)
        };
        index_posts(floor, &hearback, name, &url)?;
        floor.keep_up(name)?;
        floor.settle()?;
        Ok(Database { name: name.to_owned(), url, key })
    }

    /// Removes a database, unless it is kept.
    pub(crate) fn give_up(&self, database: &Database, floor: &dyn Floor) -> Result<(), Failure> {
        match self {
            Self::Kept(_) => Ok(()),
            Self::Temporary(_) => floor.remove(&database.name),
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path().join(name).with_extension("jsonl")
    }
}

/// Runs a server until it has indexed all posts but those that a server may leave.
fn index_posts(
    floor: &dyn Floor,
    hearback: &Hearback,
    name: &str,
    url: &str,
) -> Result<(), Failure> {
    if floor.posts_to_index(name)? < LEFT_UNINDEXED {
        return Ok(());
    }
    let _server = hearback.serve(url)?;
    let start = Instant::now();
    while floor.posts_to_index(name)? >= LEFT_UNINDEXED {
        if start.elapsed() > MOST_INDEXING {
            return Err(Failure::NotIndexed(MOST_INDEXING));
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

/// A server indexes posts once there are this many.
const LEFT_UNINDEXED: u64 = 100;
/// The pause between two looks at the posts that are left, and the most time for them.
const LOOK: Duration = Duration::from_secs(1);
const MOST_INDEXING: Duration = Duration::from_secs(1_200);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    const SIZE: Size = Size {
        users: 200,
        posts: 100,
        votes: 1_000,
        favourite: Some(150),
        comments: 50,
        entries: 20,
        articles: 30,
        neighbours: 3,
        ..Size::LEAST
    };

    #[test]
    fn a_world_is_the_same_on_every_run() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| {
            let file = folder.path().join(name);
            let world = World::write(&file, &SIZE).unwrap();
            (fs::read_to_string(file).unwrap(), serde_json::to_string(&world).unwrap())
        });
        assert_eq!(one, other);
    }

    #[test]
    fn half_of_the_pairs_have_a_vote() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("world");
        let world = World::write(&file, &SIZE).unwrap();
        let records = fs::read_to_string(file).unwrap();
        let records = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let id = |value: &Value| value.as_str().unwrap().parse::<Uuid>().unwrap();
        let votes = records.filter(|record| record["kind"] == "vote");
        let cast: HashSet<(Uuid, Uuid)> =
            votes.map(|vote| (id(&vote["post_id"]), id(&vote["user_id"]))).collect();
        let voted =
            world.pairs.iter().filter(|pair| cast.contains(&(pair.post, pair.voter))).count();
        assert_eq!(2 * voted, world.pairs.len());
        assert!(voted > 500);
        let distinct: HashSet<(Uuid, Uuid)> =
            world.pairs.iter().map(|pair| (pair.post, pair.voter)).collect();
        assert_eq!(distinct.len(), world.pairs.len());
        assert_eq!(world.posts.iter().map(|post| post.votes).max(), Some(150));
    }
}
