//! Recorded events.

use crate::column::{BadRow, Origin};
use crate::schema::events;
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use hearback_domain::event::EventType;
use hearback_domain::{ClosedSet, Time};
use hearback_ports::events::StoredEvent;

/// A row of `events`.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = events, treat_none_as_default_value = false)]
pub struct EventRow {
    id: Id,
    event_type: String,
    data: String,
    recorded_at: Stamp,
    in_ledger: bool,
}

impl From<StoredEvent> for EventRow {
    fn from(event: StoredEvent) -> Self {
        Self {
            id: Id::of(event.id),
            event_type: event.event_type.code().to_owned(),
            data: event.data,
            recorded_at: Stamp::of(event.recorded_at),
            in_ledger: event.in_ledger,
        }
    }
}

impl TryFrom<EventRow> for StoredEvent {
    type Error = BadRow;

    fn try_from(row: EventRow) -> Result<Self, BadRow> {
        let origin = Origin::new("events", row.id);
        Ok(Self {
            id: row.id.to(),
            event_type: origin.read::<EventType>("event_type", row.event_type.into())?,
            data: row.data,
            recorded_at: origin.read::<Time>("recorded_at", row.recorded_at)?,
            in_ledger: row.in_ledger,
        })
    }
}
