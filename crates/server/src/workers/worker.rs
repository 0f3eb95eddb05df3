//! One background step, round after round.

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
    /// What it does, for the log.
    pub(super) name: &'static str,
    /// How long it pauses when there was nothing to do.
    pub(super) pause: Duration,
    /// How long it pauses when nothing came off.
    pub(super) after_failure: Duration,
    pub(super) at_stop: AtStop,
}

/// What becomes of the round that is under way when a worker is to stop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AtStop {
    /// It is dropped: what it has the store do is done whole or not at all, and what is left waits
    /// for the next start.
    Drop,
    /// It is waited for.
    Await,
}

impl Worker {
    pub(super) fn new(name: &'static str, after_failure: Duration, at_stop: AtStop) -> Self {
        Self { name, pause: PAUSE, after_failure, at_stop }
    }

    /// Goes round and round until it is stopped.
    pub(super) async fn work(
        self,
        pulse: Arc<Pulse>,
        mut stopped: watch::Receiver<bool>,
        mut round: impl AsyncFnMut() -> Progress,
    ) {
        // Its series are there from the start.
        worked(self.name, 0, 0);
        loop {
            let before = pulse.last();
            let progress = tokio::select! {
                biased;
                () = requested(&mut stopped), if self.at_stop == AtStop::Drop => return,
                // What is used again after a panic is ports, which are shared by everybody anyway,
                // and a cache of letters. A dispatcher keeps what it is at in what it drops then.
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
                // The panic has told of itself on standard error.
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

    /// How long to wait for the next round. Mails to many people fail one by one for reasons of
    /// their own, such as an address that is gone: those do not hold up the others.
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

/// Whether a failure says that something else is down, or took no mail, and not that something is
/// wrong here.
pub(super) fn comes_from_outside(failure: &StepError) -> bool {
    match failure {
        StepError::Store(StoreError::Busy | StoreError::Unreachable { .. })
        | StepError::Mail(_) => true,
        StepError::Store(StoreError::Lost { .. } | StoreError::Backend { .. })
        | StepError::Panicked(_) => false,
    }
}

pub(super) async fn requested(stopped: &mut watch::Receiver<bool>) {
    // Where the sender is gone, nobody is there any more to work for.
    let _ = stopped.wait_for(|&stopped| stopped).await;
}
