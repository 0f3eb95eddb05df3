//! No receiver delays the deliveries to another one.

use super::support::{
    Acme, Caller, Database, Delivery, Event, Installation, RETRY_SCHEDULE, Receiver, Request, Site,
    Store, TO_THIS_MACHINE, import, subscribe, uuid, whole_machine,
};
use futures_util::{StreamExt, stream};
use rstest::rstest;
use serde_json::Value;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Receivers in organizations of their own, and receivers in the dead receiver's organization,
/// which get the same events as the dead receiver.
const ELSEWHERE: usize = 90;
const BESIDE: usize = 9;
const QUEUED: usize = 10_000;
/// 50 events per second for 20 seconds. Every tenth is in the dead receiver's organization.
const EVENTS: usize = 1_000;
const BEAT: Duration = Duration::from_millis(20);
const SHARE: usize = 10;
/// The latest start of 99 of 100 deliveries, in milliseconds after their events. A delivery behind
/// the dead receiver would wait for 30 seconds, the limit of an attempt.
const LATEST: i64 = 10_000;

/// One receiver accepts requests and responds to none. The 99 others work.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_receiver_with_a_long_queue_delays_no_other() {
    let _machine = whole_machine().await;
    tokio::join!(beside_a_dead_receiver(Store::Sqlite), beside_a_dead_receiver(Store::Postgres));
}

async fn beside_a_dead_receiver(store: Store) {
    let installation =
        Installation::new(store, &[TO_THIS_MACHINE, (RETRY_SCHEDULE, "5s,5m")]).await;
    let dead = Receiver::start().await;
    dead.holds();
    let mut organizations = vec![Acme::of(20, 20)];
    let of_dead = uuid(&organizations[0].subscribed(&dead.url()));
    let mut receivers = Vec::new();
    for _ in 0..ELSEWHERE {
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
    // The subscriptions are added only now, so that the queue is the dead receiver's alone.
    let mut neighbors = Vec::new();
    for _ in 0..BESIDE {
        let receiver = Receiver::start().await;
        subscribe(&installation, unlucky, &receiver.url(), &[]).await;
        neighbors.push(receiver);
    }

    let (started, mut beat) = (Instant::now(), tokio::time::interval(BEAT));
    for number in 0..EVENTS {
        beat.tick().await;
        let others = number - number / SHARE;
        caller
            .toggle(if number % SHARE == SHARE - 1 { unlucky } else { &lucky[others % ELSEWHERE] })
            .await;
    }
    let took = started.elapsed();

    let mut database = Database::of(&installation).await;
    let (mut elsewhere, mut beside) = (Vec::new(), Vec::new());
    for (acme, receiver) in lucky.iter().zip(&receivers) {
        let requests = receiver.received((EVENTS - EVENTS / SHARE) / ELSEWHERE).await;
        elsewhere.extend(delays(&requests, &database.rows(&acme.id).await));
    }
    let events: Vec<Event> = database.rows(&unlucky.id).await;
    for receiver in &neighbors {
        beside.extend(delays(&receiver.received(EVENTS / SHARE).await, &events));
    }
    for (place, mut delays, count) in [
        ("elsewhere", elsewhere, EVENTS - EVENTS / SHARE),
        ("beside", beside, BESIDE * EVENTS / SHARE),
    ] {
        assert_eq!(delays.len(), count, "{place}");
        delays.sort_unstable();
        let (median, late) = (delays[count / 2], delays[count * 99 / 100]);
        println!(
            "{store:?}, toggles in {took:?}: {place} half the deliveries start within {median} ms, 99 of 100 within {late} ms"
        );
        assert!(late < LATEST, "{store:?}: {place} 99 of 100 start within {late} ms");
    }

    let deliveries: Vec<Delivery> = database.rows(&unlucky.id).await;
    let waiting = deliveries
        .iter()
        .filter(|delivery| delivery.subscription_id == of_dead && delivery.state == "pending");
    assert_eq!(waiting.count(), QUEUED + EVENTS / SHARE);
    // The server makes eight attempts at once, each for at most 30 seconds.
    assert!((1..200).contains(&dead.count()), "{}", dead.count());
    // A graceful stop would wait for the running attempts.
    server.kill();
}

/// The bound proves that the dispatcher was woken. By itself, it reads the queues once per second,
/// so each delivery would start about a second after the previous one. The fastest fifth of the
/// deliveries does not depend on other work of the machine.
#[rstest]
#[tokio::test]
async fn a_delivery_starts_at_once_when_there_is_nothing_else_to_do(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
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
    println!(
        "{store:?}: half the deliveries start within {} ms, all within {} ms",
        delays[25], delays[49]
    );
    assert!(delays[10] < 250, "{delays:?}");
}

/// The delay of each first attempt after its event was recorded, in milliseconds.
fn delays(requests: &[Request], events: &[Event]) -> Vec<i64> {
    let key = |event: &str, data: &Value| (event.to_owned(), data["id"].to_string());
    let recorded: HashMap<(String, String), i64> = events
        .iter()
        .map(|event| (key(&event.event_type, &event.data()), event.recorded_at))
        .collect();
    let first = requests.iter().filter(|request| request.attempt() == 1);
    first
        .map(|request| {
            request.at - recorded[&key(request.header("x-service-event"), &request.json()["data"])]
        })
        .collect()
}
