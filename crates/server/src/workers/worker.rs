//! A worker: one background step, round after round.

use super::PAUSE;
use super::pulse::Pulse;
use crate::error::chain;
use crate::metrics::worked;
use futures_util::FutureExt;
use hearback_app::backlog::{Progress, StepError};
use hearback_ports::{Clock, StoreError};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

pub(super) struct Worker {
    /// The name of the worker, for the log.
    pub(super) name: &'static str,
    /// The pause after a round without work.
    pub(super) pause: Duration,
    /// The pause after a failed round.
    pub(super) after_failure: Duration,
    pub(super) at_stop: AtStop,
}

/// The end of the round under way when a worker has to stop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AtStop {
    /// The round is dropped: each change in the store is whole or not there, and the rest waits for
    /// the next start.
    Drop,
    /// The worker waits for the round.
    Await,
}

impl Worker {
    pub(super) fn new(name: &'static str, after_failure: Duration, at_stop: AtStop) -> Self {
        Self { name, pause: PAUSE, after_failure, at_stop }
    }

    /// Runs rounds until it has to stop.
    pub(super) async fn work(
        self,
        pulse: Arc<Pulse>,
        mut stopped: watch::Receiver<bool>,
        mut round: impl AsyncFnMut() -> Progress,
    ) {
        // The series are shown from the start.
        worked(self.name, 0, 0);
        loop {
            let before = pulse.last();
            let progress = tokio::select! {
                biased;
                () = requested(&mut stopped), if self.at_stop == AtStop::Drop => return,
                // After a panic the next round uses the ports, which are shared anyway, and a cache
                // of letters. A dispatcher drops its own state.
                progress = AssertUnwindSafe(round()).catch_unwind() => progress,
            };
            let pause = match progress {
                Ok(progress) => {
                    pulse.beat();
                    worked(self.name, progress.done, progress.failures.len());
                    for failure in &progress.failures {
                        log_failure(self.name, failure);
                    }
                    self.pause_after(&progress)
                }
                // The panic has printed its text on standard error.
                Err(_) => {
                    pulse.set(before);
                    worked(self.name, 0, 1);
                    tracing::error!(worker = self.name, "a background step panicked");
                    self.after_failure
                }
            };
            tokio::select! {
                biased;
                () = requested(&mut stopped) => return,
                () = pulse.sleep(pause) => {}
            }
        }
    }

    /// The pause before the next round. Mails to many people fail one by one for reasons of their
    /// own, such as an unknown address, and do not delay the others.
    fn pause_after(&self, progress: &Progress) -> Duration {
        match progress.failures.len() {
            failed if progress.done > failed => Duration::ZERO,
            0 => self.pause,
            _ => self.after_failure,
        }
    }
}

pub(super) fn log_failure(worker: &'static str, failure: &StepError) {
    let error = chain(failure);
    if comes_from_outside(failure) {
        tracing::warn!(worker, error, "a background step failed");
    } else {
        tracing::error!(worker, error, "a background step failed");
    }
}

/// Whether a failure comes from outside: the store is out of reach, or a mail was refused.
pub(super) fn comes_from_outside(failure: &StepError) -> bool {
    match failure {
        StepError::Store(
            StoreError::Busy | StoreError::Unreachable { .. } | StoreError::Full { .. },
        )
        | StepError::Mail(_) => true,
        StepError::Store(StoreError::Lost { .. } | StoreError::Backend { .. })
        | StepError::Change(_)
        | StepError::Panicked(_) => false,
    }
}

pub(super) async fn requested(stopped: &mut watch::Receiver<bool>) {
    // A dropped sender means that the server is gone.
    let _ = stopped.wait_for(|&stopped| stopped).await;
}
