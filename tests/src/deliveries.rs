//! Records events, and claims, settles and reads deliveries, for tests.
//!
//! A claim of a store covers all organizations, also those of other cases. [`claim`] takes the
//! deliveries of one organization alone.

use crate::build::{Imported, OfKind, Tenant, Votable, event};
use crate::conformance::{Stage, change, ends};
use crate::system::{deadline, fresh, patiently};
use futures_util::stream::{self, StreamExt};
use hearback_domain::Time;
use hearback_domain::api_key::Sealed;
use hearback_domain::delivery::{DeliveryFailure, DeliveryOutcome, DeliveryState, Response};
use hearback_domain::event::{Event, EventType};
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::{EventId, OrganizationId, SubscriptionId};
use hearback_domain::record::{Kind, Step};
use hearback_domain::vote::{Vote, VoteChange};
use hearback_domain::webhook_subscription::{Deactivation, WebhookSubscription};
use hearback_ports::deliveries::{Delivery, DeliveryFilter};
use hearback_ports::delivery_queue::{
    Attempt, Claim, Claimed, ClaimedDelivery, DeliveryKey, Queue, SettledDelivery,
};
use hearback_ports::events::StoredEvent;
use hearback_ports::webhook_subscriptions::SubscriptionDetails;
use hearback_ports::{Lease, Ports, Recorded, StoreError};
use std::collections::BTreeMap;
use std::time::Instant;

/// The greatest number of deliveries in a case.
const MANY: usize = 1_000;

/// Imports an organization with subscriptions, the last one first, and with an active and a deleted
/// post. In the opposite organization, the other post is active, so that votes can be cast there
/// too.
pub async fn listening(stage: &Stage, subscriptions: &[WebhookSubscription]) -> Imported {
    let mut acme = Tenant::new();
    acme.add(acme.post());
    acme.add(FeedbackPost { is_active: false, ..acme.post() });
    acme.add_backwards(subscriptions.to_vec());
    acme.import(&stage.ports).await
}

/// Records an event, with a toggle of the author's vote on an active post. Returns the event's
/// identifier.
pub async fn tell(stage: &Stage, tenant: &Tenant, event: Event) -> EventId {
    let post = tenant
        .all::<FeedbackPost>()
        .into_iter()
        .find(|post| post.is_active)
        .expect("a post that can be voted on");
    tell_by(stage, tenant, &post, event).await
}

async fn tell_by(stage: &Stage, tenant: &Tenant, post: &FeedbackPost, event: Event) -> EventId {
    let (id, at, target, user_id) = (event.id, event.at, post.target(), tenant.author.user_id);
    let event = Some(event);
    let record = async || {
        let present =
            stage.ports.votes.ballot(tenant.id(), target, user_id).await.expect("a ballot").present;
        let change = match present {
            None => {
                let vote = Vote {
                    id: fresh(),
                    user_id,
                    target,
                    cast_on_id: None,
                    created_by_id: None,
                    source_url: None,
                    created_at: at,
                };
                VoteChange::Cast { vote, event: event.clone() }
            }
            Some(vote) => VoteChange::Withdraw { vote, target, event: event.clone() },
        };
        stage.ports.votes.record(tenant.id(), change, None).await
    };
    ends(Recorded::Done, record).await;
    id
}

/// Records `count` events of one type and time, by votes on as many new posts. The identifiers that
/// it returns are in no order.
pub async fn tell_many(
    stage: &Stage,
    acme: &Imported,
    count: usize,
    event_type: EventType,
    at: Time,
) -> Vec<EventId> {
    let posts: Vec<FeedbackPost> = (0..count).map(|_| acme.post()).collect();
    let records = posts.iter().cloned().map(FeedbackPost::into_record).collect();
    acme.append(&stage.ports, records).await;
    let told = posts.iter().map(|post| tell_by(stage, acme, post, event(event_type, at)));
    stream::iter(told).buffer_unordered(16).collect().await
}

/// A lease of a new holder.
pub fn lease(until: Time) -> Lease {
    Lease { holder: fresh(), until }
}

/// The queue of a subscription.
pub fn queue(tenant: &Tenant, subscription: &WebhookSubscription) -> Queue {
    Queue { organization: tenant.id(), subscription: subscription.id }
}

/// The queues of an organization, in their order.
pub fn queues(tenant: &Tenant) -> Vec<Queue> {
    let mut queues: Vec<Queue> =
        tenant.all().iter().map(|subscription| queue(tenant, subscription)).collect();
    queues.sort();
    queues
}

/// A claim of all deliveries that are due to the subscriptions with which the organization was
/// made, and of no others.
pub fn claim(tenant: &Tenant, lease: Lease, now: Time) -> Claim {
    claim_of(queues(tenant).into_iter().map(|queue| (queue, MANY)).collect(), lease, now)
}

