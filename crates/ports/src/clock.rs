//! Time as a port, so that tests can move it.

use async_trait::async_trait;
use hearback_domain::Time;
use std::time::Duration;

/// Returns the time, and waits.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Clock: Send + Sync {
    /// The wall clock. It may jump in either direction.
    fn now(&self) -> Time;

    /// The time since a fixed moment that the process chose. It never goes back, and runs on while
    /// the machine sleeps.
    fn elapsed(&self) -> Duration;

    /// Waits until [`Clock::elapsed`] has grown by `duration`, never less.
    async fn sleep(&self, duration: Duration);
}
