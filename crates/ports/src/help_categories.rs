//! Help categories.

use crate::StoreError;
use crate::page::{ByPosition, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::help_category::CategoryDetails;
use hearback_domain::id::{HelpCategoryId, HelpCollectionId, OrganizationId};

/// Keeps an organization's help categories.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait HelpCategoryRepository: Send + Sync {
    /// The active ones, of one active collection or of all, by position, then name, then id; none of a collection that is not
    /// there.
    async fn page(
        &self,
        organization: OrganizationId,
        collection: Option<HelpCollectionId>,
        page: PageRequest<ByPosition>,
    ) -> Result<Page<CategoryDetails, ByPosition>, StoreError>;

    /// An active one, also of an inactive collection.
    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpCategoryId,
    ) -> Result<Option<CategoryDetails>, StoreError>;
}
