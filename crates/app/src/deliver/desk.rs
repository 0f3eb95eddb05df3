//! The desk of the dispatcher: claimed deliveries that wait, and the number of those in flight.
//!
//! The name of a receiver is looked up before a delivery gets a place for its attempt. So receivers
//! whose names hang hold no place that other receivers need.

use hearback_domain::{Time, Uuid};
use hearback_ports::Lease;
use hearback_ports::delivery_queue::{Claim, Claimed, ClaimedDelivery, DeliveryKey, Queue};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// The most deliveries in flight.
const MOST_IN_FLIGHT: usize = 256;
/// The most deliveries in flight to one subscription.
const MOST_IN_FLIGHT_OF_ONE: usize = 8;
/// The most deliveries in flight to a subscription whose receiver is [`Manner::New`].
const FIRST_OF_ONE: usize = 1;
/// The most deliveries in flight to all new receivers, and to all slow ones. The other places are
/// for quick receivers, even if many others hang.
const MOST_IN_FLIGHT_OF_NEW: usize = 160;
const MOST_IN_FLIGHT_OF_SLOW: usize = 64;
/// The number of places for look-ups by place for attempts. A look-up takes two sockets and a few
/// KiB of memory.
const LOOK_UPS: usize = 5;
/// How long a look-up is good for, in milliseconds. The sink uses it for a second.
const LOOK_UP_MILLIS: i64 = 900;

/// The duration of an attempt from which its receiver is slow.
const SLOW: Duration = Duration::from_secs(1);
/// The most receivers whose last duration is remembered.
const MOST_KNOWN: usize = 2048;

/// The most deliveries that wait on the desk.
const MOST_WAITING: usize = 4096;
/// The most deliveries of one subscription that wait while others are in flight, so that its
/// receiver never waits for the store. They are no more than it takes within [`AHEAD_TIME`], as the
/// lease of a waiting delivery runs.
const MOST_AHEAD: usize = 504;
const AHEAD_TIME: Duration = Duration::from_secs(1);
/// The fewest deliveries for which a claim is made: its cost hardly depends on their number.
const LEAST_CLAIM: usize = 64;
/// The most deliveries that are claimed for a subscription without any on the desk. It may be one
/// of many that hang.
const FIRST_CLAIM_OF_ONE: usize = 2;

/// The time that must be left of a lease when an attempt begins, in milliseconds: an attempt ends
/// within 30 seconds, and its outcome has to be stored.
const NEEDED: i64 = 35_000;

/// A claimed delivery with its lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LeasedDelivery {
    pub(super) claimed: ClaimedDelivery,
    pub(super) lease: Lease,
}

/// The speed of a receiver, as this process knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// Its last attempt took less than [`SLOW`].
    Quick,
    /// None of its attempts has ended yet. It may hang.
    New,
    /// Its last attempt took [`SLOW`] or longer.
    Slow,
}

impl Manner {
    /// All manners, in the order in which their deliveries are started.
    const ALL: [Self; 3] = [Self::Quick, Self::New, Self::Slow];

    /// The most deliveries at a stage to all such receivers.
    fn most(self, stage: Stage) -> usize {
        let in_flight = match self {
            Self::Quick => MOST_IN_FLIGHT,
            Self::New => MOST_IN_FLIGHT_OF_NEW,
            Self::Slow => MOST_IN_FLIGHT_OF_SLOW,
        };
        match stage {
            Stage::LookUp => in_flight * LOOK_UPS,
            Stage::Attempt => in_flight,
        }
    }

    /// The most deliveries at a stage to one such receiver.
    fn most_of_one(self, stage: Stage) -> usize {
        match (stage, self) {
            (Stage::LookUp, _) => 1,
            (Stage::Attempt, Self::New) => FIRST_OF_ONE,
            (Stage::Attempt, Self::Quick | Self::Slow) => MOST_IN_FLIGHT_OF_ONE,
        }
    }
}

