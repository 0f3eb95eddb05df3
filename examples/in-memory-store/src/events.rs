//! Recorded events.

use crate::deliveries::Sending;
use crate::page::first;
use crate::tenant::Tenant;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::event::Event;
use hearback_domain::id::{EventId, OrganizationId, SubscriptionId};
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_ports::EventLog;
use hearback_ports::events::StoredEvent;

#[async_trait]
impl EventLog for MemoryStore {
    async fn list(
        &self,
        organization: OrganizationId,
        after: Option<EventId>,
        limit: i64,
    ) -> Result<Vec<StoredEvent>> {
        Ok(self.read(organization, |tenant| {
            let behind = tenant.events.values().filter(|event| Some(event.id) > after);
            first(behind.cloned(), limit, |event| event.id)
        }))
    }
}

impl Tenant {
    /// Records an event with a delivery for each subscription that receives it; without any,
    /// nothing.
    pub(crate) fn record_event(&mut self, event: &Event) {
        let receives =
            |subscription: &&WebhookSubscription| subscription.receives(event.what.event_type());
        let receivers: Vec<SubscriptionId> =
            self.active().filter(receives).map(|subscription| subscription.id).collect();
        for subscription in receivers {
            self.events.insert(event.id, StoredEvent::from(event));
            self.deliveries.insert((subscription, event.id), Sending::new(subscription, event));
        }
    }

    /// Removes the events that no delivery is left of.
    pub(crate) fn forget_delivered_events(&mut self) {
        let Self { events, deliveries, .. } = self;
        events.retain(|id, _| deliveries.keys().any(|(_, event)| event == id));
    }
}
