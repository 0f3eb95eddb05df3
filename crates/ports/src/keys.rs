//! API keys.

use crate::{Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::api_key::{ApiKey, KeyDigest};
use hearback_domain::audit::AuditEntry;
use hearback_domain::id::{ApiKeyId, OrganizationId};
use hearback_domain::organization::HelpCenter;

/// The organization of an API key, with the part of its plan that every request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyOwner {
    /// The organization.
    pub organization: OrganizationId,
    /// Whether its plan has the help center.
    pub help_center: HelpCenter,
    /// Whether its events are kept in its ledger.
    pub events_ledger: bool,
}

/// Stores the API keys. An organization has at most one active key. Each change has its entry of the
/// audit log, in the same transaction.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait KeyRepository: Send + Sync {
    /// The owner of an active key with the scope `public_api`. The primary answers this, never a
    /// replica, which may lag.
    async fn owner(&self, digest: KeyDigest) -> Result<Option<KeyOwner>, StoreError>;

    /// The active key of an organization.
    async fn active(&self, organization: OrganizationId) -> Result<Option<ApiKey>, StoreError>;

    /// Adds the active key. `Taken(ActiveKey)` if the organization has one.
    async fn insert(
        &self,
        organization: OrganizationId,
        key: ApiKey,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError>;

    /// Revokes the active key `old` and adds `new`, in one transaction. `Stale` if `old` is no
    /// longer active.
    async fn replace(
        &self,
        organization: OrganizationId,
        old: ApiKeyId,
        new: ApiKey,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError>;

    /// Revokes the active key `id` at the time of the entry. `Stale` if it is no longer active.
    async fn revoke(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError>;
}
