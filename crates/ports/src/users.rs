//! Users.

use crate::page::{BySort, Page, PageRequest};
use crate::{Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::user::{User, UserFilter, UserSelector, UserSort};

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

    /// [`find`](Self::find) of a user who may no longer be linked. If several match, the linked one
    /// is found, or else the one that changed last.
    async fn find_any(
        &self,
        organization: OrganizationId,
        selector: UserSelector,
    ) -> Result<Option<User>, StoreError>;

    /// The users that the filter admits, in an order. They are active (linked) unless the filter
    /// includes deleted ones.
    async fn page(
        &self,
        organization: OrganizationId,
        filter: UserFilter,
        sort: UserSort,
        page: PageRequest<BySort>,
    ) -> Result<Page<User, BySort>, StoreError>;

    /// The linked members of the team, by `user_id`, at most `limit`.
    async fn team(&self, organization: OrganizationId, limit: i64)
    -> Result<Vec<User>, StoreError>;

    /// Unsubscribes a user, active or not, from mail. [`Recorded::Done`] even if the organization
    /// has no such user.
    async fn unsubscribe(
        &self,
        organization: OrganizationId,
        user: UserId,
        at: Time,
    ) -> Result<Recorded, StoreError>;
}
