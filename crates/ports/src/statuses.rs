//! Statuses.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::id::OrganizationId;
use hearback_domain::status::Status;

/// Stores an organization's statuses.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait StatusRepository: Send + Sync {
    /// The active statuses, in [workflow order](hearback_domain::status::workflow_order).
    async fn list(&self, organization: OrganizationId) -> Result<Vec<Status>, StoreError>;
}
