//! The ledger of deliveries.

use crate::SqliteStore;
use crate::error::store_error;
use crate::writer::give_way;
use async_trait::async_trait;
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use hearback_domain::delivery::DeliveryState;
use hearback_domain::id::{DeliveryId, EventId, OrganizationId, SubscriptionId};
use hearback_domain::{ClosedSet, Time};
use hearback_ports::deliveries::{Delivery, DeliveryFilter, Ended};
use hearback_ports::delivery_queue::Attempt;
use hearback_ports::{DeliveryRepository, StoreError};
use hearback_store_rows::deliveries::{
    AttemptRow, DeliveryKeyRow, DeliveryRow, SOUGHT_AT_ONCE, Stage, sought,
};
use hearback_store_rows::schema::{deliveries, delivery_attempts, events, webhook_subscriptions};
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::{Id, Origin, SqlId, SqlStamp, Stamp, all, one};
use std::collections::BTreeSet;

#[async_trait]
impl DeliveryRepository for SqliteStore {
    async fn page(
        &self,
        organization: OrganizationId,
        subscription: SubscriptionId,
        filter: DeliveryFilter,
        after: Option<(Time, EventId)>,
        limit: i64,
    ) -> Result<Vec<Delivery>, StoreError> {
        // A filter may exclude all deliveries of a subscription, so that the query walks all of
        // them.
        let query = move |connection: &mut SqliteConnection| {
            lists::deliveries(organization, subscription, filter, after, limit).load(connection)
        };
        let rows: Vec<DeliveryRow> = self.slow_readers.read("listing deliveries", query).await?;
        Ok(all(rows)?)
    }

    async fn attempts(
        &self,
        organization: OrganizationId,
        subscription: SubscriptionId,
        event: EventId,
    ) -> Result<Vec<Attempt>, StoreError> {
        let rows: Vec<AttemptRow<'_>> =
            self.readers.read("listing the attempts of a delivery", |connection| {
                delivery_attempts::table
                    .filter(delivery_attempts::organization_id.eq(Id::of(organization)))
                    .filter(delivery_attempts::event_id.eq(Id::of(event)))
                    .filter(delivery_attempts::subscription_id.eq(Id::of(subscription)))
                    .order(delivery_attempts::attempt)
                    .select(AttemptRow::as_select())
                    .load(connection)
            })?;
        let attempt =
            |row: AttemptRow<'_>| row.attempt(Origin::new("delivery_attempts", Id::of(event)));
        Ok(rows.into_iter().map(attempt).collect::<Result<_, _>>()?)
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: DeliveryId,
    ) -> Result<Option<Delivery>, StoreError> {
        let query = move |connection: &mut SqliteConnection| {
            let mut after = None;
            loop {
                let keys = lists::delivery_keys(organization, after, SOUGHT_AT_ONCE);
                let keys: Vec<(Id, Id)> = keys.load(connection)?;
                if let Some((event, subscription)) = sought(&keys, id) {
                    let delivery = lists::delivery(organization, subscription, event);
                    return delivery.first(connection).optional();
                }
                match keys.last() {
                    Some(last) => after = Some(*last),
                    None => return QueryResult::Ok(None),
                }
            }
        };
        let row: Option<DeliveryRow> =
            self.slow_readers.read("looking for a delivery", query).await?;
        Ok(row.map(Delivery::try_from).transpose()?)
    }

