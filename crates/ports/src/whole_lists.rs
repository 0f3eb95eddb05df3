//! Lists without pages.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::category::Category;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::id::OrganizationId;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::status::Status;
use hearback_domain::tag::Tag;

/// Lists the active records of kinds with few records in an organization.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WholeLists: Send + Sync {
    /// The categories of posts, by name, then id.
    async fn categories(&self, organization: OrganizationId) -> Result<Vec<Category>, StoreError>;

    /// The feedback boards, by position, then id.
    async fn feedback_boards(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<FeedbackBoard>, StoreError>;

    /// The roadmap boards, by position, then id.
    async fn roadmap_boards(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<RoadmapBoard>, StoreError>;

    /// The statuses, in [workflow order](hearback_domain::status::workflow_order).
    async fn statuses(&self, organization: OrganizationId) -> Result<Vec<Status>, StoreError>;

    /// The tags of posts, by name, then id.
    async fn tags(&self, organization: OrganizationId) -> Result<Vec<Tag>, StoreError>;
}
