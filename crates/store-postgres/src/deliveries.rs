//! The ledger of deliveries.

use crate::{PgStore, organizations};
use async_trait::async_trait;
use diesel::dsl::not;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::delivery::DeliveryState;
use hearback_domain::id::{DeliveryId, EventId, OrganizationId, SubscriptionId};
use hearback_domain::{ClosedSet, Time};
use hearback_ports::deliveries::{Delivery, DeliveryFilter, Ended};
use hearback_ports::delivery_queue::Attempt;
use hearback_ports::{DeliveryRepository, StoreError};
use hearback_store_rows::deliveries::{
    AttemptRow, DeliveryKeyRow, DeliveryRow, SOUGHT_AT_ONCE, Stage, sought,
};
use hearback_store_rows::postgres::lists;
use hearback_store_rows::schema::{deliveries, delivery_attempts, events, webhook_subscriptions};
use hearback_store_rows::{Id, Origin, SqlId, SqlStamp, Stamp, all};
use std::collections::{BTreeMap, BTreeSet};

#[async_trait]
impl DeliveryRepository for PgStore {
    async fn page(
        &self,
        organization: OrganizationId,
        subscription: SubscriptionId,
        filter: DeliveryFilter,
        after: Option<(Time, EventId)>,
        limit: i64,
    ) -> Result<Vec<Delivery>, StoreError> {
        let query = || lists::deliveries(organization, subscription, filter, after, limit);
        // A filter may exclude all deliveries of a subscription, so that the query walks all of
        // them.
        let rows: Vec<DeliveryRow> = self.slow_readers.rows("listing deliveries", query).await?;
        Ok(all(rows)?)
    }

    async fn attempts(
        &self,
        organization: OrganizationId,
        subscription: SubscriptionId,
        event: EventId,
    ) -> Result<Vec<Attempt>, StoreError> {
        let rows: Vec<AttemptRow> = self
            .readers
            .rows("listing the attempts of a delivery", || {
                delivery_attempts::table
                    .filter(delivery_attempts::organization_id.eq(Id::of(organization)))
                    .filter(delivery_attempts::event_id.eq(Id::of(event)))
                    .filter(delivery_attempts::subscription_id.eq(Id::of(subscription)))
                    .order(delivery_attempts::attempt)
                    .select(AttemptRow::as_select())
            })
            .await?;
        let attempt =
            |row: AttemptRow| row.attempt(Origin::new("delivery_attempts", Id::of(event)));
        Ok(rows.into_iter().map(attempt).collect::<Result<_, _>>()?)
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: DeliveryId,
    ) -> Result<Option<Delivery>, StoreError> {
        let doing = "looking for a delivery";
        let mut after = None;
        loop {
            let query = || lists::delivery_keys(organization, after, SOUGHT_AT_ONCE);
            let keys: Vec<(Id, Id)> = self.slow_readers.rows(doing, query).await?;
            if let Some((event, subscription)) = sought(&keys, id) {
                let query = || lists::delivery(organization, subscription, event);
                let row: Option<DeliveryRow> = self.readers.row(doing, query).await?;
                return Ok(row.map(Delivery::try_from).transpose()?);
            }
            match keys.last() {
                Some(last) => after = Some(*last),
                None => return Ok(None),
            }
        }
    }

    async fn replay(
        &self,
        organization: OrganizationId,
        subscription: SubscriptionId,
        ended: Ended,
        events: Vec<EventId>,
        now: Time,
    ) -> Result<usize, StoreError> {
        let mut replayed = 0;
        // The replay runs in parts: a request may name all deliveries there ever were.
        for some in events.chunks(REPLAYED_AT_ONCE) {
            let some: Vec<Id> = some.iter().map(|event| Id::of(*event)).collect();
            let work = self.dispatcher.write("replaying deliveries", move |connection| {
                async move {
                        replay(connection, organization, subscription, ended, &some, now).await
                    }
                    .boxed()
            });
            replayed += work.await?.ok_or(StoreError::Busy)?;
        }
        Ok(replayed)
    }

