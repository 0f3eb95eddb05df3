//! A limit for each of many clients.

use super::parse::Rate;
use super::status::RateLimitStatus;
use super::table::Table;
use governor::middleware::StateInformationMiddleware;
use governor::{Quota, RateLimiter};
use hearback_ports::Clock;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

/// A limit for each of many clients.
pub(super) struct Limiter<K: Copy + Eq + Hash> {
    limiter: RateLimiter<K, Table<K>, Elapsed, StateInformationMiddleware>,
    quota: Quota,
    clock: Arc<dyn Clock>,
}

impl<K: Copy + Eq + Hash> Limiter<K> {
    pub(super) fn new(rate: Rate, clock: Arc<dyn Clock>) -> Self {
        let quota = rate.quota();
        let table = Table::new(quota.replenish_interval().into());
        Self { limiter: RateLimiter::new(quota, table, Elapsed(Arc::clone(&clock))), quota, clock }
    }

    /// Counts a request.
    pub(super) fn count(&self, client: &K) -> RateLimitStatus {
        let limit = self.quota.burst_size().get();
        let interval = self.quota.replenish_interval();
        match self.limiter.check_key(client) {
            Ok(allowed) => {
                let remaining = allowed.remaining_burst_capacity();
                RateLimitStatus {
                    limit,
                    remaining,
                    reset: seconds(interval * (limit - remaining)),
                    retry_after: None,
                }
            }
            Err(refused) => {
                let wait = refused.wait_time_from(self.clock.elapsed());
                let reset = seconds(wait + interval * (limit - 1));
                RateLimitStatus {
                    limit,
                    remaining: 0,
                    reset,
                    retry_after: Some(seconds(wait).max(1)),
                }
            }
        }
    }
}

/// Whole seconds, rounded up.
fn seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

/// The port's clock, for governor.
struct Elapsed(Arc<dyn Clock>);

impl governor::clock::Clock for Elapsed {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_ports::clock::MockClock;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A time in milliseconds that tests move.
    #[derive(Clone, Default)]
    struct Moved(Arc<AtomicU64>);

    impl Moved {
        fn by_millis(&self, millis: u64) {
            self.0.fetch_add(millis, Ordering::Relaxed);
        }

        fn clock(&self) -> MockClock {
            let (time, mut clock) = (self.clone(), MockClock::new());
            clock
                .expect_elapsed()
                .returning(move || Duration::from_millis(time.0.load(Ordering::Relaxed)));
            clock
        }
    }

    fn limiter<K: Copy + Eq + Hash>(text: &str) -> (Limiter<K>, Moved) {
        let time = Moved::default();
        (Limiter::new(Rate::parse(text).unwrap(), Arc::new(time.clock())), time)
    }

    fn allowed(limit: u32, remaining: u32, reset: u64) -> RateLimitStatus {
        RateLimitStatus { limit, remaining, reset, retry_after: None }
    }

    fn refused(limit: u32, reset: u64, retry_after: u64) -> RateLimitStatus {
        RateLimitStatus { limit, remaining: 0, reset, retry_after: Some(retry_after) }
    }

    #[test]
    fn a_client_may_use_its_limit_at_once_and_then_evenly() {
        let (limiter, time) = limiter("4/m");
        for (remaining, reset) in [(3, 15), (2, 30), (1, 45), (0, 60)] {
            assert_eq!(limiter.count(&1), allowed(4, remaining, reset));
        }
        assert_eq!(limiter.count(&1), refused(4, 60, 15));
        time.by_millis(14_001);
        assert_eq!(limiter.count(&1), refused(4, 46, 1));
        time.by_millis(999);
        assert_eq!(limiter.count(&1), allowed(4, 0, 60), "what was refused was not counted");
        time.by_millis(60_000);
        assert_eq!(limiter.count(&1), allowed(4, 3, 15));
    }

    #[test]
    fn each_client_has_the_limit_for_itself() {
        let (limiter, _) = limiter("1/s");
        for client in 0..1000 {
            assert_eq!(limiter.count(&client), allowed(1, 0, 1));
        }
        assert_eq!(limiter.count(&0), refused(1, 1, 1));
    }

    #[test]
    fn a_wait_of_less_than_a_second_is_rounded_up_to_one() {
        let (limiter, _) = limiter("1000/s");
        let last = (0..=1000).map(|_| limiter.count(&())).last();
        assert_eq!(last, Some(refused(1000, 1, 1)));
    }

    #[test]
    fn no_client_is_forgotten_before_it_has_all_of_its_limit_again() {
        let (limiter, time) = limiter("2/s");
        limiter.count(&0);
        limiter.count(&0);
        time.by_millis(499);
        for client in 1..100_000 {
            limiter.count(&client);
        }
        assert_eq!(limiter.count(&0), refused(2, 1, 1));
    }
}
