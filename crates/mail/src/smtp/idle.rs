//! Idle connections, kept for the next mail.

use async_trait::async_trait;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// A connection that can say goodbye.
#[async_trait]
pub(crate) trait Close: Send + 'static {
    /// Closes the connection. Ends soon, even if the other side hangs.
    async fn close(self);
}

/// A few connections, kept for half a minute each.
pub(crate) struct Idle<C>(Arc<Mutex<Waiting<C>>>);

struct Waiting<C> {
    /// The connections with the time of their arrival. The newest are at the end, and are taken
    /// first.
    connections: Vec<(C, Instant)>,
    /// Whether a task closes old connections.
    attended: bool,
}

impl<C: Close> Idle<C> {
    /// A pool without connections.
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Waiting { connections: Vec::new(), attended: false })))
    }

    /// Takes a connection, if there is one.
    pub(crate) fn take(&self) -> Option<C> {
        let mut waiting = lock(&self.0);
        let (connection, since) = waiting.connections.pop()?;
        // The task may be late, or its runtime gone.
        if since.elapsed() < KEPT { Some(connection) } else { None }
    }

    /// Drops all connections.
    pub(crate) fn clear(&self) {
        lock(&self.0).connections.clear();
    }

    /// Keeps a connection, unless there are enough.
    pub(crate) fn put(&self, connection: C) {
        let mut waiting = lock(&self.0);
        if waiting.connections.len() >= MOST {
            return;
        }
        waiting.connections.push((connection, Instant::now()));
        if !waiting.attended {
            waiting.attended = true;
            tokio::spawn(attend(Arc::downgrade(&self.0)));
        }
    }
}

/// The most connections that are kept.
const MOST: usize = 8;

/// How long a connection is kept. Mail servers wait for some minutes, but count connections.
const KEPT: Duration = Duration::from_secs(30);

/// Closes old connections until none is left.
async fn attend<C: Close>(waiting: Weak<Mutex<Waiting<C>>>) {
    while let Some(next) = waiting.upgrade().and_then(|waiting| oldest(&mut lock(&waiting))) {
        sleep_until(next + KEPT).await;
        let expired = waiting.upgrade().map(|waiting| expired(&mut lock(&waiting)));
        for connection in expired.into_iter().flatten() {
            connection.close().await;
        }
    }
}

/// The arrival of the oldest connection. Without one, the task ends.
fn oldest<C>(waiting: &mut Waiting<C>) -> Option<Instant> {
    let oldest = waiting.connections.first().map(|(_, since)| *since);
    waiting.attended = oldest.is_some();
    oldest
}

fn expired<C>(waiting: &mut Waiting<C>) -> Vec<C> {
    let kept = waiting.connections.iter().position(|(_, since)| since.elapsed() < KEPT);
    let expired = kept.unwrap_or(waiting.connections.len());
    waiting.connections.drain(..expired).map(|(connection, _)| connection).collect()
}

/// No panic can leave the list half changed.
fn lock<C>(waiting: &Mutex<Waiting<C>>) -> MutexGuard<'_, Waiting<C>> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{self, Receiver, Sender};
    use tokio::time::{advance, sleep};

    struct Fake(u32, Sender<u32>);

    #[async_trait]
    impl Close for Fake {
        async fn close(self) {
            self.1.send(self.0).unwrap();
        }
    }

    fn idle() -> (Idle<Fake>, Sender<u32>, Receiver<u32>) {
        let (closed, closings) = mpsc::channel();
        (Idle::new(), closed, closings)
    }

    #[tokio::test(start_paused = true)]
    async fn the_newest_is_taken_first_and_no_more_than_eight_are_kept() {
        let (idle, closed, _closings) = idle();
        for number in 0..10 {
            idle.put(Fake(number, closed.clone()));
        }
        let taken: Vec<u32> = std::iter::from_fn(|| idle.take()).map(|fake| fake.0).collect();
        assert_eq!(taken, [7, 6, 5, 4, 3, 2, 1, 0]);
    }

    #[tokio::test(start_paused = true)]
    async fn each_is_closed_after_half_a_minute() {
        let (idle, closed, closings) = idle();
        idle.put(Fake(1, closed.clone()));
        sleep(Duration::from_secs(20)).await;
        idle.put(Fake(2, closed.clone()));
        sleep(Duration::from_millis(9_999)).await;
        assert!(closings.try_recv().is_err());
        sleep(Duration::from_millis(2)).await;
        assert_eq!(closings.try_recv(), Ok(1));
        sleep(Duration::from_secs(19)).await;
        assert!(closings.try_recv().is_err());
        sleep(Duration::from_secs(2)).await;
        assert_eq!(closings.try_recv(), Ok(2));
        // Once more, after all connections were closed.
        idle.put(Fake(3, closed));
        sleep(Duration::from_secs(31)).await;
        assert_eq!(closings.try_recv(), Ok(3));
    }

    #[tokio::test(start_paused = true)]
    async fn an_expired_connection_is_not_taken() {
        let (idle, closed, _closings) = idle();
        idle.put(Fake(1, closed));
        // The task has not run yet.
        advance(KEPT).await;
        assert!(idle.take().is_none());
    }
}
