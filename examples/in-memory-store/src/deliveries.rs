//! Events, and their deliveries: the ledger and the queues.

use crate::lists::{Order, first, page, size, sorted};
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::delivery::{DeliveryOutcome, DeliveryState};
use hearback_domain::event::{Event, LedgerFilter};
use hearback_domain::id::{DeliveryId, EventId, OrganizationId, SubscriptionId, UserId};
use hearback_domain::vote::Vote;
use hearback_domain::webhook_subscription::{Deactivation, SubscriptionState, WebhookSubscription};
use hearback_domain::{Time, Uuid};
use hearback_ports::deliveries::{Delivery, DeliveryFilter, Ended};
use hearback_ports::delivery_queue::{
    Attempt, Claim, Claimed, ClaimedDelivery, DeliveryKey, Queue, SettledDelivery,
};
use hearback_ports::events::StoredEvent;
use hearback_ports::page::ByTime;
use hearback_ports::{DeliveryQueue, DeliveryRepository, EventLog, Lease, Page, PageRequest};

/// A delivery, with the values of its queue.
#[derive(Clone)]
pub(crate) struct Sending {
    pub(crate) delivery: Delivery,
    pub(crate) lease: Option<Lease>,
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) attempts_before_replay: u32,
}

impl Sending {
    fn new(subscription: SubscriptionId, event: &Event) -> Self {
        let delivery = Delivery {
            subscription,
            event: event.id,
            event_type: event.what.event_type(),
            state: DeliveryState::Pending,
            attempts: 0,
            last_response: None,
            created_at: event.at,
            occurred_at: None,
            next_attempt_at: Some(event.at),
            ended_at: None,
        };
        Self { delivery, lease: None, attempts: vec![], attempts_before_replay: 0 }
    }

    /// The time since which the delivery is due. `None` if it is not due or has a valid lease.
    pub(crate) fn due(&self, now: Time) -> Option<Time> {
        let is_free = self.lease.is_none_or(|lease| lease.until < now);
        self.delivery.next_attempt_at.filter(|at| *at <= now && is_free)
    }

    pub(crate) fn is_pending(&self) -> bool {
        self.delivery.state == DeliveryState::Pending
    }

    /// Whether the delivery ended in this way before a time.
    pub(crate) fn ended_before(&self, ended: Ended, before: Time) -> bool {
        self.delivery.state == ended.into() && self.delivery.ended_at.is_some_and(|at| at < before)
    }

    /// Ends the delivery.
    pub(crate) fn end(&mut self, state: DeliveryState, at: Time) {
        self.lease = None;
        self.delivery.state = state;
        self.delivery.next_attempt_at = None;
        self.delivery.ended_at = Some(at);
    }
}

#[async_trait]
impl EventLog for MemoryStore {
    async fn list(
        &self,
        organization: OrganizationId,
        after: Option<EventId>,
        limit: i64,
    ) -> Result<Vec<StoredEvent>> {
        self.read(organization, |tenant| {
            let behind = tenant.events.values().filter(|event| Some(event.id) > after);
            behind.take(size(limit)).cloned().collect()
        })
    }

    async fn ledger(
        &self,
        organization: OrganizationId,
        filter: LedgerFilter,
        request: PageRequest<ByTime>,
    ) -> Result<Page<StoredEvent, ByTime>> {
        let LedgerFilter { event_types, created_after } = filter;
        let is_shown = |event: &&StoredEvent| {
            event.in_ledger
                && (event_types.is_empty() || event_types.contains(&event.event_type))
                && created_after.is_none_or(|time| event.recorded_at > time)
        };
        let key = |event: &StoredEvent| ByTime { at: event.recorded_at, id: event.id.0 };
        self.read(organization, |tenant| {
            let shown = tenant.events.values().filter(is_shown).cloned();
            page(shown, Order::Ascending, request, key)
        })
    }

    async fn prune(&self, organization: OrganizationId, before: Time, limit: i64) -> Result<usize> {
        self.update(organization, |tenant| {
            let kept = tenant.events.values().filter(|event| event.in_ledger);
            let old = kept.filter(|event| event.recorded_at < before);
            let old = first(old.map(|event| (event.recorded_at, event.id)), limit);
            for (_, id) in &old {
                tenant.events.get_mut(id).into_iter().for_each(|event| event.in_ledger = false);
            }
            tenant.forget_delivered_events();
            old.len()
        })
    }
}

#[async_trait]
impl DeliveryRepository for MemoryStore {
    async fn page(
        &self,
        organization: OrganizationId,
        subscription: SubscriptionId,
        filter: DeliveryFilter,
        after: Option<(Time, EventId)>,
        limit: i64,
    ) -> Result<Vec<Delivery>> {
        let key = |it: &&Delivery| (it.created_at, it.event);
        let is_shown = |it: &&Delivery| {
            it.subscription == subscription
                && filter.admits(it)
                && after.is_none_or(|after| key(it) < after)
        };
        self.read(organization, |tenant| {
            let all = tenant.deliveries.values().map(|sending| &sending.delivery);
            let shown = sorted(all.filter(is_shown), Order::Descending, key);
            shown.into_iter().take(size(limit)).cloned().collect()
        })
    }

