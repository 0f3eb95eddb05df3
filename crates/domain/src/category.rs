//! Categories of posts.

use crate::Time;
use crate::id::CategoryId;

/// A category of posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Category {
    /// The identifier.
    pub id: CategoryId,
    /// The name.
    pub name: String,
    /// The code, unique among the organization's categories.
    pub code: String,
    /// The description.
    pub description: Option<String>,
    /// The colour.
    pub color: String,
    /// Whether feedback boards offer the category.
    pub show_on_feedback: bool,
    /// Whether roadmap boards offer the category.
    pub show_on_roadmap: bool,
    /// `false` if the category is deleted.
    pub is_active: bool,
    /// When the category was made.
    pub created_at: Time,
}
