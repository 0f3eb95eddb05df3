//! Feedback posts as lists show them.

use crate::column::BadRow;
use crate::rows::{FeedbackPostRow, Listed};
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::feedback_post::{FeedbackPost, PostDetails, PostSort};
use hearback_ports::page::{ByPost, PostPlace};

/// A row with its tags, its numbers of votes and comments, and its roadmap posts.
#[derive(Queryable)]
#[expect(missing_docs, reason = "a field has the name of the value that it holds")]
pub struct CountedPost {
    pub row: FeedbackPostRow<'static>,
    pub tag_ids: Vec<Id>,
    pub vote_count: i64,
    pub comment_count: i64,
    pub roadmap_post_ids: Vec<Id>,
}

impl TryFrom<CountedPost> for PostDetails {
    type Error = BadRow;

    fn try_from(counted: CountedPost) -> Result<Self, BadRow> {
        let CountedPost { row, tag_ids, vote_count, comment_count, roadmap_post_ids } = counted;
        let post = Listed { row, ids: tag_ids }.try_into()?;
        let roadmap_post_ids = roadmap_post_ids.into_iter().map(Id::to).collect();
        Ok(Self { post, vote_count, comment_count, roadmap_post_ids })
    }
}

/// The rank of a post in a list by counts: its number of recent votes, its number of votes, and its
/// identifier.
pub type Rank = (i64, i64, Id);

/// A place in a list, as an engine looks it up.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// A place in a list by time.
    Time(Stamp, Id),
    /// A place in a list by counts.
    Rank(Rank),
}

impl Place {
    /// The place of a key.
    pub fn new(ByPost { place, id }: ByPost) -> Self {
        let id = Id(id);
        match place {
            PostPlace::Time(at) => Self::Time(Stamp::of(at), id),
            PostPlace::Votes(votes) => Self::Rank((0, votes, id)),
            PostPlace::Trend { recent, votes } => Self::Rank((recent, votes, id)),
        }
    }

    /// The time and the identifier, in a list by time.
    pub fn time(self) -> Option<(Stamp, Id)> {
        match self {
            Self::Time(at, id) => Some((at, id)),
            Self::Rank(_) => None,
        }
    }

    /// The rank, in a list by counts.
    pub fn rank(self) -> Option<Rank> {
        match self {
            Self::Time(..) => None,
            Self::Rank(rank) => Some(rank),
        }
    }
}

/// Whether a list has an order by counts.
pub fn is_ranked(sort: PostSort) -> bool {
    matches!(sort, PostSort::Votes | PostSort::Trending)
}

/// The key of a post in a list by time.
pub fn key_by_time(sort: PostSort, post: &FeedbackPost) -> ByPost {
    let at: Time = match sort {
        PostSort::Updated | PostSort::Changes => post.updated_at,
        _ => post.created_at,
    };
    ByPost { place: PostPlace::Time(at), id: post.id.0 }
}

/// The key of a post in a list by counts.
pub fn key_by_rank(sort: PostSort, (recent, votes, id): Rank) -> ByPost {
    let place = match sort {
        PostSort::Trending => PostPlace::Trend { recent, votes },
        _ => PostPlace::Votes(votes),
    };
    ByPost { place, id: id.0 }
}
