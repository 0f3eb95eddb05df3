//! Categories.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::category::Category;
use hearback_domain::id::{CategoryId, OrganizationId};

/// Stores an organization's categories of posts.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait CategoryRepository: Send + Sync {
    /// The active categories, by name, then id.
    async fn list(&self, organization: OrganizationId) -> Result<Vec<Category>, StoreError>;

    /// An active category.
    async fn find(
        &self,
        organization: OrganizationId,
        id: CategoryId,
    ) -> Result<Option<Category>, StoreError>;
}
