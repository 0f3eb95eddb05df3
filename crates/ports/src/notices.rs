//! The notifications of users in the portal, and the trouble with their mails.
//!
//! The [`MailQueue`](crate::MailQueue) writes notifications: one for each user and change. The portal
//! shows them. They are kept for [`NOTICES_KEPT`](hearback_domain::mail::NOTICES_KEPT).

use crate::StoreError;
use crate::page::{ByTime, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::id::{MailingId, OrganizationId, UserId};
use hearback_domain::mail::{MailFailure, Mailing};

/// A notification of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The change.
    pub mailing: Mailing,
    /// When the notification was written.
    pub at: Time,
    /// Whether the user has not read it.
    pub is_unread: bool,
}

/// A mail that the mail server did not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailTrouble {
    /// The kind of failure.
    pub failure: MailFailure,
    /// The answer of the mail server, or what went wrong on the way to it. It has no secret and names
    /// no recipient.
    pub answer: String,
    /// When it was.
    pub at: Time,
}

/// Stores the notifications of users.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait NoticeRepository: Send + Sync {
    /// The number of a user's unread notifications, at most `limit`.
    async fn unread(
        &self,
        organization: OrganizationId,
        user: UserId,
        limit: i64,
    ) -> Result<i64, StoreError>;

    /// The notifications of a user that were written after `since`, newest first: by the time, then
    /// by the identifier of the mailing.
    async fn page(
        &self,
        organization: OrganizationId,
        user: UserId,
        since: Time,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Notice, ByTime>, StoreError>;

    /// Marks a notification of a user as read, or all of them.
    async fn read(
        &self,
        organization: OrganizationId,
        user: UserId,
        one: Option<MailingId>,
    ) -> Result<(), StoreError>;

    /// Removes up to `limit` notifications that were written before `before`. Those whose mail is
    /// still to be sent stay. Returns the number of removed ones.
    async fn prune(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<usize, StoreError>;

    /// The latest trouble with the organization's mails. `None` if a mail was taken since.
    async fn trouble(
        &self,
        organization: OrganizationId,
    ) -> Result<Option<MailTrouble>, StoreError>;

    /// Keeps a trouble in the place of an earlier one of its kind, or forgets all: a mail was taken.
    /// An organization that is deleted has none.
    async fn note(
        &self,
        organization: OrganizationId,
        trouble: Option<MailTrouble>,
    ) -> Result<(), StoreError>;
}
