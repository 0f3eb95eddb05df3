//! Users.

use crate::{Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::user::{User, UserSelector};

/// Keeps an organization's users.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait UserRepository: Send + Sync {
    /// The linked (active) user; an empty address finds nobody.
    async fn find(
        &self,
        organization: OrganizationId,
        selector: UserSelector,
    ) -> Result<Option<User>, StoreError>;

    /// Sends a user, active or not, no more mail. Done, too, where the organization has no such user.
    async fn unsubscribe(
        &self,
        organization: OrganizationId,
        user: UserId,
    ) -> Result<Recorded, StoreError>;
}
