//! The compared requests, and their requirements.

use crate::stores::Store;
use crate::world::{Pair, World};
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
}

impl Operation {
    /// All endpoints.
    pub(crate) const ALL: [Self; 9] = [
        Self::RetrievePost,
        Self::ListPosts,
        Self::ListPostsByVotes,
        Self::RetrieveUser,
        Self::RetrieveComment,
        Self::ListStatuses,
        Self::ListChangelog,
        Self::ListCategories,
        Self::Toggle,
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
        self == Self::Toggle
    }

    /// The required rate, as a part of the bare server's.
    pub(crate) fn least_ratio(self, store: Store) -> f64 {
        match (self, store) {
            (Self::Toggle, Store::Postgres) => 0.75,
            (Self::Toggle, Store::Sqlite) => 0.70,
            (_, Store::Postgres) => 0.80,
            (_, Store::Sqlite) => 0.75,
        }
    }

    /// Bodies of requests, spread over many records. Toggles are for voters with and without a
    /// vote, as many of each.
    pub(crate) fn bodies(self, world: &World, api_key: &str) -> Vec<String> {
        let by = |name: &str, ids: &[Uuid]| -> Vec<String> {
            ids.iter()
                .take(MANY)
                .map(|id| json!({ "api_key": api_key, name: id }).to_string())
                .collect()
        };
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
        }
    }
}

/// The number of records that the requests of an operation are spread over.
const MANY: usize = 50_000;
