//! The system's time.

use async_trait::async_trait;
use hearback_domain::Time;
use hearback_ports::Clock;
use std::time::{Duration, SystemTime};

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Time {
        #[expect(clippy::disallowed_methods, reason = "this is the port that all other code uses")]
        let now = SystemTime::now();
        // A time before 1970 means that the clock is not set.
        let since_epoch = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let millis = i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX);
        Time::from_unix_millis(millis).unwrap_or(Time::MAX)
    }

    fn elapsed(&self) -> Duration {
        elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        let end = elapsed().saturating_add(duration);
        // The runtime waits by another clock, which may be a little ahead.
        while let Some(left) = end.checked_sub(elapsed()).filter(|left| !left.is_zero()) {
            tokio::time::sleep(left).await;
        }
    }
}

/// The time since the machine started, time asleep included: a machine that wakes up has forgotten
/// all leases.
#[cfg(target_os = "linux")]
fn elapsed() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    // Neither part is negative.
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// The time since the first call in this process. This clock may stand still while the machine
/// sleeps.
#[cfg(not(target_os = "linux"))]
fn elapsed() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn sleep_never_returns_early() {
        for millis in [0, 1, 3, 10] {
            let duration = Duration::from_millis(millis) + Duration::from_micros(millis * 37);
            let before = SystemClock.elapsed();
            SystemClock.sleep(duration).await;
            assert!(SystemClock.elapsed() - before >= duration);
        }
    }

    #[test]
    fn now_is_after_2025() {
        assert!(SystemClock.now() > Time::parse("2025-01-01").unwrap());
    }
}
