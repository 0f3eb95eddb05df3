//! Lists and replays deliveries to webhook subscriptions.

use super::find;
use crate::once::{Outcome, Repeat, once};
use crate::write::Changing;
use crate::{Caller, Error, Missing};
use hearback_domain::Time;
use hearback_domain::delivery::DeliveryState;
use hearback_domain::id::{DeliveryId, EventId, OrganizationId, SubscriptionId};
use hearback_domain::record::Kind;
use hearback_ports::deliveries::{Delivery, DeliveryFilter, Ended};
use hearback_ports::delivery_queue::Attempt;
use hearback_ports::page::ByDelivery;
use hearback_ports::webhook_subscriptions::SubscriptionDetails;
use hearback_ports::{Page, PageRequest, Ports, Recorded, StoreError, WriteResult};
use std::cmp::Reverse;
use std::collections::HashSet;

/// The number of deliveries that are read from the store at once.
const PAGE: i64 = 500;

/// The newest deliveries to a subscription, or to all subscriptions of the organization. Returns at
/// most `limit`, newest first.
pub async fn deliveries(
    ports: &Ports,
    caller: Caller,
    subscription: Option<SubscriptionId>,
    filter: DeliveryFilter,
    limit: usize,
) -> Result<Vec<Delivery>, Error> {
    let organization = caller.view(Kind::WebhookSubscription)?;
    let mut newest: Vec<Delivery> = Vec::new();
    for details in chosen(ports, caller, subscription).await? {
        let mut pages = Pages::new(ports, organization, details.subscription.id, filter);
        let mut left = limit;
        while let Some(page) = pages.next(left).await? {
            left -= page.len();
            newest.extend(page);
        }
    }
    newest.sort_unstable_by_key(|delivery| Reverse(ByDelivery::of(delivery)));
    newest.truncate(limit);
    Ok(newest)
}

/// `/deliveries/list`: the deliveries that the filter admits, newest first. An unknown subscription
/// has none.
pub async fn page_of_deliveries(
    ports: &Ports,
    caller: Caller,
    (subscription, filter): (Option<SubscriptionId>, DeliveryFilter),
    page: PageRequest<ByDelivery>,
) -> Result<Page<Delivery, ByDelivery>, Error> {
    let organization = caller.view(Kind::WebhookSubscription)?;
    let mut all = ports.webhook_subscriptions.list(organization).await?;
    all.retain(|it| subscription.is_none_or(|id| id == it.subscription.id));
    let mut newest = Vec::new();
    for id in all.into_iter().map(|details| details.subscription.id) {
        let after = page.after.map(|after| after.within(id));
        let limit = page.limit.and_one();
        newest.extend(ports.deliveries.page(organization, id, filter, after, limit).await?);
    }
    newest.sort_unstable_by_key(|delivery| Reverse(ByDelivery::of(delivery)));
    Ok(Page::cut(newest, page.limit, ByDelivery::of))
}

/// `/deliveries/retrieve`: a delivery with its attempts.
pub async fn find_delivery(
    ports: &Ports,
    caller: Caller,
    id: DeliveryId,
) -> Result<(Delivery, Vec<Attempt>), Error> {
    let organization = caller.view(Kind::WebhookSubscription)?;
    let delivery = known(ports, organization, id).await?;
    let attempts = attempts(ports, caller, &delivery).await?;
    Ok((delivery, attempts))
}

async fn known(
    ports: &Ports,
    organization: OrganizationId,
    id: DeliveryId,
) -> Result<Delivery, Error> {
    let found = ports.deliveries.find(organization, id).await?;
    found.ok_or(Error::NotFound(Missing::Delivery(id)))
}

/// The attempts of a delivery.
pub async fn attempts(
    ports: &Ports,
    caller: Caller,
    delivery: &Delivery,
) -> Result<Vec<Attempt>, Error> {
    let organization = caller.view(Kind::WebhookSubscription)?;
    Ok(ports.deliveries.attempts(organization, delivery.subscription, delivery.event).await?)
}

/// The deliveries to replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// This delivery, unless it is pending or the filter does not admit it.
    One(DeliveryId, DeliveryFilter),
    /// Exactly these failed deliveries.
    Failed(Vec<DeliveryId>),
    /// The deliveries that the filter admits; without a state, the failed ones.
    Matching(DeliveryFilter),
}

/// Replays deliveries: sends them again with the same identifier and body, and starts their retry
/// schedule anew. Those of an inactive subscription wait for its activation. Without a subscription,
/// replays deliveries that match to all active subscriptions of the organization.
pub async fn replay(
    ports: &Ports,
    caller: Caller,
    (subscription, replay): (Option<SubscriptionId>, Replay),
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::WebhookSubscription)?;
    let (replay, repeat) = (&replay, repeat.as_ref());
    let turn = (Kind::WebhookSubscription, subscription);
    once(ports, organization, turn, repeat, |_| async move {
        let found = match replay {
            Replay::One(id, filter) => one(ports, organization, *id, *filter).await?,
            Replay::Failed(ids) => failed(ports, caller, subscription, ids).await?,
            Replay::Matching(filter) => matching(ports, caller, subscription, *filter).await?,
        };
        let (at, mut replayed) = (ports.clock.now(), 0);
        for (id, ended, events) in found {
            let some = ports.deliveries.replay(organization, id, ended, events, at).await?;
            replayed += some as u64;
        }
        if repeat.is_none() {
            return Ok((Recorded::Done, WriteResult::Replayed(replayed)));
        }
        let round = Changing::new(ports, caller, repeat, at);
        round.record(vec![], WriteResult::Replayed(replayed), |_| None).await
    })
    .await
}