    async fn replay(
        &self,
        organization: OrganizationId,
        subscription: SubscriptionId,
        ended: Ended,
        events: Vec<EventId>,
        now: Time,
    ) -> Result<usize, StoreError> {
        let doing = "replaying deliveries";
        let mut replayed = 0;
        // The replay runs in parts, between which other writes run: a request may name all
        // deliveries there ever were.
        for (index, some) in events.chunks(REPLAYED_AT_ONCE).enumerate() {
            if index > 0 {
                give_way().await;
            }
            let some = some.to_vec();
            let work = move |connection: &mut SqliteConnection| {
                replay(connection, organization, subscription, ended, &some, now)
            };
            replayed +=
                self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))?;
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
        let doing = "removing old deliveries";
        let mut removed = 0;
        loop {
            let some = limit.saturating_sub_unsigned(removed as u64).min(REMOVED_AT_ONCE);
            let work = move |connection: &mut SqliteConnection| {
                prune(connection, organization, ended, before, some)
            };
            let count =
                self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))?;
            removed += count;
            if count == 0 || i64::try_from(removed).is_ok_and(|removed| removed >= limit) {
                return Ok(removed);
            }
            give_way().await;
        }
    }

    async fn expire(
        &self,
        organization: OrganizationId,
        before: Time,
        now: Time,
        limit: i64,
    ) -> Result<usize, StoreError> {
        let doing = "giving deliveries up";
        // A reader looks first. A subscription that stays inactive is asked about again and again,
        // long after it has no pending delivery left.
        if self
            .readers
            .read(doing, |connection| expirable(connection, organization, before, 1))?
            .is_empty()
        {
            return Ok(0);
        }
        let work = move |connection: &mut SqliteConnection| {
            expire(connection, organization, before, now, limit)
        };
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))
    }
}

/// The number of deliveries that one write replays. This takes some milliseconds, during which no
/// other write runs.
const REPLAYED_AT_ONCE: usize = 200;

/// The number of deliveries that one write removes. This takes some milliseconds if each has ten
/// attempts with all of their answers.
pub(crate) const REMOVED_AT_ONCE: i64 = 50;

fn replay(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    subscription: SubscriptionId,
    ended: Ended,
    events: &[EventId],
    now: Time,
) -> QueryResult<usize> {
    let mut replayed = 0;
    for event in events {
        replayed += diesel::update(deliveries::table)
            .filter(deliveries::organization_id.eq(Id::of(organization)))
            .filter(deliveries::event_id.eq(Id::of(*event)))
            .filter(deliveries::subscription_id.eq(Id::of(subscription)))
            .filter(deliveries::state.eq(DeliveryState::from(ended).code()))
            .set((
                deliveries::attempts_before_replay.eq(deliveries::attempt_count),
                Stage::pending(now),
            ))
            .execute(connection)?;
    }
    Ok(replayed)
}

fn prune(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    ended: Ended,
    before: Time,
    limit: i64,
) -> QueryResult<usize> {
    let old = old(connection, organization, ended, before, limit)?;
    remove(connection, organization, &old)?;
    Ok(old.len())
}

/// The deliveries that ended in a state before a time, earliest first.
fn old(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    ended: Ended,
    before: Time,
    limit: i64,
) -> QueryResult<Vec<DeliveryKeyRow>> {
    let (index, state) = match ended {
        Ended::Delivered => ("deliveries_delivered", DeliveryState::Delivered.code()),
        Ended::Failed => ("deliveries_failed", DeliveryState::Failed.code()),
    };
    // The state is a literal. The planner cannot know that a parameter meets the condition of the
    // index.
    diesel::sql_query(format!(
        "SELECT event_id, subscription_id FROM deliveries INDEXED BY {index} \
         WHERE organization_id = ? AND state = '{state}' AND ended_at < ? \
         ORDER BY ended_at, event_id, subscription_id LIMIT ?"
    ))
    .bind::<SqlId, _>(Id::of(organization))
    .bind::<SqlStamp, _>(Stamp::of(before))
    .bind::<BigInt, _>(limit)
    .load(connection)
}

/// The deliveries to a subscription, earliest first.
pub(crate) fn of_subscription(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    subscription: SubscriptionId,
    limit: i64,
) -> QueryResult<Vec<DeliveryKeyRow>> {
    deliveries::table
        .filter(deliveries::organization_id.eq(Id::of(organization)))
        .filter(deliveries::subscription_id.eq(Id::of(subscription)))
        .order((deliveries::created_at, deliveries::event_id))
        .limit(limit)
        .select(DeliveryKeyRow::as_select())
        .load(connection)
}

