//! Webhook subscriptions.

use crate::{Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::api_key::Sealed;
use hearback_domain::id::{OrganizationId, SubscriptionId};
use hearback_domain::webhook_subscription::{Health, WebhookSubscription};

/// A subscription with the state of its receiver and its former secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionDetails {
    /// The subscription.
    pub subscription: WebhookSubscription,
    /// When the subscription became inactive; of an imported one, when it was made. `None` while it
    /// is active.
    pub inactive_since: Option<Time>,
    /// The health of its receiver.
    pub health: Health,
    /// The former signing secret, if there is one.
    pub previous_secret: Option<PreviousSecret>,
}

/// A former signing secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviousSecret {
    /// The secret.
    pub secret: Sealed,
    /// The time until which deliveries are signed with it as well.
    pub until: Time,
}

/// Stores webhook subscriptions.
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

    /// Adds a subscription. [`Recorded::Stale`] if the organization no longer exists.
    async fn insert(
        &self,
        organization: OrganizationId,
        subscription: WebhookSubscription,
    ) -> Result<Recorded, StoreError>;

    /// Removes a subscription with its deliveries and their attempts. An event goes with its last
    /// delivery. An event recorded at the same time is not sent to the subscription.
    ///
    /// The deletion may be committed in parts; until its end, reads return the subscription as
    /// inactive. [`Recorded::Stale`] if the subscription does not exist, or if other transactions
    /// kept it locked: then it may stay, inactive.
    async fn delete(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Recorded, StoreError>;

    /// Replaces the signing secret of a subscription. Until `overlap`, deliveries are signed with
    /// the former secret as well, unless the subscription awaited rotation; it does not await it
    /// any more. [`Recorded::Stale`] if the subscription does not exist.
    async fn rotate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        secret: Sealed,
        overlap: Time,
    ) -> Result<Recorded, StoreError>;

    /// Activates a subscription, with its receiver in good health ([`Health::Well`]). Its pending
    /// deliveries are sent when they are due. An active subscription is unchanged.
    /// [`Recorded::Stale`] if the subscription does not exist.
    async fn activate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Recorded, StoreError>;

    /// Deactivates a subscription as of `now`. It gets no new deliveries, and its pending ones
    /// wait. An inactive subscription is unchanged. [`Recorded::Stale`] if the subscription does
    /// not exist.
    async fn deactivate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        now: Time,
    ) -> Result<Recorded, StoreError>;
}
