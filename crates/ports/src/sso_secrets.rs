//! The secrets with which organizations sign tokens of single sign-on.
//!
//! They are no records: no export has them. The removal of an organization takes them along.

use crate::{Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::audit::AuditEntry;
use hearback_domain::id::{OrganizationId, SsoSecretId};
use hearback_domain::sso_secret::SealedSsoSecret;

/// Stores an organization's secrets of single sign-on. Each change has its entry of the audit log, in
/// the same transaction. A call that has to be made again returns [`StoreError::Busy`], and
/// [`Recorded::Stale`] for the given reasons alone.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SsoSecretRepository: Send + Sync {
    /// The secrets: by `created_at`, then id, the greatest first. The primary answers this, never a
    /// replica, which may lag.
    async fn list(&self, organization: OrganizationId) -> Result<Vec<SealedSsoSecret>, StoreError>;

    /// Adds a secret. [`Recorded::Stale`] if the organization has
    /// [`MOST_SSO_SECRETS`](hearback_domain::sso_secret::MOST_SSO_SECRETS) already, or is gone.
    async fn add(
        &self,
        organization: OrganizationId,
        secret: SealedSsoSecret,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError>;

    /// Removes a secret. [`Recorded::Stale`] if the organization does not have it.
    async fn remove(
        &self,
        organization: OrganizationId,
        id: SsoSecretId,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError>;
}
