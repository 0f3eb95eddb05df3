use super::settle::settle;
use super::*;
use crate::connection::Role;
use crate::tests::{Database, Plans, store};
use diesel_async::AsyncPgConnection;
use hearback_domain::Time;
use hearback_domain::delivery::{DeliveryOutcome, Response};
use hearback_domain::id::{EventId, OrganizationId, SubscriptionId};
use hearback_ports::deliveries::DeliveryFilter;
use hearback_ports::delivery_queue::Attempt;
use hearback_ports::{DeliveryRepository, Lease};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::pin::pin;
use tokio_postgres::Client;

pub(crate) const ACME: u128 = 1;
const OTHER: u128 = 2;
const NOW: i64 = 1_000_000;

pub(crate) fn at(millis: i64) -> Time {
    Time::from_unix_millis(millis).unwrap()
}

pub(crate) fn queue(organization: u128, subscription: u128) -> Queue {
    Queue {
        organization: OrganizationId(Uuid::from_u128(organization)),
        subscription: SubscriptionId(Uuid::from_u128(subscription)),
    }
}

fn key(organization: u128, subscription: u128, event: u128) -> DeliveryKey {
    DeliveryKey { queue: queue(organization, subscription), event: EventId(Uuid::from_u128(event)) }
}

const HOLDER: Uuid = Uuid::from_u128(9);

fn claim() -> Claim {
    let lease = Lease { holder: HOLDER, until: at(NOW + 60_000) };
    Claim {
        lease,
        now: at(NOW),
        after: None,
        limit: 100,
        per_queue: 10,
        exceptions: BTreeMap::new(),
    }
}

fn settled(key: DeliveryKey, code: u16) -> SettledDelivery {
    let response = Response::Status { code, cut: None };
    let attempt =
        Attempt { number: 1, started_at: at(NOW), duration_ms: 1, response, answer: vec![] };
    let outcome =
        if response.is_success() { DeliveryOutcome::Delivered } else { DeliveryOutcome::Failed };
    SettledDelivery { key, holder: HOLDER, attempt, outcome, ended_at: at(NOW + 1) }
}

/// Adds a delivery of each event with one of these numbers to a subscription, due at a time.
pub(crate) async fn fill(
    database: &Database,
    Queue { organization, subscription }: Queue,
    events: RangeInclusive<u32>,
    due: Time,
) {
    let (first, last, due) = (events.start(), events.end(), due.unix_millis());
    let statements = format!(
        "INSERT INTO organizations VALUES ('{organization}', '', '{organization}', true, 'epoch') \
         ON CONFLICT DO NOTHING; \
         INSERT INTO webhook_subscriptions (organization_id, id, url, event_types, is_active, awaits_rotation, \
         sealed_secret, failure_count, failed_event_count, created_at) \
         VALUES ('{organization}', '{subscription}', '', '', true, false, '', 0, 0, 'epoch') ON CONFLICT DO NOTHING; \
         CREATE TEMPORARY TABLE new AS SELECT lpad(to_hex(number), 32, '0')::uuid AS id \
         FROM generate_series({first}, {last}) AS number; \
         INSERT INTO events SELECT '{organization}', id, 'vote.created', '{{}}', 'epoch' FROM new ON CONFLICT DO NOTHING; \
         INSERT INTO deliveries (organization_id, event_id, subscription_id, state, attempt_count, next_attempt_at, \
         created_at, attempts_before_replay) \
         SELECT '{organization}', id, '{subscription}', 'pending', 0, to_timestamp({due} / 1000.0), 'epoch', 0 FROM new"
    );
    database.run(&statements).await;
}

async fn take(connection: &mut AsyncPgConnection, claim: &Claim) -> Vec<DeliveryKey> {
    let rows = Take::new(claim).unwrap().load::<ClaimedRow>(connection).await.unwrap();
    rows.into_iter().map(|row| ClaimedDelivery::try_from(row).unwrap().key).collect()
}

/// Asserts that rows were read by exactly these indexes, and at most `rows` rows by each.
pub(crate) fn assert_read(plans: &Plans, indexes: &[&str], rows: u64) {
    let read = plans.rows_by_index();
    assert_eq!(read.keys().map(String::as_str).collect::<Vec<_>>(), indexes);
    assert!(read.values().all(|read| *read <= rows), "{read:?}");
}

