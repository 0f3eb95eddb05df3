use super::*;
use crate::connection::{Role, begin_immediate};
use crate::stored::Stored;
use crate::tests::plans;
use crate::{events as recorded, webhook_subscriptions};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use hearback_domain::Time;
use hearback_domain::api_key::Sealed;
use hearback_domain::delivery::{DeliveryOutcome, Response};
use hearback_domain::event::{Event, Happening, VoteFacts};
use hearback_domain::id::{EventId, OrganizationId, SubscriptionId};
use hearback_domain::organization::{HelpCenter, Organization};
use hearback_domain::portal::PortalSettings;
use hearback_domain::slug::Slug;
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_ports::delivery_queue::Attempt;
use hearback_ports::{Lease, Schema};
use hearback_store_rows::schema::deliveries;
use hearback_store_rows::{Id, Stamp};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub(crate) const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));

/// A store whose organization has subscriptions with these identifiers, a connection to it, and its
/// folder, which is removed at the end of the test.
pub(crate) async fn store(subscriptions: &[u128]) -> (Arc<SqliteStore>, SqliteConnection, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("test.db")).unwrap();
    store.migrate().await.unwrap();
    let mut connection = store.database.connect(Role::Bulk).unwrap();
    let (slug, help_center) = (Slug::parse("acme").unwrap(), HelpCenter::from_flag(true));
    let acme = Organization {
        id: ACME,
        name: String::new(),
        slug,
        help_center,
        events_ledger: false,
        portal: PortalSettings::default(),
        created_at: Time::MIN,
    };
    Organization::insert(&mut connection, ACME, &acme).unwrap();
    for &number in subscriptions {
        WebhookSubscription::insert(&mut connection, ACME, &subscription(number)).unwrap();
    }
    (store, connection, folder)
}

pub(crate) fn subscription(number: u128) -> WebhookSubscription {
    WebhookSubscription {
        id: Uuid::from_u128(number).into(),
        url: format!("https://{number}.example/"),
        event_types: vec![],
        board_ids: vec![],
        description: None,
        is_active: true,
        awaits_rotation: false,
        secret: Sealed(vec![1]),
        previous_secret: None,
        previous_until: None,
        created_at: Time::MIN,
    }
}

/// Records events with these identifiers. The time of each is its identifier, in milliseconds since
/// the Unix epoch.
pub(crate) fn record(connection: &mut SqliteConnection, events: impl IntoIterator<Item = u128>) {
    for number in events {
        let vote = VoteFacts {
            id: Uuid::nil().into(),
            post_id: Uuid::nil().into(),
            post_title: String::new(),
            board_id: Uuid::nil().into(),
        };
        let at = at(i64::try_from(number).unwrap());
        recorded::record(
            connection,
            ACME,
            &Event { id: event(number), at, what: Happening::VoteCreated(vote), in_ledger: false },
        )
        .unwrap();
    }
}

pub(crate) fn event(number: u128) -> EventId {
    Uuid::from_u128(number).into()
}

pub(crate) fn at(millis: i64) -> Time {
    Time::from_unix_millis(millis).unwrap()
}

const NOW: i64 = 1_000_000;

pub(crate) fn claim(holder: u128) -> Claim {
    let lease = Lease { holder: Uuid::from_u128(holder), until: at(NOW + 60_000) };
    Claim {
        lease,
        now: at(NOW),
        after: None,
        limit: 100,
        per_queue: 100,
        exceptions: BTreeMap::new(),
    }
}

pub(crate) fn settled(
    delivery: &ClaimedDelivery,
    holder: u128,
    code: u16,
    outcome: DeliveryOutcome,
) -> SettledDelivery {
    let response = Response::Status { code, cut: None };
    let (number, started_at) = (delivery.attempts + 1, at(NOW));
    let attempt = Attempt { number, started_at, duration_ms: 1, response, answer: vec![] };
    SettledDelivery {
        key: delivery.key,
        holder: Uuid::from_u128(holder),
        attempt,
        outcome,
        ended_at: at(NOW + 1),
    }
}

#[tokio::test]
async fn queues_and_due_and_claimed_deliveries_are_looked_up_in_an_index() {
    let (store, mut connection, _folder) = store(&[1]).await;
    record(&mut connection, [1]);
    let (first, second) = (claim(1), claim(2));
    let queue = "COMPOUND QUERY; LEFT-MOST SUBQUERY; CO-ROUTINE (subquery-1); \
                 SEARCH deliveries USING COVERING INDEX deliveries_pending (organization_id=? AND subscription_id>?); \
                 SCAN (subquery-1); UNION ALL; CO-ROUTINE (subquery-3); \
                 SEARCH deliveries USING COVERING INDEX deliveries_pending (organization_id>?); SCAN (subquery-3)";
    let subscription = "SEARCH webhook_subscriptions USING INDEX sqlite_autoindex_webhook_subscriptions_1 \
                        (organization_id=? AND id=?)";
    let due = "SEARCH deliveries USING INDEX deliveries_pending \
               (organization_id=? AND subscription_id=? AND next_attempt_at<?); \
               SEARCH events USING INDEX sqlite_autoindex_events_1 (organization_id=? AND id=?)";
    let delivery = "SEARCH deliveries USING PRIMARY KEY (organization_id=? AND event_id=? AND subscription_id=?)";

    let plan = plans(&mut connection, |connection| find(connection, &first));
    assert_eq!(plan, [queue, subscription, due, queue]);
    let found = find(&mut connection, &first).unwrap();
    let plan =
        plans(&mut connection, |connection| take(connection, found.due, first.lease, first.now));
    assert_eq!(plan, [subscription, delivery]);
    let key = DeliveryKey {
        queue: Queue { organization: ACME, subscription: SubscriptionId(Uuid::from_u128(1)) },
        event: event(1),
    };
    let plan =
        plans(&mut connection, |connection| release(connection, &[(key, first.lease.holder)]));
    assert_eq!(plan, [delivery]);
    let delivered = store.claim(second).await.unwrap().deliveries.remove(0);
    let failed = settled(&delivered, 2, 410, DeliveryOutcome::Failed);
    let plan = plans(&mut connection, |connection| settle(connection, &[failed]));
    assert_eq!(plan, [delivery, subscription, subscription, subscription]);
}

