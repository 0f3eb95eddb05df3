//! The dispatcher over a queue in memory, in virtual time.

use super::*;
use crate::MasterKey;
use async_trait::async_trait;
use hearback_domain::Uuid;
use hearback_domain::delivery::{DeliveryOutcome, RetryAfter};
use hearback_domain::event::EventType;
use hearback_domain::id::{DeliveryId, EventId, OrganizationId, SubscriptionId};
use hearback_domain::webhook_subscription::Health;
use hearback_ports::delivery_queue::ClaimedDelivery;
use hearback_ports::delivery_queue::Unreadable;
use hearback_ports::mock::Mocks;
use hearback_ports::{Alarm, Clock, DeliveryQueue, Ids};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use tokio::sync::Notify;
use tokio::time::Instant;

const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));

fn queue(number: u128) -> Queue {
    Queue { organization: ACME, subscription: SubscriptionId(Uuid::from_u128(number)) }
}

fn key(subscription: u128, event: u128) -> DeliveryKey {
    DeliveryKey { queue: queue(subscription), event: EventId(Uuid::from_u128(event)) }
}

fn vault() -> Arc<Vault> {
    Arc::new(Vault::new(&MasterKey::parse(&"ab".repeat(32)).unwrap()))
}

/// The runtime's time as a clock. It stands still while a task runs, and jumps ahead when all tasks
/// wait.
struct VirtualClock(Instant);

const START: &str = "2026-03-01T09:30:00Z";

#[async_trait]
impl Clock for VirtualClock {
    fn now(&self) -> Time {
        Time::parse(START).unwrap().plus_millis(i64::try_from(self.elapsed().as_millis()).unwrap())
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

#[derive(Default)]
struct Numbers(AtomicU64);

impl Ids for Numbers {
    fn fresh(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.0.fetch_add(1, Ordering::Relaxed)))
    }
}

#[derive(Default)]
struct Bell(Notify);

#[async_trait]
impl Alarm for Bell {
    fn ring(&self) {
        self.0.notify_one();
    }

    async fn rung(&self) {
        self.0.notified().await;
    }
}

/// A delivery as a store keeps it.
#[derive(Clone)]
struct Row {
    due: Option<Time>,
    lease: Option<Lease>,
    occurred_at: Option<Time>,
    attempts: Vec<Attempt>,
    outcome: Option<DeliveryOutcome>,
}

#[derive(Default)]
struct Rows {
    deliveries: BTreeMap<DeliveryKey, Row>,
    keys: BTreeMap<DeliveryId, DeliveryKey>,
    health: BTreeMap<Queue, Health>,
    inactive: Vec<Queue>,
    /// The number of next calls that fail.
    claims_to_fail: usize,
    settlements_to_fail: usize,
    /// The deliveries that the next claim cannot read.
    unreadable: Vec<Unreadable>,
    claims: usize,
}

/// A queue in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Rows>>);

impl Memory {
    fn add(&self, key: DeliveryKey, due: Time) {
        let row =
            Row { due: Some(due), lease: None, occurred_at: None, attempts: vec![], outcome: None };
        let mut rows = self.0.lock().unwrap();
        rows.keys.insert(key.id(), key);
        rows.deliveries.insert(key, row);
    }

    fn row(&self, key: DeliveryKey) -> Row {
        self.0.lock().unwrap().deliveries[&key].clone()
    }

    fn lease(&self, delivery: DeliveryId) -> Option<Lease> {
        let rows = self.0.lock().unwrap();
        rows.keys.get(&delivery).and_then(|key| rows.deliveries[key].lease)
    }

    fn delivered(&self) -> usize {
        let rows = self.0.lock().unwrap();
        rows.deliveries
            .values()
            .filter(|row| row.outcome == Some(DeliveryOutcome::Delivered))
            .count()
    }
}

