//! Killed servers lose no event and invent none.

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
/// The time between two toggles: 200 toggles a second.
const BEAT: Duration = Duration::from_millis(5);
/// The least number of toggles that a server completes before it is killed. The greatest is less
/// than 100 more.
const LEAST: usize = 150;
/// The greatest number of concurrent toggles: the toggles of one second. A slower machine is not
/// overloaded.
const AT_ONCE: usize = 200;
const POSTS: usize = 20;
const VOTERS: usize = 25;
/// The time limit of the last deliveries. A lease has to run out before its delivery is sent.
const PATIENCE: Duration = Duration::from_secs(180);

/// The rounds of the two stores run one after the other, since each keeps a pace. Both wait for
/// their leases to run out at the same time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exactly_the_events_recorded_by_killed_servers_are_delivered() {
    tokio::join!(on(Store::Sqlite), on(Store::Postgres));
}

async fn on(store: Store) {
    let installation =
        Installation::new(store, &[TO_THIS_MACHINE, (RETRY_SCHEDULE, "1s,1s,1s")]).await;
    let mut acme = Acme::of(POSTS, VOTERS);
    // The receiver is so slow that deliveries are leased whenever a server is killed.
    let receiver =
        Receiver::with(vec![Step::Pause(Duration::from_millis(15)), answer("200 OK", b"")]).await;
    let subscription = acme.subscribed(&receiver.url());

    let machine = whole_machine().await;
    acme.import(&installation).await;
    let load = Load::start(acme);
    let (mut answered, mut took) = (0, Duration::ZERO);
    for round in 0..ROUNDS {
        let server = installation.serve();
        // The counts vary, so that the kills are not in step with the tasks that a server runs each
        // second.
        let count = LEAST + round * 37 % 100;
        took += load.on(&server, count).await;
        answered += count;
        server.kill();
        load.rest();
    }
    let (acme, toggles) = load.stop().await;
    drop(machine);
    println!("{store:?}: {answered} toggles in {took:?}, {toggles:?}");
    let unsettled = deliveries(&installation, &acme)
        .await
        .iter()
        .filter(|delivery| delivery.state == "pending")
        .count();
    assert_ne!(unsettled, 0, "no server was killed with pending deliveries");

    let _server = installation.serve();
    let started = Instant::now();
    while deliveries(&installation, &acme)
        .await
        .iter()
        .any(|delivery| delivery.state != "delivered")
    {
        assert!(started.elapsed() < PATIENCE, "the pending deliveries are not delivered in time");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }

    let mut database = Database::of(&installation).await;
    let events: Vec<Event> = database.rows(&acme.id).await;
    let votes: BTreeSet<Uuid> =
        database.rows::<Vote>(&acme.id).await.iter().map(|vote| vote.id).collect();
    let deliveries = deliveries(&installation, &acme).await;

    // Each change has one event, and each event has one change: a vote is stored if it was created
    // and not deleted.
    let ids = |event_type: &str| -> BTreeSet<Uuid> {
        let of_type: Vec<&Event> =
            events.iter().filter(|event| event.event_type == event_type).collect();
        let ids: BTreeSet<Uuid> = of_type.iter().map(|event| vote_of(&event.data())).collect();
        assert_eq!(ids.len(), of_type.len(), "a vote was created or deleted twice");
        ids
    };
    let (created, deleted) = (ids("vote.created"), ids("vote.deleted"));
    assert!(deleted.is_subset(&created));
    assert_eq!(&created - &deleted, votes);
    assert_eq!(events.len(), created.len() + deleted.len());
    // Each toggle with a response has its event. A toggle without response may have one.
    assert!((toggles.done..=toggles.sent).contains(&events.len()), "{} {toggles:?}", events.len());
    assert!(toggles.done >= ROUNDS * LEAST, "{toggles:?}");

    // Every event has its delivery.
    let of_events: BTreeSet<(Uuid, Uuid)> =
        events.iter().map(|event| (event.id, uuid(&subscription))).collect();
    let delivered: BTreeSet<(Uuid, Uuid)> =
        deliveries.iter().map(|delivery| (delivery.event_id, delivery.subscription_id)).collect();
    assert_eq!(delivered, of_events);

    // Every delivery arrived. Every request belongs to a delivery, and all attempts of a delivery
    // have the same body.
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
        assert_eq!(*first, request.body, "a repeat has another body");
    }
    assert!(bodies.keys().eq(expected.keys()));
    assert!(
        requests.len() > bodies.len(),
        "no server was killed between a response and its record"
    );
}

async fn deliveries(installation: &Installation, acme: &Acme) -> Vec<Delivery> {
    Database::of(installation).await.rows(&acme.id).await
}

fn vote_of(data: &Value) -> Uuid {
    uuid(data["id"].as_str().expect("an identifier"))
}

/// Toggles at a steady pace, while a server is set.
struct Load {
    /// The client of the running server.
    caller: watch::Sender<Option<Caller>>,
    /// The number of toggles with a response.
    done: watch::Receiver<usize>,
    running: JoinHandle<(Acme, Toggles)>,
}

/// The numbers of toggles.
#[derive(Clone, Copy, Debug)]
struct Toggles {
    sent: usize,
    /// The number of toggles with a response.
    done: usize,
}

impl Load {
    fn start(acme: Acme) -> Self {
        let (caller, callers) = watch::channel(None);
        let (count, done) = watch::channel(0);
        Self { caller, done, running: tokio::spawn(toggle(acme, callers, count)) }
    }

    /// Calls a server from now on. Returns after `count` more responses, with the time that they
    /// took.
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

    /// Calls no server.
    fn rest(&self) {
        self.caller.send_replace(None);
    }

    /// Returns when no toggle is under way.
    async fn stop(self) -> (Acme, Toggles) {
        drop(self.caller);
        self.running.await.expect("the load")
    }
}

/// Goes through the pairs of a voter and a post, so that two concurrent toggles hardly ever have
/// the same pair.
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
    (Arc::into_inner(acme).expect("no toggle is under way"), Toggles { sent, done })
}
