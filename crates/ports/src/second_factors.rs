//! The second factors of users.
//!
//! They are no records: no export has them. The removal of an organization takes them along. The
//! change by which a user is no longer linked removes the user's second factor.
//!
//! A session of a user with a second factor begins as one that wants it:
//! [`SessionRepository::begin`](crate::SessionRepository::begin) sees to it.

use crate::{Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::second_factor::{FactorProof, SecondFactor};
use hearback_domain::session::TokenDigest;

/// Stores the second factors of an organization's users. A call that has to be made again returns
/// [`StoreError::Busy`], and [`Recorded::Stale`] for the given reasons alone.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SecondFactorRepository: Send + Sync {
    /// The second factor of a user. The primary answers this, never a replica, which may lag.
    async fn find(
        &self,
        organization: OrganizationId,
        user: UserId,
    ) -> Result<Option<SecondFactor>, StoreError>;

    /// Stores the second factor of a user who has none, notes that it was shown in `session`, and
    /// ends the other sessions of the user, in one transaction. [`Recorded::Stale`] if the user has
    /// one or is not linked, or if the organization is gone. Of several calls at once, one stores
    /// it.
    async fn add(
        &self,
        organization: OrganizationId,
        factor: SecondFactor,
        session: TokenDigest,
    ) -> Result<Recorded, StoreError>;

    /// Uses a code up, as [`SecondFactor::show`] decides, and notes that the second factor was
    /// shown in `session`, in one transaction. [`Recorded::Stale`] if the code is refused, or the
    /// user has no second factor. Of several calls with one code at once, one uses it up.
    async fn show(
        &self,
        organization: OrganizationId,
        user: UserId,
        proof: FactorProof,
        session: TokenDigest,
    ) -> Result<Recorded, StoreError>;

    /// Replaces the recovery codes of a user. [`Recorded::Stale`] if the user has no second factor.
    async fn renew(
        &self,
        organization: OrganizationId,
        user: UserId,
        recovery: Vec<TokenDigest>,
    ) -> Result<Recorded, StoreError>;

    /// Removes the second factor of a user, and ends the sessions of the user in one transaction.
    /// The session `except` stays, as one that has not shown a factor. [`Recorded::Stale`] if the
    /// user has none.
    async fn remove(
        &self,
        organization: OrganizationId,
        user: UserId,
        except: Option<TokenDigest>,
    ) -> Result<Recorded, StoreError>;
}
