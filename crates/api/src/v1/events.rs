//! `/events/list`

use crate::answer::{EventTypeCode, Timestamp};
use crate::endpoint::{Endpoint, handler, read};
use crate::fields::{Fields, Noted, timestamp};
use crate::page::Paging;
use crate::v1::webhooks::event_types;
use hearback_app::events;
use hearback_domain::event::LedgerFilter;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::events::StoredEvent;
use hearback_ports::page::ByTime;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[read(
    "/events/list",
    "List the events of the ledger, oldest first",
    handler!(page<EventView>: filtered => events::list),
)];

fn filtered(fields: &mut Fields<'_>) -> Result<(LedgerFilter, Paging<ByTime>), Noted> {
    let event_types = event_types(fields);
    let created_after = fields.optional("created_after", timestamp);
    let filter = event_types.and_then(|event_types| {
        let event_types = event_types.unwrap_or_default();
        Ok(LedgerFilter { event_types, created_after: created_after? })
    });
    let list = fields.list("oldest");
    let paging = fields.paging(filter.as_ref().map_err(|noted| *noted).map(|filter| {
        let codes = Vec::from_iter(filter.event_types.iter().map(|it| it.code()));
        list.filter((!codes.is_empty()).then(|| codes.join(",")))
            .filter(filter.created_after.map(|time| time.to_string()))
    }));
    Ok((filter?, paging?))
}

#[derive(Serialize, ToSchema)]
#[schema(as = Event)]
pub(crate) struct EventView<'a> {
    id: Uuid,
    #[schema(inline)]
    event: EventTypeCode,
    occurred_at: Timestamp,
    #[schema(value_type = Object)]
    data: &'a RawValue,
}

impl<'a> From<&'a StoredEvent> for EventView<'a> {
    fn from(event: &'a StoredEvent) -> Self {
        Self {
            id: event.id.0,
            event: event.event_type.into(),
            occurred_at: event.recorded_at.into(),
            data: serde_json::from_str(&event.data).unwrap_or(RawValue::NULL),
        }
    }
}
