//! Webhook subscriptions.

use crate::lists::{Order, sorted};
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::api_key::Sealed;
use hearback_domain::id::{OrganizationId, SubscriptionId};
use hearback_domain::webhook_subscription::{Health, WebhookSubscription};
use hearback_ports::webhook_subscriptions::{PreviousSecret, SubscriptionDetails};
use hearback_ports::{Kind, Record, Recorded, WebhookSubscriptionRepository};

/// The values of a subscription that its record does not have.
#[derive(Clone, Default)]
pub(crate) struct Standing {
    pub(crate) inactive_since: Option<Time>,
    pub(crate) health: Health,
    pub(crate) previous_secret: Option<PreviousSecret>,
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

    async fn insert(
        &self,
        organization: OrganizationId,
        subscription: WebhookSubscription,
    ) -> Result<Recorded> {
        let record = Record::WebhookSubscription(subscription);
        self.record_in(organization, |tenant| tenant.add(record))
    }

    async fn delete(&self, organization: OrganizationId, id: SubscriptionId) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            tenant.remove((Kind::WebhookSubscription, id.0)).ok_or(Recorded::Stale)?;
            tenant.standings.remove(&id);
            tenant.deliveries.retain(|(subscription, _), _| *subscription != id);
            tenant.forget_delivered_events();
            Ok(())
        })
    }

    async fn rotate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        secret: Sealed,
        overlap: Time,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            let before: WebhookSubscription = tenant.any(id).cloned().ok_or(Recorded::Stale)?;
            let previous = PreviousSecret { secret: before.secret, until: overlap };
            let standing = tenant.standings.entry(id).or_default();
            standing.previous_secret = Some(previous).filter(|_| !before.awaits_rotation);
            tenant.edit(id, |subscription: &mut WebhookSubscription| {
                subscription.secret = secret;
                subscription.awaits_rotation = false;
            });
            Ok(())
        })
    }

    async fn activate(&self, organization: OrganizationId, id: SubscriptionId) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            let standing = tenant.standings.get_mut(&id).ok_or(Recorded::Stale)?;
            if standing.inactive_since.take().is_some() {
                standing.health = Health::Well;
            }
            tenant.edit(id, |subscription: &mut WebhookSubscription| subscription.is_active = true);
            Ok(())
        })
    }

    async fn deactivate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        now: Time,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| tenant.deactivate(id, now).ok_or(Recorded::Stale))
    }
}

impl Tenant {
    /// Notes that a subscription was made active or inactive at a time.
    pub(crate) fn stand(&mut self, subscription: &WebhookSubscription, at: Time) {
        let standing = self.standings.entry(subscription.id).or_default();
        standing.inactive_since = (!subscription.is_active).then_some(at);
        standing.health = Health::Well;
    }

    /// Deactivates a subscription if it is active. `None` if it does not exist.
    pub(crate) fn deactivate(&mut self, id: SubscriptionId, now: Time) -> Option<()> {
        self.standings.get_mut(&id)?.inactive_since.get_or_insert(now);
        self.edit(id, |subscription: &mut WebhookSubscription| subscription.is_active = false);
        Some(())
    }

    fn subscription_details(&self, subscription: &WebhookSubscription) -> SubscriptionDetails {
        let standing = self.standings.get(&subscription.id).cloned().unwrap_or_default();
        let Standing { inactive_since, health, previous_secret } = standing;
        let subscription = subscription.clone();
        SubscriptionDetails { subscription, inactive_since, health, previous_secret }
    }
}
