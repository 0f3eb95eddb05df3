//! Links between roadmap posts and feedback posts.

use crate::Time;
use crate::id::{PostId, RoadmapLinkId, RoadmapPostId};

/// A link from a roadmap post to a feedback post that asks for it. There is at most one for both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoadmapLink {
    /// The identifier.
    pub id: RoadmapLinkId,
    /// The roadmap post.
    pub roadmap_post_id: RoadmapPostId,
    /// The feedback post.
    pub feedback_post_id: PostId,
    /// Whether the feedback post gets the status of the roadmap post when that changes.
    pub sync_status: bool,
    /// When the link was made.
    pub created_at: Time,
}
