//! Feedback posts.

use crate::fold::{self, Folded};
use crate::id::{BoardId, CategoryId, PostId, StatusId, TagId, UserId};
use crate::slug::Slug;
use crate::{ClosedSet, Time};

/// A piece of feedback on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackPost {
    /// Identifier.
    pub id: PostId,
    /// Title.
    pub title: String,
    /// Description, or empty.
    pub description: String,
    /// Unique among the organization's feedback posts.
    pub slug: Slug,
    /// The board that it is on.
    pub board_id: BoardId,
    /// Who wrote it.
    pub author_id: UserId,
    /// Who looks after it.
    pub owner_id: Option<UserId>,
    /// Its status.
    pub status_id: StatusId,
    /// Its category.
    pub category_id: Option<CategoryId>,
    /// When it is expected to be done.
    pub eta: Option<Time>,
    /// Where it stands in moderation.
    pub moderation: Moderation,
    /// Its tags, in the order given.
    pub tag_ids: Vec<TagId>,
    /// The post that it was merged into, which may itself have been merged further.
    pub merged_into_id: Option<PostId>,
    /// `false`: deleted.
    pub is_active: bool,
    /// When it was made.
    pub created_at: Time,
    /// When a value of it last changed.
    pub updated_at: Time,
}

impl FeedbackPost {
    /// The folded text that a search of posts looks in: title and description.
    pub fn search_text(&self) -> String {
        fold::search_text([self.title.as_str(), self.description.as_str()])
    }
}

/// A post with what is counted when it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostDetails {
    /// The post.
    pub post: FeedbackPost,
    /// Its votes.
    pub vote_count: i64,
    /// Its active comments, of any visibility and moderation.
    pub comment_count: i64,
}

/// Which posts a list shows; an identifier that the organization does not have matches nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostFilter {
    /// Only those of this board.
    pub board_id: Option<BoardId>,
    /// Only those of this status.
    pub status_id: Option<StatusId>,
    /// Only those whose title or description contains this text.
    pub search: Option<Folded>,
}

/// Where a post or comment stands in moderation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moderation {
    /// `pending`
    Pending,
    /// `accepted`
    Accepted,
    /// `rejected`
    Rejected,
    /// `spam`
    Spam,
}

impl ClosedSet for Moderation {
    const ALL: &'static [Self] = &[Self::Pending, Self::Accepted, Self::Rejected, Self::Spam];

    fn code(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Spam => "spam",
        }
    }
}