#[async_trait]
impl DeliveryQueue for Memory {
    async fn claim(&self, claim: Claim) -> Result<Claimed, StoreError> {
        // A store takes some time.
        tokio::time::sleep(Duration::from_millis(2)).await;
        let mut rows = self.0.lock().unwrap();
        rows.claims += 1;
        if rows.claims_to_fail > 0 {
            rows.claims_to_fail -= 1;
            return Err(StoreError::Busy);
        }
        let inactive = rows.inactive.clone();
        let mut claimed =
            Claimed { unreadable: std::mem::take(&mut rows.unreadable), ..Claimed::default() };
        let mut taken: BTreeMap<Queue, usize> = BTreeMap::new();
        let due = rows.deliveries.iter_mut().filter(|(key, row)| {
            row.due.is_some_and(|due| due <= claim.now)
                && row.lease.is_none_or(|lease| lease.until < claim.now)
                && claim.after.is_none_or(|after| key.queue > after)
                && claim.room(key.queue) > 0
                && !inactive.contains(&key.queue)
        });
        let mut due: Vec<(&DeliveryKey, &mut Row)> = due.collect();
        due.sort_by_key(|(key, row)| (key.queue, row.due, key.event));
        for (key, row) in due {
            if claimed.deliveries.len() == claim.limit {
                break;
            }
            let taken = taken.entry(key.queue).or_default();
            if *taken == claim.room(key.queue) {
                continue;
            }
            *taken += 1;
            row.lease = Some(claim.lease);
            claimed.deliveries.push(ClaimedDelivery {
                key: *key,
                event_type: EventType::VoteCreated,
                data: "{}".to_owned(),
                url: key.queue.subscription.0.as_u128().to_string(),
                secret: secret_of(key.queue),
                previous_secret: None,
                occurred_at: *row.occurred_at.get_or_insert(claim.now),
                attempts: u32::try_from(row.attempts.len()).unwrap(),
                attempts_before_replay: 0,
            });
            if claimed.deliveries.len() == claim.limit {
                claimed.next_after = Some(key.queue);
            }
        }
        Ok(claimed)
    }

    async fn settle(
        &self,
        settled: Vec<SettledDelivery>,
    ) -> Result<Vec<(Queue, Deactivation)>, StoreError> {
        tokio::time::sleep(Duration::from_millis(2)).await;
        let mut rows = self.0.lock().unwrap();
        if rows.settlements_to_fail > 0 {
            rows.settlements_to_fail -= 1;
            return Err(StoreError::Busy);
        }
        let mut deactivated = Vec::new();
        for SettledDelivery { key, holder, attempt, outcome, ended_at } in settled {
            let row = rows.deliveries.get_mut(&key).unwrap();
            if row.lease.is_none_or(|lease| lease.holder != holder) {
                continue;
            }
            let response = attempt.response;
            row.lease = None;
            row.attempts.push(attempt);
            row.outcome = Some(outcome);
            row.due = if let DeliveryOutcome::Retry { at } = outcome { Some(at) } else { None };
            let health = rows.health.entry(key.queue).or_default();
            *health = if response.is_success() {
                health.after_success()
            } else {
                health.after_failure(key.event, ended_at)
            };
            let reason = match response.is_gone() {
                true => Some(Deactivation::Gone),
                false => health.is_hopeless(ended_at).then_some(Deactivation::Hopeless),
            };
            if let Some(reason) = reason.filter(|_| !rows.inactive.contains(&key.queue)) {
                rows.inactive.push(key.queue);
                deactivated.push((key.queue, reason));
            }
        }
        Ok(deactivated)
    }

    async fn release(&self, deliveries: Vec<(DeliveryKey, Uuid)>) -> Result<(), StoreError> {
        let mut rows = self.0.lock().unwrap();
        for (key, holder) in deliveries {
            let row = rows.deliveries.get_mut(&key).unwrap();
            row.lease = row.lease.filter(|lease| lease.holder != holder);
        }
        Ok(())
    }
}

/// The sealed secret of a subscription. Number 1300 has the secret of another one.
fn secret_of(queue: Queue) -> Sealed {
    let owner =
        if queue.subscription.0.as_u128() == 1300 { Uuid::nil() } else { queue.subscription.0 };
    vault().seal(ACME, owner, Purpose::SigningSecret, "whsec_").unwrap()
}

/// The behaviour of a receiver.
#[derive(Clone, Copy)]
enum Does {
    /// The receiver answers this status after a while.
    Answers(u16, Duration),
    /// The receiver asks for a retry in this number of seconds.
    PutsOff(u64),
    /// The sink panics.
    Panics,
}

const AT_ONCE: Duration = Duration::from_millis(10);

/// The number of the first subscription whose receiver's name hangs.
const NAMES_FOUND: u128 = 2_000;

