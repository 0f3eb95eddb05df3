//! A clock that tests move by hand, as a crate outside of Hearback would write it.
//!
//! `tests/votes.rs` uses it beside the mocks of `hearback_ports::mock`. `docs/testing.md` explains
//! both.

use async_trait::async_trait;
use hearback_domain::Time;
use hearback_ports::Clock;
use std::time::Duration;
use tokio::sync::watch;

/// A clock that stands still until [`HandClock::advance`] moves it.
#[derive(Debug)]
pub struct HandClock {
    start: Time,
    elapsed: watch::Sender<Duration>,
}

impl HandClock {
    /// A clock that stands at `start`.
    pub fn new(start: Time) -> Self {
        Self { start, elapsed: watch::Sender::new(Duration::ZERO) }
    }

    /// Moves the clock on, and wakes the sleepers whose time has come.
    pub fn advance(&self, by: Duration) {
        self.elapsed.send_modify(|elapsed| *elapsed += by);
    }
}

#[async_trait]
impl Clock for HandClock {
    fn now(&self) -> Time {
        self.start.plus_millis(i64::try_from(self.elapsed().as_millis()).unwrap_or(i64::MAX))
    }

    fn elapsed(&self) -> Duration {
        *self.elapsed.borrow()
    }

    async fn sleep(&self, duration: Duration) {
        let end = self.elapsed() + duration;
        // The sender lives as long as the clock, so the wait ends with the time alone.
        let _ = self.elapsed.subscribe().wait_for(|elapsed| *elapsed >= end).await;
    }
}
