//! Webhook subscriptions.

use crate::{Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::id::{OrganizationId, SubscriptionId};
use hearback_domain::webhook_subscription::{Health, WebhookSubscription};

/// A subscription with the state of its receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionDetails {
    /// The subscription.
    pub subscription: WebhookSubscription,
    /// When the subscription became inactive; of an imported one, when it was made. `None` while it
    /// is active.
    pub inactive_since: Option<Time>,
    /// The health of its receiver.
    pub health: Health,
    /// When the receiver last took a delivery, to the minute.
    pub last_success_at: Option<Time>,
}

/// Stores what is not in the records of webhook subscriptions.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WebhookSubscriptionRepository: Send + Sync {
    /// All subscriptions of an organization, by `created_at`, then id.
    async fn list(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<SubscriptionDetails>, StoreError>;

    /// A subscription.
    async fn find(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Option<SubscriptionDetails>, StoreError>;

    /// Deactivates a subscription for good, and removes its deliveries with their attempts. An event
    /// goes with its last delivery. An event recorded at the same time is not sent to it.
    ///
    /// The deliveries may go in parts; meanwhile, reads return the subscription as inactive.
    /// [`Recorded::Stale`] if the subscription does not exist, or if other transactions kept it
    /// locked. The subscription itself stays, for a change that removes it.
    async fn clear(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Recorded, StoreError>;

    /// Notes that a subscription took a delivery at a time, unless a later one is noted.
    async fn succeeded(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        at: Time,
    ) -> Result<(), StoreError>;
}
