//! Users.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::id::OrganizationId;
use hearback_domain::user::{User, UserSelector};

/// Keeps an organization's users.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait UserRepository: Send + Sync {
    /// The linked (active) user; an empty address finds nobody.
    async fn find(&self, organization: OrganizationId, selector: UserSelector) -> Result<Option<User>, StoreError>;
}
