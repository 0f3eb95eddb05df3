//! Where background steps have something to do, and how much waits for them.

use crate::StoreError;
use crate::deliveries::Ended;
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::id::OrganizationId;

/// The background steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    /// Scheduled entries become published: where an active one has `scheduled_at` not after now.
    PublishEntries,
    /// Mailings are written out, a mail to each recipient: where one is not finished.
    WriteMails,
    /// Mails are sent: where one is due, or its sender's lease ran out.
    SendMails,
    /// Old deliveries are removed: where one ended so before now.
    PruneDeliveries(Ended),
    /// The pending deliveries of subscriptions that nobody activates are given up: where a subscription has been inactive since
    /// before then.
    ExpireDeliveries,
    /// Old receipts are removed: where one is from before now.
    PruneReceipts,
}

/// What waits for its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Line {
    /// Pending deliveries to subscriptions that are sent to: active ones that do not await rotation. Those under a lease that
    /// holds wait, but are not due.
    Deliveries,
    /// Active entries that are scheduled.
    Entries,
    /// Mails that are to be sent. Those on their way do not count.
    Mails,
}

impl Line {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Deliveries, Self::Entries, Self::Mails];

    /// Its name: that of the records in it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deliveries => "deliveries",
            Self::Entries => "changelog_entries",
            Self::Mails => "mails",
        }
    }
}

/// How much waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// How many wait, due or not.
    pub count: u64,
    /// How many of them are due.
    pub due: u64,
    /// When the first of those fell due.
    pub due_since: Option<Time>,
}

/// Finds the organizations that a background step has to look at, and says how much waits.
///
/// Besides the claims of the [`DeliveryQueue`](crate::DeliveryQueue), the questions that are asked of all organizations at once.
/// They are answered from indexes that hold what is waiting and nothing else.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Backlog: Send + Sync {
    /// Up to `limit` organizations behind `after` that have this to do at `now`, by id. For what is kept for a while, `now` is that
    /// while ago. Asked twice a second, and once a minute for what is old, it costs as much as there are organizations with
    /// something waiting.
    async fn organizations(
        &self,
        task: Task,
        now: Time,
        after: Option<OrganizationId>,
        limit: i64,
    ) -> Result<Vec<OrganizationId>, StoreError>;

    /// How much waits at `now`, of one organization or of all of them. Where more than `limit` wait, some `limit` of them are
    /// looked at: a queue that has grown long is not to make it dear to ask for its length.
    async fn waiting(
        &self,
        line: Line,
        organization: Option<OrganizationId>,
        now: Time,
        limit: i64,
    ) -> Result<Waiting, StoreError>;
}
