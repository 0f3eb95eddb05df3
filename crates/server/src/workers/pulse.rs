//! The pulses of workers.

use async_trait::async_trait;
use hearback_domain::Time;
use hearback_ports::Clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The pulse of a worker, which is also the clock of its step.
///
/// A step asks for the time before each of its batches, and that is a beat. So a long round beats,
/// and only a stuck worker is silent.
pub(super) struct Pulse {
    clock: Arc<dyn Clock>,
    longest: Duration,
    /// The time of the last beat, in milliseconds of the clock's elapsed time.
    last: AtomicU64,
}

impl Pulse {
    /// The pulse of a worker that is dead after a silence of more than `longest`. It beats now.
    pub(super) fn new(clock: Arc<dyn Clock>, longest: Duration) -> Self {
        let pulse = Self { clock, longest, last: AtomicU64::new(0) };
        pulse.beat();
        pulse
    }

    pub(super) fn is_alive(&self) -> bool {
        self.clock.elapsed().saturating_sub(self.last()) <= self.longest
    }

    /// The time of the last beat.
    pub(super) fn last(&self) -> Duration {
        Duration::from_millis(self.last.load(Ordering::Relaxed))
    }

    pub(super) fn beat(&self) {
        self.set(self.clock.elapsed());
    }

    /// Takes beats of a failed round back.
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