/// Removes deliveries with their attempts, and the events that have no delivery left.
pub(crate) fn remove(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    deliveries: &[DeliveryKeyRow],
) -> QueryResult<()> {
    for delivery in deliveries {
        diesel::delete(delivery_attempts::table)
            .filter(delivery_attempts::organization_id.eq(Id::of(organization)))
            .filter(delivery_attempts::event_id.eq(delivery.event_id))
            .filter(delivery_attempts::subscription_id.eq(delivery.subscription_id))
            .execute(connection)?;
        diesel::delete(deliveries::table)
            .filter(deliveries::organization_id.eq(Id::of(organization)))
            .filter(deliveries::event_id.eq(delivery.event_id))
            .filter(deliveries::subscription_id.eq(delivery.subscription_id))
            .execute(connection)?;
    }
    let their_events: BTreeSet<Id> = deliveries.iter().map(|delivery| delivery.event_id).collect();
    for event in their_events {
        let left = deliveries::table
            .filter(deliveries::organization_id.eq(Id::of(organization)))
            .filter(deliveries::event_id.eq(event));
        diesel::delete(one!(events, organization, event))
            .filter(not(exists(left)))
            .filter(not(events::in_ledger))
            .execute(connection)?;
    }
    Ok(())
}

fn expire(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    before: Time,
    now: Time,
    limit: i64,
) -> QueryResult<usize> {
    let expirable = expirable(connection, organization, before, limit)?;
    for delivery in &expirable {
        diesel::update(deliveries::table)
            .filter(deliveries::organization_id.eq(Id::of(organization)))
            .filter(deliveries::event_id.eq(delivery.event_id))
            .filter(deliveries::subscription_id.eq(delivery.subscription_id))
            .set(Stage::failed(now))
            .execute(connection)?;
    }
    Ok(expirable.len())
}

