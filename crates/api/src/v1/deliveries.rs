//! `/deliveries/…`

use super::webhooks::outcome_of;
use crate::answer::{DeliveryStateCode, EventTypeCode, Timestamp};
use crate::endpoint::Refusal::NotFound;
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fault::Wrong;
use crate::fields::{Fields, Noted, by_id, one_of, timestamp, uuid};
use crate::page::Paging;
use hearback_app::Missing;
use hearback_app::webhooks::{self, Replay};
use hearback_domain::delivery::DeliveryState;
use hearback_domain::event::EventType;
use hearback_domain::id::{DeliveryId, SubscriptionId};
use hearback_domain::record::Kind;
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::deliveries::{Delivery, DeliveryFilter};
use hearback_ports::delivery_queue::Attempt;
use hearback_ports::page::ByDelivery;
use serde::Serialize;
use std::borrow::Cow;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/deliveries/list",
        "List the deliveries of webhooks, newest first",
        handler!(page<DeliveryView>: filtered => webhooks::page_of_deliveries),
    ),
    read(
        "/deliveries/retrieve",
        "Retrieve a delivery with its attempts",
        handler!(object<DetailsView>: by_id::<DeliveryId> => webhooks::find_delivery),
    )
    .refusing(&[UNKNOWN]),
    write(
        "/deliveries/replay",
        "Send deliveries again",
        handler!(replayed: replay => webhooks::replay),
    )
    .refusing(&[UNKNOWN, NotFound(Missing::Record(Kind::WebhookSubscription))]),
];

const UNKNOWN: crate::endpoint::Refusal = NotFound(Missing::Delivery(DeliveryId(Uuid::nil())));

type Filtered = ((Option<SubscriptionId>, DeliveryFilter), Paging<ByDelivery>);

fn filtered(fields: &mut Fields<'_>) -> Result<Filtered, Noted> {
    let subscription = fields.optional("webhook_id", uuid);
    let event_type = fields.optional("event_type", one_of::<EventType>);
    let state = fields.optional("state", one_of::<DeliveryState>);
    let since = fields.optional("created_after", timestamp);
    let filter = subscription.and_then(|subscription| {
        let (event_type, state, since) = (event_type?, state?, since?);
        let since = since.map(after);
        Ok((subscription, DeliveryFilter { state, event_type, since, until: None }))
    });
    let list = fields.list("newest");
    let paging = fields.paging(filter.map(|(subscription, filter)| {
        list.filter(subscription)
            .filter(filter.event_type.map(EventType::code))
            .filter(filter.state.map(DeliveryState::code))
            .filter(filter.since.map(|time| time.to_string()))
    }));
    let (subscription, filter) = filter?;
    Ok(((subscription.map(Into::into), filter), paging?))
}

/// The first time after a time.
fn after(time: Time) -> Time {
    time.plus_millis(1)
}

fn replay(fields: &mut Fields<'_>) -> Result<(Option<SubscriptionId>, Replay), Noted> {
    let delivery = fields.optional("delivery_id", uuid);
    let rule = "delivery_id and webhook_id exclude each other";
    let subscription = fields.excluding("webhook_id", &["delivery_id"], rule, uuid);
    let since = fields.optional("created_after", timestamp);
    let until = fields.optional("created_before", timestamp);
    let state = fields.optional("state", one_of::<DeliveryState>);
    fields.exactly_one_of(&["delivery_id", "webhook_id"]);
    let chosen = (delivery?, subscription?);
    let filter =
        DeliveryFilter { state: state?, event_type: None, since: since?.map(after), until: until? };
    match chosen {
        (None, None) => Err(fields.fault("delivery_id", Wrong::Missing)),
        (Some(delivery), _) => Ok((None, Replay::One(delivery.into(), filter))),
        (None, subscription) => Ok((subscription.map(Into::into), Replay::Matching(filter))),
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = Delivery)]
pub(crate) struct DeliveryView<'a> {
    id: Uuid,
    webhook_id: Uuid,
    event_id: Uuid,
    #[schema(inline)]
    event_type: EventTypeCode,
    #[schema(inline)]
    state: DeliveryStateCode,
    attempt_count: u32,
    status: Option<u16>,
    error: Option<&'a str>,
    created_at: Timestamp,
    occurred_at: Option<Timestamp>,
    next_attempt_at: Option<Timestamp>,
    ended_at: Option<Timestamp>,
}

impl<'a> From<&'a Delivery> for DeliveryView<'a> {
    fn from(delivery: &'a Delivery) -> Self {
        let (status, error) = delivery.last_response.map(outcome_of).unwrap_or_default();
        Self {
            id: delivery.id().0,
            webhook_id: delivery.subscription.0,
            event_id: delivery.event.0,
            event_type: delivery.event_type.into(),
            state: delivery.state.into(),
            attempt_count: delivery.attempts,
            status,
            error,
            created_at: delivery.created_at.into(),
            occurred_at: delivery.occurred_at.map(Into::into),
            next_attempt_at: delivery.next_attempt_at.map(Into::into),
            ended_at: delivery.ended_at.map(Into::into),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = DeliveryWithAttempts)]
pub(crate) struct DetailsView<'a> {
    #[serde(flatten)]
    delivery: DeliveryView<'a>,
    attempts: Vec<AttemptView<'a>>,
}

impl<'a> From<&'a (Delivery, Vec<Attempt>)> for DetailsView<'a> {
    fn from((delivery, attempts): &'a (Delivery, Vec<Attempt>)) -> Self {
        let attempts = attempts.iter().map(AttemptView::from).collect();
        Self { delivery: delivery.into(), attempts }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = DeliveryAttempt)]
pub(crate) struct AttemptView<'a> {
    at: Timestamp,
    status: Option<u16>,
    duration_ms: u32,
    error: Option<&'a str>,
    #[schema(value_type = String)]
    response: Cow<'a, str>,
}

impl<'a> From<&'a Attempt> for AttemptView<'a> {
    fn from(attempt: &'a Attempt) -> Self {
        let (status, error) = outcome_of(attempt.response);
        Self {
            at: attempt.started_at.into(),
            status,
            duration_ms: attempt.duration_ms,
            error,
            response: String::from_utf8_lossy(&attempt.answer),
        }
    }
}
