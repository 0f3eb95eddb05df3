//! Organizations.

use crate::{Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::id::OrganizationId;
use hearback_domain::organization::Organization;

/// Keeps organizations. The one repository whose methods are not scoped by an organization.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait OrganizationRepository: Send + Sync {
    /// The organization of a slug, without regard to ASCII case.
    async fn find_by_slug(&self, slug: &str) -> Result<Option<Organization>, StoreError>;

    /// All of them, by slug.
    async fn list(&self) -> Result<Vec<Organization>, StoreError>;

    /// Adds one; `Taken(Slug)` or `Taken(Id)` where there is one like it.
    async fn insert(&self, organization: Organization) -> Result<Recorded, StoreError>;

    /// Deletes one and everything that is its; `Stale` where there is none.
    async fn delete(&self, id: OrganizationId) -> Result<Recorded, StoreError>;
}
