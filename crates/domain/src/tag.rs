//! Tags of posts.

use crate::Time;
use crate::id::TagId;

/// A free mark on posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Identifier.
    pub id: TagId,
    /// Name.
    pub name: String,
    /// Unique among the organization's tags where given.
    pub code: Option<String>,
    /// Hex colour.
    pub color: String,
    /// Whether it is offered on feedback boards.
    pub show_on_feedback: bool,
    /// Whether it is offered on roadmap boards.
    pub show_on_roadmap: bool,
    /// `false`: deleted.
    pub is_active: bool,
    /// When it was made.
    pub created_at: Time,
}
