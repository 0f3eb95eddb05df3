//! Help collections.

use crate::page::{ByPosition, Page, PageRequest};
use crate::{Receipt, Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::edit::Edit;
use hearback_domain::help_collection::{CollectionCase, CollectionDetails, HelpCollection};
use hearback_domain::id::{HelpCollectionId, OrganizationId};
use hearback_domain::slug::Slug;

/// Keeps an organization's help collections.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait HelpCollectionRepository: Send + Sync {
    /// The active ones, by position, then name, then id.
    async fn page(
        &self,
        organization: OrganizationId,
        page: PageRequest<ByPosition>,
    ) -> Result<Page<CollectionDetails, ByPosition>, StoreError>;

    /// An active one.
    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpCollectionId,
    ) -> Result<Option<CollectionDetails>, StoreError>;

    /// Loads what an update rests on. Where no slug is given, none is taken; slugs are compared by [`Slug::key`].
    async fn edit_case(
        &self,
        organization: OrganizationId,
        id: HelpCollectionId,
        slug: Option<Slug>,
    ) -> Result<CollectionCase, StoreError>;

    /// Records an update. `Stale` where the collection is not as it was before the edit any more; `Taken(Slug)` where another
    /// one has the slug.
    async fn update(
        &self,
        organization: OrganizationId,
        edit: Edit<HelpCollection>,
        receipt: Option<Receipt>,
    ) -> Result<Recorded, StoreError>;
}
