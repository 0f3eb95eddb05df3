//! Events on their way to subscriptions.

use crate::page::first;
use crate::tenant::Tenant;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::delivery::{DeliveryOutcome, DeliveryState};
use hearback_domain::id::{EventId, SubscriptionId};
use hearback_domain::webhook_subscription::{Deactivation, SubscriptionState, WebhookSubscription};
use hearback_domain::{Time, Uuid};
use hearback_ports::DeliveryQueue;
use hearback_ports::delivery_queue::{
    Claim, Claimed, ClaimedDelivery, DeliveryKey, Queue, Settled,
};

#[async_trait]
impl DeliveryQueue for MemoryStore {
    async fn claim(&self, claim: Claim) -> Result<Claimed> {
        self.write(|state| {
            let mut claimed = Claimed::default();
            let mut queues: Vec<Queue> = Vec::new();
            for (organization, tenant) in &state.tenants {
                queues.extend(tenant.open_subscriptions().map(|subscription| Queue {
                    organization: *organization,
                    subscription: subscription.id,
                }));
            }
            for queue in queues.into_iter().filter(|queue| Some(*queue) > claim.after) {
                let room = claim.room(queue).min(claim.limit - claimed.deliveries.len());
                let tenant = state.tenant(queue.organization);
                let due = tenant.map(|tenant| tenant.due(queue.subscription, claim.now, room));
                let due = due.unwrap_or_default();
                if !due.is_empty()
                    && let Some(tenant) = state.tenant_mut(queue.organization)
                {
                    let hand_out = |event| tenant.hand_out(queue, event, &claim);
                    claimed.deliveries.extend(due.into_iter().filter_map(hand_out));
                }
                if claimed.deliveries.len() >= claim.limit {
                    claimed.next_after = Some(queue);
                    break;
                }
            }
            Ok(claimed)
        })
    }

    async fn settle(&self, settled: Vec<Settled>) -> Result<Vec<(Queue, Deactivation)>> {
        self.write(|state| {
            let mut deactivated = Vec::new();
            for settled in settled {
                let queue = settled.key.queue;
                if let Some(tenant) = state.tenant_mut(queue.organization)
                    && let Some(reason) = tenant.settle(settled)
                {
                    deactivated.push((queue, reason));
                }
            }
            Ok(deactivated)
        })
    }

    async fn release(&self, deliveries: Vec<(DeliveryKey, Uuid)>) -> Result<()> {
        self.write(|state| {
            for (DeliveryKey { queue, event }, holder) in deliveries {
                if let Some(tenant) = state.tenant_mut(queue.organization)
                    && let Some(sending) = tenant.deliveries.get_mut(&(queue.subscription, event))
                {
                    sending.lease = sending.lease.filter(|lease| lease.holder != holder);
                }
            }
            Ok(())
        })
    }
}

impl Tenant {
    /// The subscriptions that are sent to.
    pub(crate) fn open_subscriptions(&self) -> impl Iterator<Item = &WebhookSubscription> {
        self.active::<WebhookSubscription>().filter(|subscription| !subscription.awaits_rotation)
    }

    /// The events that are due to a subscription.
    fn due(&self, subscription: SubscriptionId, now: Time, limit: usize) -> Vec<EventId> {
        let all = (subscription, Uuid::nil().into())..=(subscription, Uuid::max().into());
        let deliveries = self.deliveries.range(all);
        let due = deliveries.filter_map(|((_, event), it)| Some((it.due(now)?, *event)));
        let due = first(due, i64::try_from(limit).unwrap_or(i64::MAX), |due| *due);
        due.into_iter().map(|(_, event)| event).collect()
    }

    fn hand_out(&mut self, queue: Queue, event: EventId, claim: &Claim) -> Option<ClaimedDelivery> {
        let data = self.events.get(&event)?.data.clone();
        let WebhookSubscription { url, secret, .. } = self.any(queue.subscription).cloned()?;
        let previous = self.standings.get(&queue.subscription)?.previous_secret.clone();
        let sending = self.deliveries.get_mut(&(queue.subscription, event))?;
        sending.lease = Some(claim.lease);
        let delivery = &mut sending.delivery;
        Some(ClaimedDelivery {
            key: DeliveryKey { queue, event },
            event_type: delivery.event_type,
            data,
            url,
            secret,
            previous_secret: previous
                .filter(|previous| previous.until > claim.now)
                .map(|previous| previous.secret),
            occurred_at: *delivery.occurred_at.get_or_insert(claim.now),
            attempts: delivery.attempts,
            attempts_before_replay: sending.attempts_before_replay,
        })
    }

    /// Keeps what became of a delivery that its holder still has, and tells whether the receiver was
    /// given up for it.
    fn settle(&mut self, settled: Settled) -> Option<Deactivation> {
        let Settled { key, holder, attempt, outcome, ended_at } = settled;
        let subscription = key.queue.subscription;
        let sending = self
            .deliveries
            .get_mut(&(subscription, key.event))
            .filter(|sending| sending.lease.is_some_and(|lease| lease.holder == holder))?;
        let response = attempt.response;
        sending.lease = None;
        sending.delivery.attempts += 1;
        sending.delivery.last_response = Some(response);
        sending.attempts.push(attempt);
        match outcome {
            DeliveryOutcome::Delivered => sending.end(DeliveryState::Delivered, ended_at),
            DeliveryOutcome::Retry { at } => sending.delivery.next_attempt_at = Some(at),
            DeliveryOutcome::Failed => sending.end(DeliveryState::Failed, ended_at),
        }
        let is_active = self.find::<WebhookSubscription>(subscription).is_some();
        let standing = self.standings.get_mut(&subscription)?;
        let SubscriptionState { health, deactivation, .. } =
            SubscriptionState::new(standing.health, is_active).after(key.event, response, ended_at);
        standing.health = health;
        let (reason, at) = deactivation?;
        self.deactivate(subscription, at);
        Some(reason)
    }
}
