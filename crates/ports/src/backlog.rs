//! Where background steps have something to do.

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

/// Finds the organizations that a background step has to look at.
///
/// Besides the claims of the [`DeliveryQueue`](crate::DeliveryQueue), the one question that is asked of all organizations at once:
/// twice a second, and once a minute for what is old. It is answered from indexes that hold what is waiting and nothing else, and
/// costs as much as there are organizations with something waiting.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Backlog: Send + Sync {
    /// Up to `limit` organizations behind `after` that have this to do at `now`, by id. For what is kept for a while, `now` is that
    /// while ago.
    async fn organizations(
        &self,
        task: Task,
        now: Time,
        after: Option<OrganizationId>,
        limit: i64,
    ) -> Result<Vec<OrganizationId>, StoreError>;
}
