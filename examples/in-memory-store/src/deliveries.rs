//! The ledger of deliveries.

use crate::page::first;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::delivery::DeliveryState;
use hearback_domain::event::Event;
use hearback_domain::id::{EventId, OrganizationId, SubscriptionId};
use hearback_ports::deliveries::{Delivery, DeliveryFilter, Ended};
use hearback_ports::delivery_queue::Attempt;
use hearback_ports::{DeliveryRepository, Lease};
use std::cmp::Reverse;

/// A delivery with what its queue needs.
#[derive(Clone)]
pub(crate) struct Sending {
    pub(crate) delivery: Delivery,
    pub(crate) lease: Option<Lease>,
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) attempts_before_replay: u32,
}

impl Sending {
    pub(crate) fn new(subscription: SubscriptionId, event: &Event) -> Self {
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

    /// Since when it is due, if it is due and nobody has it.
    pub(crate) fn due(&self, now: Time) -> Option<Time> {
        let is_free = self.lease.is_none_or(|lease| lease.until < now);
        self.delivery.next_attempt_at.filter(|at| *at <= now && is_free)
    }

    /// Whether it ended so, before then.
    pub(crate) fn ended_before(&self, ended: Ended, before: Time) -> bool {
        let state = match ended {
            Ended::Delivered => DeliveryState::Delivered,
            Ended::Failed => DeliveryState::Failed,
        };
        self.delivery.state == state && self.delivery.ended_at.is_some_and(|at| at < before)
    }

    pub(crate) fn end(&mut self, state: DeliveryState, at: Time) {
        self.lease = None;
        self.delivery.state = state;
        self.delivery.next_attempt_at = None;
        self.delivery.ended_at = Some(at);
    }

    fn is_of(&self, filter: DeliveryFilter) -> bool {
        let DeliveryFilter { state, event_type, since, until } = filter;
        state.is_none_or(|state| self.delivery.state == state)
            && event_type.is_none_or(|event_type| self.delivery.event_type == event_type)
            && since.is_none_or(|since| self.delivery.created_at >= since)
            && until.is_none_or(|until| self.delivery.created_at < until)
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
        let place = |delivery: &Delivery| (delivery.created_at, delivery.event);
        let is_shown = |sending: &&Sending| {
            sending.delivery.subscription == subscription
                && sending.is_of(filter)
                && after.is_none_or(|after| place(&sending.delivery) < after)
        };
        Ok(self.read(organization, |tenant| {
            let shown = tenant.deliveries.values().filter(is_shown);
            first(shown.map(|sending| sending.delivery.clone()), limit, |delivery| {
                Reverse(place(delivery))
            })
        }))
    }

    async fn attempts(
        &self,
        organization: OrganizationId,
        subscription: SubscriptionId,
        event: EventId,
    ) -> Result<Vec<Attempt>> {
        Ok(self.read(organization, |tenant| {
            let sending = tenant.deliveries.get(&(subscription, event));
            sending.map(|sending| sending.attempts.clone()).unwrap_or_default()
        }))
    }

    async fn replay(
        &self,
        organization: OrganizationId,
        subscription: SubscriptionId,
        events: Vec<EventId>,
        now: Time,
    ) -> Result<usize> {
        self.update(organization, |tenant| {
            let mut count = 0;
            for event in events {
                if let Some(sending) = tenant.deliveries.get_mut(&(subscription, event))
                    && sending.delivery.state == DeliveryState::Failed
                {
                    sending.end(DeliveryState::Pending, now);
                    sending.delivery.ended_at = None;
                    sending.delivery.next_attempt_at = Some(now);
                    sending.attempts_before_replay = sending.delivery.attempts;
                    count += 1;
                }
            }
            count
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
            let old = old.map(|(key, sending)| (sending.delivery.ended_at, *key));
            let removed = first(old, limit, |old| *old);
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
            let expired = first(tenant.expiring(before), limit, |key| *key);
            for key in &expired {
                if let Some(sending) = tenant.deliveries.get_mut(key) {
                    sending.end(DeliveryState::Failed, now);
                }
            }
            expired.len()
        })
    }
}