    async fn attempts(
        &self,
        organization: OrganizationId,
        subscription: SubscriptionId,
        event: EventId,
    ) -> Result<Vec<Attempt>> {
        self.read(organization, |tenant| {
            let sending = tenant.deliveries.get(&(subscription, event));
            sending.map(|sending| sending.attempts.clone()).unwrap_or_default()
        })
    }

    async fn find(&self, organization: OrganizationId, id: DeliveryId) -> Result<Option<Delivery>> {
        self.read(organization, |tenant| {
            let mut all = tenant.deliveries.values().map(|sending| &sending.delivery);
            all.find(|delivery| delivery.id() == id).cloned()
        })
    }

    async fn replay(
        &self,
        organization: OrganizationId,
        subscription: SubscriptionId,
        ended: Ended,
        events: Vec<EventId>,
        now: Time,
    ) -> Result<usize> {
        self.update(organization, |tenant| {
            let replay = |event| {
                let sending = tenant.deliveries.get_mut(&(subscription, event));
                let sending = sending.filter(|it| it.delivery.state == ended.into())?;
                sending.attempts_before_replay = sending.delivery.attempts;
                sending.delivery.state = DeliveryState::Pending;
                sending.delivery.next_attempt_at = Some(now);
                sending.delivery.ended_at = None;
                Some(())
            };
            events.into_iter().filter_map(replay).count()
        })
    }

    async fn prune(
        &self,
        organization: OrganizationId,
        ended: Ended,
        before: Time,
        limit: i64,
    ) -> Result<usize> {
        self.update(organization, |tenant| {
            let old = tenant.deliveries.iter().filter(|(_, it)| it.ended_before(ended, before));
            let removed = first(old.map(|(key, it)| (it.delivery.ended_at, *key)), limit);
            for (_, key) in &removed {
                tenant.deliveries.remove(key);
            }
            tenant.forget_delivered_events();
            removed.len()
        })
    }

    async fn expire(
        &self,
        organization: OrganizationId,
        before: Time,
        now: Time,
        limit: i64,
    ) -> Result<usize> {
        self.update(organization, |tenant| {
            let expired = first(tenant.expiring(before), limit);
            for key in &expired {
                if let Some(sending) = tenant.deliveries.get_mut(key) {
                    sending.end(DeliveryState::Failed, now);
                }
            }
            expired.len()
        })
    }
}

#[async_trait]
impl DeliveryQueue for MemoryStore {
    async fn claim(&self, claim: Claim) -> Result<Claimed> {
        self.write(|state| {
            let mut claimed = Claimed::default();
            let queues = state.tenants.iter().flat_map(|(organization, tenant)| {
                let queue = |subscription| Queue { organization: *organization, subscription };
                tenant.open_subscriptions().map(queue)
            });
            for queue in Vec::from_iter(queues.filter(|queue| Some(*queue) > claim.after)) {
                let room = claim.room(queue).min(claim.limit - claimed.deliveries.len());
                let tenant = state.tenant(queue.organization);
                let due = tenant.map(|tenant| tenant.due(queue.subscription, claim.now, room));
                for event in due.unwrap_or_default() {
                    let tenant = state.tenant_mut(queue.organization);
                    let delivery = tenant.and_then(|tenant| tenant.hand_out(queue, event, &claim));
                    claimed.deliveries.extend(delivery);
                }
                if claimed.deliveries.len() >= claim.limit {
                    claimed.next_after = Some(queue);
                    break;
                }
            }
            Ok(claimed)
        })
    }

    async fn settle(&self, settled: Vec<SettledDelivery>) -> Result<Vec<(Queue, Deactivation)>> {
        self.write(|state| {
            let settle = |settled: SettledDelivery| {
                let queue = settled.key.queue;
                let reason = state.tenant_mut(queue.organization)?.settle(settled)?;
                Some((queue, reason))
            };
            Ok(settled.into_iter().filter_map(settle).collect())
        })
    }

    async fn release(&self, deliveries: Vec<(DeliveryKey, Uuid)>) -> Result<()> {
        self.write(|state| {
            for (key, holder) in deliveries {
                let tenant = state.tenant_mut(key.queue.organization);
                if let Some(sending) = tenant.and_then(|tenant| tenant.held(key, holder)) {
                    sending.lease = None;
                }
            }
            Ok(())
        })
    }
}

impl Tenant {
    /// Records an event with a delivery to each subscription that receives it. An event without a
    /// receiver is not recorded.
    pub(crate) fn record_event(&mut self, event: &Event) {
        let all = self.all().filter(|it: &&WebhookSubscription| it.receives(&event.what));
        let receivers = Vec::from_iter(all.map(|subscription| subscription.id));
        if event.in_ledger || !receivers.is_empty() {
            self.events.insert(event.id, StoredEvent::from(event));
            self.named.extend(event.what.person().map(|user| (event.id, user)));
        }
        for subscription in receivers {
            self.deliveries.insert((subscription, event.id), Sending::new(subscription, event));
        }
    }

