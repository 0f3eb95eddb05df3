//! The table of the clients and the part of the limit that each has used.

use governor::nanos::Nanos;
use governor::state::StateStore;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Mutex, PoisonError};

/// The time until which each client has used its limit up, in parts with a lock each.
///
/// A client takes a place of 25 bytes in a hash table that is between seven sixteenths and seven
/// eighths full: 29 to 58 bytes. At most 458,752 clients are kept, which take 13 MB for a limit.
pub(super) struct Table<K> {
    parts: [Mutex<Part<K>>; PARTS],
    hasher: RandomState,
    /// The time in which one request comes back.
    interval: Nanos,
}

const PARTS: usize = 64;

/// The most clients of a part: the capacity of a hash table of 8,192 places.
const MOST: usize = 7 * 1024;

/// A part with fewer clients is not swept.
const FEW: usize = 100;

impl<K> Table<K> {
    pub(super) fn new(interval: Nanos) -> Self {
        let parts =
            std::array::from_fn(|_| Mutex::new(Part { used_until: HashMap::new(), full_at: FEW }));
        Self { parts, hasher: RandomState::new(), interval }
    }
}

impl<K: Copy + Eq + Hash> StateStore for Table<K> {
    type Key = K;

    fn measure_and_replace<T, F, E>(&self, client: &K, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        // The remainder is below 64.
        let number = (self.hasher.hash_one(client) % PARTS as u64) as usize;
        // No panic can leave a part half changed.
        let mut part = self.parts[number].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(used_until) = part.used_until.get_mut(client) {
            let (outcome, next) = decide(Some(*used_until))?;
            *used_until = next;
            return Ok(outcome);
        }
        let (outcome, next) = decide(None)?;
        // An unknown client has used up one request from now.
        part.make_room(next.saturating_sub(self.interval));
        part.used_until.insert(*client, next);
        Ok(outcome)
    }
}

struct Part<K> {
    used_until: HashMap<K, Nanos>,
    /// The number of clients at which the part is swept.
    full_at: usize,
}

impl<K: Eq + Hash> Part<K> {
    /// Forgets the clients that have all of their limit again, if the part has twice as many
    /// clients as after the last sweep. A sweep takes some microseconds, once in many requests.
    ///
    /// A limit for each address does not stop a client with hundreds of thousands of addresses.
    /// Such a flood must not touch the requests of others or the memory of the process. So a part
    /// that is full of clients with used limits is emptied.
    fn make_room(&mut self, now: Nanos) {
        if self.used_until.len() < self.full_at {
            return;
        }
        self.used_until.retain(|_, until| *until > now);
        if self.used_until.len() >= MOST {
            self.used_until.clear();
        }
        self.full_at = (2 * self.used_until.len()).clamp(FEW, MOST);
        self.used_until.shrink_to(self.full_at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    fn kept<K: Copy + Eq + Hash>(table: &Table<K>) -> usize {
        table.parts.iter().map(|part| part.lock().unwrap().used_until.len()).sum()
    }

    /// Counts the first request of a client, at this time.
    fn count(table: &Table<u64>, client: u64, now: u64) {
        let next = Nanos::from(now + table.interval.as_u64());
        table.measure_and_replace(&client, |_| Ok::<_, ()>(((), next))).unwrap();
    }

    #[test]
    fn clients_that_have_all_of_their_limit_again_are_forgotten_when_others_come() {
        let table = Table::new(Nanos::from(1_000));
        for client in 0..100_000 {
            count(&table, client, 0);
        }
        assert_eq!(kept(&table), 100_000);
        for client in 100_000..400_000 {
            count(&table, client, 1_000);
        }
        assert_eq!(kept(&table), 300_000);
    }

    #[test]
    fn the_number_of_kept_clients_is_bounded() {
        let table = Table::new(Nanos::from(1_000));
        for client in 0..2_000_000 {
            count(&table, client, 0);
        }
        assert!(kept(&table) <= PARTS * MOST, "{}", kept(&table));
        let places =
            table.parts.iter().map(|part| part.lock().unwrap().used_until.capacity()).max();
        assert!(places <= Some(MOST), "{places:?}");
        assert_eq!(size_of::<(Source, Nanos)>(), 24);
    }
}