/// Deliveries to a subscription that ended in this way.
type Found = Vec<(SubscriptionId, Ended, Vec<EventId>)>;

async fn one(
    ports: &Ports,
    organization: OrganizationId,
    id: DeliveryId,
    filter: DeliveryFilter,
) -> Result<Found, Error> {
    let delivery = known(ports, organization, id).await?;
    if !filter.admits(&delivery) {
        return Ok(Found::new());
    }
    let Delivery { subscription, event, state, .. } = delivery;
    Ok(Vec::from_iter(ended(state).map(|ended| (subscription, ended, vec![event]))))
}

async fn failed(
    ports: &Ports,
    caller: Caller,
    subscription: Option<SubscriptionId>,
    ids: &[DeliveryId],
) -> Result<Found, Error> {
    let organization = caller.view(Kind::WebhookSubscription)?;
    let filter = DeliveryFilter { state: Some(DeliveryState::Failed), ..Default::default() };
    let mut missing: HashSet<DeliveryId> = ids.iter().copied().collect();
    let mut found = Vec::new();
    for details in chosen(ports, caller, subscription).await? {
        let mut pages = Pages::new(ports, organization, details.subscription.id, filter);
        let mut events = Vec::new();
        while !missing.is_empty()
            && let Some(page) = pages.next(usize::MAX).await?
        {
            let meant = page.iter().filter(|delivery| missing.remove(&delivery.id()));
            events.extend(meant.map(|delivery| delivery.event));
        }
        found.push((details.subscription.id, Ended::Failed, events));
    }
    match ids.iter().find(|id| missing.contains(id)) {
        Some(id) => Err(Error::NotFound(Missing::Delivery(*id))),
        None => Ok(found),
    }
}

async fn matching(
    ports: &Ports,
    caller: Caller,
    subscription: Option<SubscriptionId>,
    filter: DeliveryFilter,
) -> Result<Found, Error> {
    let organization = caller.view(Kind::WebhookSubscription)?;
    let mut all = chosen(ports, caller, subscription).await?;
    all.retain(|details| subscription.is_some() || details.subscription.is_active);
    let state = filter.state.unwrap_or(DeliveryState::Failed);
    let Some(ended) = ended(state) else { return Ok(vec![]) };
    let filter = DeliveryFilter { state: Some(state), ..filter };
    let mut found = Vec::new();
    for id in all.into_iter().map(|details| details.subscription.id) {
        let mut pages = Pages::new(ports, organization, id, filter);
        let mut events = Vec::new();
        while let Some(page) = pages.next(usize::MAX).await? {
            events.extend(page.iter().map(|delivery| delivery.event));
        }
        found.push((id, ended, events));
    }
    Ok(found)
}

/// The end of a delivery in a state. `None` if the delivery is pending.
fn ended(state: DeliveryState) -> Option<Ended> {
    match state {
        DeliveryState::Pending => None,
        DeliveryState::Delivered => Some(Ended::Delivered),
        DeliveryState::Failed => Some(Ended::Failed),
    }
}

/// Walks through the deliveries to a subscription.
struct Pages<'a> {
    ports: &'a Ports,
    organization: OrganizationId,
    subscription: SubscriptionId,
    filter: DeliveryFilter,
    after: Option<(Time, EventId)>,
    is_last: bool,
}

impl<'a> Pages<'a> {
    fn new(
        ports: &'a Ports,
        organization: OrganizationId,
        subscription: SubscriptionId,
        filter: DeliveryFilter,
    ) -> Self {
        Self { ports, organization, subscription, filter, after: None, is_last: false }
    }

    /// Returns the next deliveries, at most `most`. `None` if there are no more, or if `most` is 0.
    async fn next(&mut self, most: usize) -> Result<Option<Vec<Delivery>>, StoreError> {
        let limit = i64::try_from(most).unwrap_or(i64::MAX).min(PAGE);
        if self.is_last || limit == 0 {
            return Ok(None);
        }
        let page = self
            .ports
            .deliveries
            .page(self.organization, self.subscription, self.filter, self.after, limit)
            .await?;
        self.is_last = i64::try_from(page.len()).is_ok_and(|length| length < limit);
        self.after = page.last().map(|delivery| (delivery.created_at, delivery.event));
        Ok(Some(page))
    }
}

/// The subscription with this identifier, or all subscriptions.
async fn chosen(
    ports: &Ports,
    caller: Caller,
    subscription: Option<SubscriptionId>,
) -> Result<Vec<SubscriptionDetails>, Error> {
    match subscription {
        Some(id) => Ok(vec![find(ports, caller, id).await?]),
        None => super::list(ports, caller).await,
    }
}
