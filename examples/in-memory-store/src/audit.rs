//! The audit log.

use crate::lists::{Order, page, size};
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::audit::{AuditEntry, AuditFilter};
use hearback_domain::id::OrganizationId;
use hearback_ports::page::ByTime;
use hearback_ports::{AuditLog, Page, PageRequest};

#[async_trait]
impl AuditLog for MemoryStore {
    async fn page(
        &self,
        organization: OrganizationId,
        filter: AuditFilter,
        request: PageRequest<ByTime>,
    ) -> Result<Page<AuditEntry, ByTime>> {
        let key = |entry: &AuditEntry| ByTime { at: entry.at, id: entry.id.0 };
        self.read(organization, |tenant| {
            let entries = tenant.audit.values().filter(|entry| filter.admits(entry)).cloned();
            page(entries, Order::Descending, request, key)
        })
    }

    async fn prune(&self, organization: OrganizationId, before: Time, limit: i64) -> Result<usize> {
        self.write(|state| {
            let Some(tenant) = state.tenant_mut(organization) else { return Ok(0) };
            let old = tenant.audit.values().filter(|entry| entry.at < before);
            let mut old: Vec<_> = old.map(|entry| (entry.at, entry.id)).collect();
            old.sort_unstable();
            old.truncate(size(limit));
            old.iter().for_each(|(_, id)| drop(tenant.audit.remove(id)));
            Ok(old.len())
        })
    }
}
