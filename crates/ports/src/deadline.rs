//! The deadline of a request, which all its calls of ports share.
//!
//! A request may wait several times: for a connection, for an answer, for its turn after a lost
//! race. Each wait has a limit of its own. [`left`] bounds it by the rest of the request's time as
//! well, so that the sum is bounded.

use std::cell::Cell;
use std::time::Duration;
use tokio::time::Instant;

/// The most time that the waits of a request may take together.
pub const LIMIT: Duration = Duration::from_secs(5);

tokio::task_local! {
    /// `None` until the first wait, so that a request that does not wait reads no clock.
    static DEADLINE: Cell<Option<Instant>>;
}

/// Runs the work of a request, whose waits end within [`LIMIT`] from the first one.
pub async fn within<T>(work: impl Future<Output = T>) -> T {
    DEADLINE.scope(Cell::new(None), work).await
}

/// The time that a wait of this task may take, at most `limit`. Work outside of [`within`] has no
/// deadline.
pub fn left(limit: Duration) -> Duration {
    let left = DEADLINE.try_with(|deadline| {
        let now = Instant::now();
        let at = deadline.get().unwrap_or(now + LIMIT);
        deadline.set(Some(at));
        at.saturating_duration_since(now)
    });
    left.map_or(limit, |left| limit.min(left))
}

/// Gives the request its whole time again, after a wait for somebody who is no port: the body of an
/// upload, or the provider of a sign-in.
pub fn renew() {
    // Work outside of `within` has no deadline.
    let _ = DEADLINE.try_with(|deadline| deadline.set(None));
}

/// Returns whether the deadline has passed.
pub fn is_over() -> bool {
    left(LIMIT).is_zero()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    #[tokio::test(start_paused = true)]
    async fn all_waits_of_a_request_share_its_time() {
        let long = Duration::from_secs(60);
        within(async {
            advance(Duration::from_secs(9)).await;
            assert_eq!(left(long), LIMIT);
            advance(Duration::from_secs(3)).await;
            assert_eq!((left(long), left(Duration::from_secs(1))), (LIMIT / 5 * 2, LIMIT / 5));
            advance(Duration::from_secs(3)).await;
            assert!(is_over());
            renew();
            assert_eq!(left(long), LIMIT);
        })
        .await;
        renew();
        assert_eq!(left(long), long);
    }
}
