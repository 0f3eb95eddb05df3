//! The stages of a delivery.

use crate::rows::Id;
use crate::schema::deliveries;
use diesel::prelude::*;
use hearback_domain::delivery::{DeliveryOutcome, DeliveryState};
use hearback_domain::{ClosedSet, Time};

/// Where a delivery is on its way: all of its row that changes when nobody has it any more, but for
/// the number of attempts.
#[derive(Default, AsChangeset)]
#[diesel(table_name = deliveries, treat_none_as_null = true)]
pub(crate) struct Stage {
    pub(super) state: &'static str,
    pub(super) next_attempt_at: Option<i64>,
    lease_holder: Option<Id>,
    leased_until: Option<i64>,
    pub(super) ended_at: Option<i64>,
}

impl Stage {
    /// It is attempted then.
    pub(crate) fn pending(at: Time) -> Self {
        Self {
            state: DeliveryState::Pending.code(),
            next_attempt_at: Some(at.unix_millis()),
            ..Self::default()
        }
    }

    /// It was given up then.
    pub(crate) fn failed(at: Time) -> Self {
        Self {
            state: DeliveryState::Failed.code(),
            ended_at: Some(at.unix_millis()),
            ..Self::default()
        }
    }

    fn delivered(at: Time) -> Self {
        Self {
            state: DeliveryState::Delivered.code(),
            ended_at: Some(at.unix_millis()),
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
