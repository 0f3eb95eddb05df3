//! API keys.

use crate::tenant::Tenant;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::api_key::{ApiKey, KeyDigest};
use hearback_domain::id::{ApiKeyId, OrganizationId};
use hearback_domain::organization::Organization;
use hearback_ports::keys::KeyOwner;
use hearback_ports::{KeyRepository, Kind, Record, Recorded};

#[async_trait]
impl KeyRepository for MemoryStore {
    async fn owner(&self, digest: KeyDigest) -> Result<Option<KeyOwner>> {
        let state = self.state();
        let has = |tenant: &&Tenant| tenant.all::<ApiKey>().any(|key| key.digest == digest);
        let tenant = state.tenants.values().map(AsRef::as_ref).find(has);
        let organization = tenant.and_then(|tenant| tenant.all::<Organization>().next());
        Ok(organization.map(|it| KeyOwner { organization: it.id, help_center: it.help_center }))
    }

    async fn active(&self, organization: OrganizationId) -> Result<Option<ApiKey>> {
        Ok(self.read(organization, |tenant| tenant.all().next().cloned()))
    }

    async fn insert(&self, organization: OrganizationId, key: ApiKey) -> Result<Recorded> {
        self.record(|state| {
            state.tenant(organization).ok_or(Recorded::Stale)?;
            state.add(organization, Record::ApiKey(key)).map_err(Recorded::Taken)
        })
    }

    async fn replace(
        &self,
        organization: OrganizationId,
        old: ApiKeyId,
        new: ApiKey,
    ) -> Result<Recorded> {
        self.record(|state| {
            state.tenant_mut(organization).ok_or(Recorded::Stale)?.revoke(old)?;
            state.add(organization, Record::ApiKey(new)).map_err(Recorded::Taken)
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