/// A stage of a delivery after its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The receiver's name is looked up. The delivery then returns to the desk.
    LookUp,
    /// The delivery is attempted.
    Attempt,
}

impl Stage {
    /// All stages, in the order in which their deliveries are started.
    const ALL: [Self; 2] = [Self::Attempt, Self::LookUp];
}

/// Claimed deliveries, by subscription.
#[derive(Default)]
pub(super) struct Desk {
    trays: HashMap<Queue, Tray>,
    /// The duration of each receiver's last attempt, with or without deliveries on the desk.
    paces: HashMap<Queue, Duration>,
    /// The queues that may start a delivery, in turn, by the stage and the manner of their
    /// receivers. An entry is valid if the tray says so.
    ready: [[VecDeque<Queue>; 3]; 2],
    /// The number of deliveries in flight, by their stage and the manner of their receivers.
    in_flight: [[usize; 3]; 2],
    waiting: usize,
    /// Deliveries that are to be returned to the store.
    returned: Vec<(DeliveryKey, Uuid)>,
}

#[derive(Default)]
struct Tray {
    /// The number of deliveries in flight, by their stage.
    in_flight: [usize; 2],
    waiting: VecDeque<LeasedDelivery>,
    /// The end of the receiver's last look-up. `None` if another one has to come first.
    looked_up: Option<Time>,
    /// Whether the store has more due deliveries than were claimed.
    has_more: bool,
    /// The list of [`Desk::ready`] that the queue is in.
    listed: Option<(Stage, Manner)>,
}

impl Tray {
    fn held(&self) -> usize {
        self.in_flight.iter().sum::<usize>() + self.waiting.len()
    }
}

impl Desk {
    /// The next claim.
    pub(super) fn claim(&self, lease: Lease, now: Time, after: Option<Queue>) -> Claim {
        let held = |queue: &Queue| self.trays.get(queue).map_or(0, Tray::held);
        // Slow receivers share their places. Deliveries without a place wait for their turn.
        let slow: Vec<Queue> =
            self.paces.iter().filter(|(_, pace)| **pace >= SLOW).map(|(queue, _)| *queue).collect();
        let of_slow = MOST_IN_FLIGHT_OF_SLOW / slow.len().max(1);
        let of_slow = of_slow.clamp(FIRST_CLAIM_OF_ONE, MOST_IN_FLIGHT_OF_ONE);
        let known = self.trays.iter().map(|(queue, tray)| {
            let most = match self.manner(queue) {
                Manner::New => FIRST_CLAIM_OF_ONE,
                Manner::Quick | Manner::Slow => MOST_IN_FLIGHT_OF_ONE + self.ahead(queue),
            };
            (*queue, most.saturating_sub(tray.held()))
        });
        let slow = slow.into_iter().map(|queue| (queue, of_slow.saturating_sub(held(&queue))));
        let exceptions = known.chain(slow).collect();
        Claim { lease, now, after, limit: self.room(), per_queue: FIRST_CLAIM_OF_ONE, exceptions }
    }

    /// Whether there is room for a claim.
    pub(super) fn has_room(&self) -> bool {
        self.room() >= LEAST_CLAIM
    }

    /// The number of deliveries that there is room for.
    fn room(&self) -> usize {
        let in_flight: usize = Stage::ALL.map(|stage| self.in_flight(stage)).iter().sum();
        (MOST_IN_FLIGHT + MOST_WAITING).saturating_sub(in_flight + self.waiting)
    }

    fn in_flight(&self, stage: Stage) -> usize {
        self.in_flight[stage as usize].iter().sum()
    }

    fn manner(&self, queue: &Queue) -> Manner {
        match self.paces.get(queue) {
            None => Manner::New,
            Some(pace) if *pace < SLOW => Manner::Quick,
            Some(_) => Manner::Slow,
        }
    }

