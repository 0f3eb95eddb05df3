//! Workers by a clock that takes no real time.

mod rounds;
mod stop;

use async_trait::async_trait;
use hearback_domain::Time;
use hearback_ports::Clock;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The clock of a paused runtime: it stands still while a task runs, and jumps ahead when all tasks
/// wait.
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
