//! Feedback boards.

use crate::Time;
use crate::id::BoardId;
use crate::position::Position;
use crate::slug::Slug;

/// A board that collects feedback posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackBoard {
    /// Identifier.
    pub id: BoardId,
    /// Name.
    pub name: String,
    /// Unique among the organization's feedback boards.
    pub slug: Slug,
    /// Description.
    pub description: Option<String>,
    /// URL of an icon.
    pub icon_url: Option<String>,
    /// `false`: voting on the board's posts is refused.
    pub is_voting_enabled: bool,
    /// Whether comments are invited.
    pub is_commenting_enabled: bool,
    /// Whether the portal shows the posts' dates.
    pub show_post_dates: bool,
    /// `false`: deleted.
    pub is_active: bool,
    /// Place in the list.
    pub seq_number: Position,
    /// When it was made.
    pub created_at: Time,
}
