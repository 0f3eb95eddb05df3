//! Help categories.

use crate::StoreError;
use crate::page::{ByPosition, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::help_category::CategoryDetails;
use hearback_domain::id::{HelpCategoryId, HelpCollectionId, OrganizationId};

/// Stores an organization's help categories.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait HelpCategoryRepository: Send + Sync {
    /// The active categories, by position, then name, then id: those of one active collection, or
    /// all. Empty if there is no such collection.
    async fn page(
        &self,
        organization: OrganizationId,
        collection: Option<HelpCollectionId>,
        page: PageRequest<ByPosition>,
    ) -> Result<Page<CategoryDetails, ByPosition>, StoreError>;

    /// An active category. Its collection may be inactive.
    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpCategoryId,
    ) -> Result<Option<CategoryDetails>, StoreError>;
}
