//! Feedback boards.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::id::{BoardId, OrganizationId};

/// Stores an organization's feedback boards.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait FeedbackBoardRepository: Send + Sync {
    /// The active boards, by position, then id.
    async fn list(&self, organization: OrganizationId) -> Result<Vec<FeedbackBoard>, StoreError>;

    /// An active board.
    async fn find(
        &self,
        organization: OrganizationId,
        id: BoardId,
    ) -> Result<Option<FeedbackBoard>, StoreError>;
}