/// A claim of these queues alone, with the most deliveries of each.
pub fn claim_of(exceptions: BTreeMap<Queue, usize>, lease: Lease, now: Time) -> Claim {
    Claim { lease, now, after: None, limit: MANY, per_queue: 0, exceptions }
}

/// Claims exactly `count` deliveries. Retries while the store hands out none, as a cautious store
/// may at first.
pub async fn claimed(stage: &Stage, claim: Claim, count: usize) -> Claimed {
    let deadline = deadline();
    loop {
        let claimed = patiently(|| stage.ports.delivery_queue.claim(claim.clone())).await;
        if claimed.deliveries.len() == count {
            return claimed;
        }
        assert!(
            claimed.deliveries.is_empty() && Instant::now() < deadline,
            "{count} deliveries expected: {claimed:?}"
        );
    }
}

/// The deliveries of [`claimed`].
pub async fn take(stage: &Stage, claim: Claim, count: usize) -> Vec<ClaimedDelivery> {
    claimed(stage, claim, count).await.deliveries
}

/// Asserts that a claim hands out no delivery.
pub async fn nothing(stage: &Stage, claim: Claim) {
    claimed(stage, claim, 0).await;
}

/// The keys of deliveries.
pub fn keys(deliveries: &[ClaimedDelivery]) -> Vec<DeliveryKey> {
    deliveries.iter().map(|delivery| delivery.key).collect()
}

/// The events of deliveries.
pub fn events(deliveries: &[ClaimedDelivery]) -> Vec<EventId> {
    deliveries.iter().map(|delivery| delivery.key.event).collect()
}

/// A response that was read to its end.
pub fn status(code: u16) -> Response {
    Response::Status { code, cut: None }
}

/// No response: the attempt timed out.
pub const SILENCE: Response = Response::Nothing(DeliveryFailure::Timeout);

/// An attempt that ended at `at` with `response`. If it failed, the next attempt is due at once,
/// unless the caller sets another outcome.
pub fn ended(
    delivery: &ClaimedDelivery,
    lease: Lease,
    response: Response,
    at: Time,
) -> SettledDelivery {
    let attempt = Attempt {
        number: delivery.attempts + 1,
        started_at: at.plus_millis(-7),
        duration_ms: 7,
        response,
        answer: b"thanks".to_vec(),
    };
    let outcome = if response.is_success() {
        DeliveryOutcome::Delivered
    } else {
        DeliveryOutcome::Retry { at }
    };
    SettledDelivery { key: delivery.key, holder: lease.holder, attempt, outcome, ended_at: at }
}

/// An attempt that failed at `at`, after which the delivery is given up.
pub fn given_up(delivery: &ClaimedDelivery, lease: Lease, at: Time) -> SettledDelivery {
    SettledDelivery { outcome: DeliveryOutcome::Failed, ..ended(delivery, lease, status(500), at) }
}

/// Settles attempts. Returns the deactivations, in the order of their queues.
pub async fn settle(stage: &Stage, settled: Vec<SettledDelivery>) -> Vec<(Queue, Deactivation)> {
    let mut deactivated = patiently(|| stage.ports.delivery_queue.settle(settled.clone())).await;
    deactivated.sort_by_key(|(queue, _)| *queue);
    deactivated
}

/// Releases deliveries.
pub async fn release(stage: &Stage, lease: Lease, deliveries: &[ClaimedDelivery]) {
    let released: Vec<_> = deliveries.iter().map(|delivery| (delivery.key, lease.holder)).collect();
    patiently(|| stage.ports.delivery_queue.release(released.clone())).await;
}

/// Asserts that `change` changes `expected` records. Retries while it changes none, as a cautious
/// store may at first.
pub async fn counts(expected: usize, change: impl AsyncFn() -> Result<usize, StoreError>) {
    let deadline = deadline();
    loop {
        let count = patiently(|| change()).await;
        if count == expected {
            return;
        }
        assert!(
            count == 0 && Instant::now() < deadline,
            "{expected} changes expected, {count} made"
        );
    }
}

/// All deliveries to a subscription, newest first.
pub async fn listed(
    stage: &Stage,
    organization: OrganizationId,
    subscription: SubscriptionId,
) -> Vec<Delivery> {
    let all = DeliveryFilter::default();
    let page =
        stage.ports.deliveries.page(organization, subscription, all, None, MANY as i64).await;
    page.expect("the deliveries are listed")
}

/// A delivery. `None` if it does not exist.
pub async fn delivery(stage: &Stage, key: DeliveryKey) -> Option<Delivery> {
    let all = listed(stage, key.queue.organization, key.queue.subscription).await;
    all.into_iter().find(|delivery| delivery.event == key.event)
}

/// The attempts of a delivery.
pub async fn attempts(stage: &Stage, key: DeliveryKey) -> Vec<Attempt> {
    let Queue { organization, subscription } = key.queue;
    stage
        .ports
        .deliveries
        .attempts(organization, subscription, key.event)
        .await
        .expect("the attempts are listed")
}