/// Receivers, and the attempts that they saw.
struct Receivers {
    clock: Arc<VirtualClock>,
    does: Box<dyn Fn(&Dispatch) -> Does + Send + Sync>,
    seen: Mutex<Vec<(Duration, Dispatch)>>,
    in_flight: AtomicUsize,
    most_in_flight: AtomicUsize,
    most_of_one: AtomicUsize,
    of_each: Mutex<BTreeMap<SubscriptionId, usize>>,
    memory: Memory,
    /// The least of a lease, in milliseconds, that was left when an attempt began.
    shortest_lease: AtomicI64,
}

#[async_trait]
impl EventSink for Receivers {
    fn admits(&self, _: &str) -> bool {
        true
    }

    async fn look_up(&self, url: &str) -> Result<(), DeliveryFailure> {
        if url.parse::<u128>().unwrap() < NAMES_FOUND {
            return Ok(());
        }
        tokio::time::sleep(seconds(5)).await;
        Err(DeliveryFailure::Timeout)
    }

    async fn send(&self, dispatch: Dispatch) -> Reply {
        let does = (self.does)(&dispatch);
        let subscription = dispatch.subscription;
        if let Some(lease) = self.memory.lease(dispatch.delivery) {
            let left = lease.until.unix_millis() - self.clock.now().unix_millis();
            self.shortest_lease.fetch_min(left, Ordering::Relaxed);
        }
        self.seen.lock().unwrap().push((self.clock.elapsed(), dispatch));
        let in_flight = self.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
        self.most_in_flight.fetch_max(in_flight, Ordering::Relaxed);
        let of_one = {
            let mut of_each = self.of_each.lock().unwrap();
            let count = of_each.entry(subscription).or_default();
            *count += 1;
            *count
        };
        self.most_of_one.fetch_max(of_one, Ordering::Relaxed);
        let (code, retry_after) = match does {
            Does::Answers(code, takes) => {
                tokio::time::sleep(takes).await;
                (code, None)
            }
            Does::PutsOff(seconds) => (503, Some(RetryAfter::Seconds(seconds))),
            Does::Panics => panic!("as nothing that sends should"),
        };
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        *self.of_each.lock().unwrap().get_mut(&subscription).unwrap() -= 1;
        Reply {
            response: Response::Status { code, cut: None },
            retry_after,
            answer: b"thanks".to_vec(),
        }
    }
}

/// A queue, receivers, and a dispatcher between them.
struct World {
    clock: Arc<VirtualClock>,
    memory: Memory,
    receivers: Arc<Receivers>,
    alarm: Arc<Bell>,
    ids: Arc<Numbers>,
    notices: Mutex<Vec<Notice>>,
    attempted: Mutex<Vec<(DeliveryOutcome, Duration)>>,
}

impl World {
    fn new(does: impl Fn(&Dispatch) -> Does + Send + Sync + 'static) -> Self {
        let clock = Arc::new(VirtualClock(Instant::now()));
        let memory = Memory::default();
        let receivers = Receivers {
            clock: clock.clone(),
            does: Box::new(does),
            seen: Mutex::default(),
            in_flight: AtomicUsize::default(),
            most_in_flight: AtomicUsize::default(),
            most_of_one: AtomicUsize::default(),
            of_each: Mutex::default(),
            memory: memory.clone(),
            shortest_lease: AtomicI64::new(i64::MAX),
        };
        Self {
            clock,
            memory,
            receivers: Arc::new(receivers),
            alarm: Arc::default(),
            ids: Arc::default(),
            notices: Mutex::default(),
            attempted: Mutex::default(),
        }
    }

    fn dispatcher(&self) -> Dispatcher {
        let mut mocks = Mocks::default();
        mocks.webhook_subscriptions.expect_succeeded().returning(|_, _, _| Ok(()));
        let ports = Ports {
            alarm: self.alarm.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            delivery_queue: Arc::new(self.memory.clone()),
            ..mocks.ports()
        };
        Dispatcher::new(ports, vault(), self.receivers.clone(), RetrySchedule::default())
    }

    /// Adds deliveries to a subscription that are due now.
    fn add(&self, subscription: u128, events: std::ops::Range<u128>) {
        for event in events {
            self.memory.add(key(subscription, event), self.clock.now());
        }
    }

