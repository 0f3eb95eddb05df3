//! Servers that are killed lose nothing and invent nothing.

use super::support::{
    Acme, Caller, Database, Delivery, Event, Installation, RETRY_SCHEDULE, Receiver, Server, Step,
    Store, TO_THIS_MACHINE, Vote, answer, uuid, whole_machine,
};
use hearback_domain::Uuid;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

const ROUNDS: usize = 20;
/// Between two toggles: 200 a second.
const BEAT: Duration = Duration::from_millis(5);
/// How many are answered in a second at least, by a server that was started a moment ago and has
/// not warmed up.
const PACE: f64 = 180.0;
/// How many toggles a server answers before it is killed: so many, and up to 100 more.
const LEAST: usize = 150;
/// The most toggles at once: those of a second. A machine that is slower than that misses the pace,
/// and does not drown.
const AT_ONCE: usize = 200;
const POSTS: usize = 20;
const VOTERS: usize = 25;
/// A lease has to run out, and after that there is something to be sent.
const PATIENCE: Duration = Duration::from_secs(180);

/// The rounds of one store after those of the other, as each keeps a pace; the waiting for leases
/// to run out side by side.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_a_killed_server_had_recorded_is_delivered_and_nothing_else() {
    tokio::join!(on(Store::Sqlite), on(Store::Postgres));
}

async fn on(store: Store) {
    let installation =
        Installation::new(store, &[TO_THIS_MACHINE, (RETRY_SCHEDULE, "1s,1s,1s")]).await;
    let mut acme = Acme::of(POSTS, VOTERS);
    // Slow enough for deliveries to be on their way whenever a server is killed.
    let receiver =
        Receiver::with(vec![Step::Pause(Duration::from_millis(15)), answer("200 OK", b"")]).await;
    let subscription = acme.subscribed(&receiver.url());

    let machine = whole_machine().await;
    acme.import(&installation).await;
    let load = Load::start(acme);
    let (mut answered, mut took) = (0, Duration::ZERO);
    for round in 0..ROUNDS {
        let server = installation.serve();
        // Not in step with what a server does once a second.
        let count = LEAST + round * 37 % 100;
        took += load.on(&server, count).await;
        answered += count;
        server.kill();
        load.rest();
    }
    let (acme, toggles) = load.stop().await;
    drop(machine);
    let pace = answered as f64 / took.as_secs_f64();
    println!("{store:?}: {pace:.0} toggles a second, {toggles:?}");
    assert!(pace >= PACE, "{store:?}: {pace:.0} toggles a second: {answered} in {took:?}");
    let unsettled = deliveries(&installation, &acme)
        .await
        .iter()
        .filter(|delivery| delivery.state == "pending")
        .count();
    assert_ne!(unsettled, 0, "no server was killed at its work");

    let _server = installation.serve();
    let started = Instant::now();
    while deliveries(&installation, &acme)
        .await
        .iter()
        .any(|delivery| delivery.state != "delivered")
    {
        assert!(started.elapsed() < PATIENCE, "what was left is not delivered");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }

    let mut database = Database::of(&installation).await;
    let events: Vec<Event> = database.rows(&acme.id).await;
    let votes: BTreeSet<Uuid> =
        database.rows::<Vote>(&acme.id).await.iter().map(|vote| vote.id).collect();
    let deliveries = deliveries(&installation, &acme).await;

    // Every change has its event, and every event its change: what came and has not gone is there.
    let ids = |event_type: &str| -> BTreeSet<Uuid> {
        let of_type: Vec<&Event> =
            events.iter().filter(|event| event.event_type == event_type).collect();
        let ids: BTreeSet<Uuid> = of_type.iter().map(|event| vote_of(&event.data())).collect();
        assert_eq!(ids.len(), of_type.len(), "a vote came or went twice");
        ids
    };
    let (created, deleted) = (ids("vote.created"), ids("vote.deleted"));
    assert!(deleted.is_subset(&created));
    assert_eq!(&created - &deleted, votes);
    assert_eq!(events.len(), created.len() + deleted.len());
    // What the client was told is among them; of what it was not told it does not know.
    assert!((toggles.done..=toggles.sent).contains(&events.len()), "{} {toggles:?}", events.len());
    assert!(toggles.done >= ROUNDS * LEAST, "{toggles:?}");

    // Every event has its delivery.
    let of_events: BTreeSet<(Uuid, Uuid)> =
        events.iter().map(|event| (event.id, uuid(&subscription))).collect();
    let delivered: BTreeSet<(Uuid, Uuid)> =
        deliveries.iter().map(|delivery| (delivery.event_id, delivery.subscription_id)).collect();
    assert_eq!(delivered, of_events);

    // Every delivery came, and whatever came is one of them, the same each time.
    let expected: BTreeMap<Uuid, &Event> =
        deliveries.iter().zip(&events).map(|(delivery, event)| (delivery.id(), event)).collect();
    let mut bodies: BTreeMap<Uuid, Vec<u8>> = BTreeMap::new();
    let requests = receiver.requests();
    for request in &requests {
        let event = expected.get(&request.delivery()).expect("a delivery of a committed change");
        let body = request.json();
        assert_eq!(
            (&body["event"], &body["data"]),
            (&Value::from(&*event.event_type), &event.data())
        );
        let first = bodies.entry(request.delivery()).or_insert_with(|| request.body.clone());
        assert_eq!(*first, request.body, "a repeat has other bytes");
    }
    assert!(bodies.keys().eq(expected.keys()));
    assert!(requests.len() > bodies.len(), "no server was killed between an answer and its record");
}

