//! Recorded events, with their fan-out to subscriptions.

use crate::sql::ROWS;
use crate::{PgStore, deliveries as all_deliveries, organizations, webhook_subscriptions};
use async_trait::async_trait;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Bool, Text, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::delivery::DeliveryState;
use hearback_domain::event::Event;
use hearback_domain::id::{EventId, OrganizationId, UserId};
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::events::StoredEvent;
use hearback_ports::{EventLog, StoreError};
use hearback_store_rows::deliveries::DeliveryKeyRow;
use hearback_store_rows::events::EventRow;
use hearback_store_rows::postgres::lists;
use hearback_store_rows::schema::{deliveries, events};
use hearback_store_rows::{Id, SqlStamp, Stamp, all, kept_if_one};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

#[async_trait]
impl EventLog for PgStore {
    async fn list(
        &self,
        organization: OrganizationId,
        after: Option<EventId>,
        limit: i64,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        let rows: Vec<EventRow> = self
            .readers
            .rows("listing events", || {
                lists::events(organization, after, limit).select(EventRow::as_select())
            })
            .await?;
        Ok(all(rows)?)
    }
}

/// Records events with their deliveries, in the transaction of the change that caused them. An
/// event that no subscription receives is not recorded.
pub(crate) async fn record(
    mut connection: &AsyncPgConnection,
    organization: OrganizationId,
    all: impl IntoIterator<Item = &Event>,
) -> QueryResult<()> {
    let mut of_type = HashMap::new();
    let mut received = Vec::new();
    for event in all {
        let receivers: &Vec<Id> = match of_type.entry(event.what.event_type()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let found =
                    webhook_subscriptions::receivers(connection, organization, *new.key()).await?;
                new.insert(found)
            }
        };
        received.extend((!receivers.is_empty()).then(|| (event, receivers.clone())));
    }
    for some in received.chunks(ROWS) {
        let rows: Vec<_> = some
            .iter()
            .map(|(event, _)| {
                (
                    events::organization_id.eq(Id::of(organization)),
                    events::user_id.eq(event.what.person().map(Id::of)),
                    EventRow::from(StoredEvent::from(*event)),
                )
            })
            .collect();
        let insert = diesel::insert_into(events::table).values(rows);
        kept_if_one(some.len(), insert).execute(&mut connection).await?;
    }
    let sent = received.iter().flat_map(|(event, to)| to.iter().map(move |to| (event, *to)));
    let sent: Vec<_> = sent.collect();
    for some in sent.chunks(ROWS) {
        let rows: Vec<_> = some
            .iter()
            .map(|(event, subscription)| {
                (
                    deliveries::organization_id.eq(Id::of(organization)),
                    deliveries::event_id.eq(Id::of(event.id)),
                    deliveries::subscription_id.eq(*subscription),
                    deliveries::state.eq(DeliveryState::Pending.code()),
                    deliveries::attempt_count.eq(0),
                    deliveries::next_attempt_at.eq(Stamp::of(event.at)),
                    deliveries::created_at.eq(Stamp::of(event.at)),
                    deliveries::attempts_before_replay.eq(0),
                )
            })
            .collect();
        let insert = diesel::insert_into(deliveries::table).values(rows);
        kept_if_one(some.len(), insert).execute(&mut connection).await?;
    }
    Ok(())
}

/// Removes a part of the events that name a person, with their deliveries. Returns their number.
pub(crate) async fn forget(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    user: UserId,
) -> QueryResult<usize> {
    if !organizations::try_hold(connection, organization).await? {
        return Ok(0);
    }
    let forgotten: Vec<Id> = events::table
        .filter(events::organization_id.eq(Id::of(organization)))
        .filter(events::user_id.eq(Id::of(user)))
        .order(events::id)
        .limit(FORGOTTEN_AT_ONCE)
        .select(events::id)
        .load(connection)
        .await?;
    // The deliveries are locked in the order in which settlements lock them.
    let sent: Vec<DeliveryKeyRow> = deliveries::table
        .filter(deliveries::organization_id.eq(Id::of(organization)))
        .filter(deliveries::event_id.eq_any(&forgotten))
        .order((deliveries::subscription_id, deliveries::event_id))
        .select(DeliveryKeyRow::as_select())
        .for_update()
        .load(connection)
        .await?;
    all_deliveries::remove(connection, organization, &sent).await?;
    diesel::delete(events::table)
        .filter(events::organization_id.eq(Id::of(organization)))
        .filter(events::id.eq_any(&forgotten))
        .execute(connection)
        .await?;
    Ok(forgotten.len())
}

/// The most events of a person that one transaction removes.
const FORGOTTEN_AT_ONCE: i64 = 100;

/// A part of a statement with a part `changed`. If `changed` has a row, it records an event, and a
/// delivery to each subscription that receives the event. If no subscription receives it, nothing
/// is recorded.
#[derive(QueryId)]
pub(crate) struct InsertEvent {
    organization: Uuid,
    id: Uuid,
    event_type: &'static str,
    is_in_contract: bool,
    data: String,
    at: Stamp,
}

impl InsertEvent {
    /// An event of an organization.
    pub(crate) fn new(organization: OrganizationId, event: &Event) -> Self {
        let StoredEvent { id, event_type, data, recorded_at } = StoredEvent::from(event);
        Self {
            organization: organization.0,
            id: id.0,
            event_type: event_type.code(),
            is_in_contract: event_type.is_in_contract(),
            data,
            at: Stamp::of(recorded_at),
        }
    }
}

impl QueryFragment<Pg> for InsertEvent {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            ", wanting AS (SELECT webhook_subscriptions.id FROM webhook_subscriptions, changed \
             WHERE webhook_subscriptions.organization_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        // A subscription without types receives those of the contract.
        out.push_sql(" AND is_active AND NOT awaits_rotation AND (event_types = '' AND ");
        out.push_bind_param::<Bool, _>(&self.is_in_contract)?;
        out.push_sql(" OR ");
        out.push_bind_param::<Text, _>(&self.event_type)?;
        out.push_sql(
            " = ANY (string_to_array(event_types, ','))) FOR KEY SHARE OF webhook_subscriptions), \
             event AS (INSERT INTO events (organization_id, id, event_type, data, recorded_at) SELECT ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlUuid, _>(&self.id)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&self.event_type)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&self.data)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlStamp, _>(&self.at)?;
        out.push_sql(
            " WHERE EXISTS (SELECT FROM wanting)), \
             delivery AS (INSERT INTO deliveries (organization_id, event_id, subscription_id, state, attempt_count, \
             next_attempt_at, created_at, attempts_before_replay) SELECT ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlUuid, _>(&self.id)?;
        out.push_sql(", wanting.id, 'pending', 0, ");
        out.push_bind_param::<SqlStamp, _>(&self.at)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlStamp, _>(&self.at)?;
        out.push_sql(", 0 FROM wanting)");
        Ok(())
    }
}
