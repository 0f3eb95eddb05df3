//! Roadmap boards.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::id::OrganizationId;
use hearback_domain::roadmap_board::RoadmapBoard;

/// Stores an organization's roadmap boards.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait RoadmapBoardRepository: Send + Sync {
    /// The active boards, by position, then id.
    async fn list(&self, organization: OrganizationId) -> Result<Vec<RoadmapBoard>, StoreError>;
}
