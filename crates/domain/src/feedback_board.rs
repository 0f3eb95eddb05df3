//! Feedback boards.

use crate::Time;
use crate::id::BoardId;
use crate::position::Position;
use crate::slug::Slug;

/// A board that collects feedback posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackBoard {
    /// The identifier.
    pub id: BoardId,
    /// The name.
    pub name: String,
    /// The slug, unique among the organization's feedback boards.
    pub slug: Slug,
    /// The description.
    pub description: Option<String>,
    /// The URL of an icon.
    pub icon_url: Option<String>,
    /// Whether votes on the board's posts are accepted.
    pub is_voting_enabled: bool,
    /// Whether the portal invites comments on the board's posts.
    pub is_commenting_enabled: bool,
    /// Whether the portal shows the dates of posts.
    pub show_post_dates: bool,
    /// `false` if the board is deleted.
    pub is_active: bool,
    /// The position among the organization's feedback boards.
    pub seq_number: Position,
    /// When the board was made.
    pub created_at: Time,
}