const CLAIMING: [&str; 4] =
    ["deliveries_pending", "deliveries_pkey", "events_pkey", "webhook_subscriptions_pkey"];
const SETTLING: [&str; 3] = ["deliveries_pkey", "organizations_pkey", "webhook_subscriptions_pkey"];

#[tokio::test]
async fn a_claim_reads_the_first_delivery_of_each_queue_and_those_it_hands_out() {
    let (_store, database) = store().await;
    let (full, inactive) = (queue(ACME, 14), queue(ACME, 13));
    for (subscription, due) in [(11, NOW), (12, NOW + 1), (13, NOW), (14, NOW), (15, NOW)] {
        fill(&database, queue(ACME, subscription), 1..=500, at(due)).await;
    }
    database.run("ANALYZE").await;
    let deactivate =
        "UPDATE webhook_subscriptions SET is_active = false, inactive_since = 'epoch' WHERE id = ";
    database.run(&format!("{deactivate} '{}'", inactive.subscription)).await;

    let (mut connection, plans) = database.explained(Role::Dispatcher).await;
    let taken =
        take(&mut connection, &Claim { exceptions: BTreeMap::from([(full, 0)]), ..claim() }).await;
    assert_eq!(taken.len(), 20);
    assert!(taken.iter().all(|key| [queue(ACME, 11), queue(ACME, 15)].contains(&key.queue)));
    assert_read(&plans, &CLAIMING, 30);
    // The queues behind the one that reaches the limit are not read.
    let taken = take(&mut connection, &Claim { limit: 5, ..claim() }).await;
    assert_eq!(taken.len(), 5);
    assert!(taken.iter().all(|key| key.queue == queue(ACME, 11)));
    assert_read(&plans, &CLAIMING, 20);
}

#[tokio::test]
async fn plans_made_for_small_tables_are_right_for_large_tables() {
    let (_store, database) = store().await;
    let (mut connection, plans) = database.explained(Role::Dispatcher).await;
    for (events, analyze) in [(1..=30, "VACUUM ANALYZE"), (31..=1_000, "")] {
        for subscription in [11, 12] {
            fill(&database, queue(ACME, subscription), events.clone(), at(NOW)).await;
        }
        database.run(analyze).await;
        let taken = take(&mut connection, &Claim { per_queue: 3, ..claim() }).await;
        assert_eq!(taken.len(), 6);
        assert_read(&plans, &CLAIMING, 20);
        let release = Release { held: [(taken[0], HOLDER)].into_iter().collect() };
        assert_eq!(release.execute(&mut connection).await.unwrap(), 1);
        assert_read(&plans, &SETTLING[..2], 20);
        let codes = [200, 500].into_iter().cycle();
        let ended =
            taken.iter().zip(codes).skip(1).map(|(key, code)| settled(*key, code)).collect();
        assert_eq!(settle(&mut connection, ended, Only::default()).await.unwrap(), []);
        assert_read(&plans, &SETTLING, 20);
    }
}

#[tokio::test]
async fn successful_deliveries_do_not_change_subscriptions_that_are_well() {
    let (store, database) = store().await;
    for subscription in [11, 12] {
        fill(&database, queue(ACME, subscription), 1..=2, at(NOW)).await;
    }
    let client = database.connect().await;
    let changed = async || {
        let row = client.query_one(
            "SELECT string_agg(concat(id, xmin, xmax), ' ' ORDER BY id) FROM webhook_subscriptions",
            &[],
        );
        row.await.unwrap().get::<_, String>(0)
    };
    store.claim(claim()).await.unwrap();
    let before = changed().await;
    let both = vec![settled(key(ACME, 11, 1), 200), settled(key(ACME, 12, 1), 200)];
    assert_eq!(store.settle(both).await.unwrap(), []);
    assert_eq!(changed().await, before);
    assert_eq!(store.settle(vec![settled(key(ACME, 11, 2), 500)]).await.unwrap(), []);
    assert_ne!(changed().await, before);
}

