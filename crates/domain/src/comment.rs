//! Comments on feedback posts.

use crate::feedback_post::Moderation;
use crate::id::{CommentId, PostId, UserId};
use crate::{ClosedSet, Time};

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The identifier.
    pub id: CommentId,
    /// The text.
    pub content: String,
    /// The author.
    pub author_id: UserId,
    /// The comment on the same post that this one replies to.
    pub parent_comment_id: Option<CommentId>,
    /// The post.
    pub feedback_post_id: PostId,
    /// The visibility in the portal.
    pub visibility: Visibility,
    /// The state of moderation.
    pub moderation: Moderation,
    /// `false` if the comment is deleted.
    pub is_active: bool,
    /// When the comment was made.
    pub created_at: Time,
    /// When a value last changed.
    pub updated_at: Time,
}

/// The visibility of a comment in the portal. The API returns comments of any visibility.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// `public`
    Public,
    /// `internal`
    Internal,
}

impl ClosedSet for Visibility {
    const ALL: &'static [Self] = &[Self::Public, Self::Internal];

    fn code(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Internal => "internal",
        }
    }
}
