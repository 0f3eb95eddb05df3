//! The queue of mails.
//!
//! A change that is mailed has a [`Mailing`], queued in the transaction of the change. It becomes one
//! mail for each recipient, batch by batch: [`MailQueue::next`] finds the recipients of a batch, and
//! [`MailQueue::write`] stores their mails. A mail is also the recipient's notification in the portal
//! ([`NoticeRepository`](crate::NoticeRepository)), and some are nothing else.
//! [`MailQueue::claim`] hands out mails under a lease; [`MailQueue::settle`] stores their outcomes.
//! There is never more than one mail for each mailing and recipient.

use crate::mailer::Recipient;
use crate::{Lease, StoreError};
use async_trait::async_trait;
use hearback_domain::id::{ChangelogEntryId, MailingId, OrganizationId, UserId};
use hearback_domain::mail::{Delivery, MailOutcome, Mailing};
use hearback_domain::user::User;
use hearback_domain::{Time, Uuid};

/// A mail that was handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedMail {
    /// Its mailing.
    pub mailing: Mailing,
    /// The recipient.
    pub user: UserId,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// Whether the mail is a part of the user's digest: the mails of it that are handed out together
    /// are sent as one.
    pub in_digest: bool,
    /// The recipient's present name and address. `None` if the mailing does not
    /// [reach](Mailing::reaches) the user any more, or the user receives no mail.
    pub recipient: Option<Recipient>,
}

/// The outcome of an attempt to send a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettledMail {
    /// The mailing of the mail.
    pub mailing: MailingId,
    /// The recipient.
    pub user: UserId,
    /// The outcome.
    pub outcome: MailOutcome,
}

/// The next recipients of an unfinished mailing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The mailing.
    pub mailing: Mailing,
    /// The last recipient of the batch before.
    pub after: Option<UserId>,
    /// The users behind `after` whom the mailing [reaches](Mailing::reaches), by `user_id`.
    pub users: Vec<User>,
    /// Whether it reaches no other.
    pub is_last: bool,
}

/// The progress of writing an organization's mails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// No mailing was unfinished.
    Nothing,
    /// A batch of this many mails was written, 0 if it only finished a mailing. More may follow.
    Batch(usize),
}

/// The numbers of the users who are mailed if an entry is published now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readers {
    /// With [`notify`](hearback_domain::changelog_entry::ChangelogEntry::notify).
    pub all: i64,
    /// With [`notify_voters`](hearback_domain::changelog_entry::ChangelogEntry::notify_voters)
    /// alone.
    pub voters: i64,
}

/// Stores mailings and mails.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait MailQueue: Send + Sync {
    /// Up to `limit` recipients of one unfinished mailing of the organization. `None` if there is
    /// none, or another process writes it.
    async fn next(
        &self,
        organization: OrganizationId,
        limit: i64,
    ) -> Result<Option<Draft>, StoreError>;

    /// Writes the mails of a batch at `now`, as they are to be delivered, and the progress of the
    /// mailing, unless another process has gone on with the mailing since [`MailQueue::next`]. All is
    /// committed together.
    async fn write(
        &self,
        organization: OrganizationId,
        draft: Draft,
        mails: Vec<(UserId, Delivery)>,
        now: Time,
    ) -> Result<Written, StoreError>;

    /// Hands out up to `limit` mails that are due at `now`, earliest first. The leases are
    /// committed before this returns, so that no mail is handed out twice, except after
    /// [`MailOutcome::Retry`]. If fewer are due, up to the rest of `limit` users are handed out their
    /// digests: all mails of it that are due, at once, and in one claim. Of more than
    /// [`MOST_IN_DIGEST`](hearback_domain::mail::MOST_IN_DIGEST) mails, the older ones stay as
    /// notifications alone.
    ///
    /// Up to `limit` mails whose lease ran out before `now` are given up as
    /// [`MailFailure::Interrupted`](hearback_domain::mail::MailFailure::Interrupted): they may have
    /// been sent.
    async fn claim(
        &self,
        organization: OrganizationId,
        lease: Lease,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ClaimedMail>, StoreError>;

    /// Stores the outcome of each mail whose lease is still held by `holder`. A mail that is sent
    /// or given up ends at `now`.
    async fn settle(
        &self,
        organization: OrganizationId,
        holder: Uuid,
        mails: Vec<SettledMail>,
        now: Time,
    ) -> Result<(), StoreError>;

    /// The users who are mailed if an entry that the portal shows is published now: none if it has
    /// a mailing already. It counts at most `most` of each.
    async fn readers(
        &self,
        organization: OrganizationId,
        entry: ChangelogEntryId,
        most: i64,
    ) -> Result<Readers, StoreError>;
}
