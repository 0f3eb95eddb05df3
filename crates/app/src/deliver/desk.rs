//! What the dispatcher has on its desk: claimed deliveries that wait, and how many are on their way.

use hearback_domain::{Time, Uuid};
use hearback_ports::Lease;
use hearback_ports::delivery_queue::{Claim, Claimed, ClaimedDelivery, DeliveryKey, Queue};
use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

/// The most deliveries on their way at once.
const MOST_IN_FLIGHT: usize = 256;
/// The most of one subscription.
const MOST_IN_FLIGHT_OF_ONE: usize = 8;

/// The most of one whose receiver has not answered yet: it may be one that hangs.
const FIRST_OF_ONE: usize = 2;

/// How long an attempt of a slow receiver takes.
const SLOW: Duration = Duration::from_secs(5);
/// The most deliveries to slow receivers on their way at once: half of the places is kept for the others.
const MOST_IN_FLIGHT_OF_SLOW: usize = MOST_IN_FLIGHT / 2;
/// The most receivers that are known to be slow.
const MOST_SLOW: usize = 1024;

/// The most deliveries that wait on the desk, in all.
const MOST_WAITING: usize = 4096;
/// The most of one subscription that wait while as many are on their way as may be, so that its receiver never waits for the store.
/// No more than it takes within [`AHEAD_TIME`], as what waits here has a lease that goes by.
const MOST_AHEAD: usize = 504;
const AHEAD_TIME: Duration = Duration::from_secs(1);
/// A claim costs the store much the same whether it is for one or for many.
const LEAST_CLAIM: usize = 64;

/// How much of a lease must be left when an attempt begins, in milliseconds: an attempt ends within 30 seconds, and what became of
/// it has to be kept.
const NEEDED: i64 = 35_000;

/// A claimed delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) claimed: ClaimedDelivery,
    pub(super) lease: Lease,
}

/// Claimed deliveries, by subscription.
#[derive(Default)]
pub(super) struct Desk {
    trays: HashMap<Queue, Tray>,
    /// The queues that may start a delivery, each once, in turn.
    ready: VecDeque<Queue>,
    /// The same of those whose receivers are slow.
    slow_ready: VecDeque<Queue>,
    /// Whose receiver took its time at last, whether anything is here of it or not.
    slow: HashSet<Queue>,
    in_flight: usize,
    /// How many of them are to slow receivers.
    slow_in_flight: usize,
    waiting: usize,
    /// Deliveries that are to be given back.
    returned: Vec<(DeliveryKey, Uuid)>,
}

#[derive(Default)]
struct Tray {
    in_flight: usize,
    waiting: VecDeque<Held>,
    /// How long the receiver's last attempt took.
    pace: Option<Duration>,
    /// Whether the store has more that is due than was taken.
    has_more: bool,
    /// Whether it stands in a list of those that may start.
    is_listed: bool,
}

impl Tray {
    /// How many may wait while others are on their way.
    fn ahead(&self) -> usize {
        let Some(pace) = self.pace else { return 0 };
        let rounds = AHEAD_TIME.as_micros() / pace.as_micros().max(1);
        usize::try_from(rounds).unwrap_or(usize::MAX).saturating_mul(MOST_IN_FLIGHT_OF_ONE).min(MOST_AHEAD)
    }

    fn held(&self) -> usize {
        self.in_flight + self.waiting.len()
    }

    fn may_start(&self) -> bool {
        let most = if self.pace.is_some() { MOST_IN_FLIGHT_OF_ONE } else { FIRST_OF_ONE };
        !self.waiting.is_empty() && self.in_flight < most
    }
}

impl Desk {
    /// What is to be claimed.
    pub(super) fn claim(&self, lease: Lease, now: Time, after: Option<Queue>) -> Claim {
        let held = |queue: &Queue| self.trays.get(queue).map_or(0, Tray::held);
        // Those that are slow share their places. What finds none waits here for its turn.
        let of_slow = MOST_IN_FLIGHT_OF_SLOW / self.slow.len().max(1);
        let of_slow = of_slow.clamp(FIRST_OF_ONE, MOST_IN_FLIGHT_OF_ONE);
        let known = self.trays.iter().map(|(queue, tray)| {
            let most = MOST_IN_FLIGHT_OF_ONE + tray.ahead();
            (*queue, most.saturating_sub(tray.held()))
        });
        let slow = self.slow.iter().map(|queue| (*queue, of_slow.saturating_sub(held(queue))));
        let exceptions = known.chain(slow).collect();
        Claim { lease, now, after, limit: self.room(), per_queue: MOST_IN_FLIGHT_OF_ONE, exceptions }
    }

    /// Whether it is worth claiming more.
    pub(super) fn has_room(&self) -> bool {
        self.room() >= LEAST_CLAIM
    }

    /// How many deliveries there is room for in all.
    fn room(&self) -> usize {
        (MOST_IN_FLIGHT + MOST_WAITING).saturating_sub(self.in_flight + self.waiting)
    }

    /// Puts what was claimed onto the desk.
    pub(super) fn put(&mut self, claim: &Claim, claimed: Claimed) {
        let mut taken: HashMap<Queue, usize> = HashMap::new();
        for delivery in claimed.deliveries {
            let queue = delivery.key.queue;
            *taken.entry(queue).or_default() += 1;
            self.trays.entry(queue).or_default().waiting.push_back(Held { claimed: delivery, lease: claim.lease });
            self.waiting += 1;
            self.list(queue);
        }
        for (queue, tray) in &mut self.trays {
            // Of a queue that had no room nobody has asked. One that the claim did not come to is asked by the next, as claims go
            // on until all have been.
            if claim.room(*queue) > 0 {
                tray.has_more = taken.get(queue).is_some_and(|taken| *taken >= claim.room(*queue));
            }
        }
        // What was known of a receiver is kept while it has something to take.
        self.trays.retain(|_, tray| tray.held() > 0);
    }

