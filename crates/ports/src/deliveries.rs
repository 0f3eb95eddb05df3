//! The ledger of deliveries: what was sent, what came of it, and what is sent again.

use crate::StoreError;
use crate::delivery_queue::Attempt;
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::delivery::{DeliveryState, Response};
use hearback_domain::event::EventType;
use hearback_domain::id::{DeliveryId, EventId, OrganizationId, SubscriptionId};

/// A delivery as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Where it goes.
    pub subscription: SubscriptionId,
    /// What it brings.
    pub event: EventId,
    /// The event's type.
    pub event_type: EventType,
    /// Where it is.
    pub state: DeliveryState,
    /// How many attempts have ended.
    pub attempts: u32,
    /// What came of the last of them.
    pub last_response: Option<Response>,
    /// When it was made: when the change was.
    pub created_at: Time,
    /// The first dispatch.
    pub occurred_at: Option<Time>,
    /// When it is attempted next, while it is pending.
    pub next_attempt_at: Option<Time>,
    /// When it was delivered or given up.
    pub ended_at: Option<Time>,
}

impl Delivery {
    /// Its identifier for the receiver.
    pub fn id(&self) -> DeliveryId {
        DeliveryId::of(self.event, self.subscription)
    }
}

/// Which deliveries are meant: those for which all holds that is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// They are there.
    pub state: Option<DeliveryState>,
    /// They bring an event of this type.
    pub event_type: Option<EventType>,
    /// They were made then or later.
    pub since: Option<Time>,
    /// They were made before then.
    pub until: Option<Time>,
}

/// The state of deliveries that have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ended {
    /// Delivered.
    Delivered,
    /// Given up.
    Failed,
}

/// Keeps deliveries and their attempts.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait DeliveryRepository: Send + Sync {
    /// Up to `limit` deliveries to a subscription, newest first: by `created_at`, then by the event's id, both descending.
    /// `after` is the place of the last one that was seen.
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

    /// Makes failed deliveries to a subscription pending again, due at `now`, with a schedule of retries that begins anew. Their
    /// attempts and first dispatch stay. Answers how many; what has not failed is left alone.
    async fn replay(
        &self,
        organization: OrganizationId,
        subscription: SubscriptionId,
        events: Vec<EventId>,
        now: Time,
    ) -> Result<usize, StoreError>;

    /// Removes up to `limit` deliveries that ended so before `before`, earliest first, with their attempts and with the events
    /// that no delivery is left of. Answers how many deliveries.
    async fn prune(
        &self,
        organization: OrganizationId,
        ended: Ended,
        before: Time,
        limit: i64,
    ) -> Result<usize, StoreError>;

    /// Gives up to `limit` pending deliveries up, at `now`, whose subscription has been inactive since before `before`. Answers how
    /// many.
    async fn expire(
        &self,
        organization: OrganizationId,
        before: Time,
        now: Time,
        limit: i64,
    ) -> Result<usize, StoreError>;
}
