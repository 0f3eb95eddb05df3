//! Roadmap posts.

use crate::Time;
use crate::id::{CategoryId, RoadmapBoardId, RoadmapPostId, StatusId, UserId};
use crate::slug::Slug;

/// Something planned, on a roadmap board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoadmapPost {
    /// Identifier.
    pub id: RoadmapPostId,
    /// Title.
    pub title: String,
    /// Description, or empty.
    pub description: String,
    /// Unique among the organization's roadmap posts.
    pub slug: Slug,
    /// The board that it is on.
    pub roadmap_board_id: RoadmapBoardId,
    /// Who wrote it.
    pub author_id: Option<UserId>,
    /// Who looks after it.
    pub owner_id: Option<UserId>,
    /// Its status.
    pub status_id: StatusId,
    /// Its category.
    pub category_id: Option<CategoryId>,
    /// When it is expected to be done.
    pub eta: Option<Time>,
    /// `false`: deleted.
    pub is_active: bool,
    /// When it was made.
    pub created_at: Time,
    /// When a value of it last changed.
    pub updated_at: Time,
}
