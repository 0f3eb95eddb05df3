//! The audit log.

use crate::StoreError;
use crate::page::{ByTime, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::audit::{AuditEntry, AuditFilter};
use hearback_domain::id::OrganizationId;

/// Reads the audit log of an organization. [`Change`](crate::Change)s write it.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// The entries that the filter admits, newest first (`at`, then id).
    async fn page(
        &self,
        organization: OrganizationId,
        filter: AuditFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<AuditEntry, ByTime>, StoreError>;

    /// Removes up to `limit` entries older than `before`, oldest first. Returns the number of
    /// entries removed.
    async fn prune(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<usize, StoreError>;
}
