//! Feedback posts.

use crate::fold::{self, Folded};
use crate::id::{BoardId, CategoryId, PostId, StatusId, TagId, UserId};
use crate::slug::Slug;
use crate::{ClosedSet, Time};

/// A piece of feedback on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackPost {
    /// The identifier.
    pub id: PostId,
    /// The title.
    pub title: String,
    /// The description, or empty.
    pub description: String,
    /// The slug, unique among the organization's feedback posts.
    pub slug: Slug,
    /// The board.
    pub board_id: BoardId,
    /// The author.
    pub author_id: UserId,
    /// The user who is responsible for the post.
    pub owner_id: Option<UserId>,
    /// The status.
    pub status_id: StatusId,
    /// The category.
    pub category_id: Option<CategoryId>,
    /// The expected date of completion.
    pub eta: Option<Time>,
    /// The state of moderation.
    pub moderation: Moderation,
    /// The tags, in the order given.
    pub tag_ids: Vec<TagId>,
    /// The post that this one was merged into. That post may be merged, too.
    pub merged_into_id: Option<PostId>,
    /// `false` if the post is deleted.
    pub is_active: bool,
    /// When the post was made.
    pub created_at: Time,
    /// When a value last changed.
    pub updated_at: Time,
}

impl FeedbackPost {
    /// The folded title and description, in which a search looks.
    pub fn search_text(&self) -> String {
        fold::search_text([self.title.as_str(), self.description.as_str()])
    }
}

/// A post with its counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostDetails {
    /// The post.
    pub post: FeedbackPost,
    /// The number of votes.
    pub vote_count: i64,
    /// The number of active comments, of any visibility and moderation.
    pub comment_count: i64,
}

/// Selects the posts of a list. An identifier that the organization does not have matches nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostFilter {
    /// Only posts of this board.
    pub board_id: Option<BoardId>,
    /// Only posts with this status.
    pub status_id: Option<StatusId>,
    /// Only posts whose title or description contains this text.
    pub search: Option<Folded>,
}

/// The states of moderation of a post or comment.
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
