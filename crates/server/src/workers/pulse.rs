//! Whether a worker is alive.

use async_trait::async_trait;
use hearback_domain::Time;
use hearback_ports::Clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The pulse of a worker, which is the clock that its step works by.
///
/// A step asks for the time before each of its batches, and that is a beat: a round with much to do
/// may take long, and only a worker that is stuck falls silent.
pub(super) struct Pulse {
    clock: Arc<dyn Clock>,
    longest: Duration,
    /// When it last beat, in milliseconds of the clock's elapsed time.
    last: AtomicU64,
}

impl Pulse {
    /// That of a worker which is given up when nothing is heard of it for longer than `longest`,
    /// counted from now.
    pub(super) fn new(clock: Arc<dyn Clock>, longest: Duration) -> Self {
        let pulse = Self { clock, longest, last: AtomicU64::new(0) };
        pulse.beat();
        pulse
    }

    pub(super) fn is_alive(&self) -> bool {
        self.clock.elapsed().saturating_sub(self.last()) <= self.longest
    }

    /// When it last beat.
    pub(super) fn last(&self) -> Duration {
        Duration::from_millis(self.last.load(Ordering::Relaxed))
    }

    pub(super) fn beat(&self) {
        self.set(self.clock.elapsed());
    }

    /// Takes beats back that were not worth anything.
    pub(super) fn set(&self, last: Duration) {
        self.last.store(u64::try_from(last.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

#[async_trait]
impl Clock for Pulse {
    fn now(&self) -> Time {
        self.beat();
        self.clock.now()
    }

    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        self.clock.sleep(duration).await;
    }
}