    /// The number of deliveries of a subscription that may wait while others are in flight.
    fn ahead(&self, queue: &Queue) -> usize {
        let Some(pace) = self.paces.get(queue) else { return 0 };
        let rounds = AHEAD_TIME.as_micros() / pace.as_micros().max(1);
        usize::try_from(rounds)
            .unwrap_or(usize::MAX)
            .saturating_mul(MOST_IN_FLIGHT_OF_ONE)
            .min(MOST_AHEAD)
    }

    /// Puts claimed deliveries on the desk.
    pub(super) fn put(&mut self, claim: &Claim, claimed: Claimed) {
        let mut taken: HashMap<Queue, usize> = HashMap::new();
        for delivery in claimed.deliveries {
            let queue = delivery.key.queue;
            *taken.entry(queue).or_default() += 1;
            self.trays
                .entry(queue)
                .or_default()
                .waiting
                .push_back(LeasedDelivery { claimed: delivery, lease: claim.lease });
            self.waiting += 1;
            self.list(queue);
        }
        for (queue, tray) in &mut self.trays {
            // A claim skips a queue without room. A queue that this claim did not reach is in the
            // next one, as claims continue until all queues were looked at.
            if claim.room(*queue) > 0 {
                tray.has_more = taken.get(queue).is_some_and(|taken| *taken >= claim.room(*queue));
            }
        }
        self.trays.retain(|_, tray| tray.held() > 0);
    }

    /// The next delivery to start, in fair turns, with its stage. It counts as in flight.
    pub(super) fn start(&mut self, now: Time) -> Option<(Stage, LeasedDelivery)> {
        while let Some((stage, queue)) = self.next() {
            let manner = self.manner(&queue);
            let Some(tray) = self.trays.get_mut(&queue) else { continue };
            let Some(held) = tray.waiting.pop_front() else { continue };
            self.waiting -= 1;
            let is_good = held.lease.until >= now.plus_millis(NEEDED);
            if is_good {
                tray.in_flight[stage as usize] += 1;
                self.in_flight[stage as usize][manner as usize] += 1;
            }
            tray.looked_up = tray.looked_up.filter(|at| now < at.plus_millis(LOOK_UP_MILLIS));
            self.list(queue);
            if is_good {
                return Some((stage, held));
            }
            self.returned.push((held.claimed.key, held.lease.holder));
        }
        None
    }

    /// Takes the queue whose turn it is from its list, if there is a place for its delivery.
    fn next(&mut self) -> Option<(Stage, Queue)> {
        for stage in Stage::ALL {
            if self.in_flight(stage) >= Manner::Quick.most(stage) {
                continue;
            }
            for manner in Manner::ALL {
                if self.in_flight[stage as usize][manner as usize] >= manner.most(stage) {
                    continue;
                }
                while let Some(queue) = self.ready[stage as usize][manner as usize].pop_front() {
                    let tray = self.trays.get_mut(&queue);
                    if let Some(tray) = tray.filter(|tray| tray.listed == Some((stage, manner))) {
                        tray.listed = None;
                        return Some((stage, queue));
                    }
                }
            }
        }
        None
    }

    /// Returns a delivery whose receiver's name was found.
    pub(super) fn found(&mut self, held: LeasedDelivery, now: Time) {
        let queue = held.claimed.key.queue;
        let manner = self.manner(&queue);
        let Some(tray) = self.trays.get_mut(&queue) else { return };
        tray.in_flight[Stage::LookUp as usize] -= 1;
        self.in_flight[Stage::LookUp as usize][manner as usize] -= 1;
        tray.looked_up = Some(now);
        tray.waiting.push_front(held);
        self.waiting += 1;
        self.list(queue);
    }

