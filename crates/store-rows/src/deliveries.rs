//! Deliveries, and the attempts to make them.

use crate::column::{BadRow, Origin};
use crate::schema::{deliveries, delivery_attempts};
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use hearback_domain::delivery::{DeliveryFailure, DeliveryOutcome, DeliveryState, Response};
use hearback_domain::event::EventType;
use hearback_domain::id::{DeliveryId, EventId, SubscriptionId};
use hearback_domain::{ClosedSet, Time};
use hearback_ports::deliveries::Delivery;
use hearback_ports::delivery_queue::Attempt;
use std::borrow::Cow;

/// The key of a delivery within its organization.
#[derive(Debug, PartialEq, Eq, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = deliveries)]
#[expect(missing_docs, reason = "a field has the name of its column")]
pub struct DeliveryKeyRow {
    pub event_id: Id,
    pub subscription_id: Id,
}

/// The number of deliveries among which one is sought at once.
pub const SOUGHT_AT_ONCE: i64 = 5_000;

/// The event and the subscription of the delivery with an identifier, if it is among these.
pub fn sought(keys: &[(Id, Id)], id: DeliveryId) -> Option<(EventId, SubscriptionId)> {
    let mut keys = keys.iter().map(|(event, subscription)| (event.to(), subscription.to()));
    keys.find(|(event, subscription)| DeliveryId::of(*event, *subscription) == id)
}

/// A delivery with its event and its last attempt.
#[derive(Queryable)]
pub struct DeliveryRow {
    /// The subscription, the event, and the event's type.
    key: (Id, Id, String),
    /// The state, and the number of attempts that have ended.
    stage: (String, i32),
    /// The status and the error class of the last attempt. Both are `None` if there was none.
    last_attempt: (Option<i32>, Option<String>),
    /// `created_at`, `occurred_at`, `next_attempt_at`, `ended_at`.
    times: (Stamp, Option<Stamp>, Option<Stamp>, Option<Stamp>),
}

impl TryFrom<DeliveryRow> for Delivery {
    type Error = BadRow;

    fn try_from(row: DeliveryRow) -> Result<Self, BadRow> {
        let (subscription, event, event_type) = row.key;
        let (state, attempts) = row.stage;
        let (status, error_class) = row.last_attempt;
        let (created_at, occurred_at, next_attempt_at, ended_at) = row.times;
        let origin = Origin::new("deliveries", event);
        let its_event = Origin::new("events", event);
        let was_attempted = status.is_some() || error_class.is_some();
        let last_response =
            || response(Origin::new("delivery_attempts", event), status, error_class);
        Ok(Self {
            subscription: subscription.to(),
            event: event.to(),
            event_type: its_event.read::<EventType>("event_type", event_type.into())?,
            state: origin.read::<DeliveryState>("state", state.into())?,
            attempts: u32::try_from(attempts).map_err(|_| origin.bad("attempt_count"))?,
            last_response: was_attempted.then(last_response).transpose()?,
            created_at: origin.read::<Time>("created_at", created_at)?,
            occurred_at: origin.read::<Option<Time>>("occurred_at", occurred_at)?,
            next_attempt_at: origin.read::<Option<Time>>("next_attempt_at", next_attempt_at)?,
            ended_at: origin.read::<Option<Time>>("ended_at", ended_at)?,
        })
    }
}

/// An attempt of a delivery.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = delivery_attempts, treat_none_as_default_value = false)]
pub struct AttemptRow<'a> {
    /// The number of the attempt.
    pub attempt: i32,
    started_at: Stamp,
    status: Option<i32>,
    error_class: Option<Cow<'a, str>>,
    duration_ms: i32,
    answer: Cow<'a, [u8]>,
}

impl<'a> From<&'a Attempt> for AttemptRow<'a> {
    fn from(attempt: &'a Attempt) -> Self {
        let (status, error_class) = columns(attempt.response);
        Self {
            attempt: i32::try_from(attempt.number).unwrap_or(i32::MAX),
            started_at: Stamp::of(attempt.started_at),
            status,
            error_class: error_class.map(Cow::from),
            duration_ms: i32::try_from(attempt.duration_ms).unwrap_or(i32::MAX),
            answer: Cow::from(&attempt.answer),
        }
    }
}

impl AttemptRow<'_> {
    /// Converts the row to an attempt.
    pub fn attempt(self, origin: Origin) -> Result<Attempt, BadRow> {
        Ok(Attempt {
            number: u32::try_from(self.attempt).map_err(|_| origin.bad("attempt"))?,
            started_at: origin.read::<Time>("started_at", self.started_at)?,
            duration_ms: u32::try_from(self.duration_ms).map_err(|_| origin.bad("duration_ms"))?,
            response: response(origin, self.status, self.error_class.map(Cow::into_owned))?,
            answer: self.answer.into_owned(),
        })
    }
}

/// Reads the response to an attempt from its columns.
fn response(
    origin: Origin,
    status: Option<i32>,
    error_class: Option<String>,
) -> Result<Response, BadRow> {
    let failure =
        origin.read::<Option<DeliveryFailure>>("error_class", error_class.map(Cow::from))?;
    match (status, failure) {
        (Some(status), cut) => Ok(Response::Status {
            code: u16::try_from(status).map_err(|_| origin.bad("status"))?,
            cut,
        }),
        (None, Some(failure)) => Ok(Response::Nothing(failure)),
        (None, None) => Err(origin.bad("status")),
    }
}

/// The columns of a response: the status and the error class.
pub fn columns(response: Response) -> (Option<i32>, Option<&'static str>) {
    match response {
        Response::Status { code, cut } => (Some(i32::from(code)), cut.map(DeliveryFailure::code)),
        Response::Nothing(failure) => (None, Some(failure.code())),
    }
}

/// The columns of a delivery that change when its lease ends, except the number of attempts.
#[derive(Default, AsChangeset)]
#[diesel(table_name = deliveries, treat_none_as_null = true)]
#[expect(missing_docs, reason = "a field has the name of its column")]
pub struct Stage {
    pub state: &'static str,
    pub next_attempt_at: Option<Stamp>,
    lease_holder: Option<Id>,
    leased_until: Option<Stamp>,
    pub ended_at: Option<Stamp>,
}

impl Stage {
    /// The delivery is pending. Its next attempt is due at `at`.
    pub fn pending(at: Time) -> Self {
        Self {
            state: DeliveryState::Pending.code(),
            next_attempt_at: Some(Stamp::of(at)),
            ..Self::default()
        }
    }

    /// The delivery was given up at `at`.
    pub fn failed(at: Time) -> Self {
        Self::ended(DeliveryState::Failed, at)
    }

    fn ended(state: DeliveryState, at: Time) -> Self {
        Self { state: state.code(), ended_at: Some(Stamp::of(at)), ..Self::default() }
    }

    /// The stage that follows an attempt that ended at `ended_at`.
    pub fn of(outcome: DeliveryOutcome, ended_at: Time) -> Self {
        match outcome {
            DeliveryOutcome::Delivered => Self::ended(DeliveryState::Delivered, ended_at),
            DeliveryOutcome::Retry { at } => Self::pending(at),
            DeliveryOutcome::Failed => Self::failed(ended_at),
        }
    }
}
