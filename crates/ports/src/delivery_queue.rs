//! The queues of events on their way to subscriptions.
//!
//! The fan-out of an event makes a delivery for each subscription that receives it, in the
//! transaction of the change. [`DeliveryQueue::claim`] hands out due deliveries under a lease;
//! [`DeliveryQueue::settle`] stores the outcome of their attempts. A process that ends in between
//! loses nothing: its leases run out, and the deliveries are handed out again.
//!
//! Each subscription has a queue of its own. A long queue never delays another.
//!
//! A claim looks at all organizations at once, as [`Backlog`](crate::Backlog) does.

use crate::{Lease, StoreError};
use async_trait::async_trait;
use hearback_domain::api_key::Sealed;
use hearback_domain::delivery::{DeliveryOutcome, Response};
use hearback_domain::event::EventType;
use hearback_domain::id::{DeliveryId, EventId, OrganizationId, SubscriptionId};
use hearback_domain::webhook_subscription::Deactivation;
use hearback_domain::{Time, Uuid};
use std::collections::BTreeMap;

/// The deliveries to one subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Queue {
    /// The organization.
    pub organization: OrganizationId,
    /// The subscription.
    pub subscription: SubscriptionId,
}

/// The key of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeliveryKey {
    /// The queue of the delivery.
    pub queue: Queue,
    /// The event that it delivers.
    pub event: EventId,
}

impl DeliveryKey {
    /// The identifier of the delivery, as its receiver sees it.
    pub fn id(self) -> DeliveryId {
        DeliveryId::of(self.event, self.queue.subscription)
    }
}

/// A request for deliveries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The lease under which they are handed out.
    pub lease: Lease,
    /// The present: a delivery is handed out if it is due by this time.
    pub now: Time,
    /// The queue behind which the claim begins. `None`: the first queue.
    pub after: Option<Queue>,
    /// The most deliveries in all.
    pub limit: usize,
    /// The most deliveries of each queue that is not in `exceptions`.
    pub per_queue: usize,
    /// The most deliveries of each of these queues, perhaps 0.
    pub exceptions: BTreeMap<Queue, usize>,
}

impl Claim {
    /// The most deliveries of a queue.
    pub fn room(&self, queue: Queue) -> usize {
        self.exceptions.get(&queue).copied().unwrap_or(self.per_queue)
    }
}

/// The deliveries handed out by a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claimed {
    /// The deliveries, queue by queue, each queue by the time at which they fell due.
    pub deliveries: Vec<ClaimedDelivery>,
    /// The deliveries whose stored values are invalid. They are handed out again when the lease has
    /// run out.
    pub unreadable: Vec<Unreadable>,
    /// The queue behind which the next claim continues, if the limit was reached. `None` if no
    /// queue is left.
    pub next_after: Option<Queue>,
}

/// A delivery whose stored values are invalid, such as an event type that a later release added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("delivery {} cannot be read: its {column} is impossible", key.id())]
pub struct Unreadable {
    /// The delivery.
    pub key: DeliveryKey,
    /// The column with the invalid value.
    pub column: &'static str,
}

/// A delivery that was handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedDelivery {
    /// The delivery.
    pub key: DeliveryKey,
    /// The type of the event.
    pub event_type: EventType,
    /// The contract's `data`, as compact JSON.
    pub data: String,
    /// The receiver's present address.
    pub url: String,
    /// The signing secret.
    pub secret: Sealed,
    /// The former signing secret, if it is still valid at [`Claim::now`].
    pub previous_secret: Option<Sealed>,
    /// When the delivery was first dispatched: [`Claim::now`] of its first claim.
    pub occurred_at: Time,
    /// The number of attempts that have ended.
    pub attempts: u32,
    /// The number of attempts before the last replay. 0 if the delivery was never replayed.
    pub attempts_before_replay: u32,
}

/// An attempt that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The number of the attempt, from 1.
    pub number: u32,
    /// When the attempt began.
    pub started_at: Time,
    /// The duration of the attempt, in milliseconds.
    pub duration_ms: u32,
    /// The result of the attempt.
    pub response: Response,
    /// The first bytes of the response's body, at most
    /// [`KEPT_ANSWER`](crate::event_sink::KEPT_ANSWER).
    pub answer: Vec<u8>,
}

/// The outcome of an attempt at a claimed delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledDelivery {
    /// The delivery.
    pub key: DeliveryKey,
    /// The holder of the lease under which the attempt was made.
    pub holder: Uuid,
    /// The attempt.
    pub attempt: Attempt,
    /// The outcome for the delivery.
    pub outcome: DeliveryOutcome,
    /// When the attempt ended.
    pub ended_at: Time,
}

/// Hands out deliveries, and stores the outcome of their attempts.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Hands out due deliveries to active subscriptions that do not await rotation. A delivery is
    /// due if its time has come and it has no lease, or its lease has run out before
    /// [`Claim::now`].
    ///
    /// The queues are in the order of organization and subscription; within a queue, the delivery
    /// that fell due first comes first. The leases are committed before this returns, and so is the
    /// first dispatch of each delivery that had none.
    async fn claim(&self, claim: Claim) -> Result<Claimed, StoreError>;

    /// Stores the attempt and the outcome of each delivery whose lease is still held by its
    /// `holder`, and applies the attempts in the order given to the
    /// [health](hearback_domain::webhook_subscription::Health) of the receivers.
    ///
    /// A subscription is deactivated, as of the end of the attempt, if its receiver is
    /// [gone](Response::is_gone) or
    /// [hopeless](hearback_domain::webhook_subscription::Health::is_hopeless). Returns the queues
    /// of the subscriptions that were deactivated, each once.
    async fn settle(
        &self,
        settled: Vec<SettledDelivery>,
    ) -> Result<Vec<(Queue, Deactivation)>, StoreError>;

    /// Returns deliveries that were not attempted, if the holder given with each still has its
    /// lease. They can be claimed again at once.
    async fn release(&self, deliveries: Vec<(DeliveryKey, Uuid)>) -> Result<(), StoreError>;
}
