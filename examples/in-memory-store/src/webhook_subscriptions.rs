//! Webhook subscriptions.

use crate::lists::{Order, sorted};
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::id::{OrganizationId, SubscriptionId};
use hearback_domain::webhook_subscription::{Health, WebhookSubscription};
use hearback_ports::webhook_subscriptions::SubscriptionDetails;
use hearback_ports::{Recorded, WebhookSubscriptionRepository};

/// The values of a subscription that its record does not have.
#[derive(Clone, Default)]
pub(crate) struct Standing {
    pub(crate) inactive_since: Option<Time>,
    pub(crate) health: Health,
    pub(crate) last_success_at: Option<Time>,
}

#[async_trait]
impl WebhookSubscriptionRepository for MemoryStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<SubscriptionDetails>> {
        self.read(organization, |tenant| {
            let all = tenant.all().map(|subscription| tenant.subscription_details(subscription));
            sorted(all, Order::Ascending, |it| (it.subscription.created_at, it.subscription.id))
        })
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Option<SubscriptionDetails>> {
        self.read(organization, |tenant| Some(tenant.subscription_details(tenant.any(id)?)))
    }

    async fn clear(&self, organization: OrganizationId, id: SubscriptionId) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            let created_at = tenant.any(id).map(|it: &WebhookSubscription| it.created_at);
            tenant.deactivate(id, created_at.ok_or(Recorded::Stale)?);
            tenant.deliveries.retain(|(subscription, _), _| *subscription != id);
            tenant.forget_delivered_events();
            Ok(())
        })
    }

    async fn succeeded(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        at: Time,
    ) -> Result<()> {
        self.update(organization, |tenant| {
            if let Some(standing) = tenant.standings.get_mut(&id) {
                standing.last_success_at = standing.last_success_at.max(Some(at));
            }
        })
    }
}

impl Tenant {
    /// Notes that a subscription was made active or inactive at a time.
    pub(crate) fn stand(&mut self, subscription: &WebhookSubscription, at: Time) {
        let standing = self.standings.entry(subscription.id).or_default();
        standing.inactive_since = (!subscription.is_active).then_some(at);
        if subscription.is_active {
            standing.health = Health::Well;
        }
    }

    /// Deactivates a subscription if it is active. `None` if it does not exist.
    pub(crate) fn deactivate(&mut self, id: SubscriptionId, now: Time) -> Option<()> {
        self.standings.get_mut(&id)?.inactive_since.get_or_insert(now);
        self.edit(id, |subscription: &mut WebhookSubscription| subscription.is_active = false);
        Some(())
    }

    fn subscription_details(&self, subscription: &WebhookSubscription) -> SubscriptionDetails {
        let standing = self.standings.get(&subscription.id).cloned().unwrap_or_default();
        let Standing { inactive_since, health, last_success_at } = standing;
        let subscription = subscription.clone();
        SubscriptionDetails { subscription, inactive_since, health, last_success_at }
    }
}