    async fn prune(
        &self,
        organization: OrganizationId,
        ended: Ended,
        before: Time,
        limit: i64,
    ) -> Result<usize, StoreError> {
        let pruned = self.dispatcher.write("removing old deliveries", move |connection| {
            async move { prune(connection, organization, ended, before, limit).await }.boxed()
        });
        // `None`: another transaction was faster, and removed them.
        Ok(pruned.await?.unwrap_or(0))
    }

    async fn expire(
        &self,
        organization: OrganizationId,
        before: Time,
        now: Time,
        limit: i64,
    ) -> Result<usize, StoreError> {
        let expired = self.dispatcher.write("giving deliveries up", move |connection| {
            async move { expire(connection, organization, before, now, limit).await }.boxed()
        });
        // `None`: another transaction was faster, and gave them up.
        Ok(expired.await?.unwrap_or(0))
    }
}

/// The number of deliveries that one transaction replays.
const REPLAYED_AT_ONCE: usize = 1_000;

async fn replay(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    subscription: SubscriptionId,
    ended: Ended,
    events: &[Id],
    now: Time,
) -> QueryResult<usize> {
    if !organizations::try_hold(connection, organization).await? {
        return Ok(0);
    }
    // The deliveries are locked in the order in which settlements lock them.
    let ended: Vec<Id> = deliveries::table
        .filter(deliveries::organization_id.eq(Id::of(organization)))
        .filter(deliveries::event_id.eq_any(events))
        .filter(deliveries::subscription_id.eq(Id::of(subscription)))
        .filter(deliveries::state.eq(DeliveryState::from(ended).code()))
        .order(deliveries::event_id)
        .select(deliveries::event_id)
        .for_no_key_update()
        .load(connection)
        .await?;
    diesel::update(deliveries::table)
        .filter(deliveries::organization_id.eq(Id::of(organization)))
        .filter(deliveries::event_id.eq_any(ended))
        .filter(deliveries::subscription_id.eq(Id::of(subscription)))
        .set((
            deliveries::attempts_before_replay.eq(deliveries::attempt_count),
            Stage::pending(now),
        ))
        .execute(connection)
        .await
}

async fn prune(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    ended: Ended,
    before: Time,
    limit: i64,
) -> QueryResult<usize> {
    if !organizations::try_hold(connection, organization).await? {
        return Ok(0);
    }
    let old = old(connection, organization, ended, before, limit).await?;
    remove(connection, organization, &old).await?;
    Ok(old.len())
}

/// Locks up to `limit` deliveries that ended in a state before a time, earliest first.
async fn old(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    ended: Ended,
    before: Time,
    limit: i64,
) -> QueryResult<Vec<DeliveryKeyRow>> {
    let state = DeliveryState::from(ended).code();
    // The state is a literal. The planner cannot know that a parameter meets the condition of the
    // index.
    diesel::sql_query(format!(
        "SELECT event_id, subscription_id FROM deliveries \
         WHERE organization_id = $1 AND state = '{state}' AND ended_at < $2 \
         ORDER BY ended_at, event_id, subscription_id LIMIT $3 FOR UPDATE SKIP LOCKED"
    ))
    .bind::<SqlId, _>(Id::of(organization))
    .bind::<SqlStamp, _>(Stamp::of(before))
    .bind::<BigInt, _>(limit)
    .load(connection)
    .await
}

