//! Feedback posts as lists show them.

use crate::column::{BadRow, Origin};
use crate::rows::FeedbackPostRow;
use crate::values::{Id, Ids, Stamp};
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::feedback_post::{FeedbackPost, PostDetails, PostSort};
use hearback_domain::spend::Spend;
use hearback_ports::page::{ByPost, PostPlace};

/// A row with its numbers of votes and comments, its spend, and its roadmap posts. `hidden_tag_ids`
/// are the tags of the organization that posts do not show.
#[derive(Queryable)]
#[expect(missing_docs, reason = "a field has the name of the value that it holds")]
pub struct CountedPost {
    pub row: FeedbackPostRow<'static>,
    pub hidden_tag_ids: Ids,
    pub vote_count: i64,
    pub comment_count: i64,
    pub monthly_spend: i64,
    pub roadmap_post_ids: Ids,
}

/// The values of a [`CountedPost`], and the two numbers of its [`Rank`].
pub type RankedPost = (FeedbackPostRow<'static>, Ids, i64, i64, i64, Ids, i64, i64);

impl From<RankedPost> for CountedPost {
    fn from(ranked: RankedPost) -> Self {
        let (row, hidden_tag_ids, vote_count, comment_count, monthly_spend, plans, ..) = ranked;
        let roadmap_post_ids = plans;
        Self { row, hidden_tag_ids, vote_count, comment_count, monthly_spend, roadmap_post_ids }
    }
}

impl TryFrom<CountedPost> for PostDetails {
    type Error = BadRow;

    fn try_from(counted: CountedPost) -> Result<Self, BadRow> {
        let CountedPost { row, hidden_tag_ids, vote_count, comment_count, .. } = counted;
        let origin = Origin::new("feedback_post_counts", row.id);
        let monthly_spend = Spend::from_hundredths(counted.monthly_spend);
        let monthly_spend = monthly_spend.ok_or_else(|| origin.bad("monthly_spend"))?;
        let mut post = FeedbackPost::try_from(row)?;
        let hidden = hidden_tag_ids.0.unwrap_or_default();
        post.tag_ids.retain(|tag| !hidden.contains(&tag.0));
        let plans = counted.roadmap_post_ids.0.unwrap_or_default();
        let roadmap_post_ids = plans.into_iter().map(Into::into).collect();
        Ok(Self { post, vote_count, comment_count, monthly_spend, roadmap_post_ids })
    }
}

/// The rank of a post in a list by counts: two numbers, and its identifier. An order by one number
/// has 0 as the first.
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
            PostPlace::Votes(number) | PostPlace::Spend(number) => Self::Rank((0, number, id)),
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
    matches!(sort, PostSort::Votes | PostSort::Trending | PostSort::Spend)
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
pub fn key_by_rank(sort: PostSort, (first, number, id): Rank) -> ByPost {
    let place = match sort {
        PostSort::Trending => PostPlace::Trend { recent: first, votes: number },
        PostSort::Spend => PostPlace::Spend(number),
        _ => PostPlace::Votes(number),
    };
    ByPost { place, id: id.0 }
}
