//! Roadmap posts.

use crate::Time;
use crate::id::{CategoryId, RoadmapBoardId, RoadmapPostId, StatusId, UserId};
use crate::slug::Slug;

/// A plan on a roadmap board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoadmapPost {
    /// The identifier.
    pub id: RoadmapPostId,
    /// The title.
    pub title: String,
    /// The description, or empty.
    pub description: String,
    /// The slug, unique among the organization's roadmap posts.
    pub slug: Slug,
    /// The board.
    pub roadmap_board_id: RoadmapBoardId,
    /// The author.
    pub author_id: Option<UserId>,
    /// The user who is responsible for the post.
    pub owner_id: Option<UserId>,
    /// The status.
    pub status_id: StatusId,
    /// The category.
    pub category_id: Option<CategoryId>,
    /// The expected date of completion.
    pub eta: Option<Time>,
    /// `false` if the post is deleted.
    pub is_active: bool,
    /// When the post was made.
    pub created_at: Time,
    /// When a value last changed.
    pub updated_at: Time,
}
