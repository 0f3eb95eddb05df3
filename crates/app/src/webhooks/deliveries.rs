//! Lists and replays deliveries to webhook subscriptions.

use super::{WebhookError, find};
use crate::Caller;
use hearback_domain::Time;
use hearback_domain::delivery::DeliveryState;
use hearback_domain::id::{DeliveryId, EventId, OrganizationId, SubscriptionId};
use hearback_domain::record::Kind;
use hearback_ports::deliveries::{Delivery, DeliveryFilter};
use hearback_ports::delivery_queue::Attempt;
use hearback_ports::webhook_subscriptions::SubscriptionDetails;
use hearback_ports::{Ports, StoreError};
use std::collections::HashSet;

/// How many deliveries are read from the store at once.
const PAGE: i64 = 500;

/// The newest deliveries to a subscription, or to all subscriptions of the organization. Returns at
/// most `limit`, newest first.
pub async fn deliveries(
    ports: &Ports,
    caller: Caller,
    subscription: Option<SubscriptionId>,
    filter: DeliveryFilter,
    limit: usize,
) -> Result<Vec<Delivery>, WebhookError> {
    let organization = caller.view(Kind::WebhookSubscription)?;
    let mut newest: Vec<Delivery> = Vec::new();
    for details in chosen(ports, organization, subscription).await? {
        let mut pages = Pages::new(ports, organization, details.subscription.id, filter);
        let mut left = limit;
        while let Some(page) = pages.next(left).await? {
            left -= page.len();
            newest.extend(page);
        }
    }
    newest.sort_unstable_by_key(|delivery| {
        std::cmp::Reverse((delivery.created_at, delivery.event, delivery.subscription))
    });
    newest.truncate(limit);
    Ok(newest)
}

/// The attempts of a delivery.
pub async fn attempts(
    ports: &Ports,
    caller: Caller,
    delivery: &Delivery,
) -> Result<Vec<Attempt>, WebhookError> {
    let organization = caller.view(Kind::WebhookSubscription)?;
    Ok(ports.deliveries.attempts(organization, delivery.subscription, delivery.event).await?)
}

/// The failed deliveries to replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Exactly these deliveries.
    Deliveries(Vec<DeliveryId>),
    /// The deliveries that the filter admits. The filter's `state` is ignored.
    Matching(DeliveryFilter),
}

/// Replays failed deliveries: sends them again with the same identifier and body, and starts their
/// retry schedule anew. Without a subscription, replays deliveries to all active subscriptions of
/// the organization. Returns how many were replayed.
pub async fn replay(
    ports: &Ports,
    caller: Caller,
    subscription: Option<SubscriptionId>,
    replay: Replay,
) -> Result<usize, WebhookError> {
    let organization = caller.manage(Kind::WebhookSubscription)?;
    let (filter, wanted) = match replay {
        Replay::Deliveries(ids) => (DeliveryFilter::default(), Some(ids)),
        Replay::Matching(filter) => (filter, None),
    };
    let filter = DeliveryFilter { state: Some(DeliveryState::Failed), ..filter };
    let mut missing: HashSet<DeliveryId> = wanted.iter().flatten().copied().collect();
    let mut found: Vec<(SubscriptionId, Vec<EventId>)> = Vec::new();
    for details in chosen(ports, organization, subscription).await? {
        let id = details.subscription.id;
        if !details.subscription.is_active && subscription.is_some() {
            return Err(WebhookError::Inactive(id));
        }
        if !details.subscription.is_active && wanted.is_none() {
            continue;
        }
        let mut pages = Pages::new(ports, organization, id, filter);
        let mut events = Vec::new();
        while let Some(page) = pages.next(usize::MAX).await? {
            let meant =
                page.iter().filter(|delivery| wanted.is_none() || missing.remove(&delivery.id()));
            events.extend(meant.map(|delivery| delivery.event));
            if wanted.is_some() && missing.is_empty() {
                break;
            }
        }
        if !events.is_empty() {
            if !details.subscription.is_active {
                return Err(WebhookError::Inactive(id));
            }
            found.push((id, events));
        }
    }
    if let Some(&first) = wanted.iter().flatten().find(|id| missing.contains(id)) {
        return Err(WebhookError::NotFailed(first));
    }
    let mut replayed = 0;
    for (id, events) in found {
        replayed += ports.deliveries.replay(organization, id, events, ports.clock.now()).await?;
    }
    Ok(replayed)
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
    organization: OrganizationId,
    subscription: Option<SubscriptionId>,
) -> Result<Vec<SubscriptionDetails>, WebhookError> {
    match subscription {
        Some(id) => Ok(vec![find(ports, organization, id).await?]),
        None => Ok(ports.webhook_subscriptions.list(organization).await?),
    }
}
