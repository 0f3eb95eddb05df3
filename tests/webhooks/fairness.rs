//! No receiver delays what another one gets.

use super::support::{
    Acme, Caller, Database, Delivery, Event, Installation, RETRY_SCHEDULE, Receiver, Request, Site, Store, TO_THIS_MACHINE,
    import,
};
use futures_util::{StreamExt, stream};
use rstest::rstest;
use serde_json::Value;
use std::collections::HashMap;
use std::time::Duration;

const HEALTHY: usize = 99;
const QUEUED: usize = 10_000;
/// Of the healthy receivers, 50 a second for 20 seconds.
const EVENTS: usize = 1_000;
const BEAT: Duration = Duration::from_millis(20);

/// One receiver that takes everything and answers nothing, 99 that do what they should.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_receiver_with_a_long_queue_delays_nobody_else() {
    tokio::join!(beside_a_dead_receiver(Store::Sqlite), beside_a_dead_receiver(Store::Postgres));
}

async fn beside_a_dead_receiver(store: Store) {
    let installation = Installation::new(store, &[TO_THIS_MACHINE, (RETRY_SCHEDULE, "5s,5m")]).await;
    let dead = Receiver::start().await;
    dead.holds();
    let mut organizations = vec![Acme::of(20, 20)];
    organizations[0].subscribed(&dead.url());
    let mut receivers = Vec::new();
    for _ in 0..HEALTHY {
        let (mut acme, receiver) = (Acme::of(1, 1), Receiver::start().await);
        acme.subscribed(&receiver.url());
        organizations.push(acme);
        receivers.push(receiver);
    }
    import(&installation, &organizations).await;
    let server = installation.serve();
    let caller = Caller::of(&server);
    let (unlucky, lucky) = organizations.split_first().expect("organizations");

    let queue = (0..QUEUED).map(|number| caller.toggle_of(unlucky, number % 20, number / 20 % 20));
    assert_eq!(stream::iter(queue).buffer_unordered(32).count().await, QUEUED);
    let mut beat = tokio::time::interval(BEAT);
    for number in 0..EVENTS {
        beat.tick().await;
        caller.toggle(&lucky[number % HEALTHY]).await;
    }

    let mut database = Database::of(&installation).await;
    let mut all = Vec::new();
    for (number, (acme, receiver)) in lucky.iter().zip(&receivers).enumerate() {
        let expected = EVENTS / HEALTHY + usize::from(number < EVENTS % HEALTHY);
        let requests = receiver.received(expected).await;
        let events: Vec<Event> = database.rows(&acme.id).await;
        all.extend(delays(&requests, &events));
    }
    assert_eq!(all.len(), EVENTS);
    all.sort_unstable();
    let (median, late) = (all[EVENTS / 2], all[EVENTS * 99 / 100]);
    println!("{store:?}: beside a dead receiver half the deliveries start within {median} ms, 99 of 100 within {late} ms");
    assert!(late < 1_000, "99 of 100 start within {late} ms");

    let deliveries: Vec<Delivery> = database.rows(&unlucky.id).await;
    assert_eq!(deliveries.iter().filter(|delivery| delivery.state == "pending").count(), QUEUED);
    // Eight at once, each for 30 seconds at most.
    assert!((1..200).contains(&dead.count()), "{}", dead.count());
    // It would wait for what is on its way.
    server.kill();
}

/// It is the bound that says that the dispatcher was woken, and did not look by itself, as it does once a second. What it takes is
/// far below.
#[rstest]
#[tokio::test]
async fn a_delivery_starts_at_once_when_there_is_nothing_else_to_do(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let (site, mut acme, receiver) = (Site::of(store).await, Acme::new(), Receiver::start().await);
    acme.subscribed(&receiver.url());
    acme.import(&site.installation).await;
    let caller = Caller::of(&site.server);
    for toggled in 1..=50 {
        caller.toggle(&acme).await;
        receiver.received(toggled).await;
    }
    let events: Vec<Event> = Database::of(&site.installation).await.rows(&acme.id).await;
    let mut delays = delays(&receiver.requests(), &events);
    delays.sort_unstable();
    println!("{store:?}: half the deliveries start within {} ms, all within {} ms", delays[25], delays[49]);
    assert!(delays[25] < 250, "{delays:?}");
}

/// How long after its event was recorded each first attempt came, in milliseconds.
fn delays(requests: &[Request], events: &[Event]) -> Vec<i64> {
    let key = |event: &str, data: &Value| (event.to_owned(), data["id"].to_string());
    let recorded: HashMap<(String, String), i64> =
        events.iter().map(|event| (key(&event.event_type, &event.data()), event.recorded_at)).collect();
    let first = requests.iter().filter(|request| request.attempt() == 1);
    first.map(|request| request.at - recorded[&key(request.header("x-service-event"), &request.json()["data"])]).collect()
}
