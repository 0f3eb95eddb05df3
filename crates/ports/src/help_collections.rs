//! Help collections.

use crate::StoreError;
use crate::page::{ByPosition, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::help_collection::CollectionDetails;
use hearback_domain::id::{HelpCollectionId, OrganizationId};

/// Stores an organization's help collections.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait HelpCollectionRepository: Send + Sync {
    /// The active collections, by position, then name, then id.
    async fn page(
        &self,
        organization: OrganizationId,
        page: PageRequest<ByPosition>,
    ) -> Result<Page<CollectionDetails, ByPosition>, StoreError>;

    /// An active collection.
    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpCollectionId,
    ) -> Result<Option<CollectionDetails>, StoreError>;
}
