//! Tags.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::id::OrganizationId;
use hearback_domain::tag::Tag;

/// Stores an organization's tags of posts.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait TagRepository: Send + Sync {
    /// The active tags, by name, then id.
    async fn list(&self, organization: OrganizationId) -> Result<Vec<Tag>, StoreError>;
}
