//! Deliveries that wait while their subscription changes in a way that no port offers, and the
//! removal of old deliveries, which covers all organizations of a store.

use super::probes::{PostgresProbe, SqliteProbe};
use super::{fresh_file, open_database, open_file, postgres};
use async_trait::async_trait;
use hearback_app::prune::prune_deliveries;
use hearback_domain::Time;
use hearback_domain::api_key::Sealed;
use hearback_domain::delivery::{DELIVERED_KEPT, DeliveryState, FAILED_KEPT, INACTIVE_KEPT};
use hearback_domain::event::EventType;
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_ports::{Clock, Ports, Recorded};
use hearback_tests::build::{Imported, at, event, subscription};
use hearback_tests::conformance::Stage;
use hearback_tests::deliveries::{
    Webhooks, claim, ended, given_up, lease, ledger, listening, queue, settle, status, take, tell,
};
use hearback_tests::postgres::Isolation;
use hearback_tests::system::block_on;
use std::sync::Arc;
use std::time::Duration;

/// Removes the secrets, as an import without secrets does.
const CHANGE: &str = "UPDATE webhook_subscriptions SET awaits_rotation = true WHERE url = 'https://example.com/awaiting'";

/// An organization with two subscriptions, each of which has a waiting delivery.
async fn waiting(stage: &Stage) -> (Imported, [WebhookSubscription; 2]) {
    let awaiting =
        WebhookSubscription { url: "https://example.com/awaiting".to_owned(), ..subscription() };
    let both = [awaiting, subscription()];
    let acme = listening(stage, &both).await;
    tell(stage, &acme, event(EventType::VoteCreated, at(0))).await;
    (acme, both)
}

/// Asserts that deliveries to a subscription that awaits rotation are not handed out until it has a
/// secret again.
async fn waits_for_a_secret(
    stage: &Stage,
    acme: &Imported,
    [awaiting, other]: &[WebhookSubscription; 2],
) {
    let claimed = take(stage, claim(acme, lease(at(100)), at(10)), 1).await;
    assert_eq!(claimed[0].key.queue, queue(acme, other));
    let secret = Sealed(vec![2]);
    let rotated =
        Webhooks(&stage.ports).rotate(acme.id(), awaiting.id, secret.clone(), at(1_000)).await;
    assert_eq!(rotated.expect("an answer"), Recorded::Done);
    let claimed = take(stage, claim(acme, lease(at(100)), at(10)), 1).await;
    assert_eq!((claimed[0].key.queue, &claimed[0].secret), (queue(acme, awaiting), &secret));
    assert_eq!(claimed[0].previous_secret, None);
}

#[test]
fn a_delivery_in_a_file_waits_for_the_secret_of_its_subscription() {
    block_on(async {
        let path = fresh_file("deliveries");
        let stage = open_file(&path).await;
        let (acme, both) = waiting(&stage).await;
        SqliteProbe::new(&path).execute(CHANGE);
        waits_for_a_secret(&stage, &acme, &both).await;
    });
}

#[test]
fn a_delivery_in_a_database_waits_for_the_secret_of_its_subscription() {
    block_on(async {
        let url = postgres::create(Isolation::ReadCommitted).await;
        let stage = open_database(&url).await;
        let (acme, both) = waiting(&stage).await;
        PostgresProbe::new(&url).execute(CHANGE).await;
        waits_for_a_secret(&stage, &acme, &both).await;
    });
}

/// On PostgreSQL, a change that has seen a subscription active may record its event a moment after
/// the deliveries were cleared. The updates stand for that moment.
#[test]
fn a_subscription_that_gets_a_delivery_after_it_was_cleared_is_not_removed_yet() {
    block_on(async {
        let url = postgres::create(Isolation::ReadCommitted).await;
        let (stage, probe) = (open_database(&url).await, PostgresProbe::new(&url));
        let one = subscription();
        let acme = listening(&stage, std::slice::from_ref(&one)).await;
        let cleared = stage.ports.webhook_subscriptions.clear(acme.id(), one.id).await;
        assert_eq!(cleared.expect("an answer"), Recorded::Done);
        let activate = "UPDATE webhook_subscriptions SET is_active = true, inactive_since = NULL";
        probe.execute(activate).await;
        tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
        let deactivate =
            "UPDATE webhook_subscriptions SET is_active = false, inactive_since = now()";
        probe.execute(deactivate).await;

        let webhooks = Webhooks(&stage.ports);
        let removed = webhooks.remove(acme.id(), one.id).await;
        assert_eq!(removed.expect("an answer"), Recorded::Stale);
        let removed = webhooks.delete(acme.id(), one.id).await;
        assert_eq!(removed.expect("an answer"), Recorded::Done);
        assert_eq!(ledger(&stage, acme.id()).await.deliveries.len(), 0);
    });
}

/// A clock that stands still.
struct Standstill(Time);

#[async_trait]
impl Clock for Standstill {
    fn now(&self) -> Time {
        self.0
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    async fn sleep(&self, _: Duration) {}
}

/// Asserts that deliveries are removed 1 ms after their time, and not earlier. One succeeded, one
/// failed, and the others wait for an inactive subscription, all since `at(0)`.
async fn goes_when_its_time_is_up(stage: &Stage) {
    let [on, off] = [subscription(), subscription()];
    let acme = listening(stage, &[on.clone(), off.clone()]).await;
    for _ in 0..2 {
        tell(stage, &acme, event(EventType::VoteCreated, at(0))).await;
    }
    let mine = lease(at(0));
    let mut claimed = take(stage, claim(&acme, mine, at(0)), 4).await;
    claimed.retain(|delivery| delivery.key.queue == queue(&acme, &on));
    settle(
        stage,
        vec![ended(&claimed[0], mine, status(200), at(0)), given_up(&claimed[1], mine, at(0))],
    )
    .await;
    let deactivated = Webhooks(&stage.ports).deactivate(acme.id(), off.id, at(0)).await;
    assert_eq!(deactivated.expect("an answer"), Recorded::Done);

    // The waiting deliveries failed at `at(INACTIVE_KEPT + 1)`.
    let expired = INACTIVE_KEPT + 1;
    let steps = [
        (DELIVERED_KEPT, 0, 4),
        (DELIVERED_KEPT + 1, 1 + 2, 3),
        (DELIVERED_KEPT + 1, 0, 3),
        (FAILED_KEPT, 0, 3),
        (FAILED_KEPT + 1, 1, 2),
        (expired + FAILED_KEPT, 0, 2),
        (expired + FAILED_KEPT + 1, 2, 0),
    ];
    for (now, done, left) in steps {
        let ports = Ports { clock: Arc::new(Standstill(at(now))), ..stage.ports.clone() };
        let progress = prune_deliveries(&ports).await;
        assert!(progress.failures.is_empty(), "{:?}", progress.failures);
        let all = ledger(stage, acme.id()).await;
        assert_eq!((progress.done, all.deliveries.len()), (done, left), "{now}");
        if now > DELIVERED_KEPT {
            assert!(
                all.deliveries.iter().all(|(delivery, _)| delivery.state == DeliveryState::Failed),
                "{now}"
            );
        }
    }
    assert_eq!(ledger(stage, acme.id()).await.events, []);
}

#[test]
fn old_deliveries_in_a_file_are_removed_at_their_time() {
    block_on(async { goes_when_its_time_is_up(&open_file(&fresh_file("retention")).await).await });
}

#[test]
fn old_deliveries_in_a_database_are_removed_at_their_time() {
    block_on(async {
        goes_when_its_time_is_up(
            &open_database(&postgres::create(Isolation::ReadCommitted).await).await,
        )
        .await
    });
}
