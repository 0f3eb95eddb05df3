//! The sessions of the portal, and the sign-ins that begin them.
//!
//! They are no records: no export has them. The removal of an organization takes them along. The
//! change by which a user is no longer linked, or is blocked, ends the user's sessions, and an erasure
//! removes the sign-ins of the person's address.

use crate::{Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::session::{Proof, Redeemed, Session, SignIn, TokenDigest};
use hearback_domain::user::User;

/// The most rows of an organization that are over and that one call removes.
pub const MOST_REMOVED: i64 = 100;

/// Stores an organization's sessions and sign-ins. A call that has to be made again returns
/// [`StoreError::Busy`], and [`Recorded::Stale`] for the given reasons alone.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SessionRepository: Send + Sync {
    /// Stores a sign-in. Removes up to [`MOST_REMOVED`] that are over at its `created_at`, those
    /// that ended first. [`Recorded::Stale`] if the organization is gone, or if the address has
    /// [`MOST_SIGN_INS`](hearback_domain::session::MOST_SIGN_INS) that are not over: acts of guests
    /// if it is one, and others if it is none. An invitation
    /// is always stored, and replaces those of the same address.
    async fn sign_in(
        &self,
        organization: OrganizationId,
        sign_in: SignIn,
    ) -> Result<Recorded, StoreError>;

    /// The sign-in with a link, unless it is over. Nothing is redeemed.
    async fn offered(
        &self,
        organization: OrganizationId,
        link: TokenDigest,
        now: Time,
    ) -> Result<Option<SignIn>, StoreError>;

    /// The invitations that are not over: by `created_at`, then link, the smallest first.
    async fn invitations(
        &self,
        organization: OrganizationId,
        now: Time,
    ) -> Result<Vec<SignIn>, StoreError>;

    /// Redeems a sign-in, as [`SignIn::redeem`] decides. Of several calls at once, one redeems it,
    /// and all wrong codes are counted.
    async fn redeem(
        &self,
        organization: OrganizationId,
        proof: Proof,
        now: Time,
    ) -> Result<Redeemed, StoreError>;

    /// Stores a session. Ends the sessions of the user that are over at its `created_at`, and those
    /// that began first, so that the user has at most
    /// [`MOST_SESSIONS`](hearback_domain::session::MOST_SESSIONS). The session of a user with a
    /// second factor wants it, whatever `session` says. [`Recorded::Stale`] if the user is not linked
    /// or the organization is gone.
    async fn begin(
        &self,
        organization: OrganizationId,
        session: Session,
    ) -> Result<Recorded, StoreError>;

    /// The session with a digest if it is not over, with its user if linked, in one statement. The
    /// primary answers this, never a replica, which may lag.
    async fn find(
        &self,
        organization: OrganizationId,
        digest: TokenDigest,
        now: Time,
    ) -> Result<Option<(Session, User)>, StoreError>;

    /// Notes a visit, unless a later one is noted.
    async fn touch(
        &self,
        organization: OrganizationId,
        digest: TokenDigest,
        seen_at: Time,
        expires_at: Time,
    ) -> Result<(), StoreError>;

    /// Ends a session.
    async fn end(
        &self,
        organization: OrganizationId,
        digest: TokenDigest,
    ) -> Result<(), StoreError>;

    /// The sessions of a user that are not over: by `seen_at`, then digest, the greatest first.
    async fn of_user(
        &self,
        organization: OrganizationId,
        user: UserId,
        now: Time,
    ) -> Result<Vec<Session>, StoreError>;

    /// Ends the sessions of a user, except one.
    async fn end_all(
        &self,
        organization: OrganizationId,
        user: UserId,
        except: Option<TokenDigest>,
    ) -> Result<(), StoreError>;

    /// Notes that a token of single sign-on was used, until its time is over. Removes up to
    /// [`MOST_REMOVED`] whose time is over at `now`, those that ended first. [`Recorded::Stale`] if
    /// it was used before and its time is not over, or if the organization is gone.
    async fn spend(
        &self,
        organization: OrganizationId,
        token: TokenDigest,
        until: Time,
        now: Time,
    ) -> Result<Recorded, StoreError>;

    /// Removes up to `limit` sessions, sign-ins, used tokens and tries of passwords each that are
    /// over at `now`, those that ended first. Returns their number.
    async fn prune(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<usize, StoreError>;
}
