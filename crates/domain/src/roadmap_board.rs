//! Roadmap boards.

use crate::Time;
use crate::id::RoadmapBoardId;
use crate::position::Position;
use crate::slug::Slug;

/// A board that shows what is planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoadmapBoard {
    /// Identifier.
    pub id: RoadmapBoardId,
    /// Name.
    pub name: String,
    /// Unique among the organization's roadmap boards.
    pub slug: Slug,
    /// Description.
    pub description: Option<String>,
    /// URL of an icon.
    pub icon_url: Option<String>,
    /// `false`: voting on the board's posts is refused.
    pub is_voting_enabled: bool,
    /// `false`: deleted.
    pub is_active: bool,
    /// Place in the list.
    pub seq_number: Position,
    /// When it was made.
    pub created_at: Time,
}