#[tokio::test]
async fn an_unreadable_delivery_is_named_and_the_others_are_handed_out() {
    let (store, database) = store().await;
    fill(&database, queue(ACME, 11), 1..=3, at(NOW)).await;
    let second = key(ACME, 11, 2);
    let spoil = "UPDATE deliveries SET occurred_at = 'infinity' WHERE event_id = ";
    database.run(&format!("{spoil} '{}'", second.event)).await;
    let claimed = store.claim(claim()).await.unwrap();
    let keys: Vec<DeliveryKey> = claimed.deliveries.iter().map(|delivery| delivery.key).collect();
    assert_eq!(keys, [key(ACME, 11, 1), key(ACME, 11, 3)]);
    assert_eq!(claimed.unreadable, [Unreadable { key: second, column: "occurred_at" }]);
    // The unreadable delivery stays under its lease until that runs out.
    assert_eq!(store.claim(claim()).await.unwrap(), Claimed::default());
}

/// Runs `work`, which has to wait for a lock of `holder`, and then commits the transaction of
/// `holder`, so that `work` continues.
pub(crate) async fn waits_for<T>(
    holder: &Client,
    observer: &Client,
    work: impl Future<Output = T>,
) -> T {
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let somebody_waits =
        async { while observer.query_one(waiting, &[]).await.unwrap().get::<_, i64>(0) == 0 {} };
    let mut work = pin!(work);
    tokio::select! {
        _ = &mut work => panic!("it did not wait"),
        () = somebody_waits => {}
    }
    holder.batch_execute("COMMIT").await.unwrap();
    work.await
}

#[tokio::test]
async fn settlements_and_releases_wait_for_a_late_claim_and_take_effect() {
    let (store, database) = store().await;
    fill(&database, queue(ACME, 11), 1..=2, at(NOW)).await;
    let claimed = store.claim(claim()).await.unwrap().deliveries;
    let (late, observer) = (database.connect().await, database.connect().await);
    // A claim locks a row that it found before it sees that another claim has taken it.
    let lock = "BEGIN; SELECT FROM deliveries FOR NO KEY UPDATE";
    late.batch_execute(lock).await.unwrap();
    let settling = store.settle(vec![settled(claimed[0].key, 200)]);
    assert_eq!(waits_for(&late, &observer, settling).await.unwrap(), []);
    late.batch_execute(lock).await.unwrap();
    waits_for(&late, &observer, store.release(vec![(claimed[1].key, HOLDER)])).await.unwrap();
    let again = store.claim(claim()).await.unwrap().deliveries;
    assert_eq!(again.iter().map(|delivery| delivery.key).collect::<Vec<_>>(), [claimed[1].key]);
}

#[tokio::test]
async fn an_organization_that_is_being_deleted_holds_up_no_other_organization() {
    let (store, database) = store().await;
    for organization in [ACME, OTHER] {
        fill(&database, queue(organization, 11), 1..=3, at(NOW)).await;
    }
    store.claim(claim()).await.unwrap();
    let deletion = database.connect().await;
    let acme = queue(ACME, 11).organization;
    let lock = format!(
        "BEGIN; SELECT FROM organizations WHERE id = '{acme}' FOR UPDATE; \
         SELECT FROM deliveries WHERE organization_id = '{acme}' FOR UPDATE; \
         SELECT FROM webhook_subscriptions WHERE organization_id = '{acme}' FOR UPDATE"
    );
    deletion.batch_execute(&lock).await.unwrap();
    for (event, code) in [(1, 200), (2, 410)] {
        let both = vec![settled(key(ACME, 11, event), code), settled(key(OTHER, 11, event), code)];
        store.settle(both).await.unwrap();
    }
    store.release(vec![(key(ACME, 11, 3), HOLDER), (key(OTHER, 11, 3), HOLDER)]).await.unwrap();
    deletion.batch_execute("ROLLBACK").await.unwrap();
    let attempts = async |organization| {
        let Queue { organization, subscription } = queue(organization, 11);
        let page = store
            .page(organization, subscription, DeliveryFilter::default(), None, 10)
            .await
            .unwrap();
        page.iter().map(|delivery| delivery.attempts).collect::<Vec<_>>()
    };
    assert_eq!((attempts(ACME).await, attempts(OTHER).await), (vec![0, 0, 0], vec![0, 1, 1]));
}
