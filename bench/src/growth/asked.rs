//! The measured requests.

use crate::help_centers::IN_FIVE;
use crate::world::{VotedPost, World};
use serde_json::{Value, json};
use uuid::Uuid;

/// A kind of request.
pub(super) struct Asked {
    pub(super) name: &'static str,
    pub(super) endpoint: &'static str,
    /// The bodies, spread over many records.
    pub(super) bodies: Vec<String>,
    /// The reason why its cost may grow faster than the logarithm, if there is one.
    pub(super) forced: Option<&'static str>,
}

/// The number of records that the requests of a kind are spread over.
const MANY: usize = 20_000;

impl Asked {
    fn new(
        name: &'static str,
        endpoint: &'static str,
        key: &str,
        fields: impl IntoIterator<Item = Value>,
    ) -> Self {
        let body = |mut fields: Value| {
            fields["api_key"] = json!(key);
            fields.to_string()
        };
        Self { name, endpoint, bodies: fields.into_iter().map(body).collect(), forced: None }
    }

    /// Reads, and the toggle of votes.
    pub(super) fn all(world: &World, key: &str) -> Vec<Self> {
        let any = |name, endpoint| Self::new(name, endpoint, key, [json!({})]);
        let by = |name, endpoint, field: &str, ids: &[Uuid]| {
            Self::new(
                name,
                endpoint,
                key,
                spread(ids).map(|id| json!({ field: id })).collect::<Vec<_>>(),
            )
        };
        let favourite = world.posts.iter().copied().max_by_key(|post| post.votes);
        let favourite: Vec<Uuid> = favourite.iter().map(|post| post.id).collect();
        let few: Vec<VotedPost> =
            world.posts.iter().copied().filter(|post| post.votes <= FEW_VOTES).collect();
        let few: Vec<Uuid> = few.iter().map(|post| post.id).collect();
        let posts: Vec<Uuid> = world.posts.iter().map(|post| post.id).collect();
        let voters = |id: &Uuid| json!({ "post_id": id, "post_type": "feedback" });
        let toggles = spread(&world.pairs)
            .map(|pair| json!({ "post_id": pair.post, "user_id": pair.voter, "post_type": "feedback" }))
            .collect::<Vec<_>>();
        vec![
            by("a post with few votes", "/feedback-posts/retrieve", "id", &few),
            by("the post with most votes", "/feedback-posts/retrieve", "id", &favourite),
            any("25 posts", "/feedback-posts/list"),
            by("25 posts of a board", "/feedback-posts/list", "board_id", &world.boards),
            by("a user", "/users/retrieve", "user_id", &world.users),
            by("a comment", "/comments/retrieve", "id", &world.comments),
            by("the comments of a post", "/comments/list", "feedback_post_id", &posts),
            Self::new(
                "25 voters of the post with most votes",
                "/votes/voters",
                key,
                favourite.iter().map(voters),
            ),
            any("all statuses", "/statuses/list"),
            any("25 changelog entries", "/changelog/list"),
            any("25 help categories", "/help-categories/list"),
            any("25 help articles", "/help-articles/list"),
            by("a help article", "/help-articles/retrieve", "article_id", &world.articles),
            Self::new("a toggle of a vote", "/votes/toggle", key, toggles),
        ]
    }

    /// Searches of help articles.
    pub(super) fn searches(_: &World, key: &str) -> Vec<Self> {
        let search = |name, query: &str| {
            Self::new(name, "/help-articles/search", key, [json!({ "query": query })])
        };
        vec![
            search("a word that nearly every article contains", "the"),
            Self {
                forced: Some(
                    "a text may stand within words, so the index is of three letters each, in which ever more articles stand",
                ),
                ..search("a word that five articles contain", IN_FIVE)
            },
            search("a word that none contains", "nosuchword"),
            search("two letters that nearly every article contains", "ab"),
            Self {
                forced: Some("no index can tell where two letters stand, so every article is read"),
                ..search("two letters that none contains", "xq")
            },
        ]
    }
}

/// The votes of a post with few: the average, since votes are ten times as many as posts.
const FEW_VOTES: usize = 10;

/// At most [`MANY`] of all, evenly spread.
fn spread<T>(all: &[T]) -> impl Iterator<Item = &T> {
    all.iter().step_by(all.len().div_ceil(MANY).max(1))
}
