//! The compared requests, and their requirements.

use crate::draw::{WORDS, words};
use crate::stores::Store;
use crate::world::{Pair, VotedPost, World};
use serde_json::json;
use uuid::Uuid;

/// A measured endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    RetrievePost,
    ListPosts,
    ListPostsByVotes,
    RetrieveUser,
    RetrieveComment,
    ListStatuses,
    ListChangelog,
    ListCategories,
    Toggle,
    SetVote,
    CreatePost,
    CreateComment,
    UpsertUser,
}

impl Operation {
    /// All endpoints.
    pub(crate) const ALL: [Self; 13] = [
        Self::RetrievePost,
        Self::ListPosts,
        Self::ListPostsByVotes,
        Self::RetrieveUser,
        Self::RetrieveComment,
        Self::ListStatuses,
        Self::ListChangelog,
        Self::ListCategories,
        Self::Toggle,
        Self::SetVote,
        Self::CreatePost,
        Self::CreateComment,
        Self::UpsertUser,
    ];

    /// Its path.
    pub(crate) fn endpoint(self) -> &'static str {
        match self {
            Self::RetrievePost => "/feedback-posts/retrieve",
            Self::ListPosts | Self::ListPostsByVotes => "/feedback-posts/list",
            Self::RetrieveUser => "/users/retrieve",
            Self::RetrieveComment => "/comments/retrieve",
            Self::ListStatuses => "/statuses/list",
            Self::ListChangelog => "/changelog/list",
            Self::ListCategories => "/help-categories/list",
            Self::Toggle => "/votes/toggle",
            Self::SetVote => "/votes/set",
            Self::CreatePost => "/feedback-posts/create",
            Self::CreateComment => "/comments/create",
            Self::UpsertUser => "/users/upsert",
        }
    }

    /// Its path, and its order if that is not the usual one.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::ListPostsByVotes => "/feedback-posts/list by votes",
            _ => self.endpoint(),
        }
    }

    /// Whether it changes anything.
    pub(crate) fn writes(self) -> bool {
        matches!(
            self,
            Self::Toggle
                | Self::SetVote
                | Self::CreatePost
                | Self::CreateComment
                | Self::UpsertUser
        )
    }

    /// The required rate, as a part of the bare server's.
    pub(crate) fn least_ratio(self, store: Store) -> f64 {
        match (self, store) {
            (Self::CreatePost | Self::CreateComment | Self::UpsertUser, _) => 0.70,
            (Self::Toggle, Store::Sqlite) => 0.70,
            (Self::Toggle, Store::Postgres) | (Self::SetVote, _) => 0.75,
            (Self::ListPostsByVotes, _) => 0.80,
            (_, Store::Postgres) => 0.80,
            (_, Store::Sqlite) => 0.75,
        }
    }

    /// Bodies of requests, spread over many records. Votes are those of voters with and without a
    /// vote, as many of each.
    pub(crate) fn bodies(self, world: &World, api_key: &str) -> Vec<String> {
        let by = |name: &str, ids: &[Uuid]| -> Vec<String> {
            ids.iter()
                .take(MANY)
                .map(|id| json!({ "api_key": api_key, name: id }).to_string())
                .collect()
        };
        let words = words(WORDS);
        match self {
            Self::RetrievePost => {
                let posts: Vec<Uuid> = world.posts.iter().map(|post| post.id).collect();
                by("id", &posts)
            }
            Self::ListPosts => by("board_id", &world.boards),
            Self::ListPostsByVotes => {
                let body = |board: &Uuid| json!({ "api_key": api_key, "board_id": board, "sort": "votes" });
                world.boards.iter().map(|board| body(board).to_string()).collect()
            }
            Self::RetrieveUser => by("user_id", &world.users),
            Self::RetrieveComment => by("id", &world.comments),
            Self::ListStatuses | Self::ListChangelog | Self::ListCategories => {
                vec![json!({ "api_key": api_key }).to_string()]
            }
            Self::Toggle => {
                let body = |Pair { post, voter }: &Pair| json!({ "api_key": api_key, "user_id": voter, "post_id": post, "post_type": "feedback" });
                world.pairs.iter().map(|pair| body(pair).to_string()).collect()
            }
            Self::SetVote => {
                let body = |&Pair { post, voter }: &Pair, voted: bool| {
                    let (key, kind) = (api_key, "feedback");
                    json!({ "api_key": key, "voter_id": voter, "post_id": post, "post_type": kind, "voted": voted })
                };
                // Each vote is cast, and some time later withdrawn.
                let both = world.pairs.chunks(MANY / 10).flat_map(|pairs| {
                    let of = |voted| pairs.iter().map(move |pair| body(pair, voted).to_string());
                    of(true).chain(of(false))
                });
                both.collect()
            }
            Self::CreatePost => {
                let body = |(n, author): (usize, &Uuid)| {
                    let board = world.boards[n % world.boards.len()];
                    let title = title(&words, n);
                    json!({ "api_key": api_key, "board_id": board, "author_id": author, "title": title, "description": TEXT })
                };
                // A repeated title would get a number behind its slug, after a look-up.
                let authors = world.users.iter().cycle().take(CREATED);
                authors.enumerate().map(|numbered| body(numbered).to_string()).collect()
            }
            Self::CreateComment => {
                let body = |(post, author): (&VotedPost, &Uuid)| {
                    let post = post.id;
                    json!({ "api_key": api_key, "feedback_post_id": post, "author_id": author, "content": TEXT })
                };
                let places = world.posts.iter().zip(world.users.iter().cycle()).take(MANY);
                places.map(|place| body(place).to_string()).collect()
            }
            Self::UpsertUser => {
                // The name differs from turn to turn, so that each request changes the user.
                let body = |(n, email): (usize, &String)| json!({ "api_key": api_key, "email": email, "name": title(&words, n) });
                let users = world.emails.iter().take(MANY).cycle().take(CREATED);
                users.enumerate().map(|numbered| body(numbered).to_string()).collect()
            }
        }
    }
}

