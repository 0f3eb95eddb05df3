//! What the dispatcher has on its desk: claimed deliveries that wait, and how many are on their
//! way.

use hearback_domain::{Time, Uuid};
use hearback_ports::Lease;
use hearback_ports::delivery_queue::{Claim, Claimed, ClaimedDelivery, DeliveryKey, Queue};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// The most deliveries on their way at once.
const MOST_IN_FLIGHT: usize = 256;
/// The most of one subscription.
const MOST_IN_FLIGHT_OF_ONE: usize = 8;
/// The most of one whose receiver is [`Manner::New`].
const FIRST_OF_ONE: usize = 1;
/// The most to all new receivers, and the most to all slow ones: the other places are left to those
/// that are quick, however many others hang.
const MOST_IN_FLIGHT_OF_NEW: usize = 160;
const MOST_IN_FLIGHT_OF_SLOW: usize = 64;

/// How long an attempt of a slow receiver takes.
const SLOW: Duration = Duration::from_secs(1);
/// Of so many receivers it is remembered how long their last attempt took.
const MOST_KNOWN: usize = 2048;

/// The most deliveries that wait on the desk, in all.
const MOST_WAITING: usize = 4096;
/// The most of one subscription that wait while as many are on their way as may be, so that its
/// receiver never waits for the store. No more than it takes within [`AHEAD_TIME`], as what waits
/// here has a lease that goes by.
const MOST_AHEAD: usize = 504;
const AHEAD_TIME: Duration = Duration::from_secs(1);
/// A claim costs the store much the same whether it is for one or for many.
const LEAST_CLAIM: usize = 64;
/// The most that is claimed of a subscription of which nothing is here: it may be one of many that
/// hang.
const FIRST_CLAIM_OF_ONE: usize = 2;

/// How much of a lease must be left when an attempt begins, in milliseconds: an attempt ends within
/// 30 seconds, and what became of it has to be kept.
const NEEDED: i64 = 35_000;

/// A claimed delivery with its lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LeasedDelivery {
    pub(super) claimed: ClaimedDelivery,
    pub(super) lease: Lease,
}

/// How a receiver takes what it is sent, as far as this process has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// It took less than [`SLOW`] at last.
    Quick,
    /// It has not ended an attempt yet: it may be one that hangs.
    New,
    /// It took its time at last.
    Slow,
}

impl Manner {
    /// All, those first whose deliveries are started first.
    const ALL: [Self; 3] = [Self::Quick, Self::New, Self::Slow];

    /// The most deliveries on their way to all such receivers.
    fn most_in_flight(self) -> usize {
        match self {
            Self::Quick => MOST_IN_FLIGHT,
            Self::New => MOST_IN_FLIGHT_OF_NEW,
            Self::Slow => MOST_IN_FLIGHT_OF_SLOW,
        }
    }

    /// The most to one of them.
    fn most_in_flight_of_one(self) -> usize {
        match self {
            Self::Quick | Self::Slow => MOST_IN_FLIGHT_OF_ONE,
            Self::New => FIRST_OF_ONE,
        }
    }
}

/// Claimed deliveries, by subscription.
#[derive(Default)]
pub(super) struct Desk {
    trays: HashMap<Queue, Tray>,
    /// How long the last attempt of a receiver took, whether anything is here for it or not.
    paces: HashMap<Queue, Duration>,
    /// The queues that may start a delivery, in turn, by the manner of their receivers. One counts
    /// where its tray says that it is.
    ready: [VecDeque<Queue>; 3],
    /// How many deliveries are on their way, by the manner of their receivers.
    in_flight: [usize; 3],
    waiting: usize,
    /// Deliveries that are to be given back.
    returned: Vec<(DeliveryKey, Uuid)>,
}

#[derive(Default)]
struct Tray {
    in_flight: usize,
    waiting: VecDeque<LeasedDelivery>,
    /// Whether the store has more that is due than was taken.
    has_more: bool,
    /// In which list of those that may start it is.
    listed: Option<Manner>,
}

impl Tray {
    fn held(&self) -> usize {
        self.in_flight + self.waiting.len()
    }
}

