//! The work that waits for background steps: in which organizations, and how much of it.

use crate::StoreError;
use crate::deliveries::Ended;
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::id::OrganizationId;

/// The tasks of background steps. An organization has a task if its condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    /// Publish scheduled entries: an active one has a `scheduled_at` not after `now`.
    PublishEntries,
    /// Finish changes of many records: a follow-up has not ended.
    FollowUps,
    /// Sum the spend on feedback posts: that of a post is due.
    SumSpends,
    /// Write the mails of mailings: a mailing is not finished.
    WriteMails,
    /// Send mails: a mail is due, or the lease of its sender has run out.
    SendMails,
    /// Remove old deliveries: one ended in this way before `now`.
    PruneDeliveries(Ended),
    /// Give up the pending deliveries of subscriptions that stay inactive: a subscription has been
    /// inactive since before `now`.
    ExpireDeliveries,
    /// Remove old receipts: one is older than `now`.
    PruneReceipts,
    /// Remove sessions, sign-ins, used tokens and tries of passwords that are over: one is over at
    /// `now`.
    PruneSessions,
    /// Remove old entries of the audit log: one is older than `now`.
    PruneAudit,
    /// Take old events out of the ledgers: one is older than `now`.
    PruneLedger,
    /// Remove old notifications: one is older than `now`, and its mail is not to be sent any more.
    PruneNotices,
    /// Remove old numbers of searches that have found nothing: the day of one began before `now`.
    PruneMisses,
    /// Remove the images that no text names: the review of one is due since before `now`.
    ReviewImages,
    /// Erase deleted records: one was deleted before `now`, and is
    /// [not erased](hearback_domain::record::Record::is_erased).
    EraseDeleted,
}

/// The queues whose length is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Line {
    /// Pending deliveries to active subscriptions that do not await rotation. A delivery under a
    /// valid lease waits, but is not due.
    Deliveries,
    /// Active scheduled entries.
    Entries,
    /// Mails that are to be sent. A mail under a lease is not counted.
    Mails,
}

impl Line {
    /// All queues.
    pub const ALL: [Self; 3] = [Self::Deliveries, Self::Entries, Self::Mails];

    /// The name of the queue: that of its records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deliveries => "deliveries",
            Self::Entries => "changelog_entries",
            Self::Mails => "mails",
        }
    }
}

/// The length of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// The number of records that wait, due or not.
    pub count: u64,
    /// The number of those that are due.
    pub due: u64,
    /// The earliest time at which one of those fell due. `None` if none is due.
    pub due_since: Option<Time>,
}

/// Finds the organizations with work for a background step, and measures queues.
///
/// Only these methods and the claims of the [`DeliveryQueue`](crate::DeliveryQueue) look at all
/// organizations at once. An adapter answers them from indexes that hold waiting records alone.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Backlog: Send + Sync {
    /// Up to `limit` organizations with the task at `now`, by id, from the first behind `after`.
    /// For old records, `now` is the time before which a record is old.
    ///
    /// It is called twice a second, and once a minute for old records. Its cost grows with the
    /// number of organizations that have the task, not with the number of all.
    async fn organizations(
        &self,
        task: Task,
        now: Time,
        after: Option<OrganizationId>,
        limit: i64,
    ) -> Result<Vec<OrganizationId>, StoreError>;

    /// The length of a queue at `now`, for one organization or for all. It counts at most `limit`
    /// records, so that a long queue costs no more than a short one; any `limit` of them may be
    /// counted.
    async fn waiting(
        &self,
        line: Line,
        organization: Option<OrganizationId>,
        now: Time,
        limit: i64,
    ) -> Result<Waiting, StoreError>;
}
