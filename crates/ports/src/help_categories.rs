//! Help categories.

use crate::page::{ByPosition, Page, PageRequest};
use crate::{Receipt, Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::edit::Edit;
use hearback_domain::help_category::{CategoryCase, CategoryDetails, HelpCategory, NewCategory};
use hearback_domain::id::{HelpCategoryId, HelpCollectionId, OrganizationId};
use hearback_domain::slug::Slug;

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

    /// Records a new category at the end of its collection: one place behind the last that was ever given there. `Stale` where
    /// the collection is not active any more; `Taken(Slug)` where the organization has a category with this slug, active or not.
    async fn insert(
        &self,
        organization: OrganizationId,
        category: NewCategory,
        receipt: Option<Receipt>,
    ) -> Result<Recorded, StoreError>;

    /// Loads what an update rests on. Where no target is named it counts as found, where no slug is given none is taken; slugs
    /// are compared by [`Slug::key`].
    async fn edit_case(
        &self,
        organization: OrganizationId,
        id: HelpCategoryId,
        target: Option<HelpCollectionId>,
        slug: Option<Slug>,
    ) -> Result<CategoryCase, StoreError>;

    /// Records an update. A category that changes its collection takes its articles along and goes to the end of the new one.
    /// `Stale` where the category is not as it was before the edit any more, or its new collection is not active;
    /// `Taken(Slug)` where another one has the slug.
    async fn update(
        &self,
        organization: OrganizationId,
        edit: Edit<HelpCategory>,
        receipt: Option<Receipt>,
    ) -> Result<Recorded, StoreError>;
}
