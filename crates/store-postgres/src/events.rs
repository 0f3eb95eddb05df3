//! Recorded events, with their fan-out to subscriptions.

use crate::readers::Reach;
use crate::sql::ROWS;
use crate::{PgStore, deliveries as all_deliveries, organizations, webhook_subscriptions};
use async_trait::async_trait;
use diesel::dsl::{exists, not};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Bool, Text, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::delivery::DeliveryState;
use hearback_domain::event::{Event, LedgerFilter};
use hearback_domain::id::{EventId, OrganizationId, UserId};
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::events::StoredEvent;
use hearback_ports::page::{ByTime, Page, PageRequest};
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

    async fn ledger(
        &self,
        organization: OrganizationId,
        filter: LedgerFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<StoredEvent, ByTime>, StoreError> {
        let query = || lists::ledger(organization, &filter, &page).select(EventRow::as_select());
        let rows: Vec<EventRow> = self.list_rows(Reach::Long, "listing the ledger", query).await?;
        Ok(Page::cut(all(rows)?, page.limit, |event: &StoredEvent| ByTime {
            at: event.recorded_at,
            id: event.id.0,
        }))
    }

    async fn prune(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<usize, StoreError> {
        let work = self.writer.write("removing old events from the ledger", move |connection| {
            async move { prune(connection, organization, before, limit).await }.boxed()
        });
        // `None`: another transaction was faster, and removed them.
        Ok(work.await?.unwrap_or(0))
    }
}

async fn prune(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    before: Time,
    limit: i64,
) -> QueryResult<usize> {
    if !organizations::try_hold(connection, organization).await? {
        return Ok(0);
    }
    let old: Vec<Id> = events::table
        .filter(events::organization_id.eq(Id::of(organization)))
        .filter(events::in_ledger)
        .filter(events::recorded_at.lt(Stamp::of(before)))
        .order((events::recorded_at, events::id))
        .limit(limit)
        .select(events::id)
        .for_update()
        .skip_locked()
        .load(connection)
        .await?;
    let old_events = events::table
        .filter(events::organization_id.eq(Id::of(organization)))
        .filter(events::id.eq_any(&old));
    diesel::update(old_events.clone()).set(events::in_ledger.eq(false)).execute(connection).await?;
    let delivery = deliveries::table
        .filter(deliveries::organization_id.eq(events::organization_id))
        .filter(deliveries::event_id.eq(events::id));
    diesel::delete(old_events.filter(not(exists(delivery)))).execute(connection).await?;
    Ok(old.len())
}

/// Records events with their deliveries, in the transaction of the change that caused them. An
/// event that no subscription receives is not recorded, unless it is for the ledger.
pub(crate) async fn record(
    mut connection: &AsyncPgConnection,
    organization: OrganizationId,
    all: impl IntoIterator<Item = &Event>,
) -> QueryResult<()> {
    let mut of_sort = HashMap::new();
    let mut received = Vec::new();
    for event in all {
        let sort = (event.what.event_type(), event.what.board());
        let receivers: &Vec<Id> = match of_sort.entry(sort) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let (event_type, board) = sort;
                let found =
                    webhook_subscriptions::receivers(connection, organization, event_type, board)
                        .await?;
                new.insert(found)
            }
        };
        let is_recorded = event.in_ledger || !receivers.is_empty();
        received.extend(is_recorded.then(|| (event, receivers.clone())));
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
    /// The feedback board of the event. No subscription names the empty one.
    board: String,
    data: String,
    at: Stamp,
    in_ledger: bool,
}

impl InsertEvent {
    /// An event of an organization.
    pub(crate) fn new(organization: OrganizationId, event: &Event) -> Self {
        let StoredEvent { id, event_type, data, recorded_at, in_ledger } = StoredEvent::from(event);
        Self {
            organization: organization.0,
            id: id.0,
            event_type: event_type.code(),
            is_in_contract: event_type.is_in_contract(),
            board: event.what.board().map(|board| board.to_string()).unwrap_or_default(),
            data,
            at: Stamp::of(recorded_at),
            in_ledger,
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
        out.push_sql(" = ANY (string_to_array(event_types, ','))) AND (board_ids = '' OR ");
        out.push_bind_param::<Text, _>(&self.board)?;
        out.push_sql(
            " = ANY (string_to_array(board_ids, ','))) FOR KEY SHARE OF webhook_subscriptions), \
             event AS (INSERT INTO events (organization_id, id, event_type, data, recorded_at, in_ledger) SELECT ",
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
        out.push_sql(", ");
        out.push_bind_param::<Bool, _>(&self.in_ledger)?;
        out.push_sql(" WHERE EXISTS (SELECT FROM wanting)");
        out.push_sql(" OR ");
        out.push_bind_param::<Bool, _>(&self.in_ledger)?;
        out.push_sql(
            " AND EXISTS (SELECT FROM changed)), \
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
