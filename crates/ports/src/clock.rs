//! Time, so that tests can move it.

use async_trait::async_trait;
use hearback_domain::Time;
use std::time::Duration;

/// Tells the time and waits.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Clock: Send + Sync {
    /// The wall clock; may jump in either direction.
    fn now(&self) -> Time;

    /// Time since a fixed moment of this process's choice. Never goes back, and runs on while the machine sleeps.
    fn elapsed(&self) -> Duration;

    /// Returns after `duration` of [`Clock::elapsed`] time, never earlier.
    async fn sleep(&self, duration: Duration);
}
