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
    /// Since when it is not active. That of an imported one is when it was made.
    pub inactive_since: Option<Time>,
    /// How its receiver is doing.
    pub health: Health,
    /// The signing secret before, where there is one.
    pub previous_secret: Option<PreviousSecret>,
}

/// A signing secret that another one took the place of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviousSecret {
    /// The secret.
    pub secret: Sealed,
    /// Until when deliveries are signed with it, too.
    pub until: Time,
}

/// Keeps webhook subscriptions.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WebhookSubscriptionRepository: Send + Sync {
    /// All of an organization, by `created_at`, then by id.
    async fn list(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<SubscriptionDetails>, StoreError>;

    /// One of them.
    async fn find(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Option<SubscriptionDetails>, StoreError>;

    /// Adds one. [`Recorded::Stale`] where the organization is gone.
    async fn insert(
        &self,
        organization: OrganizationId,
        subscription: WebhookSubscription,
    ) -> Result<Recorded, StoreError>;

    /// Removes one with its deliveries, their attempts, and the events that no delivery is left of. An event that is recorded at
    /// the same time is not sent to it. What it has may go in parts, between which others write: whoever asks sees it inactive
    /// until it is gone. [`Recorded::Stale`] where it is gone, or was held by others: it may be inactive from then on.
    async fn delete(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Recorded, StoreError>;

    /// Gives one a new signing secret. Until `overlap` the one that it had goes on being used beside it, unless it awaited
    /// rotation; after this it does not. [`Recorded::Stale`] where it is gone.
    async fn rotate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        secret: Sealed,
        overlap: Time,
    ) -> Result<Recorded, StoreError>;

    /// Activates one, with a clean record ([`Health::Well`]); its pending deliveries are sent as they are due. Nothing changes
    /// where it is active. [`Recorded::Stale`] where it is gone.
    async fn activate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Recorded, StoreError>;

    /// Deactivates one as of `now`: it gets no new deliveries, and those that it has wait. Nothing changes where it is not
    /// active. [`Recorded::Stale`] where it is gone.
    async fn deactivate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        now: Time,
    ) -> Result<Recorded, StoreError>;
}
