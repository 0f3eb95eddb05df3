//! The reachability of the store, and the use of its connections.

use crate::StoreError;
use async_trait::async_trait;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Answers the readiness probe, and reports the use of the store's pools.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait StoreHealth: Send + Sync {
    /// `Ok` if the store answers a query now.
    async fn ping(&self) -> Result<(), StoreError>;

    /// The pools of the store, always the same in the same order; at least one. Each write is a use
    /// of one of them. Returns at once, from the counters of this process.
    fn pools(&self) -> Vec<PoolUse>;

    /// The reads of a replica since the process began.
    fn replica_reads(&self) -> ReplicaReads;
}

/// The counts of the reads that a replica may answer. Both are 0 without a replica.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplicaReads {
    /// The number of reads that the replica answered.
    pub used: u64,
    /// The number of reads that went to the primary because the replica could not answer.
    pub missed: u64,
}

/// The use of a pool, such as one of connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolUse {
    /// The name of the pool: `writer`, `slow_reader`, or another of the store's.
    pub name: &'static str,
    /// The number of uses that the pool allows at once.
    pub size: usize,
    /// The number of uses now.
    pub in_use: usize,
    /// The number of waits for the pool now.
    pub waiting: usize,
    /// The number of uses since the process began.
    pub uses: u64,
    /// The sum of the waits that led to those uses.
    pub waited: Duration,
    /// The number of waits that ended without a use ([`StoreError::Busy`]).
    pub timeouts: u64,
}

/// Counts the uses of a pool, for adapters.
///
/// A user of the pool calls [`PoolMeter::wait`], then [`PoolWait::over`] or
/// [`PoolWait::timed_out`].
#[derive(Debug, Default)]
pub struct PoolMeter {
    in_use: AtomicUsize,
    waiting: AtomicUsize,
    uses: AtomicU64,
    waited_nanos: AtomicU64,
    timeouts: AtomicU64,
}

/// A wait for a pool. It ends when it is dropped.
#[derive(Debug)]
pub struct PoolWait {
    meter: Arc<PoolMeter>,
    since: Instant,
}

/// A use of a pool. It ends when it is dropped.
#[derive(Debug)]
pub struct InUse(Arc<PoolMeter>);

impl PoolMeter {
    /// Begins a wait.
    pub fn wait(self: &Arc<Self>) -> PoolWait {
        self.waiting.fetch_add(1, Relaxed);
        PoolWait { meter: Arc::clone(self), since: Instant::now() }
    }

    /// The counts so far, of the pool with this name and size.
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
    /// Ends the wait and begins a use.
    pub fn over(self) -> InUse {
        let nanos = u64::try_from(self.since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.meter.waited_nanos.fetch_add(nanos, Relaxed);
        self.meter.uses.fetch_add(1, Relaxed);
        self.meter.in_use.fetch_add(1, Relaxed);
        InUse(Arc::clone(&self.meter))
    }

    /// Ends the wait without a use.
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
    fn a_wait_for_a_pool_ends_in_a_use_or_a_timeout() {
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
