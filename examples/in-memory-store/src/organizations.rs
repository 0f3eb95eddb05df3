//! Organizations, their users and their keys.

use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::api_key::{ApiKey, KeyDigest};
use hearback_domain::fold::ascii_key;
use hearback_domain::id::{ApiKeyId, OrganizationId, UserId};
use hearback_domain::organization::Organization;
use hearback_domain::user::{User, UserSelector};
use hearback_ports::keys::KeyOwner;
use hearback_ports::{
    KeyRepository, Kind, OrganizationRepository, Record, Recorded, UserRepository,
};
use std::sync::Arc;

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
        self.record(|state| state.add(organization.id, Record::Organization(organization)))
    }

    async fn delete(&self, id: OrganizationId) -> Result<Recorded> {
        self.record(|state| state.tenants.remove(&id).map(|_| ()).ok_or(Recorded::Stale))
    }

    async fn deleted(&self) -> Result<Vec<Organization>> {
        Ok(Vec::new())
    }

    async fn remove(&self, _: OrganizationId) -> Result<usize> {
        Ok(0)
    }
}

#[async_trait]
impl UserRepository for MemoryStore {
    async fn find(
        &self,
        organization: OrganizationId,
        selector: UserSelector,
    ) -> Result<Option<User>> {
        self.read(organization, |tenant| match selector {
            UserSelector::Id(id) => tenant.find(id).cloned(),
            UserSelector::Email(email) => {
                let mut named = tenant.active().filter(|user: &&User| user.email == email);
                named.find(|user| !user.email.is_empty()).cloned()
            }
            UserSelector::ExternalId(id) => {
                let id = Some(id);
                tenant.active().find(|user: &&User| user.external_id == id).cloned()
            }
        })
    }

    async fn unsubscribe(&self, organization: OrganizationId, user: UserId) -> Result<Recorded> {
        self.update(organization, |tenant| {
            tenant.edit(user, |user: &mut User| user.is_subscribed = false);
        })?;
        Ok(Recorded::Done)
    }
}

#[async_trait]
impl KeyRepository for MemoryStore {
    async fn owner(&self, digest: KeyDigest) -> Result<Option<KeyOwner>> {
        let state = self.state();
        let has_key = |tenant: &&Arc<Tenant>| tenant.all().any(|key: &ApiKey| key.digest == digest);
        let mut owners = state.tenants.values().filter(has_key).flat_map(|tenant| tenant.all());
        let owner =
            |it: &Organization| KeyOwner { organization: it.id, help_center: it.help_center };
        Ok(owners.next().map(owner))
    }

    async fn active(&self, organization: OrganizationId) -> Result<Option<ApiKey>> {
        self.read(organization, |tenant| tenant.all().next().cloned())
    }

    async fn insert(&self, organization: OrganizationId, key: ApiKey) -> Result<Recorded> {
        self.record(|state| state.add(organization, Record::ApiKey(key)))
    }

    async fn replace(
        &self,
        organization: OrganizationId,
        old: ApiKeyId,
        new: ApiKey,
    ) -> Result<Recorded> {
        self.record(|state| {
            state.tenant_mut(organization).ok_or(Recorded::Stale)?.revoke(old)?;
            state.add(organization, Record::ApiKey(new))
        })
    }

    async fn revoke(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
        _at: Time,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| tenant.revoke(id))
    }
}

impl Tenant {
    fn revoke(&mut self, id: ApiKeyId) -> Result<(), Recorded> {
        let key: ApiKey = self.any(id).cloned().ok_or(Recorded::Stale)?;
        self.remove((Kind::ApiKey, id.0));
        self.revoked_keys.insert(id, key);
        Ok(())
    }
}
