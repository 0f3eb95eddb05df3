//! The alarm that wakes the dispatcher of this process.

use async_trait::async_trait;

/// Wakes the dispatcher of this process, so that an event is dispatched at once and not at the next
/// look.
///
/// Correctness does not depend on it: the dispatcher also looks by itself. A call of
/// [`Alarm::ring`] wakes the dispatcher once, even if nothing waits in [`Alarm::rung`] at that
/// time. Several calls before the dispatcher wakes count as one.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Alarm: Send + Sync {
    /// Signals that events were recorded.
    fn ring(&self);

    /// Waits for a call of [`Alarm::ring`] since the last return of this method.
    async fn rung(&self);
}
