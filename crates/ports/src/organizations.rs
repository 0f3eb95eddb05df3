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

    /// The organization whose portal answers at a host name. ASCII case does not count.
    async fn find_by_host(&self, host: &str) -> Result<Option<Organization>, StoreError>;

    /// All organizations, by slug.
    async fn list(&self) -> Result<Vec<Organization>, StoreError>;

    /// Adds an organization. `Taken(Slug)`, `Taken(Host)` or `Taken(Id)` if another has the same.
    async fn insert(&self, organization: Organization) -> Result<Recorded, StoreError>;

    /// Deletes an organization. `Stale` if there is none.
    ///
    /// From then on, no slug, host, key, list or export leads to it, its slug and its host are free,
    /// and no change of records, mail or delivery of it begins. Its rows, and with them its
    /// identifier, remain until [`OrganizationRepository::remove`] has removed them.
    async fn delete(&self, id: OrganizationId) -> Result<Recorded, StoreError>;

    /// The deleted organizations that have rows left, by id. Another organization may have the slug
    /// of one by now.
    async fn deleted(&self) -> Result<Vec<Organization>, StoreError>;

    /// Removes a part of the rows of a deleted organization, small enough to delay no other write
    /// for long. Returns the number of rows: 0 if the organization is not deleted, or has none left.
    ///
    /// `Busy` if a change that began before the deletion adds or holds a row meanwhile.
    async fn remove(&self, id: OrganizationId) -> Result<usize, StoreError>;
}
