//! The ledger of deliveries: their state, their attempts, and replays.

use crate::StoreError;
use crate::delivery_queue::Attempt;
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::delivery::{DeliveryState, Response};
use hearback_domain::event::EventType;
use hearback_domain::id::{DeliveryId, EventId, OrganizationId, SubscriptionId};

/// A delivery of an event to a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The subscription.
    pub subscription: SubscriptionId,
    /// The event.
    pub event: EventId,
    /// The type of the event.
    pub event_type: EventType,
    /// The state of the delivery.
    pub state: DeliveryState,
    /// The number of attempts that have ended.
    pub attempts: u32,
    /// The result of the last attempt.
    pub last_response: Option<Response>,
    /// When the delivery was made: the time of the change.
    pub created_at: Time,
    /// When the delivery was first dispatched.
    pub occurred_at: Option<Time>,
    /// When the next attempt is due. `None` unless the delivery is pending.
    pub next_attempt_at: Option<Time>,
    /// When the delivery was delivered or given up.
    pub ended_at: Option<Time>,
}

impl Delivery {
    /// The identifier of the delivery, as its receiver sees it.
    pub fn id(&self) -> DeliveryId {
        DeliveryId::of(self.event, self.subscription)
    }
}

/// Selects deliveries. A delivery matches if it matches every member that is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// The state of the delivery.
    pub state: Option<DeliveryState>,
    /// The type of its event.
    pub event_type: Option<EventType>,
    /// The delivery was made at this time or later.
    pub since: Option<Time>,
    /// The delivery was made before this time.
    pub until: Option<Time>,
}

impl DeliveryFilter {
    /// Whether a delivery matches.
    pub fn admits(&self, delivery: &Delivery) -> bool {
        self.state.is_none_or(|state| delivery.state == state)
            && self.event_type.is_none_or(|event_type| delivery.event_type == event_type)
            && self.since.is_none_or(|since| delivery.created_at >= since)
            && self.until.is_none_or(|until| delivery.created_at < until)
    }
}

/// The states of a delivery that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ended {
    /// The receiver took it.
    Delivered,
    /// It was given up.
    Failed,
}

impl From<Ended> for DeliveryState {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Delivered => Self::Delivered,
            Ended::Failed => Self::Failed,
        }
    }
}

/// Stores deliveries and their attempts.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait DeliveryRepository: Send + Sync {
    /// Up to `limit` deliveries to a subscription, newest first: by `created_at`, then by the
    /// event's id, both descending. The page begins behind `after`, the keys of the last delivery
    /// of the page before.
    async fn page(
        &self,
        organization: OrganizationId,
        subscription: SubscriptionId,
        filter: DeliveryFilter,
        after: Option<(Time, EventId)>,
        limit: i64,
    ) -> Result<Vec<Delivery>, StoreError>;

    /// The attempts of a delivery, by number.
    async fn attempts(
        &self,
        organization: OrganizationId,
        subscription: SubscriptionId,
        event: EventId,
    ) -> Result<Vec<Attempt>, StoreError>;

    /// A delivery by its identifier. The identifier is no key: this walks through the deliveries of
    /// the organization, newest events first.
    async fn find(
        &self,
        organization: OrganizationId,
        id: DeliveryId,
    ) -> Result<Option<Delivery>, StoreError>;

    /// Makes deliveries to a subscription that ended in this way pending again. They are due at
    /// `now`, and their schedule of retries begins anew. Their attempts and first dispatch stay.
    /// Returns the number of deliveries replayed. Any other delivery is unchanged.
    async fn replay(
        &self,
        organization: OrganizationId,
        subscription: SubscriptionId,
        ended: Ended,
        events: Vec<EventId>,
        now: Time,
    ) -> Result<usize, StoreError>;

    /// Removes up to `limit` deliveries that ended in this way before `before`, earliest first,
    /// with their attempts. An event goes with its last delivery. Returns the number of deliveries
    /// removed.
    async fn prune(
        &self,
        organization: OrganizationId,
        ended: Ended,
        before: Time,
        limit: i64,
    ) -> Result<usize, StoreError>;

    /// Gives up, at `now`, up to `limit` pending deliveries whose subscription has been inactive
    /// since before `before`. Returns the number of deliveries given up.
    async fn expire(
        &self,
        organization: OrganizationId,
        before: Time,
        now: Time,
        limit: i64,
    ) -> Result<usize, StoreError>;
}