#[tokio::test]
async fn a_claim_without_due_deliveries_does_not_use_the_writer() {
    let (store, mut connection, _folder) = store(&[1, 2]).await;
    record(&mut connection, [1]);
    webhook_subscriptions::deactivate(&mut connection, ACME, subscription(1).id, at(2)).unwrap();
    assert_eq!(store.claim(claim(1)).await.unwrap().deliveries.len(), 1);

    begin_immediate(&mut connection, Instant::now() + Duration::from_secs(2)).unwrap();
    assert_eq!(store.claim(claim(2)).await.unwrap(), Claimed::default());
}

#[tokio::test]
async fn an_unreadable_delivery_is_named_and_the_others_are_handed_out() {
    let (store, mut connection, _folder) = store(&[1]).await;
    record(&mut connection, 1..=3);
    let second = deliveries::table.filter(deliveries::event_id.eq(Id::of(event(2))));
    diesel::update(second)
        .set(deliveries::occurred_at.eq(Stamp(i64::MAX)))
        .execute(&mut connection)
        .unwrap();
    let claimed = store.claim(claim(1)).await.unwrap();
    let events: Vec<EventId> =
        claimed.deliveries.iter().map(|delivery| delivery.key.event).collect();
    assert_eq!(events, [event(1), event(3)]);
    let queue = claimed.deliveries[0].key.queue;
    let unreadable =
        Unreadable { key: DeliveryKey { queue, event: event(2) }, column: "occurred_at" };
    assert_eq!(claimed.unreadable, [unreadable]);
    // The unreadable delivery stays under its lease until that runs out.
    assert_eq!(store.claim(claim(2)).await.unwrap(), Claimed::default());
}

#[tokio::test]
async fn a_delivery_that_changed_since_it_was_found_is_not_handed_out() {
    let (store, mut connection, _folder) = store(&[1]).await;
    record(&mut connection, [1]);
    let second = claim(2);
    let find_it = |connection: &mut SqliteConnection, claim: &Claim| {
        let found = find(connection, claim).unwrap();
        assert_eq!(found.due.len(), 1);
        found.due
    };

    // Another holder has the lease.
    let found = find_it(&mut connection, &second);
    let delivery = store.claim(claim(1)).await.unwrap().deliveries.remove(0);
    assert_eq!(take(&mut connection, found, second.lease, second.now).unwrap().len(), 0);
    store.release(vec![(delivery.key, Uuid::from_u128(1))]).await.unwrap();

    // The delivery is not due yet.
    let found = find_it(&mut connection, &second);
    let delivery = store.claim(claim(1)).await.unwrap().deliveries.remove(0);
    let later = DeliveryOutcome::Retry { at: at(NOW + 1) };
    assert_eq!(store.settle(vec![settled(&delivery, 1, 500, later)]).await.unwrap(), []);
    assert_eq!(take(&mut connection, found, second.lease, second.now).unwrap().len(), 0);

    // The subscription is inactive.
    let third = Claim { now: at(NOW + 1), ..claim(3) };
    let found = find_it(&mut connection, &third);
    webhook_subscriptions::deactivate(
        &mut connection,
        ACME,
        delivery.key.queue.subscription,
        at(NOW),
    )
    .unwrap();
    assert_eq!(take(&mut connection, found, third.lease, third.now).unwrap().len(), 0);
}

#[tokio::test]
async fn a_settled_delivery_writes_two_rows_and_a_batch_of_failures_one_more() {
    #[derive(QueryableByName)]
    struct Changes {
        #[diesel(sql_type = BigInt)]
        rows: i64,
    }
    fn changes(connection: &mut SqliteConnection) -> i64 {
        diesel::sql_query("SELECT total_changes() AS rows")
            .get_result::<Changes>(connection)
            .unwrap()
            .rows
    }
    let (store, mut connection, _folder) = store(&[1]).await;
    record(&mut connection, 1..=8);
    let claimed = store.claim(claim(1)).await.unwrap().deliveries;
    let mut rows = |settled: Vec<SettledDelivery>| {
        let before = changes(&mut connection);
        assert_eq!(settle(&mut connection, &settled).unwrap(), []);
        changes(&mut connection) - before
    };
    let (arrived, refused) = claimed.split_at(4);
    assert_eq!(
        rows(
            arrived
                .iter()
                .map(|delivery| settled(delivery, 1, 200, DeliveryOutcome::Delivered))
                .collect()
        ),
        8
    );
    assert_eq!(
        rows(
            refused
                .iter()
                .map(|delivery| settled(delivery, 1, 500, DeliveryOutcome::Failed))
                .collect()
        ),
        9
    );
}
