//! Organizations.

use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::fold::ascii_key;
use hearback_domain::id::OrganizationId;
use hearback_domain::organization::Organization;
use hearback_ports::{OrganizationRepository, Recorded};

#[async_trait]
impl OrganizationRepository for MemoryStore {
    async fn find_by_slug(&self, slug: &str) -> Result<Option<Organization>> {
        Ok(self.state().organization(&ascii_key(slug)).cloned())
    }

    async fn list(&self) -> Result<Vec<Organization>> {
        let mut all: Vec<Organization> = self.state().organizations().cloned().collect();
        all.sort_by(|a, b| a.slug.as_str().cmp(b.slug.as_str()));
        Ok(all)
    }

    async fn insert(&self, organization: Organization) -> Result<Recorded> {
        self.record(|state| state.add_organization(organization).map_err(Recorded::Taken))
    }

    async fn delete(&self, id: OrganizationId) -> Result<Recorded> {
        self.record(|state| state.tenants.remove(&id).map(|_| ()).ok_or(Recorded::Stale))
    }
}
