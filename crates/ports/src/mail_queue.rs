//! Mails on their way.
//!
//! An entry that is announced has a mailing, queued in the transaction that published it. [`MailQueue::write`] turns it into one
//! mail for each recipient, batch by batch; [`MailQueue::claim`] hands mails out under a lease, [`MailQueue::settle`] says what
//! became of them. There is one mail an entry and recipient, ever.

use crate::mailer::Recipient;
use crate::{Lease, StoreError};
use async_trait::async_trait;
use hearback_domain::changelog_entry::ChangelogEntry;
use hearback_domain::id::{ChangelogEntryId, OrganizationId, UserId};
use hearback_domain::mail::MailOutcome;
use hearback_domain::{Time, Uuid};

/// A mail that was handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedMail {
    /// The entry that it tells of.
    pub entry: ChangelogEntryId,
    /// Whom it is to.
    pub user: UserId,
    /// Which try this is, from 1.
    pub attempt: u32,
    /// Name and address as they are now; `None` unless the user [receives mail](hearback_domain::user::User::receives_mail) now.
    pub recipient: Option<Recipient>,
}

/// What became of a claimed mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettledMail {
    /// The entry.
    pub entry: ChangelogEntryId,
    /// Whom it was to.
    pub user: UserId,
    /// What became of it.
    pub outcome: MailOutcome,
}

/// What a mail tells of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// The organization's name.
    pub organization_name: String,
    /// The entry.
    pub entry: ChangelogEntry,
}

/// How far the writing of an organization's mails came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// There was nothing to write.
    Nothing,
    /// A batch was written, of so many mails (0 where a mailing ended); there may be more.
    Batch(usize),
}

/// Keeps mailings and mails.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait MailQueue: Send + Sync {
    /// Writes the next mails, up to `limit`, of one unfinished mailing of the organization: to those who
    /// [receive mail](hearback_domain::user::User::receives_mail), in the order of their `user_id`. All of a batch is committed
    /// with the place that the mailing came to, or nothing. They are due at `now`.
    async fn write(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<Written, StoreError>;

    /// Hands out up to `limit` mails that are due at `now`, earliest first. Committed before it returns, so that no mail is ever
    /// handed out twice, except after [`MailOutcome::Retry`]. Up to `limit` mails whose lease ran out before `now` are given up
    /// as [`MailFailure::Interrupted`](hearback_domain::mail::MailFailure::Interrupted), for nobody knows whether they went out.
    async fn claim(
        &self,
        organization: OrganizationId,
        lease: Lease,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ClaimedMail>, StoreError>;

    /// The entry that mails tell of, active or not.
    async fn announcement(
        &self,
        organization: OrganizationId,
        entry: ChangelogEntryId,
    ) -> Result<Option<Announcement>, StoreError>;

    /// Keeps what became of mails, of those that `holder` still has; `now` is when they ended, for those that did.
    async fn settle(
        &self,
        organization: OrganizationId,
        holder: Uuid,
        mails: Vec<SettledMail>,
        now: Time,
    ) -> Result<(), StoreError>;
}
