//! Workers by a clock that costs no time.

mod rounds;
mod stop;

use async_trait::async_trait;
use hearback_domain::Time;
use hearback_ports::Clock;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// A clock that stands still while anything runs, and jumps ahead when everybody waits: that of a
/// paused runtime.
struct TestClock(Instant);

impl TestClock {
    fn new() -> Arc<Self> {
        Arc::new(Self(Instant::now()))
    }
}

#[async_trait]
impl Clock for TestClock {
    fn now(&self) -> Time {
        Time::MIN
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}