    /// The next delivery that is to start, in fair turns. It counts as on its way from now on.
    pub(super) fn start(&mut self, now: Time) -> Option<Held> {
        while self.in_flight < MOST_IN_FLIGHT {
            let queue = match self.ready.pop_front() {
                Some(queue) => queue,
                None if self.slow_in_flight < MOST_IN_FLIGHT_OF_SLOW => self.slow_ready.pop_front()?,
                None => return None,
            };
            let Some(tray) = self.trays.get_mut(&queue) else { continue };
            tray.is_listed = false;
            let Some(held) = tray.waiting.pop_front() else { continue };
            self.waiting -= 1;
            let is_good = held.lease.until >= now.plus_millis(NEEDED);
            if is_good {
                tray.in_flight += 1;
                self.in_flight += 1;
                self.slow_in_flight += usize::from(self.slow.contains(&queue));
            }
            self.list(queue);
            if is_good {
                return Some(held);
            }
            self.returned.push((held.claimed.key, held.lease.holder));
        }
        None
    }

    /// An attempt has ended. Answers whether the store has more for its queue and there is little left here.
    pub(super) fn end(&mut self, queue: Queue, took: Duration) -> bool {
        let Some(tray) = self.trays.get_mut(&queue) else { return false };
        tray.in_flight -= 1;
        tray.pace = Some(took);
        self.in_flight -= 1;
        self.slow_in_flight -= usize::from(self.slow.contains(&queue));
        let runs_low = tray.has_more && tray.waiting.len() <= tray.ahead() / 2;
        let in_flight = tray.in_flight;
        if took < SLOW {
            self.slow_in_flight -= if self.slow.remove(&queue) { in_flight } else { 0 };
        } else if self.slow.len() < MOST_SLOW && self.slow.insert(queue) {
            self.slow_in_flight += in_flight;
        }
        self.list(queue);
        runs_low
    }

    /// What is to be given back: what has lain here for too long, and what is not to be sent any more.
    pub(super) fn returned(&mut self) -> Vec<(DeliveryKey, Uuid)> {
        std::mem::take(&mut self.returned)
    }

    /// Gives back what waits for a subscription: nothing more is to be sent to it.
    pub(super) fn discard(&mut self, queue: Queue) {
        if let Some(tray) = self.trays.get_mut(&queue) {
            self.waiting -= tray.waiting.len();
            self.returned.extend(tray.waiting.drain(..).map(|held| (held.claimed.key, held.lease.holder)));
        }
    }

    /// Gives back everything that waits.
    pub(super) fn clear(&mut self) {
        for queue in self.trays.keys().copied().collect::<Vec<_>>() {
            self.discard(queue);
        }
    }

    /// Lists a queue among those that may start one, if it may and is not.
    fn list(&mut self, queue: Queue) {
        let Some(tray) = self.trays.get_mut(&queue) else { return };
        if tray.may_start() && !tray.is_listed {
            tray.is_listed = true;
            let list = if self.slow.contains(&queue) { &mut self.slow_ready } else { &mut self.ready };
            list.push_back(queue);
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
                key: DeliveryKey { queue: *queue, event: Uuid::from_u128((*due + number) as u128).into() },
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
        desk.put(&claim, Claimed { deliveries, next_after: None });
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
    fn a_receiver_gets_two_until_it_answers_and_then_eight_and_as_many_ahead_as_it_takes_in_a_second() {
        for (took, more) in [(QUICK, 512), (Duration::from_millis(100), 88), (Duration::from_secs(1), 16)] {
            let mut desk = Desk::default();
            let mut due = [(queue(1), 5_000)];
            assert_eq!(claim(&mut desk, &mut due), 8);
            assert_eq!(start(&mut desk).len(), 2);
            // There is more, and six are little for a receiver that is quick.
            assert_eq!(desk.end(queue(1), took), took < Duration::from_secs(1));
            assert_eq!(claim(&mut desk, &mut due), more - 7);
            assert_eq!(start(&mut desk).len(), 7);
            assert!(!desk.end(queue(1), took), "{took:?}");
        }
    }

    #[test]
    fn queues_take_turns() {
        let mut desk = Desk::default();
        let mut due = [(queue(1), 2), (queue(2), 1), (queue(3), 2)];
        claim(&mut desk, &mut due);
        assert_eq!(start(&mut desk), [1, 2, 3, 1, 3].map(queue));
    }

    #[test]
    fn slow_receivers_have_half_of_the_places_however_many_they_are() {
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
        assert!(desk.slow.is_empty());
        assert_eq!((desk.in_flight, desk.slow_in_flight), (0, 0));
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
        assert_eq!(desk.returned().len(), 98);
        assert_eq!(start(&mut desk), [queue(2); 3]);
        desk.clear();
        assert_eq!((desk.returned().len(), desk.waiting, desk.in_flight), (0, 0, 3));
    }

    #[test]
    fn what_has_lain_too_long_is_given_back() {
        let mut desk = Desk::default();
        claim(&mut desk, &mut [(queue(1), 2)]);
        assert_eq!(desk.start(Time::MIN.plus_millis(25_001)), None);
        assert_eq!((desk.returned().len(), desk.waiting), (2, 0));
    }
}