/// Locks up to `limit` deliveries to a subscription, earliest first. The result may include
/// deliveries that another transaction removes meanwhile.
pub(crate) async fn of_subscription(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    subscription: SubscriptionId,
    limit: i64,
) -> QueryResult<Vec<DeliveryKeyRow>> {
    let earliest: Vec<DeliveryKeyRow> = deliveries::table
        .filter(deliveries::organization_id.eq(Id::of(organization)))
        .filter(deliveries::subscription_id.eq(Id::of(subscription)))
        .order((deliveries::created_at, deliveries::event_id))
        .limit(limit)
        .select(DeliveryKeyRow::as_select())
        .load(connection)
        .await?;
    // The deliveries are locked in the order in which settlements lock them.
    let events: Vec<Id> = earliest.iter().map(|delivery| delivery.event_id).collect();
    deliveries::table
        .filter(deliveries::organization_id.eq(Id::of(organization)))
        .filter(deliveries::event_id.eq_any(events))
        .filter(deliveries::subscription_id.eq(Id::of(subscription)))
        .order(deliveries::event_id)
        .select(deliveries::event_id)
        .for_update()
        .execute(connection)
        .await?;
    Ok(earliest)
}

/// Removes locked deliveries with their attempts, and the events that have no delivery left and are
/// not in the ledger.
pub(crate) async fn remove(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    deliveries: &[DeliveryKeyRow],
) -> QueryResult<()> {
    let mut their_events: BTreeSet<Id> =
        deliveries.iter().map(|delivery| delivery.event_id).collect();
    // Transactions that remove other deliveries of the same events wait here. So the last of them
    // sees below that no delivery is left.
    events::table
        .filter(events::organization_id.eq(Id::of(organization)))
        .filter(events::id.eq_any(Vec::from_iter(&their_events)))
        .order(events::id)
        .select(events::id)
        .for_update()
        .execute(connection)
        .await?;
    for (subscription, events) in by_subscription(deliveries) {
        diesel::delete(delivery_attempts::table)
            .filter(delivery_attempts::organization_id.eq(Id::of(organization)))
            .filter(delivery_attempts::event_id.eq_any(&events))
            .filter(delivery_attempts::subscription_id.eq(subscription))
            .execute(connection)
            .await?;
        diesel::delete(deliveries::table)
            .filter(deliveries::organization_id.eq(Id::of(organization)))
            .filter(deliveries::event_id.eq_any(&events))
            .filter(deliveries::subscription_id.eq(subscription))
            .execute(connection)
            .await?;
    }
    let delivered_elsewhere: Vec<Id> = deliveries::table
        .filter(deliveries::organization_id.eq(Id::of(organization)))
        .filter(deliveries::event_id.eq_any(Vec::from_iter(&their_events)))
        .select(deliveries::event_id)
        .distinct()
        .load(connection)
        .await?;
    for event in delivered_elsewhere {
        their_events.remove(&event);
    }
    diesel::delete(events::table)
        .filter(events::organization_id.eq(Id::of(organization)))
        .filter(events::id.eq_any(Vec::from_iter(&their_events)))
        .filter(not(events::in_ledger))
        .execute(connection)
        .await?;
    Ok(())
}

/// The events of each subscription. One statement can name the deliveries of one subscription.
fn by_subscription(deliveries: &[DeliveryKeyRow]) -> BTreeMap<Id, Vec<Id>> {
    let mut events_of: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
    for delivery in deliveries {
        events_of.entry(delivery.subscription_id).or_default().push(delivery.event_id);
    }
    events_of
}

async fn expire(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    before: Time,
    now: Time,
    limit: i64,
) -> QueryResult<usize> {
    // This waits for no lock, so the organization need not be held.
    let expirable = expirable(connection, organization, before, limit).await?;
    for (subscription, events) in by_subscription(&expirable) {
        diesel::update(deliveries::table)
            .filter(deliveries::organization_id.eq(Id::of(organization)))
            .filter(deliveries::event_id.eq_any(events))
            .filter(deliveries::subscription_id.eq(subscription))
            .set(Stage::failed(now))
            .execute(connection)
            .await?;
    }
    Ok(expirable.len())
}

