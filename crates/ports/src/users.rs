//! Users.

use crate::{Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::user::{User, UserSelector};

/// Stores an organization's users.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait UserRepository: Send + Sync {
    /// The active (linked) user. An empty address matches no user.
    async fn find(
        &self,
        organization: OrganizationId,
        selector: UserSelector,
    ) -> Result<Option<User>, StoreError>;

    /// Unsubscribes a user, active or not, from mail. [`Recorded::Done`] even if the organization
    /// has no such user.
    async fn unsubscribe(
        &self,
        organization: OrganizationId,
        user: UserId,
    ) -> Result<Recorded, StoreError>;
}
