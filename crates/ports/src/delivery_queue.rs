//! Events on their way to subscriptions.
//!
//! The fan-out of an event makes a delivery for each subscription that wants it, in the transaction of the change that caused the
//! event. [`DeliveryQueue::claim`] hands out deliveries that are due, under a lease; [`DeliveryQueue::settle`] keeps what became
//! of their attempts. Whoever dies in between loses nothing: the lease runs out, and the delivery is handed out again.
//!
//! A subscription is a queue of its own. What one has waiting, however much, is never in the way of another's.
//!
//! Leases are not an organization's: these are the statements, besides those of [`Backlog`](crate::Backlog), that look at all
//! organizations at once.

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

/// One delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeliveryKey {
    /// Where it goes.
    pub queue: Queue,
    /// What it brings.
    pub event: EventId,
}

impl DeliveryKey {
    /// Its identifier for the receiver.
    pub fn id(self) -> DeliveryId {
        DeliveryId::of(self.event, self.queue.subscription)
    }
}

/// What is to be handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// For whom, and for how long.
    pub lease: Lease,
    /// What is due by now.
    pub now: Time,
    /// The queues behind this one; `None`: from the first.
    pub after: Option<Queue>,
    /// The most deliveries in all.
    pub limit: usize,
    /// The most of each queue,
    pub per_queue: usize,
    /// but for these, of which it is so many (perhaps none).
    pub exceptions: BTreeMap<Queue, usize>,
}

impl Claim {
    /// The most deliveries of a queue.
    pub fn room(&self, queue: Queue) -> usize {
        self.exceptions.get(&queue).copied().unwrap_or(self.per_queue)
    }
}

/// What was handed out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claimed {
    /// The deliveries: queue by queue, those due first first.
    pub deliveries: Vec<ClaimedDelivery>,
    /// Those of which what is stored says nothing. They are handed out again when the lease has run out.
    pub unreadable: Vec<Unreadable>,
    /// The queue behind which to go on, where the limit was reached; `None` where there is no queue left to look at.
    pub next_after: Option<Queue>,
}

/// A delivery that cannot be read: as one of an event whose type a later release added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("delivery {} cannot be read: its {column} is impossible", key.id())]
pub struct Unreadable {
    /// Which one.
    pub key: DeliveryKey,
    /// The column that is none of the values that it should be.
    pub column: &'static str,
}

/// A delivery that was handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedDelivery {
    /// Which one.
    pub key: DeliveryKey,
    /// The event's type.
    pub event_type: EventType,
    /// The contract's `data` as compact JSON.
    pub data: String,
    /// The receiver's address as it is now.
    pub url: String,
    /// The signing secret.
    pub secret: Sealed,
    /// The one before it, unless its time has run out by [`Claim::now`].
    pub previous_secret: Option<Sealed>,
    /// The first dispatch: [`Claim::now`] of the first claim.
    pub occurred_at: Time,
    /// How many attempts have ended.
    pub attempts: u32,
    /// How many of them before the delivery was last replayed; 0 if it never was.
    pub attempts_before_replay: u32,
}

/// An attempt that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Which one of the delivery, from 1.
    pub number: u32,
    /// When it began.
    pub started_at: Time,
    /// How long it took, in milliseconds.
    pub duration_ms: u32,
    /// What came of it.
    pub response: Response,
    /// The first bytes of the answer's body, up to [`KEPT_ANSWER`](crate::event_sink::KEPT_ANSWER).
    pub answer: Vec<u8>,
}

/// What became of a claimed delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Which one.
    pub key: DeliveryKey,
    /// Whose it was.
    pub holder: Uuid,
    /// The attempt.
    pub attempt: Attempt,
    /// What follows.
    pub outcome: DeliveryOutcome,
    /// When the attempt ended.
    pub ended_at: Time,
}

/// Hands deliveries out and keeps what became of them.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Hands out deliveries that are due to subscriptions that are active and do not await rotation: those whose time has come
    /// and that nobody has, or whose lease has run out before now. Queue by queue, by organization and subscription; those due
    /// first first. Committed before it returns, with the first dispatch of those that had none.
    async fn claim(&self, claim: Claim) -> Result<Claimed, StoreError>;

    /// Keeps what became of deliveries, of those that their holder still has: the attempt, what follows, and how the
    /// subscription's receiver [is doing](hearback_domain::webhook_subscription::Health), in the order given. Subscriptions whose
    /// receiver is [gone](Response::is_gone) or [hopeless](hearback_domain::webhook_subscription::Health::is_hopeless) are
    /// deactivated, as of when the attempt ended; the answer names those, each once.
    async fn settle(&self, settled: Vec<Settled>)
    -> Result<Vec<(Queue, Deactivation)>, StoreError>;

    /// Gives deliveries back that were not attempted, of those that `holder` still has: they can be claimed again at once.
    async fn release(&self, deliveries: Vec<(DeliveryKey, Uuid)>) -> Result<(), StoreError>;
}
