//! The stages of a delivery.

use crate::rows::timestamp;
use crate::schema::deliveries;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use hearback_domain::delivery::{DeliveryOutcome, DeliveryState};
use hearback_domain::{ClosedSet, Time, Uuid};

/// Where a delivery is on its way: all of its row that changes when nobody has it any more, but for
/// the number of attempts.
#[derive(Default, AsChangeset)]
#[diesel(table_name = deliveries, treat_none_as_null = true)]
pub(crate) struct Stage {
    pub(super) state: &'static str,
    pub(super) next_attempt_at: Option<PgTimestamp>,
    lease_holder: Option<Uuid>,
    leased_until: Option<PgTimestamp>,
    pub(super) ended_at: Option<PgTimestamp>,
}

impl Stage {
    /// It is attempted then.
    pub(crate) fn pending(at: Time) -> Self {
        Self {
            state: DeliveryState::Pending.code(),
            next_attempt_at: Some(timestamp(at)),
            ..Self::default()
        }
    }

    /// It was given up then.
    pub(crate) fn failed(at: Time) -> Self {
        Self {
            state: DeliveryState::Failed.code(),
            ended_at: Some(timestamp(at)),
            ..Self::default()
        }
    }

    fn delivered(at: Time) -> Self {
        Self {
            state: DeliveryState::Delivered.code(),
            ended_at: Some(timestamp(at)),
            ..Self::default()
        }
    }

    pub(super) fn of(outcome: DeliveryOutcome, ended_at: Time) -> Self {
        match outcome {
            DeliveryOutcome::Delivered => Self::delivered(ended_at),
            DeliveryOutcome::Retry { at } => Self::pending(at),
            DeliveryOutcome::Failed => Self::failed(ended_at),
        }
    }
}
