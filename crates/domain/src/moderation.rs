//! The queue of posts and comments that wait for moderation.

use crate::Time;
use crate::Uuid;
use crate::event::Moderated;
use crate::feedback_post::Moderation;
use crate::id::{BoardId, PostId, UserId};

/// A post or comment in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedItem {
    /// Whether it is a post or a comment.
    pub kind: Moderated,
    /// The post or comment.
    pub id: Uuid,
    /// The post, or the post of the comment.
    pub post_id: PostId,
    /// The board of the post.
    pub board_id: BoardId,
    /// The author of the post or comment.
    pub author_id: UserId,
    /// The title of the post.
    pub title: String,
    /// The description of the post, or the text of the comment.
    pub content: String,
    /// The state of moderation.
    pub moderation: Moderation,
    /// When the post or comment was made.
    pub created_at: Time,
}

/// Selects the items of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueFilter {
    /// The kind of the items.
    pub kind: Moderated,
    /// The state of the items.
    pub moderation: Moderation,
}
