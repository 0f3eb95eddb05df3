//! Recorded events, and their fan-out to subscriptions.

use crate::deliveries::{self as all_deliveries, REMOVED_AT_ONCE};
use crate::error::store_error;
use crate::{SqliteStore, webhook_subscriptions};
use async_trait::async_trait;
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use hearback_domain::delivery::DeliveryState;
use hearback_domain::event::{Event, LedgerFilter};
use hearback_domain::id::{EventId, OrganizationId, UserId};
use hearback_domain::{ClosedSet, Time};
use hearback_ports::events::StoredEvent;
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{EventLog, StoreError};
use hearback_store_rows::deliveries::DeliveryKeyRow;
use hearback_store_rows::events::EventRow;
use hearback_store_rows::schema::{deliveries, events};
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::{Id, Stamp, all};

#[async_trait]
impl EventLog for SqliteStore {
    async fn list(
        &self,
        organization: OrganizationId,
        after: Option<EventId>,
        limit: i64,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        let rows: Vec<EventRow> = self.readers.read("listing events", |connection| {
            lists::events(organization, after, limit).select(EventRow::as_select()).load(connection)
        })?;
        Ok(all(rows)?)
    }

    async fn ledger(
        &self,
        organization: OrganizationId,
        filter: LedgerFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<StoredEvent, ByTime>, StoreError> {
        let limit = page.limit;
        let query = move |connection: &mut SqliteConnection| {
            lists::ledger(organization, &filter, &page)
                .select(EventRow::as_select())
                .load(connection)
        };
        let rows: Vec<EventRow> = self.slow_readers.read("listing the ledger", query).await?;
        Ok(Page::cut(all(rows)?, limit, |event: &StoredEvent| ByTime {
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
        let doing = "removing old events from the ledger";
        let work =
            move |connection: &mut SqliteConnection| prune(connection, organization, before, limit);
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))
    }
}

fn prune(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    before: Time,
    limit: i64,
) -> QueryResult<usize> {
    let old: Vec<Id> = events::table
        .filter(events::organization_id.eq(Id::of(organization)))
        .filter(events::in_ledger)
        .filter(events::recorded_at.lt(Stamp::of(before)))
        .order((events::recorded_at, events::id))
        .limit(limit)
        .select(events::id)
        .load(connection)?;
    let old_events = events::table
        .filter(events::organization_id.eq(Id::of(organization)))
        .filter(events::id.eq_any(&old));
    diesel::update(old_events.clone()).set(events::in_ledger.eq(false)).execute(connection)?;
    let delivery = deliveries::table
        .filter(deliveries::organization_id.eq(events::organization_id))
        .filter(deliveries::event_id.eq(events::id));
    diesel::delete(old_events.filter(not(exists(delivery)))).execute(connection)?;
    Ok(old.len())
}

/// Records an event with a delivery to each subscription that receives it, in the transaction of
/// the change that caused it. Records nothing if no subscription receives it and it is not for the
/// ledger.
pub(crate) fn record(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    event: &Event,
) -> QueryResult<()> {
    let receivers = webhook_subscriptions::receivers(connection, organization, &event.what)?;
    if receivers.is_empty() && !event.in_ledger {
        return Ok(());
    }
    let stored = StoredEvent::from(event);
    diesel::insert_into(events::table)
        .values((
            events::organization_id.eq(Id::of(organization)),
            events::user_id.eq(event.what.person().map(Id::of)),
            EventRow::from(stored),
        ))
        .execute(connection)?;
    for subscription in receivers {
        diesel::insert_into(deliveries::table)
            .values((
                deliveries::organization_id.eq(Id::of(organization)),
                deliveries::event_id.eq(Id::of(event.id)),
                deliveries::subscription_id.eq(subscription),
                deliveries::state.eq(DeliveryState::Pending.code()),
                deliveries::attempt_count.eq(0),
                deliveries::next_attempt_at.eq(Stamp::of(event.at)),
                deliveries::created_at.eq(Stamp::of(event.at)),
                deliveries::attempts_before_replay.eq(0),
            ))
            .execute(connection)?;
    }
    Ok(())
}

/// Removes a part of the events that name a person, with their deliveries. Returns their number.
pub(crate) fn forget(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    user: UserId,
) -> QueryResult<usize> {
    let forgotten: Vec<Id> = events::table
        .filter(events::organization_id.eq(Id::of(organization)))
        .filter(events::user_id.eq(Id::of(user)))
        .order(events::id)
        .limit(REMOVED_AT_ONCE)
        .select(events::id)
        .load(connection)?;
    let sent: Vec<DeliveryKeyRow> = deliveries::table
        .filter(deliveries::organization_id.eq(Id::of(organization)))
        .filter(deliveries::event_id.eq_any(&forgotten))
        .select(DeliveryKeyRow::as_select())
        .load(connection)?;
    all_deliveries::remove(connection, organization, &sent)?;
    diesel::delete(events::table)
        .filter(events::organization_id.eq(Id::of(organization)))
        .filter(events::id.eq_any(&forgotten))
        .execute(connection)?;
    Ok(forgotten.len())
}