    /// Runs a dispatcher for this time, and stops it.
    async fn run(&self, duration: Duration) {
        let notice = |notice| match notice {
            Notice::Attempted { outcome, took } => {
                self.attempted.lock().unwrap().push((outcome, took))
            }
            other => self.notices.lock().unwrap().push(other),
        };
        self.dispatcher().run(self.clock.sleep(duration), notice).await;
    }

    fn rows(&self) -> std::sync::MutexGuard<'_, Rows> {
        self.memory.0.lock().unwrap()
    }

    /// Whether no delivery has a lease.
    fn is_free(&self) -> bool {
        self.rows().deliveries.values().all(|row| row.lease.is_none())
    }

    /// The number of attempts, and the beginning of the last one.
    fn began(&self) -> (usize, Duration) {
        let seen = self.receivers.seen.lock().unwrap();
        (seen.len(), seen.last().unwrap().0)
    }

    /// Adds a delivery each second, and rings the alarm.
    async fn add_each_second(&self, subscription: u128, events: std::ops::Range<u128>) {
        for event in events {
            self.add(subscription, event..event + 1);
            self.alarm.ring();
            self.clock.sleep(seconds(1)).await;
        }
    }

    /// Asserts that deliveries that fell due one second apart, from `start` on, began within 200
    /// milliseconds.
    fn assert_in_time(&self, subscription: u128, events: std::ops::Range<u128>, start: u64) {
        for (event, second) in events.zip(start..) {
            let times = self.times(key(subscription, event));
            let late = times[0] - seconds(second);
            assert!(
                times.len() == 1 && late <= Duration::from_millis(200),
                "{subscription}, {event}: {times:?}"
            );
        }
    }

    /// The beginnings of the attempts of a delivery.
    fn times(&self, key: DeliveryKey) -> Vec<Duration> {
        self.seen(key.id()).into_iter().map(|(at, _)| at).collect()
    }

    fn seen(&self, delivery: DeliveryId) -> Vec<(Duration, Dispatch)> {
        let seen = self.receivers.seen.lock().unwrap();
        seen.iter().filter(|(_, dispatch)| dispatch.delivery == delivery).cloned().collect()
    }

    fn deactivated(&self) -> Vec<(Queue, Deactivation)> {
        let notices = self.notices.lock().unwrap();
        let deactivated = notices.iter().filter_map(|notice| match notice {
            Notice::Deactivated(queue, reason) => Some((*queue, *reason)),
            Notice::Failed(_) | Notice::Unreadable(_) | Notice::Attempted { .. } => None,
        });
        deactivated.collect()
    }
}

fn all(code: u16) -> World {
    World::new(move |_| Does::Answers(code, AT_ONCE))
}

/// Receivers. The receivers up to this number hang.
fn hanging(last: u128) -> World {
    World::new(move |dispatch| {
        if dispatch.subscription.0.as_u128() <= last {
            Does::Answers(504, seconds(30))
        } else {
            Does::Answers(200, AT_ONCE)
        }
    })
}

