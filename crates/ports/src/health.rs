//! Whether the store can be reached, and how busy the ways to it are.

use crate::StoreError;
use async_trait::async_trait;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Answers the readiness probe, and tells operators how the store is reached.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Health: Send + Sync {
    /// `Ok` when the store answers a query now.
    async fn ping(&self) -> Result<(), StoreError>;

    /// The pools through which the store is reached, always the same ones in the same order. It is answered at once, from what
    /// this process knows.
    fn pools(&self) -> Vec<PoolUse>;

    /// Where lists came from, since the process began.
    fn replica_reads(&self) -> ReplicaReads;
}

/// What became of the reads that a replica may answer. Nothing is counted where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplicaReads {
    /// How many it answered.
    pub used: u64,
    /// How many it could not answer, so that the primary was asked.
    pub missed: u64,
}

/// Something that only so many can use at once, such as connections, and how it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolUse {
    /// What it is for: `writer`, `slow_reader`, and whatever else a store has.
    pub name: &'static str,
    /// How many can use it at once.
    pub size: usize,
    /// How many use it now.
    pub in_use: usize,
    /// How many wait for it now.
    pub waiting: usize,
    /// How often somebody got to use it, since the process began.
    pub uses: u64,
    /// How long all of those waited for it, taken together.
    pub waited: Duration,
    /// How often somebody gave up waiting ([`StoreError::Busy`]).
    pub timeouts: u64,
}

/// Keeps count of a pool, for adapters.
///
/// Whoever wants to use the pool calls [`PoolMeter::wait`], then [`PoolWait::over`] or [`PoolWait::timed_out`].
#[derive(Debug, Default)]
pub struct PoolMeter {
    in_use: AtomicUsize,
    waiting: AtomicUsize,
    uses: AtomicU64,
    waited_nanos: AtomicU64,
    timeouts: AtomicU64,
}

/// Somebody waits for a pool, until this is dropped.
#[derive(Debug)]
pub struct PoolWait {
    meter: Arc<PoolMeter>,
    since: Instant,
}

/// Somebody uses a pool, until this is dropped.
#[derive(Debug)]
pub struct InUse(Arc<PoolMeter>);

impl PoolMeter {
    /// Somebody waits from now on.
    pub fn wait(self: &Arc<Self>) -> PoolWait {
        self.waiting.fetch_add(1, Relaxed);
        PoolWait { meter: Arc::clone(self), since: Instant::now() }
    }

    /// What was counted of the pool of this name, which so many can use at once.
    pub fn read(&self, name: &'static str, size: usize) -> PoolUse {
        PoolUse {
            name,
            size,
            in_use: self.in_use.load(Relaxed),
            waiting: self.waiting.load(Relaxed),
            uses: self.uses.load(Relaxed),
            waited: Duration::from_nanos(self.waited_nanos.load(Relaxed)),
            timeouts: self.timeouts.load(Relaxed),
        }
    }
}

impl PoolWait {
    /// The pool is used from now on.
    pub fn over(self) -> InUse {
        let nanos = u64::try_from(self.since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.meter.waited_nanos.fetch_add(nanos, Relaxed);
        self.meter.uses.fetch_add(1, Relaxed);
        self.meter.in_use.fetch_add(1, Relaxed);
        InUse(Arc::clone(&self.meter))
    }

    /// Nobody waits any more, in vain.
    pub fn timed_out(self) {
        self.meter.timeouts.fetch_add(1, Relaxed);
    }
}

impl Drop for PoolWait {
    fn drop(&mut self) {
        self.meter.waiting.fetch_sub(1, Relaxed);
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.0.in_use.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_is_waited_for_then_used_or_given_up() {
        let meter = Arc::<PoolMeter>::default();
        let counted = || {
            let PoolUse { in_use, waiting, uses, timeouts, .. } = meter.read("test", 2);
            (in_use, waiting, uses, timeouts)
        };
        let (first, second, third) = (meter.wait(), meter.wait(), meter.wait());
        assert_eq!(counted(), (0, 3, 0, 0));
        assert_eq!(meter.read("test", 2).waited, Duration::ZERO);
        let in_use = first.over();
        assert_eq!(counted(), (1, 2, 1, 0));
        assert!(meter.read("test", 2).waited > Duration::ZERO);
        second.timed_out();
        assert_eq!(counted(), (1, 1, 1, 1));
        drop(third);
        drop(in_use);
        assert_eq!(counted(), (0, 0, 1, 1));
    }
}
