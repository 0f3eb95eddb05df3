//! Comments on feedback posts.

use crate::feedback_post::Moderation;
use crate::id::{CommentId, PostId, UserId};
use crate::{ClosedSet, Time};

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Identifier.
    pub id: CommentId,
    /// Text.
    pub content: String,
    /// Who wrote it.
    pub author_id: UserId,
    /// The comment that it answers, on the same post.
    pub parent_comment_id: Option<CommentId>,
    /// The post that it is on.
    pub feedback_post_id: PostId,
    /// Who may see it in the portal.
    pub visibility: Visibility,
    /// Where it stands in moderation.
    pub moderation: Moderation,
    /// `false`: deleted.
    pub is_active: bool,
    /// When it was made.
    pub created_at: Time,
    /// When a value of it last changed.
    pub updated_at: Time,
}

/// Who may see a comment in the portal. The API key sees all of them.
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