/// A receiver that takes this number of events of subscription 1 quickly.
fn quick_at_first(count: u128, then: Does) -> World {
    World::new(move |dispatch| {
        let is_first = (0..count).any(|event| dispatch.delivery == key(1, event).id());
        if is_first { Does::Answers(200, AT_ONCE) } else { then }
    })
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[tokio::test(start_paused = true)]
async fn an_event_is_on_its_way_as_soon_as_the_alarm_rings() {
    let world = all(200);
    let recorded = async {
        // The first claim has ended, and the next one is some time off.
        world.clock.sleep(Duration::from_millis(2_500)).await;
        world.add(1, 0..1);
        world.alarm.ring();
        world.clock.sleep(seconds(1)).await;
    };
    world.dispatcher().run(recorded, |_| {}).await;
    let times = world.times(key(1, 0));
    assert!(times[0] <= Duration::from_millis(2_550), "{times:?}");
    assert_eq!((times.len(), world.memory.delivered()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn an_event_without_an_alarm_is_found_within_a_second() {
    let world = all(200);
    let recorded = async {
        world.clock.sleep(Duration::from_millis(10_100)).await;
        world.add(1, 0..1);
        world.clock.sleep(seconds(5)).await;
    };
    world.dispatcher().run(recorded, |_| {}).await;
    let times = world.times(key(1, 0));
    assert!(times[0] <= Duration::from_millis(11_110), "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn an_alarm_without_deliveries_costs_few_claims() {
    let world = all(200);
    let ringing = async {
        for _ in 0..1_000 {
            world.alarm.ring();
            world.clock.sleep(Duration::from_millis(1)).await;
        }
    };
    world.dispatcher().run(ringing, |_| {}).await;
    let claims = world.rows().claims;
    assert!((10..=60).contains(&claims), "{claims}");
}

#[tokio::test(start_paused = true)]
async fn a_delivery_that_fails_is_tried_on_schedule_to_the_second() {
    let world = all(500);
    world.add(1, 7..8);
    let fourth = async {
        while world.times(key(1, 7)).len() < 4 {
            world.clock.sleep(seconds(600)).await;
        }
    };
    world.dispatcher().run(fourth, |_| {}).await;
    on_schedule(&world, POLL);
}

#[tokio::test(start_paused = true)]
async fn a_delivery_that_fails_ten_times_is_given_up() {
    let world = all(500);
    let poll = seconds(10);
    let dispatcher = Dispatcher { poll, ..world.dispatcher() };
    world.add(1, 7..8);
    let given_up = async {
        while world.memory.row(key(1, 7)).outcome != Some(DeliveryOutcome::Failed) {
            world.clock.sleep(seconds(600)).await;
        }
    };
    dispatcher.run(given_up, |_| {}).await;
    assert_eq!(world.times(key(1, 7)).len(), 10);
    on_schedule(&world, poll);
    let row = world.memory.row(key(1, 7));
    assert_eq!(row.outcome, Some(DeliveryOutcome::Failed));
    assert_eq!(
        row.attempts.iter().map(|attempt| attempt.number).collect::<Vec<_>>(),
        (1..=10).collect::<Vec<_>>()
    );
}

/// Asserts that each further attempt came at its time, or when the next claim after it was due.
fn on_schedule(world: &World, poll: Duration) {
    let times = world.times(key(1, 7));
    let pauses =
        [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600];
    for ((pair, pause), number) in times.windows(2).zip(pauses).zip(1..) {
        // The attempt itself, the growth of the pause, and the time until a claim.
        let EndedAttempt { delivery, response, retry_after, .. } = failed_attempt(key(1, 7));
        let after = EndedAttempt { delivery, number, response, retry_after, ended_at: Time::MIN };
        let DeliveryOutcome::Retry { at } = RetrySchedule::default().after(after) else {
            panic!("{number}")
        };
        let planned = Duration::from_millis(
            u64::try_from(at.unix_millis() - Time::MIN.unix_millis()).unwrap(),
        );
        let waited = pair[1] - pair[0];
        assert!(planned >= seconds(pause) && planned <= seconds(pause) * 11 / 10);
        assert!(
            waited >= planned && waited <= planned + poll + Duration::from_millis(50),
            "{number}: {waited:?} for {planned:?}"
        );
    }
}

fn failed_attempt(key: DeliveryKey) -> EndedAttempt {
    let response = Response::Status { code: 500, cut: None };
    EndedAttempt { delivery: key.id(), number: 1, response, retry_after: None, ended_at: Time::MIN }
}

#[tokio::test(start_paused = true)]
async fn each_attempt_is_kept_and_all_say_the_same() {
    let world = World::new(|dispatch| {
        Does::Answers(if dispatch.attempt == 1 { 503 } else { 200 }, Duration::from_millis(250))
    });
    world.add(1, 7..8);
    world.run(seconds(60)).await;
    let row = world.memory.row(key(1, 7));
    let kept: Vec<_> = row
        .attempts
        .iter()
        .map(|attempt| (attempt.number, attempt.response, attempt.duration_ms))
        .collect();
    let status = |code| Response::Status { code, cut: None };
    assert_eq!(kept, [(1, status(503), 250), (2, status(200), 250)]);
    assert!(row.attempts.iter().all(|attempt| attempt.answer == b"thanks"));
    let seen = world.seen(key(1, 7).id());
    let (first, second) = (&seen[0].1, &seen[1].1);
    assert_eq!((first.attempt, second.attempt), (1, 2));
    assert_eq!(
        (first.occurred_at, &first.data, first.event),
        (second.occurred_at, &second.data, second.event)
    );
    assert!(second.at > first.at && first.at >= first.occurred_at);
    assert_eq!(row.outcome, Some(DeliveryOutcome::Delivered));
}

#[tokio::test(start_paused = true)]
async fn a_receiver_may_put_an_attempt_off() {
    let world = World::new(|dispatch| {
        if dispatch.attempt == 1 { Does::PutsOff(3600) } else { Does::Answers(200, AT_ONCE) }
    });
    world.add(1, 7..8);
    world.run(seconds(2 * 3600)).await;
    let times = world.times(key(1, 7));
    assert_eq!(times.len(), 2);
    assert!((seconds(3600)..=seconds(3602)).contains(&(times[1] - times[0])), "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_is_gone_gets_nothing_until_it_is_activated() {
    let world = World::new(|dispatch| {
        Does::Answers(if dispatch.attempt == 1 { 410 } else { 200 }, AT_ONCE)
    });
    world.add(1, 0..1);
    world.run(seconds(3600)).await;
    assert_eq!(world.deactivated(), [(queue(1), Deactivation::Gone)]);
    assert_eq!(world.times(key(1, 0)).len(), 1);
    world.rows().inactive.clear();
    world.run(seconds(60)).await;
    assert_eq!(world.memory.delivered(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_fails_for_120_hours_is_given_up_at_the_next_failure() {
    let world = all(500);
    let dispatcher = Dispatcher { poll: seconds(60), ..world.dispatcher() };
    world.add(1, 0..1);
    // An event now and then, so that attempts keep failing.
    let recorded = async {
        for event in 1..=122 {
            world.clock.sleep(seconds(3600)).await;
            world.add(1, event..event + 1);
        }
    };
    let when = Mutex::new(None);
    let notice = |notice| {
        if let Notice::Deactivated(queue, reason) = notice {
            *when.lock().unwrap() = Some((world.clock.elapsed(), queue, reason));
        }
    };
    dispatcher.run(recorded, notice).await;
    let (at, queue_, reason) = when.lock().unwrap().unwrap();
    assert_eq!((queue_, reason), (queue(1), Deactivation::Hopeless));
    // The first failure ended right after the start. At 120 hours an event is attempted, beside
    // retries.
    assert!((seconds(120 * 3600)..=seconds(121 * 3600)).contains(&at), "{at:?}");
    let seen = world.began().0;
    world.run(seconds(3 * 3600)).await;
    assert_eq!(world.began().0, seen);
}

#[tokio::test(start_paused = true)]
async fn a_hanging_receiver_with_ten_thousand_waiting_delays_no_other() {
    let world = hanging(1);
    world.add(1, 0..10_000);
    let recorded = async {
        for event in 0..60 {
            for subscription in 2..100 {
                world.add(subscription, event..event + 1);
            }
            world.alarm.ring();
            world.clock.sleep(seconds(1)).await;
        }
    };
    world.dispatcher().run(recorded, |_| {}).await;
    for subscription in 2..100 {
        world.assert_in_time(subscription, 0..60, 0);
    }
    assert_eq!(world.receivers.most_of_one.load(Ordering::Relaxed), 8);
}

#[tokio::test(start_paused = true)]
async fn many_hanging_receivers_leave_places_to_the_others() {
    let world = hanging(100);
    for subscription in 1..=100 {
        world.add(subscription, 0..100);
    }
    let recorded = async {
        // By then the dispatcher knows the receivers that hang.
        world.clock.sleep(seconds(130)).await;
        world.add_each_second(200, 0..100).await;
    };
    world.dispatcher().run(recorded, |_| {}).await;
    world.assert_in_time(200, 0..100, 130);
}

#[tokio::test(start_paused = true)]
async fn no_more_than_256_are_on_their_way_and_8_of_one_subscription_and_all_arrive_once() {
    let world = World::new(|_| Does::Answers(200, Duration::from_millis(40)));
    for subscription in 1..=60 {
        world.add(subscription, 0..100);
    }
    world.run(seconds(30)).await;
    let (seen, last) = world.began();
    assert_eq!((world.memory.delivered(), seen), (6_000, 6_000));
    assert_eq!(world.receivers.most_in_flight.load(Ordering::Relaxed), 256);
    assert_eq!(world.receivers.most_of_one.load(Ordering::Relaxed), 8);
    // 6,000 attempts of 40 milliseconds in 256 places take about a second.
    assert!(last <= seconds(2), "{last:?}");
}

#[tokio::test(start_paused = true)]
async fn one_quick_receiver_never_waits_for_the_store() {
    let world = World::new(|_| Does::Answers(200, Duration::from_millis(4)));
    world.add(1, 0..2_000);
    world.run(seconds(10)).await;
    let (_, last) = world.began();
    // 2,000 attempts of 4 milliseconds in 8 places take a second.
    assert!(world.memory.delivered() == 2_000 && last <= Duration::from_millis(1_500), "{last:?}");
}

#[tokio::test(start_paused = true)]
async fn a_delivery_of_a_dead_dispatcher_is_sent_again_after_its_lease() {
    let world = World::new(|_| Does::Answers(200, seconds(20)));
    world.add(1, 0..20);
    tokio::select! {
        () = world.run(seconds(600)) => panic!("it goes on"),
        () = world.clock.sleep(seconds(10)) => {}
    }
    assert_eq!(world.began().0, 1);
    world.run(seconds(300)).await;
    assert_eq!(world.memory.delivered(), 20);
    let seen = world.receivers.seen.lock().unwrap();
    let rows = world.rows();
    let repeated = rows.deliveries.keys().filter(|key| {
        let of_this: Vec<_> =
            seen.iter().filter(|(_, dispatch)| dispatch.delivery == key.id()).collect();
        assert!(
            of_this.iter().all(|(_, dispatch)| dispatch.occurred_at == of_this[0].1.occurred_at)
        );
        if let [(first, _), (second, _)] = of_this[..] {
            assert!(*second - *first > seconds(60));
        }
        of_this.len() == 2
    });
    assert_eq!(repeated.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_begins_with_enough_of_its_lease_left() {
    // The receiver is quick at first, so that deliveries wait on the desk, and then hangs.
    let world = quick_at_first(100, Does::Answers(504, seconds(30)));
    world.add(1, 0..200);
    world.run(seconds(240)).await;
    assert!(world.is_free());
    // More than eight were claimed at once, so that some waited on the desk.
    assert!(world.memory.delivered() == 100 && world.began().0 > 100);
    let shortest = world.receivers.shortest_lease.load(Ordering::Relaxed);
    assert!((35_000..60_000).contains(&shortest), "{shortest}");
}

#[tokio::test(start_paused = true)]
async fn a_dispatcher_that_stops_settles_its_attempts_and_gives_the_rest_back() {
    let world = World::new(|_| Does::Answers(200, seconds(3)));
    world.add(1, 0..20);
    world.run(seconds(1)).await;
    assert_eq!(world.clock.elapsed().as_secs(), 3);
    assert_eq!((world.began().0, world.memory.delivered()), (1, 1));
    assert!(world.is_free());
}

#[tokio::test(start_paused = true)]
async fn a_failed_request_to_the_store_is_retried() {
    let world = all(200);
    world.rows().claims_to_fail = 2;
    world.rows().settlements_to_fail = 3;
    world.add(1, 0..1);
    world.run(seconds(30)).await;
    assert_eq!((world.memory.delivered(), world.times(key(1, 0)).len()), (1, 1));
    let notices = world.notices.lock().unwrap();
    assert!(
        matches!(
            notices[..],
            [Notice::Failed(StepError::Store(StoreError::Busy)), Notice::Failed(_)]
        ),
        "{notices:?}"
    );
    assert!(world.times(key(1, 0))[0] >= seconds(2));
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_delivery_is_reported_once_and_the_rest_is_sent() {
    let world = all(200);
    let unreadable = Unreadable { key: key(1, 1), column: "event_type" };
    world.rows().unreadable = vec![unreadable.clone()];
    world.add(1, 0..1);
    world.run(seconds(30)).await;
    assert_eq!(world.memory.delivered(), 1);
    assert!(matches!(
        &world.notices.lock().unwrap()[..],
        [Notice::Unreadable(told)] if *told == unreadable
    ));
}

#[tokio::test(start_paused = true)]
async fn a_delivery_that_was_not_settled_is_sent_again() {
    let world = all(200);
    // Retries come at 0.1, 1.1 and 6.1 seconds, then every 5 seconds until the lease ends at 60.
    world.rows().settlements_to_fail = 15;
    world.add(1, 0..1);
    world.run(seconds(180)).await;
    assert_eq!((world.memory.delivered(), world.times(key(1, 0)).len()), (1, 2));
    assert!(world.times(key(1, 0))[1] >= seconds(60));
}

#[tokio::test(start_paused = true)]
async fn a_panic_and_a_secret_that_does_not_open_are_failed_attempts() {
    let world = World::new(|_| Does::Panics);
    world.add(1, 0..1);
    world.add(1300, 0..1);
    world.run(seconds(3)).await;
    let responses = |number| {
        let attempts = world.memory.row(key(number, 0)).attempts;
        attempts.into_iter().map(|attempt| attempt.response).collect::<Vec<_>>()
    };
    assert_eq!(responses(1), [Response::Nothing(DeliveryFailure::Internal)]);
    assert_eq!(responses(1300), [Response::Nothing(DeliveryFailure::Secret)]);
    assert!(world.seen(key(1300, 0).id()).is_empty());
    assert!(matches!(world.notices.lock().unwrap()[..], [Notice::Failed(StepError::Panicked(_))]));
}

#[tokio::test(start_paused = true)]
async fn a_rotation_mends_a_secret_that_does_not_open() {
    let world = all(200);
    let dispatched = |previous: Sealed| {
        let claimed = ClaimedDelivery {
            key: key(1, 0),
            event_type: EventType::VoteCreated,
            data: "{}".to_owned(),
            url: String::new(),
            secret: secret_of(queue(1)),
            previous_secret: Some(previous),
            occurred_at: Time::MIN,
            attempts: 0,
            attempts_before_replay: 0,
        };
        let lease = Lease { holder: Uuid::nil(), until: Time::MAX };
        world.dispatcher().dispatch(LeasedDelivery { claimed, lease }, Time::MIN).unwrap().secrets
    };
    let secret = |secret: SigningSecret| secret.reveal().to_owned();
    assert_eq!(dispatched(secret_of(queue(1))).previous.map(secret).as_deref(), Some("whsec_"));
    assert_eq!(dispatched(secret_of(queue(1300))).previous, None);
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_is_gone_gets_none_of_its_waiting_deliveries() {
    let world = quick_at_first(200, Does::Answers(410, AT_ONCE));
    world.add(1, 0..1_000);
    world.run(seconds(10)).await;
    let seen = world.began().0;
    assert!((201..=208).contains(&seen), "{seen}");
    assert!(world.is_free());
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_never_ends_is_not_waited_for() {
    let world = World::new(|_| Does::Answers(200, seconds(1_000_000)));
    world.add(1, 0..1);
    world.run(seconds(40)).await;
    let attempts = world.memory.row(key(1, 0)).attempts;
    assert_eq!(attempts[0].response, Response::Nothing(DeliveryFailure::Timeout));
    assert_eq!(attempts[0].duration_ms, 31_000);
}

#[tokio::test(start_paused = true)]
async fn receivers_that_hang_from_the_start_leave_places_to_others() {
    let world = hanging(100);
    for subscription in 1..=100 {
        world.add(subscription, 0..100);
    }
    world.add(200, 0..1);
    world.run(seconds(10)).await;
    assert!(world.times(key(200, 0))[0] <= Duration::from_millis(200));
}

#[tokio::test(start_paused = true)]
async fn names_that_hang_are_failed_attempts_and_delay_no_new_receiver() {
    let world = all(200);
    for subscription in NAMES_FOUND..NAMES_FOUND + 700 {
        world.add(subscription, 0..2);
    }
    world.add(1, 0..1);
    world.run(seconds(1)).await;
    assert!(world.times(key(1, 0))[0] <= Duration::from_millis(200));
    // The dispatcher ended after the look-ups under way, and returned all deliveries.
    assert_eq!((world.clock.elapsed().as_secs(), world.began().0), (5, 1));
    assert!(world.is_free());
    let attempts = world.memory.row(key(NAMES_FOUND, 0)).attempts;
    assert_eq!(attempts[0].response, Response::Nothing(DeliveryFailure::Timeout));
    assert_eq!((attempts.len(), attempts[0].number, attempts[0].duration_ms), (1, 1, 5_000));
    assert!(world.memory.row(key(NAMES_FOUND, 1)).attempts.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_quick_receiver_is_not_delayed_by_many_that_hang() {
    let world = hanging(600);
    world.add(1_000, 0..1);
    let recorded = async {
        world.clock.sleep(seconds(1)).await;
        for subscription in 1..=600 {
            world.add(subscription, 0..20);
        }
        world.add_each_second(1_000, 1..90).await;
    };
    world.dispatcher().run(recorded, |_| {}).await;
    world.assert_in_time(1_000, 1..90, 1);
}