/// The pending deliveries whose subscription has been inactive since before a time.
fn expirable(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    before: Time,
    limit: i64,
) -> QueryResult<Vec<DeliveryKeyRow>> {
    let inactive: Vec<Id> = webhook_subscriptions::table
        .filter(webhook_subscriptions::organization_id.eq(Id::of(organization)))
        .filter(webhook_subscriptions::inactive_since.lt(Stamp::of(before)))
        .order((webhook_subscriptions::inactive_since, webhook_subscriptions::id))
        .select(webhook_subscriptions::id)
        .load(connection)?;
    let mut expirable = Vec::new();
    for subscription in inactive {
        let pending: Vec<DeliveryKeyRow> = deliveries::table
            .filter(deliveries::organization_id.eq(Id::of(organization)))
            .filter(deliveries::subscription_id.eq(subscription))
            .filter(deliveries::next_attempt_at.is_not_null())
            .order((deliveries::next_attempt_at, deliveries::event_id))
            .limit(limit.saturating_sub_unsigned(expirable.len() as u64))
            .select(DeliveryKeyRow::as_select())
            .load(connection)?;
        expirable.extend(pending);
    }
    Ok(expirable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery_queue::tests::{
        ACME, at, claim, event, record, settled, store, subscription,
    };
    use crate::tests::plans;
    use crate::{MIGRATIONS, webhook_subscriptions as all_subscriptions};
    use diesel_migrations::MigrationHarness;
    use hearback_domain::Uuid;
    use hearback_domain::delivery::DeliveryOutcome;
    use hearback_domain::event::EventType;
    use hearback_ports::delivery_queue::Claim;
    use hearback_ports::{DeliveryQueue, Schema};

    const SUBSCRIPTION: SubscriptionId = SubscriptionId(Uuid::from_u128(1));

    /// The version of the migration that makes the removal of old deliveries possible.
    const DELIVERIES: &str = "20261121070000";

    #[tokio::test]
    async fn deliveries_survive_migrations_down_and_up() {
        let (store, mut connection, _folder) = store(&[1, 2]).await;
        record(&mut connection, 1..=4);
        all_subscriptions::deactivate(&mut connection, ACME, subscription(2).id, at(9)).unwrap();
        // One delivery in each state, one under a lease, and one that was replayed.
        let claimed = store.claim(claim(1)).await.unwrap().deliveries;
        let outcomes =
            [DeliveryOutcome::Delivered, DeliveryOutcome::Failed, DeliveryOutcome::Failed];
        let ended = claimed
            .iter()
            .zip(outcomes)
            .map(|(delivery, outcome)| settled(delivery, 1, 500, outcome))
            .collect();
        assert_eq!(store.settle(ended).await.unwrap(), []);
        let replayed = store.replay(ACME, SUBSCRIPTION, Ended::Failed, vec![event(3)], at(9)).await;
        assert_eq!(replayed.unwrap(), 1);
        let stored = |connection: &mut SqliteConnection| {
            let deliveries = deliveries::table
                .order((deliveries::event_id, deliveries::subscription_id))
                .select((
                    (
                        deliveries::organization_id,
                        deliveries::event_id,
                        deliveries::subscription_id,
                    ),
                    (deliveries::state, deliveries::attempt_count, deliveries::next_attempt_at),
                    (deliveries::lease_holder, deliveries::leased_until),
                    (deliveries::occurred_at, deliveries::ended_at, deliveries::created_at),
                ));
            type Row = (
                (Id, Id, Id),
                (String, i32, Option<Stamp>),
                (Option<Id>, Option<Stamp>),
                (Option<Stamp>, Option<Stamp>, Stamp),
            );
            let attempts = delivery_attempts::table
                .order((
                    delivery_attempts::event_id,
                    delivery_attempts::subscription_id,
                    delivery_attempts::attempt,
                ))
                .select((delivery_attempts::event_id, AttemptRow::as_select()));
            let attempts = attempts.load::<(Id, AttemptRow<'_>)>(connection).unwrap().into_iter();
            let attempt = |(event, row): (Id, AttemptRow<'_>)| {
                (event, row.attempt(Origin::new("delivery_attempts", event)).unwrap())
            };
            (deliveries.load::<Row>(connection).unwrap(), attempts.map(attempt).collect::<Vec<_>>())
        };
        let added = |connection: &mut SqliteConnection| {
            let replayed = deliveries::table
                .filter(deliveries::attempts_before_replay.gt(0))
                .count()
                .get_result::<i64>(connection);
            let inactive = webhook_subscriptions::table
                .order(webhook_subscriptions::id)
                .select(webhook_subscriptions::inactive_since);
            (replayed.unwrap(), inactive.load::<Option<Stamp>>(connection).unwrap())
        };
        let before = stored(&mut connection);
        assert_eq!(before.1.len(), 3);
        assert_eq!(
            before.0.iter().map(|(_, (state, ..), ..)| state.as_str()).collect::<Vec<_>>(),
            [
                "delivered",
                "pending",
                "failed",
                "pending",
                "pending",
                "pending",
                "pending",
                "pending"
            ]
        );
        assert_eq!(added(&mut connection), (1, vec![None, Some(Stamp(9))]));

        while connection.revert_last_migration(MIGRATIONS).unwrap().to_string() != DELIVERIES {}
        store.migrate().await.unwrap();
        assert_eq!(stored(&mut connection), before);
        assert_eq!(added(&mut connection), (0, vec![None, Some(Stamp::of(Time::MIN))]));
    }

    #[tokio::test]
    async fn lists_removals_and_expiries_read_ranges_of_an_index() {
        let (store, mut connection, _folder) = store(&[1, 2]).await;
        record(&mut connection, [1]);
        let claimed = store.claim(claim(1)).await.unwrap().deliveries;
        let delivered = settled(&claimed[0], 1, 200, DeliveryOutcome::Delivered);
        assert_eq!(store.settle(vec![delivered]).await.unwrap(), []);
        all_subscriptions::deactivate(&mut connection, ACME, subscription(2).id, at(9)).unwrap();
        let joined = "SEARCH events USING INDEX sqlite_autoindex_events_1 (organization_id=? AND id=?); \
                      SEARCH delivery_attempts USING PRIMARY KEY \
                      (organization_id=? AND event_id=? AND subscription_id=? AND attempt=?) LEFT-JOIN";
        let all = "SEARCH deliveries USING INDEX deliveries_by_subscription (organization_id=? AND subscription_id=?)";
        let some = "SEARCH deliveries USING INDEX deliveries_by_subscription \
                    (organization_id=? AND subscription_id=? AND created_at>? AND created_at<?)";
        let narrow = DeliveryFilter {
            state: Some(DeliveryState::Failed),
            event_type: Some(EventType::VoteCreated),
            since: Some(at(1)),
            until: None,
        };
        for (filter, after, range) in
            [(DeliveryFilter::default(), None, all), (narrow, Some((at(5), event(5))), some)]
        {
            let plan = plans(&mut connection, |connection| {
                let query = lists::deliveries(ACME, SUBSCRIPTION, filter, after, 10);
                query.load::<DeliveryRow>(connection)
            });
            assert_eq!(plan, [format!("{range}; {joined}")]);
        }

        let of_delivery = "(organization_id=? AND event_id=? AND subscription_id=?)";
        let of_event = "SEARCH deliveries USING PRIMARY KEY (organization_id=? AND event_id=?)";
        // The last look-up of the last statement is SQLite's check of a foreign key.
        let removal = [
            "SEARCH deliveries USING COVERING INDEX deliveries_delivered (organization_id=? AND ended_at<?)".to_owned(),
            format!("SEARCH delivery_attempts USING PRIMARY KEY {of_delivery}"),
            format!("SEARCH deliveries USING PRIMARY KEY {of_delivery}"),
            format!(
                "SEARCH events USING INDEX sqlite_autoindex_events_1 (organization_id=? AND id=?); SCALAR SUBQUERY 1; \
                 {of_event}; {of_event}"
            ),
        ];
        assert_eq!(
            plans(&mut connection, |connection| prune(
                connection,
                ACME,
                Ended::Delivered,
                Time::MAX,
                10
            )),
            removal
        );
        let plan = plans(&mut connection, |connection| {
            old(connection, ACME, Ended::Failed, Time::MAX, 10)
        });
        assert_eq!(
            plan,
            [
                "SEARCH deliveries USING COVERING INDEX deliveries_failed (organization_id=? AND ended_at<?)"
            ]
        );
        let plan =
            plans(&mut connection, |connection| expire(connection, ACME, Time::MAX, at(9), 10));
        let inactive = "SEARCH webhook_subscriptions USING INDEX webhook_subscriptions_inactive \
                        (organization_id=? AND inactive_since<?); USE TEMP B-TREE FOR LAST TERM OF ORDER BY";
        let pending = "SEARCH deliveries USING COVERING INDEX deliveries_pending \
                       (organization_id=? AND subscription_id=? AND next_attempt_at>?)";
        assert_eq!(
            plan,
            [inactive, pending, &format!("SEARCH deliveries USING PRIMARY KEY {of_delivery}")]
        );
    }

    #[tokio::test]
    async fn pruning_in_parts_removes_as_many_deliveries_as_its_limit() {
        let (store, mut connection, _folder) = store(&[1]).await;
        let events = u128::try_from(REMOVED_AT_ONCE).unwrap() * 2 + 20;
        record(&mut connection, 1..=events);
        let claim = Claim { limit: 1000, per_queue: 1000, ..claim(1) };
        let claimed = store.claim(claim).await.unwrap().deliveries;
        let ended = claimed
            .iter()
            .map(|delivery| settled(delivery, 1, 200, DeliveryOutcome::Delivered))
            .collect();
        assert_eq!(store.settle(ended).await.unwrap(), []);

        let limit = REMOVED_AT_ONCE * 2 + 10;
        assert_eq!(
            store.prune(ACME, Ended::Delivered, Time::MAX, limit).await.unwrap(),
            usize::try_from(limit).unwrap()
        );
        let left: Vec<Id> =
            events::table.order(events::id).select(events::id).load(&mut connection).unwrap();
        assert_eq!(
            left,
            (events - 9..=events).map(|number| Id::of(event(number))).collect::<Vec<_>>()
        );
        assert_eq!(store.prune(ACME, Ended::Delivered, Time::MAX, limit).await.unwrap(), 10);
    }
}
