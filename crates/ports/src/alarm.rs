//! How what has been recorded reaches the one who is to work on it.

use async_trait::async_trait;

/// Wakes the dispatcher of this process, so that an event is on its way at once and not when the dispatcher looks again.
///
/// Nothing depends on it: whoever is not woken looks again soon. One call wakes the dispatcher once, also when it comes while
/// nobody waits; calls that come together wake it together.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Alarm: Send + Sync {
    /// Says that events were recorded.
    fn ring(&self);

    /// Returns when that was said, since this returned last.
    async fn rung(&self);
}