    /// Removes the events that name a person, with their deliveries, and the sources of the person's
    /// votes. Returns whether there was one.
    pub(crate) fn forget(&mut self, person: UserId) -> bool {
        let before = self.events.len();
        let is_kept = |event: &EventId| self.named.get(event) != Some(&person);
        self.deliveries.retain(|(_, event), _| is_kept(event));
        self.events.retain(|event, _| is_kept(event));
        let sourced = |vote: &&Vote| vote.user_id == person && vote.source_url.is_some();
        let votes = Vec::from_iter(self.all::<Vote>().filter(sourced).map(|vote| vote.id));
        for &vote in &votes {
            self.edit::<Vote>(vote, |vote| vote.source_url = None);
        }
        self.events.len() < before || !votes.is_empty()
    }

    /// Removes the events without deliveries that are not in the ledger.
    pub(crate) fn forget_delivered_events(&mut self) {
        let Self { events, deliveries, .. } = self;
        let is_sent = |id: &EventId| deliveries.keys().any(|(_, event)| event == id);
        events.retain(|id, event| event.in_ledger || is_sent(id));
    }

    /// The pending deliveries of subscriptions that have been inactive since before a time.
    pub(crate) fn expiring(&self, before: Time) -> impl Iterator<Item = (SubscriptionId, EventId)> {
        let pending = self.deliveries.iter().filter(|(_, sending)| sending.is_pending());
        pending.map(|(key, _)| *key).filter(move |(subscription, _)| {
            let standing = self.standings.get(subscription);
            standing.and_then(|it| it.inactive_since).is_some_and(|since| since < before)
        })
    }

    /// The active subscriptions that do not await rotation.
    pub(crate) fn open_subscriptions(&self) -> impl Iterator<Item = SubscriptionId> {
        let open = self.active().filter(|it: &&WebhookSubscription| !it.awaits_rotation);
        open.map(|subscription| subscription.id)
    }

    /// The events that are due to a subscription.
    fn due(&self, subscription: SubscriptionId, now: Time, limit: usize) -> Vec<EventId> {
        let all = (subscription, Uuid::nil().into())..=(subscription, Uuid::max().into());
        let deliveries = self.deliveries.range(all);
        let due = deliveries.filter_map(|((_, event), it)| Some((it.due(now)?, *event)));
        let due = first(due, i64::try_from(limit).unwrap_or(i64::MAX));
        due.into_iter().map(|(_, event)| event).collect()
    }

    fn hand_out(&mut self, queue: Queue, event: EventId, claim: &Claim) -> Option<ClaimedDelivery> {
        let data = self.events.get(&event)?.data.clone();
        let subscription: WebhookSubscription = self.any(queue.subscription).cloned()?;
        let previous_secret = subscription.overlapping_secret(claim.now).cloned();
        let WebhookSubscription { url, secret, .. } = subscription;
        let sending = self.deliveries.get_mut(&(queue.subscription, event))?;
        sending.lease = Some(claim.lease);
        Some(ClaimedDelivery {
            key: DeliveryKey { queue, event },
            event_type: sending.delivery.event_type,
            data,
            url,
            secret,
            previous_secret,
            occurred_at: *sending.delivery.occurred_at.get_or_insert(claim.now),
            attempts: sending.delivery.attempts,
            attempts_before_replay: sending.attempts_before_replay,
        })
    }

    /// A delivery whose lease the holder still has.
    fn held(&mut self, key: DeliveryKey, holder: Uuid) -> Option<&mut Sending> {
        let sending = self.deliveries.get_mut(&(key.queue.subscription, key.event))?;
        Some(sending).filter(|sending| sending.lease.is_some_and(|it| it.holder == holder))
    }

    /// Stores an attempt and its outcome. Returns the reason if the subscription is deactivated.
    fn settle(&mut self, settled: SettledDelivery) -> Option<Deactivation> {
        let SettledDelivery { key, holder, attempt, outcome, ended_at } = settled;
        let response = attempt.response;
        let sending = self.held(key, holder)?;
        sending.lease = None;
        sending.delivery.attempts += 1;
        sending.delivery.last_response = Some(response);
        sending.attempts.push(attempt);
        match outcome {
            DeliveryOutcome::Delivered => sending.end(DeliveryState::Delivered, ended_at),
            DeliveryOutcome::Retry { at } => sending.delivery.next_attempt_at = Some(at),
            DeliveryOutcome::Failed => sending.end(DeliveryState::Failed, ended_at),
        }
        let subscription = key.queue.subscription;
        let standing = self.standings.get_mut(&subscription)?;
        let before = SubscriptionState::new(standing.health, standing.inactive_since.is_none());
        let after = before.after(key.event, response, ended_at);
        standing.health = after.health;
        let (reason, at) = after.deactivation?;
        self.deactivate(subscription, at)?;
        Some(reason)
    }
}
