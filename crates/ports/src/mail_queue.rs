//! The queue of mails.
//!
//! A change that is mailed has a [`Mailing`], queued in the transaction of the change.
//! [`MailQueue::write`] turns it into one mail for each recipient, batch by batch.
//! [`MailQueue::claim`] hands out mails under a lease; [`MailQueue::settle`] stores their outcomes.
//! There is never more than one mail for each mailing and recipient.

use crate::mailer::Recipient;
use crate::{Lease, StoreError};
use async_trait::async_trait;
use hearback_domain::id::{MailingId, OrganizationId, UserId};
use hearback_domain::mail::{MailOutcome, Mailing};
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
    /// The recipient's present name and address. `None` if the mailing does not
    /// [reach](Mailing::reaches) the user any more.
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

/// The progress of writing an organization's mails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// No mailing was unfinished.
    Nothing,
    /// A batch of this many mails was written, 0 if it only finished a mailing. More may follow.
    Batch(usize),
}

/// Stores mailings and mails.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait MailQueue: Send + Sync {
    /// Writes up to `limit` mails of one unfinished mailing of the organization, to the users whom
    /// it [reaches](Mailing::reaches), by `user_id`. They are due at `now`. The mails of a batch and
    /// the progress of the mailing are committed together.
    async fn write(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<Written, StoreError>;

    /// Hands out up to `limit` mails that are due at `now`, earliest first. The leases are
    /// committed before this returns, so that no mail is handed out twice, except after
    /// [`MailOutcome::Retry`].
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
}
