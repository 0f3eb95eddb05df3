//! Organizations.

use crate::{Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::id::OrganizationId;
use hearback_domain::organization::Organization;

/// Stores organizations. Only this repository has methods without an organization as their first
/// argument.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait OrganizationRepository: Send + Sync {
    /// The organization with a slug. ASCII case does not count.
    async fn find_by_slug(&self, slug: &str) -> Result<Option<Organization>, StoreError>;

    /// All organizations, by slug.
    async fn list(&self) -> Result<Vec<Organization>, StoreError>;

    /// Adds an organization. `Taken(Slug)` or `Taken(Id)` if another has the same.
    async fn insert(&self, organization: Organization) -> Result<Recorded, StoreError>;

    /// Deletes an organization with all its records. `Stale` if there is none.
    async fn delete(&self, id: OrganizationId) -> Result<Recorded, StoreError>;
}