    /// Ends an attempt at a stage. Returns whether the store has more deliveries for the queue and
    /// few are left here.
    pub(super) fn end(&mut self, queue: Queue, stage: Stage, took: Duration) -> bool {
        let before = self.manner(&queue);
        self.remember(queue, took);
        let after = self.manner(&queue);
        let ahead = self.ahead(&queue);
        let Some(tray) = self.trays.get_mut(&queue) else { return false };
        self.in_flight[stage as usize][before as usize] -= 1;
        tray.in_flight[stage as usize] -= 1;
        for (all, of_one) in self.in_flight.iter_mut().zip(tray.in_flight) {
            all[before as usize] -= of_one;
            all[after as usize] += of_one;
        }
        let runs_low = tray.has_more && tray.waiting.len() <= ahead / 2;
        self.list(queue);
        runs_low
    }

    fn remember(&mut self, queue: Queue, took: Duration) {
        if self.paces.len() >= MOST_KNOWN && !self.paces.contains_key(&queue) {
            self.paces.retain(|queue, _| self.trays.contains_key(queue));
        }
        self.paces.insert(queue, took);
    }

    /// Takes the deliveries that are to be returned to the store: their leases are too old, or
    /// their subscription was deactivated.
    pub(super) fn returned(&mut self) -> Vec<(DeliveryKey, Uuid)> {
        std::mem::take(&mut self.returned)
    }

    /// Returns the waiting deliveries of a subscription that receives nothing more.
    pub(super) fn discard(&mut self, queue: Queue) {
        if let Some(tray) = self.trays.get_mut(&queue) {
            self.waiting -= tray.waiting.len();
            self.returned
                .extend(tray.waiting.drain(..).map(|held| (held.claimed.key, held.lease.holder)));
        }
    }

    /// Returns all waiting deliveries.
    pub(super) fn clear(&mut self) {
        for queue in self.trays.keys().copied().collect::<Vec<_>>() {
            self.discard(queue);
        }
    }

