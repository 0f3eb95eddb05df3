//! Webhook subscriptions.

use crate::tenant::Tenant;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::api_key::Sealed;
use hearback_domain::delivery::DeliveryState;
use hearback_domain::id::{EventId, OrganizationId, SubscriptionId};
use hearback_domain::webhook_subscription::{Health, WebhookSubscription};
use hearback_ports::webhook_subscriptions::{PreviousSecret, SubscriptionDetails};
use hearback_ports::{Kind, Record, Recorded, WebhookSubscriptionRepository};

/// What a subscription has beside its record.
#[derive(Clone, Default)]
pub(crate) struct Standing {
    pub(crate) inactive_since: Option<Time>,
    pub(crate) health: Health,
    pub(crate) previous_secret: Option<PreviousSecret>,
}

#[async_trait]
impl WebhookSubscriptionRepository for MemoryStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<SubscriptionDetails>> {
        Ok(self.read(organization, |tenant| {
            let mut all: Vec<&WebhookSubscription> = tenant.all().collect();
            all.sort_by_key(|subscription| (subscription.created_at, subscription.id));
            all.into_iter().map(|subscription| tenant.standing(subscription)).collect()
        }))
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Option<SubscriptionDetails>> {
        Ok(self.read(organization, |tenant| Some(tenant.standing(tenant.any(id)?))))
    }

    async fn insert(
        &self,
        organization: OrganizationId,
        subscription: WebhookSubscription,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            tenant.stand(&subscription, subscription.created_at);
            tenant.add(Record::WebhookSubscription(subscription)).map_err(Recorded::Taken)
        })
    }

    async fn delete(&self, organization: OrganizationId, id: SubscriptionId) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            tenant.standings.remove(&id).ok_or(Recorded::Stale)?;
            tenant.remove((Kind::WebhookSubscription, id.0));
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
            let standing = tenant.standings.entry(id).or_default();
            standing.previous_secret = (!before.awaits_rotation)
                .then_some(PreviousSecret { secret: before.secret, until: overlap });
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
                tenant.edit(id, |subscription: &mut WebhookSubscription| {
                    subscription.is_active = true;
                });
            }
            Ok(())
        })
    }

    async fn deactivate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        now: Time,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            tenant.any::<WebhookSubscription>(id).ok_or(Recorded::Stale)?;
            tenant.deactivate(id, now);
            Ok(())
        })
    }
}

impl Tenant {
    /// Notes that a subscription has been active, or inactive, since then. Its receiver begins anew.
    pub(crate) fn stand(&mut self, subscription: &WebhookSubscription, since: Time) {
        let standing = self.standings.entry(subscription.id).or_default();
        standing.inactive_since = (!subscription.is_active).then_some(since);
        standing.health = Health::Well;
    }

    /// Deactivates a subscription if it is active.
    pub(crate) fn deactivate(&mut self, id: SubscriptionId, now: Time) {
        self.edit(id, |subscription: &mut WebhookSubscription| subscription.is_active = false);
        self.standings.entry(id).or_default().inactive_since.get_or_insert(now);
    }

    /// The pending deliveries of subscriptions that have been inactive since before then.
    pub(crate) fn expiring(&self, before: Time) -> impl Iterator<Item = (SubscriptionId, EventId)> {
        let is_old = move |id: &SubscriptionId| {
            let standing = self.standings.get(id);
            standing.and_then(|it| it.inactive_since).is_some_and(|since| since < before)
        };
        self.deliveries
            .iter()
            .filter(|(_, sending)| sending.delivery.state == DeliveryState::Pending)
            .map(|(key, _)| *key)
            .filter(move |(subscription, _)| is_old(subscription))
    }

    fn standing(&self, subscription: &WebhookSubscription) -> SubscriptionDetails {
        let standing = self.standings.get(&subscription.id).cloned().unwrap_or_default();
        let Standing { inactive_since, health, previous_secret } = standing;
        let subscription = subscription.clone();
        SubscriptionDetails { subscription, inactive_since, health, previous_secret }
    }
}