/// The changes of webhook subscriptions, as use cases make them.
pub struct Webhooks<'a>(pub &'a Ports);

impl Webhooks<'_> {
    /// Adds a subscription.
    pub async fn insert(
        &self,
        organization: OrganizationId,
        subscription: WebhookSubscription,
    ) -> Result<Recorded, StoreError> {
        let at = subscription.created_at;
        let change = change(vec![Step::make(subscription)], at);
        self.0.records.apply(organization, change).await
    }

    /// Removes a subscription with its deliveries.
    pub async fn delete(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Recorded, StoreError> {
        match self.0.webhook_subscriptions.clear(organization, id).await? {
            Recorded::Done => {}
            lost => return Ok(lost),
        }
        self.remove(organization, id).await
    }

    /// Removes a subscription that is cleared.
    pub async fn remove(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Recorded, StoreError> {
        let Some(cleared) = self.find(organization, id).await? else { return Ok(Recorded::Stale) };
        let change = change(vec![Step::remove(cleared)], Time::MIN);
        self.0.records.apply(organization, change).await
    }

    /// Replaces the secret of a subscription.
    pub async fn rotate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        secret: Sealed,
        until: Time,
    ) -> Result<Recorded, StoreError> {
        self.edit(organization, id, Time::MIN, |it| it.rotated(secret, until)).await
    }

    /// Activates a subscription.
    pub async fn activate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Recorded, StoreError> {
        let on = |it| WebhookSubscription { is_active: true, ..it };
        self.edit(organization, id, Time::MIN, on).await
    }

    /// Deactivates a subscription.
    pub async fn deactivate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        now: Time,
    ) -> Result<Recorded, StoreError> {
        let off = |it| WebhookSubscription { is_active: false, ..it };
        self.edit(organization, id, now, off).await
    }

    async fn edit(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        at: Time,
        edited: impl FnOnce(WebhookSubscription) -> WebhookSubscription,
    ) -> Result<Recorded, StoreError> {
        let Some(before) = self.find(organization, id).await? else { return Ok(Recorded::Stale) };
        let step = Step::edit(before.clone(), edited(before), at);
        self.0.records.apply(organization, change(vec![step], at)).await
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Option<WebhookSubscription>, StoreError> {
        let key = (Kind::WebhookSubscription, id.0);
        Ok(self.0.records.load(organization, vec![key]).await?.any(id.0).cloned())
    }
}

/// The state of a subscription.
pub async fn standing(stage: &Stage, queue: Queue) -> SubscriptionDetails {
    let found =
        stage.ports.webhook_subscriptions.find(queue.organization, queue.subscription).await;
    found.expect("a look-up").expect("the subscription exists")
}

/// All data about an organization's deliveries, for comparison with a later ledger.
#[derive(Debug, PartialEq)]
pub struct Ledger {
    /// The subscriptions.
    pub standings: Vec<SubscriptionDetails>,
    /// The deliveries of each, with their attempts.
    pub deliveries: Vec<(Delivery, Vec<Attempt>)>,
    /// The events.
    pub events: Vec<StoredEvent>,
    /// The row counts, as [`Probe::rows`](crate::conformance::Probe::rows) returns them.
    pub rows: BTreeMap<String, i64>,
}

/// Reads the [`Ledger`].
pub async fn ledger(stage: &Stage, organization: OrganizationId) -> Ledger {
    let standings = stage
        .ports
        .webhook_subscriptions
        .list(organization)
        .await
        .expect("the subscriptions are listed");
    let mut deliveries = Vec::new();
    for SubscriptionDetails {
        subscription: WebhookSubscription { id: subscription, .. }, ..
    } in &standings
    {
        for delivery in listed(stage, organization, *subscription).await {
            let queue = Queue { organization, subscription: *subscription };
            let attempts = attempts(stage, DeliveryKey { queue, event: delivery.event }).await;
            deliveries.push((delivery, attempts));
        }
    }
    let events = stage
        .ports
        .events
        .list(organization, None, MANY as i64)
        .await
        .expect("the events are listed");
    let rows = stage.probe.rows(organization).await;
    Ledger { standings, deliveries, events, rows }
}

/// The pending deliveries of an organization, sorted.
pub async fn pending(
    stage: &Stage,
    organization: OrganizationId,
) -> Vec<(EventId, SubscriptionId)> {
    let mut deliveries = ledger(stage, organization).await.deliveries;
    deliveries.retain(|(delivery, _)| delivery.state == DeliveryState::Pending);
    let mut keys: Vec<_> =
        deliveries.iter().map(|(delivery, _)| (delivery.event, delivery.subscription)).collect();
    keys.sort();
    keys
}

/// The ledgers of the twin and of the opposite, whose records have the same identifiers.
pub async fn other_ledgers(stage: &Stage, acme: &Imported) -> [Ledger; 2] {
    [ledger(stage, acme.twin().id()).await, ledger(stage, acme.opposite().id()).await]
}