/// Bodies of toggles on this many posts, each by another user.
pub(crate) fn toggles(world: &World, api_key: &str, posts: usize) -> Vec<String> {
    let posts = world.posts.iter().take(posts).cycle();
    let body = |(user, post): (&Uuid, &VotedPost)| json!({ "api_key": api_key, "user_id": user, "post_id": post.id, "post_type": "feedback" });
    world.users.iter().take(MANY).zip(posts).map(|pair| body(pair).to_string()).collect()
}

/// Bodies of updates of `posts` posts each. Each gives its posts another owner.
pub(crate) fn updates(world: &World, api_key: &str, posts: usize) -> Vec<String> {
    let owners = world.users.iter().cycle();
    let body = |(some, owner): (&[VotedPost], &Uuid)| {
        let ids: Vec<Uuid> = some.iter().map(|post| post.id).collect();
        match &ids[..] {
            [id] => json!({ "api_key": api_key, "post_id": id, "owner_id": owner }),
            _ => json!({ "api_key": api_key, "post_ids": ids, "owner_id": owner }),
        }
    };
    // No owner gets the same posts again.
    let some = world.posts.chunks_exact(posts).cycle();
    some.zip(owners).take(4 * MANY / posts).map(|update| body(update).to_string()).collect()
}

/// The number of records that the requests of an operation are spread over.
const MANY: usize = 50_000;

/// The number of different requests that make or change something: more than are sent.
const CREATED: usize = 500_000;

/// A title that no other post has, not even one of an earlier run.
fn title(words: &[&str], n: usize) -> String {
    let word = |step: usize| words[(n / step + step) % words.len()];
    let run = std::process::id();
    format!("{} {} {} {} {n} of {run}", word(1), word(7), word(61), word(509))
}

/// The text of a post or a comment.
const TEXT: &str = "When I open the report of a large project, the table takes several seconds, and I have to \
                    wait before I can choose a column. It would help if the first rows were shown at once.";