/// Locks up to `limit` pending deliveries whose subscription has been inactive since before a time.
async fn expirable(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    before: Time,
    limit: i64,
) -> QueryResult<Vec<DeliveryKeyRow>> {
    let inactive: Vec<Id> = webhook_subscriptions::table
        .filter(webhook_subscriptions::organization_id.eq(Id::of(organization)))
        .filter(webhook_subscriptions::inactive_since.lt(Stamp::of(before)))
        .order((webhook_subscriptions::inactive_since, webhook_subscriptions::id))
        .select(webhook_subscriptions::id)
        // No subscription can be activated meanwhile, nor its deliveries claimed.
        .for_share()
        .skip_locked()
        .load(connection)
        .await?;
    let mut expirable = Vec::new();
    for subscription in inactive {
        let pending: Vec<DeliveryKeyRow> = deliveries::table
            .filter(deliveries::organization_id.eq(Id::of(organization)))
            .filter(deliveries::subscription_id.eq(subscription))
            .filter(deliveries::next_attempt_at.is_not_null())
            .order((deliveries::next_attempt_at, deliveries::event_id))
            .limit(limit.saturating_sub_unsigned(expirable.len() as u64))
            .select(DeliveryKeyRow::as_select())
            .for_no_key_update()
            .skip_locked()
            .load(connection)
            .await?;
        expirable.extend(pending);
    }
    Ok(expirable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Role;
    use crate::delivery_queue::tests::{ACME, assert_read, at, fill, queue};
    use crate::tests::store;
    use hearback_ports::delivery_queue::Queue;

    #[tokio::test]
    async fn removals_expiries_and_replays_read_ranges_of_an_index_and_look_up_keys() {
        let (_store, database) = store().await;
        let Queue { organization, subscription } = queue(ACME, 11);
        for subscription in [11, 12] {
            fill(&database, queue(ACME, subscription), 1..=2_000, at(1)).await;
        }
        for (state, parity) in [("delivered", 1), ("failed", 2)] {
            let end = "next_attempt_at = NULL, attempt_count = 1, ended_at = created_at + interval '1 second'";
            let update = format!("UPDATE deliveries SET state = '{state}', {end}");
            database
                .run(&format!("{update} WHERE get_byte(uuid_send(event_id), 15) % 4 = {parity}"))
                .await;
        }
        database
            .run(
                "INSERT INTO delivery_attempts SELECT organization_id, event_id, subscription_id, 1, 'epoch', 200, NULL, 1, '' \
                 FROM deliveries WHERE attempt_count = 1; \
                 UPDATE webhook_subscriptions SET is_active = false, inactive_since = 'epoch'; ANALYZE",
            )
            .await;

        let (mut connection, plans) = database.explained(Role::Dispatcher).await;
        let removing =
            ["deliveries_pkey", "delivery_attempts_pkey", "events_pkey", "organizations_pkey"];
        for (ended, index) in
            [(Ended::Delivered, "deliveries_delivered"), (Ended::Failed, "deliveries_failed")]
        {
            assert_eq!(
                prune(&mut connection, organization, ended, Time::MAX, 10).await.unwrap(),
                10
            );
            assert_read(&plans, &[&[index], &removing[..]].concat(), 100);
        }
        assert_eq!(expire(&mut connection, organization, Time::MAX, at(9), 10).await.unwrap(), 10);
        assert_read(
            &plans,
            &["deliveries_pending", "deliveries_pkey", "webhook_subscriptions_inactive"],
            100,
        );
        let some = of_subscription(&mut connection, organization, subscription, 10).await.unwrap();
        assert_eq!(some.len(), 10);
        assert_read(&plans, &["deliveries_by_subscription", "deliveries_pkey"], 100);
        remove(&mut connection, organization, &some).await.unwrap();
        assert_read(&plans, &removing[..3], 100);
        assert_eq!(
            replay(
                &mut connection,
                organization,
                subscription,
                Ended::Failed,
                &[some[0].event_id],
                at(9)
            )
            .await
            .unwrap(),
            0
        );
        assert_read(&plans, &["deliveries_pkey", "organizations_pkey"], 100);
    }
}
