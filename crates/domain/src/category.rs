//! Categories of posts.

use crate::Time;
use crate::id::CategoryId;

/// A classification of posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Category {
    /// Identifier.
    pub id: CategoryId,
    /// Name.
    pub name: String,
    /// Unique among the organization's categories.
    pub code: String,
    /// Description.
    pub description: Option<String>,
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