impl Desk {
    /// What is to be claimed.
    pub(super) fn claim(&self, lease: Lease, now: Time, after: Option<Queue>) -> Claim {
        let held = |queue: &Queue| self.trays.get(queue).map_or(0, Tray::held);
        // Those that are slow share their places. What finds none waits here for its turn.
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

    /// Whether it is worth claiming more.
    pub(super) fn has_room(&self) -> bool {
        self.room() >= LEAST_CLAIM
    }

    /// How many deliveries there is room for in all.
    fn room(&self) -> usize {
        (MOST_IN_FLIGHT + MOST_WAITING).saturating_sub(self.in_flight() + self.waiting)
    }

    fn in_flight(&self) -> usize {
        self.in_flight.iter().sum()
    }

    fn manner(&self, queue: &Queue) -> Manner {
        match self.paces.get(queue) {
            None => Manner::New,
            Some(pace) if *pace < SLOW => Manner::Quick,
            Some(_) => Manner::Slow,
        }
    }

    /// How many of a subscription may wait while others are on their way.
    fn ahead(&self, queue: &Queue) -> usize {
        let Some(pace) = self.paces.get(queue) else { return 0 };
        let rounds = AHEAD_TIME.as_micros() / pace.as_micros().max(1);
        usize::try_from(rounds)
            .unwrap_or(usize::MAX)
            .saturating_mul(MOST_IN_FLIGHT_OF_ONE)
            .min(MOST_AHEAD)
    }

    /// Puts what was claimed onto the desk.
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
            // Of a queue that had no room nobody has asked. One that the claim did not come to is
            // asked by the next, as claims go on until all have been.
            if claim.room(*queue) > 0 {
                tray.has_more = taken.get(queue).is_some_and(|taken| *taken >= claim.room(*queue));
            }
        }
        self.trays.retain(|_, tray| tray.held() > 0);
    }

    /// The next delivery that is to start, in fair turns. It counts as on its way from now on.
    pub(super) fn start(&mut self, now: Time) -> Option<LeasedDelivery> {
        while let Some(queue) = self.next() {
            let manner = self.manner(&queue);
            let Some(tray) = self.trays.get_mut(&queue) else { continue };
            let Some(held) = tray.waiting.pop_front() else { continue };
            self.waiting -= 1;
            let is_good = held.lease.until >= now.plus_millis(NEEDED);
            if is_good {
                tray.in_flight += 1;
                self.in_flight[manner as usize] += 1;
            }
            self.list(queue);
            if is_good {
                return Some(held);
            }
            self.returned.push((held.claimed.key, held.lease.holder));
        }
        None
    }

    /// Takes the queue whose turn it is from its list, if there is a place for a delivery of it.
    fn next(&mut self) -> Option<Queue> {
        if self.in_flight() >= MOST_IN_FLIGHT {
            return None;
        }
        for manner in Manner::ALL {
            if self.in_flight[manner as usize] >= manner.most_in_flight() {
                continue;
            }
            while let Some(queue) = self.ready[manner as usize].pop_front() {
                if let Some(tray) =
                    self.trays.get_mut(&queue).filter(|tray| tray.listed == Some(manner))
                {
                    tray.listed = None;
                    return Some(queue);
                }
            }
        }
        None
    }

    /// An attempt has ended. Answers whether the store has more for its queue and there is little
    /// left here.
    pub(super) fn end(&mut self, queue: Queue, took: Duration) -> bool {
        let before = self.manner(&queue);
        self.remember(queue, took);
        let after = self.manner(&queue);
        let ahead = self.ahead(&queue);
        let Some(tray) = self.trays.get_mut(&queue) else { return false };
        tray.in_flight -= 1;
        self.in_flight[before as usize] -= tray.in_flight + 1;
        self.in_flight[after as usize] += tray.in_flight;
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

    /// What is to be given back: what has lain here for too long, and what is not to be sent any
    /// more.
    pub(super) fn returned(&mut self) -> Vec<(DeliveryKey, Uuid)> {
        std::mem::take(&mut self.returned)
    }

    /// Gives back what waits for a subscription: nothing more is to be sent to it.
    pub(super) fn discard(&mut self, queue: Queue) {
        if let Some(tray) = self.trays.get_mut(&queue) {
            self.waiting -= tray.waiting.len();
            self.returned
                .extend(tray.waiting.drain(..).map(|held| (held.claimed.key, held.lease.holder)));
        }
    }

    /// Gives back everything that waits.
    pub(super) fn clear(&mut self) {
        for queue in self.trays.keys().copied().collect::<Vec<_>>() {
            self.discard(queue);
        }
    }

    /// Lists a queue among those that may start one, if it may.
    fn list(&mut self, queue: Queue) {
        let manner = self.manner(&queue);
        let Some(tray) = self.trays.get_mut(&queue) else { return };
        let may_start = !tray.waiting.is_empty() && tray.in_flight < manner.most_in_flight_of_one();
        // Where it is listed as another manner's that does not count any more.
        if may_start && tray.listed != Some(manner) {
            tray.listed = Some(manner);
            self.ready[manner as usize].push_back(queue);
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

    /// Fills a claim from queues that have so many due.
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

    /// Starts what may be, and tells of which queues.
    fn start(desk: &mut Desk) -> Vec<Queue> {
        std::iter::from_fn(|| desk.start(Time::MIN)).map(|held| held.claimed.key.queue).collect()
    }

    fn end(desk: &mut Desk, queues: Vec<Queue>, took: Duration) {
        for queue in queues {
            desk.end(queue, took);
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
            // There is more, and little of it is here.
            assert!(desk.end(queue(1), took));
            assert_eq!(claim(&mut desk, &mut due), more - 1);
            assert_eq!(start(&mut desk).len(), 8);
            assert!(!desk.end(queue(1), took), "{took:?}");
        }
    }

    #[test]
    fn queues_take_turns() {
        let mut desk = Desk::default();
        for number in 1..=3 {
            claim(&mut desk, &mut [(queue(number), 1)]);
            let started = start(&mut desk);
            end(&mut desk, started, QUICK);
        }
        claim(&mut desk, &mut [(queue(1), 2), (queue(2), 1), (queue(3), 2)]);
        assert_eq!(start(&mut desk), [1, 2, 3, 1, 3].map(queue));
    }

    #[test]
    fn slow_receivers_share_their_places_however_many_they_are() {
        let mut desk = Desk::default();
        let mut due: Vec<(Queue, usize)> = (0..400).map(|number| (queue(number), 100)).collect();
        for _ in 0..10 {
            claim(&mut desk, &mut due);
            let started = start(&mut desk);
            end(&mut desk, started, SLOW);
        }
        claim(&mut desk, &mut due);
        assert_eq!(start(&mut desk).len(), MOST_IN_FLIGHT_OF_SLOW);
        // Others find room and places at once.
        assert!(desk.has_room());
        assert_eq!(claim(&mut desk, &mut [(queue(1_000), 1)]), 1);
        assert_eq!(start(&mut desk), [queue(1_000)]);
    }

    #[test]
    fn new_receivers_share_their_places_however_many_they_are_and_stop_neither_quick_nor_slow_ones()
    {
        let mut desk = Desk::default();
        for (number, took) in [(1, QUICK), (2, SLOW)] {
            claim(&mut desk, &mut [(queue(number), 1)]);
            let started = start(&mut desk);
            end(&mut desk, started, took);
        }
        let mut due: Vec<(Queue, usize)> = (10..400).map(|number| (queue(number), 100)).collect();
        claim(&mut desk, &mut due);
        assert_eq!(start(&mut desk).len(), MOST_IN_FLIGHT_OF_NEW);
        claim(&mut desk, &mut [(queue(1), 2), (queue(2), 2)]);
        assert_eq!(start(&mut desk), [1, 1, 2, 2].map(queue));
        // One that answers makes place for another one, and goes on as one that is known.
        desk.end(queue(10), QUICK);
        claim(&mut desk, &mut [(queue(10), 3)]);
        assert_eq!(start(&mut desk).into_iter().filter(|started| *started == queue(10)).count(), 4);
    }

    #[test]
    fn what_is_known_of_receivers_takes_no_more_than_so_much_memory() {
        let mut desk = Desk::default();
        for number in 0..3 * MOST_KNOWN as u128 {
            claim(&mut desk, &mut [(queue(number), 1)]);
            let started = start(&mut desk);
            end(&mut desk, started, if number % 2 == 0 { QUICK } else { SLOW });
        }
        assert!(desk.paces.len() <= MOST_KNOWN);
    }

    #[test]
    fn a_few_slow_receivers_have_as_many_places_as_others() {
        let mut desk = Desk::default();
        let mut due = [(queue(1), 100)];
        claim(&mut desk, &mut due);
        let started = start(&mut desk);
        end(&mut desk, started, SLOW);
        claim(&mut desk, &mut due);
        assert_eq!(start(&mut desk).len(), MOST_IN_FLIGHT_OF_ONE);
    }

    #[test]
    fn who_answers_quickly_again_is_not_slow_any_more() {
        let mut desk = Desk::default();
        let mut due = [(queue(1), 100)];
        for took in [SLOW, QUICK] {
            claim(&mut desk, &mut due);
            let started = start(&mut desk);
            end(&mut desk, started, took);
        }
        assert_eq!(desk.in_flight, [0; 3]);
        assert_eq!(desk.manner(&queue(1)), Manner::Quick);
    }

    #[test]
    fn what_is_not_to_be_sent_any_more_is_given_back_and_the_rest_goes_on() {
        let mut desk = Desk::default();
        let mut due = [(queue(1), 100), (queue(2), 2)];
        claim(&mut desk, &mut due);
        let started = start(&mut desk);
        end(&mut desk, started, QUICK);
        due[1].1 = 3;
        claim(&mut desk, &mut due);
        desk.discard(queue(1));
        assert_eq!(desk.returned().len(), 99);
        assert_eq!(start(&mut desk), [queue(2); 4]);
        desk.clear();
        assert_eq!((desk.returned().len(), desk.waiting, desk.in_flight()), (0, 0, 4));
    }

    #[test]
    fn what_has_lain_too_long_is_given_back() {
        let mut desk = Desk::default();
        claim(&mut desk, &mut [(queue(1), 2)]);
        assert_eq!(desk.start(Time::MIN.plus_millis(25_001)), None);
        assert_eq!((desk.returned().len(), desk.waiting), (2, 0));
    }
}
