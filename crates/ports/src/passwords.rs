//! The passwords of users, and the tries to guess them.
//!
//! They are no records: no export has them. The removal of an organization takes them along. The
//! change by which a user is no longer linked removes the user's password.

use crate::{Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::password::StoredPassword;
use hearback_domain::session::TokenDigest;

/// Stores the passwords of an organization's users. A call that has to be made again returns
/// [`StoreError::Busy`], and [`Recorded::Stale`] for the given reasons alone.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PasswordRepository: Send + Sync {
    /// The password of a user. The primary answers this, never a replica, which may lag.
    async fn find(
        &self,
        organization: OrganizationId,
        user: UserId,
    ) -> Result<Option<StoredPassword>, StoreError>;

    /// Stores the password of a user in place of the one before, and ends the sessions of the user,
    /// except one, in one transaction. [`Recorded::Stale`] if the user is not linked or the
    /// organization is gone.
    async fn set(
        &self,
        organization: OrganizationId,
        password: StoredPassword,
        except: Option<TokenDigest>,
    ) -> Result<Recorded, StoreError>;

    /// Removes the password of a user, and ends the sessions of the user, except one, in one
    /// transaction.
    async fn remove(
        &self,
        organization: OrganizationId,
        user: UserId,
        except: Option<TokenDigest>,
    ) -> Result<(), StoreError>;

    /// Counts a try of somebody. The first one counts until `until`, and those after it as long.
    /// [`Recorded::Stale`] if there were `most` of them, which `now` are not over, or if the
    /// organization is gone. Of several calls at once, all are counted.
    async fn attempt(
        &self,
        organization: OrganizationId,
        whose: TokenDigest,
        most: i32,
        now: Time,
        until: Time,
    ) -> Result<Recorded, StoreError>;

    /// Forgets the tries of somebody.
    async fn forget(
        &self,
        organization: OrganizationId,
        whose: TokenDigest,
    ) -> Result<(), StoreError>;
}