async fn deliveries(installation: &Installation, acme: &Acme) -> Vec<Delivery> {
    Database::of(installation).await.rows(&acme.id).await
}

fn vote_of(data: &Value) -> Uuid {
    uuid(data["id"].as_str().expect("an identifier"))
}

/// Toggles at a steady pace, as long as there is a server.
struct Load {
    /// How the server is called that runs.
    caller: watch::Sender<Option<Caller>>,
    /// How many toggles have been answered.
    done: watch::Receiver<usize>,
    running: JoinHandle<(Acme, Toggles)>,
}

/// What became of toggles.
#[derive(Clone, Copy, Debug)]
struct Toggles {
    sent: usize,
    /// How many were answered.
    done: usize,
}

impl Load {
    fn start(acme: Acme) -> Self {
        let (caller, callers) = watch::channel(None);
        let (count, done) = watch::channel(0);
        Self { caller, done, running: tokio::spawn(toggle(acme, callers, count)) }
    }

    /// Goes to a server from now on; returns when it has answered so many, and how long that took.
    async fn on(&self, server: &Server, count: usize) -> Duration {
        let caller = Caller::of(server);
        let started = Instant::now();
        self.caller.send_replace(Some(caller));
        let mut done = self.done.clone();
        let enough = *done.borrow() + count;
        timeout(PATIENCE, done.wait_for(|done| *done >= enough))
            .await
            .expect("in time")
            .expect("the load");
        started.elapsed()
    }

    /// Goes nowhere.
    fn rest(&self) {
        self.caller.send_replace(None);
    }

    /// Ends when all is answered, or will not be.
    async fn stop(self) -> (Acme, Toggles) {
        drop(self.caller);
        self.running.await.expect("the load")
    }
}

/// One pair of a voter and a post after the other, so that hardly ever two toggles are of one.
async fn toggle(
    acme: Acme,
    callers: watch::Receiver<Option<Caller>>,
    done: watch::Sender<usize>,
) -> (Acme, Toggles) {
    let acme = Arc::new(acme);
    let mut beat = tokio::time::interval(BEAT);
    let (mut toggles, mut sent) = (JoinSet::new(), 0);
    while callers.has_changed().is_ok() {
        beat.tick().await;
        while toggles.try_join_next().is_some() {}
        let Some(caller) = callers.borrow().clone().filter(|_| toggles.len() < AT_ONCE) else {
            continue;
        };
        let (acme, done) = (Arc::clone(&acme), done.clone());
        let (voter, post) = (sent % VOTERS, sent / VOTERS % POSTS);
        sent += 1;
        toggles.spawn(async move {
            match caller.try_toggle(&acme, &acme.voters[voter], &acme.posts[post], "feedback").await
            {
                Some((200, _)) => done.send_modify(|done| *done += 1),
                // The server was killed.
                None => {}
                other => panic!("{other:?}"),
            }
        });
    }
    toggles.join_all().await;
    let done = *done.borrow();
    (Arc::into_inner(acme).expect("nothing toggles any more"), Toggles { sent, done })
}
