//! Roadmap boards.

use crate::Time;
use crate::id::RoadmapBoardId;
use crate::position::Position;
use crate::slug::Slug;

/// A board that shows plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoadmapBoard {
    /// The identifier.
    pub id: RoadmapBoardId,
    /// The name.
    pub name: String,
    /// The slug, unique among the organization's roadmap boards.
    pub slug: Slug,
    /// The description.
    pub description: Option<String>,
    /// The URL of an icon.
    pub icon_url: Option<String>,
    /// Whether votes on the board's posts are accepted.
    pub is_voting_enabled: bool,
    /// `false` if the board is deleted.
    pub is_active: bool,
    /// The position among the organization's roadmap boards.
    pub seq_number: Position,
    /// When the board was made.
    pub created_at: Time,
}
