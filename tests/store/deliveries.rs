//! What may become of a subscription while deliveries to it wait, and no port does.

use super::probes::{PostgresProbe, SqliteProbe};
use super::{fresh_file, open_database, open_file, postgres};
use hearback_domain::api_key::Sealed;
use hearback_domain::event::EventType;
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_ports::Recorded;
use hearback_tests::build::{Imported, at, event, subscription};
use hearback_tests::conformance::Stage;
use hearback_tests::deliveries::{claim, lease, listening, queue, take, tell};
use hearback_tests::postgres::Isolation;
use hearback_tests::system::block_on;

/// Takes the secrets away, as an import without secrets does.
const CHANGE: &str = "UPDATE webhook_subscriptions SET awaits_rotation = true WHERE url = 'https://example.com/awaiting'";

/// An organization with two subscriptions, to each of which a delivery waits.
async fn waiting(stage: &Stage) -> (Imported, [WebhookSubscription; 2]) {
    let awaiting = WebhookSubscription { url: "https://example.com/awaiting".to_owned(), ..subscription() };
    let both = [awaiting, subscription()];
    let acme = listening(stage, &both).await;
    tell(stage, &acme, event(EventType::VoteCreated, at(0))).await;
    (acme, both)
}

/// Nothing is handed out to the one that awaits rotation before it has a secret again.
async fn waits_for_a_secret(stage: &Stage, acme: &Imported, [awaiting, other]: &[WebhookSubscription; 2]) {
    let claimed = take(stage, claim(acme, lease(at(100)), at(10)), 1).await;
    assert_eq!(claimed[0].key.queue, queue(acme, other));
    let secret = Sealed(vec![2]);
    let rotated = stage.ports.webhook_subscriptions.rotate(acme.id(), awaiting.id, secret.clone(), at(1_000)).await;
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