    /// Lists a queue in [`Desk::ready`] if it may start a delivery.
    fn list(&mut self, queue: Queue) {
        let manner = self.manner(&queue);
        let Some(tray) = self.trays.get_mut(&queue) else { return };
        let stage = if tray.looked_up.is_some() { Stage::Attempt } else { Stage::LookUp };
        let may_start =
            !tray.waiting.is_empty() && tray.in_flight[stage as usize] < manner.most_of_one(stage);
        // An entry in another list is no longer valid.
        if may_start && tray.listed != Some((stage, manner)) {
            tray.listed = Some((stage, manner));
            self.ready[stage as usize][manner as usize].push_back(queue);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::api_key::Sealed;
    use hearback_domain::event::EventType;

    fn queue(number: u128) -> Queue {
        Queue { organization: Uuid::nil().into(), subscription: Uuid::from_u128(number).into() }
    }

    fn lease() -> Lease {
        Lease { holder: Uuid::nil(), until: Time::MIN.plus_millis(60_000) }
    }

    /// Fills a claim from queues with these numbers of due deliveries.
    fn claim(desk: &mut Desk, due: &mut [(Queue, usize)]) -> usize {
        let claim = desk.claim(lease(), Time::MIN, None);
        let mut deliveries = Vec::new();
        for (queue, due) in due {
            let some = claim.room(*queue).min(*due).min(claim.limit - deliveries.len());
            *due -= some;
            deliveries.extend((0..some).map(|number| ClaimedDelivery {
                key: DeliveryKey {
                    queue: *queue,
                    event: Uuid::from_u128((*due + number) as u128).into(),
                },
                event_type: EventType::VoteCreated,
                data: String::new(),
                url: String::new(),
                secret: Sealed(vec![]),
                previous_secret: None,
                occurred_at: Time::MIN,
                attempts: 0,
                attempts_before_replay: 0,
            }));
        }
        let count = deliveries.len();
        desk.put(&claim, Claimed { deliveries, ..Claimed::default() });
        count
    }

    /// Starts all deliveries that may start. Every name is found at once. Returns the queues of
    /// the attempts.
    fn start(desk: &mut Desk) -> Vec<Queue> {
        let mut attempts = Vec::new();
        loop {
            let started: Vec<_> = std::iter::from_fn(|| desk.start(Time::MIN)).collect();
            if started.is_empty() {
                return attempts;
            }
            for (stage, held) in started {
                match stage {
                    Stage::LookUp => desk.found(held, Time::MIN),
                    Stage::Attempt => attempts.push(held.claimed.key.queue),
                }
            }
        }
    }

    /// Claims deliveries, starts those that may start, and ends them.
    fn round(desk: &mut Desk, due: &mut [(Queue, usize)], took: Duration) {
        claim(desk, due);
        for queue in start(desk) {
            desk.end(queue, Stage::Attempt, took);
        }
    }

    const QUICK: Duration = Duration::from_millis(1);

    #[test]
    fn a_receiver_gets_one_until_it_answers_and_then_eight_and_as_many_ahead_as_it_takes_in_a_second()
     {
        for (took, more) in
            [(QUICK, 512), (Duration::from_millis(100), 88), (Duration::from_millis(900), 16)]
        {
            let mut desk = Desk::default();
            let mut due = [(queue(1), 5_000)];
            assert_eq!(claim(&mut desk, &mut due), 2);
            assert_eq!(start(&mut desk).len(), 1);
            assert_eq!(claim(&mut desk, &mut due), 0);
            // The store has more, and few are left here.
            assert!(desk.end(queue(1), Stage::Attempt, took));
            assert_eq!(claim(&mut desk, &mut due), more - 1);
            assert_eq!(start(&mut desk).len(), 8);
            assert!(!desk.end(queue(1), Stage::Attempt, took), "{took:?}");
        }
    }

    #[test]
    fn queues_take_turns() {
        let mut desk = Desk::default();
        for number in 1..=3 {
            round(&mut desk, &mut [(queue(number), 1)], QUICK);
        }
        // The desk forgets empty trays, and with them the look-up of the last one.
        claim(&mut desk, &mut []);
        claim(&mut desk, &mut [(queue(1), 2), (queue(2), 1), (queue(3), 2)]);
        assert_eq!(start(&mut desk), [1, 2, 3, 1, 3].map(queue));
    }

    #[test]
    fn any_number_of_slow_receivers_share_their_places() {
        let mut desk = Desk::default();
        let mut due: Vec<(Queue, usize)> = (0..400).map(|number| (queue(number), 100)).collect();
        for _ in 0..10 {
            round(&mut desk, &mut due, SLOW);
        }
        claim(&mut desk, &mut due);
        assert_eq!(start(&mut desk).len(), MOST_IN_FLIGHT_OF_SLOW);
        // Other receivers find room and places at once.
        assert!(desk.has_room());
        assert_eq!(claim(&mut desk, &mut [(queue(1_000), 1)]), 1);
        assert_eq!(start(&mut desk), [queue(1_000)]);
    }

    #[test]
    fn any_number_of_new_receivers_share_their_places_and_stop_no_other_receivers() {
        let mut desk = Desk::default();
        for (number, took) in [(1, QUICK), (2, SLOW)] {
            round(&mut desk, &mut [(queue(number), 1)], took);
        }
        let mut due: Vec<(Queue, usize)> = (10..400).map(|number| (queue(number), 100)).collect();
        claim(&mut desk, &mut due);
        assert_eq!(start(&mut desk).len(), MOST_IN_FLIGHT_OF_NEW);
        claim(&mut desk, &mut [(queue(1), 2), (queue(2), 2)]);
        assert_eq!(start(&mut desk), [1, 1, 2, 2].map(queue));
        // A receiver that answers frees a place for another new one, and goes on as a known one.
        desk.end(queue(10), Stage::Attempt, QUICK);
        claim(&mut desk, &mut [(queue(10), 3)]);
        assert_eq!(start(&mut desk).into_iter().filter(|started| *started == queue(10)).count(), 4);
    }

    #[test]
    fn names_that_hang_hold_no_place_of_an_attempt() {
        let mut desk = Desk::default();
        claim(&mut desk, &mut [(queue(1), 2), (queue(2), 1)]);
        let hanging = std::iter::from_fn(|| desk.start(Time::MIN)).collect::<Vec<_>>();
        assert_eq!(hanging.len(), 2);
        assert!(hanging.iter().all(|(stage, _)| *stage == Stage::LookUp));
        assert_eq!((desk.in_flight(Stage::LookUp), desk.in_flight(Stage::Attempt)), (2, 0));
        // The name of one is found. The other one's look-up fails, and its receiver is slow.
        desk.found(hanging[1].1.clone(), Time::MIN);
        desk.end(queue(1), Stage::LookUp, SLOW);
        assert_eq!(start(&mut desk), [2, 1].map(queue));
        assert_eq!(desk.in_flight, [[0; 3], [0, 1, 1]]);
    }

    #[test]
    fn a_look_up_is_good_for_less_than_a_second() {
        let mut desk = Desk::default();
        round(&mut desk, &mut [(queue(1), 1)], QUICK);
        claim(&mut desk, &mut [(queue(1), 4)]);
        let mut stage = |millis| desk.start(Time::MIN.plus_millis(millis)).map(|(stage, _)| stage);
        // The first one after the time is attempted, and the next one waits for a look-up.
        for (millis, expected) in
            [(899, Stage::Attempt), (900, Stage::Attempt), (900, Stage::LookUp)]
        {
            assert_eq!(stage(millis), Some(expected));
        }
        assert_eq!(stage(900), None);
    }

    #[test]
    fn the_memory_for_known_receivers_is_bounded() {
        let mut desk = Desk::default();
        for number in 0..3 * MOST_KNOWN as u128 {
            round(&mut desk, &mut [(queue(number), 1)], if number % 2 == 0 { QUICK } else { SLOW });
        }
        assert!(desk.paces.len() <= MOST_KNOWN);
    }

    #[test]
    fn a_few_slow_receivers_have_as_many_places_as_others() {
        let mut desk = Desk::default();
        let mut due = [(queue(1), 100)];
        round(&mut desk, &mut due, SLOW);
        claim(&mut desk, &mut due);
        assert_eq!(start(&mut desk).len(), MOST_IN_FLIGHT_OF_ONE);
    }

    #[test]
    fn a_slow_receiver_that_answers_quickly_is_quick_again() {
        let mut desk = Desk::default();
        let mut due = [(queue(1), 100)];
        for took in [SLOW, QUICK] {
            round(&mut desk, &mut due, took);
        }
        assert_eq!(desk.in_flight, [[0; 3]; 2]);
        assert_eq!(desk.manner(&queue(1)), Manner::Quick);
    }

    #[test]
    fn discarded_deliveries_are_given_back_and_the_rest_goes_on() {
        let mut desk = Desk::default();
        let mut due = [(queue(1), 100), (queue(2), 2)];
        round(&mut desk, &mut due, QUICK);
        due[1].1 = 3;
        claim(&mut desk, &mut due);
        desk.discard(queue(1));
        assert_eq!(desk.returned().len(), 99);
        assert_eq!(start(&mut desk), [queue(2); 4]);
        desk.clear();
        assert_eq!(
            (desk.returned().len(), desk.waiting, desk.in_flight(Stage::Attempt)),
            (0, 0, 4)
        );
    }

    #[test]
    fn a_delivery_that_waits_too_long_is_given_back() {
        let mut desk = Desk::default();
        claim(&mut desk, &mut [(queue(1), 2)]);
        assert_eq!(desk.start(Time::MIN.plus_millis(25_001)), None);
        assert_eq!((desk.returned().len(), desk.waiting), (2, 0));
    }
}
