//! The repeated proof that the replica is as far as the primary.

use super::standby::{Position, Standby, State};
use super::{Asker, Unfit};
use crate::connection::{Connector, WAIT};
use crate::error::chain;
use crate::readers::Readers;
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

/// The most time that the replica may take to report how far it is.
const SILENCE: Duration = Duration::from_secs(1);

/// The pause before an unfit replica is checked again.
const REST: Duration = Duration::from_millis(200);

/// The proof that a standby has replayed the log up to a position. The position covers every change
/// that was answered before the proof was requested.
#[derive(Clone)]
pub(super) struct Proof {
    pub(super) standby: Arc<Standby>,
    pub(super) position: u64,
}

impl Proof {
    pub(super) fn holds_for(&self, state: &State) -> bool {
        state.is_in_recovery
            && state.started == self.standby.started
            && state.replayed() >= self.position
    }
}

/// Proves repeatedly that the replica is as far as the primary.
pub(super) struct Prover {
    primary: Arc<Readers>,
    connector: Arc<Connector>,
    standby: Option<Arc<Standby>>,
    /// The kind of the failure that was logged last.
    told: Option<Discriminant<Unfit>>,
}

impl Prover {
    pub(super) fn new(primary: &Arc<Readers>, connector: &Arc<Connector>) -> Self {
        Self {
            primary: Arc::clone(primary),
            connector: Arc::clone(connector),
            standby: None,
            told: None,
        }
    }

    /// Serves requests for proofs, until no sender of requests is left.
    pub(super) async fn answer(
        mut self,
        mut asked: mpsc::UnboundedReceiver<Asker>,
        mut is_fit: bool,
    ) {
        let mut askers = Vec::new();
        loop {
            if !is_fit {
                tokio::select! {
                    () = self.recover() => {}
                    () = refuse(&mut asked) => return,
                }
            }
            if asked.recv_many(&mut askers, usize::MAX).await == 0 {
                return;
            }
            let proof = self.prove().await;
            is_fit = proof.is_ok();
            self.tell(&proof);
            for asker in askers.drain(..) {
                if let Ok(proof) = &proof {
                    // The list may have been dropped meanwhile.
                    let _ = asker.send(proof.clone());
                }
            }
        }
    }

    /// Returns when the replica is fit.
    async fn recover(&mut self) {
        loop {
            sleep(REST).await;
            let restored = self.restore().await;
            self.tell(&restored);
            if restored.is_ok() {
                return;
            }
        }
    }

    /// Opens the connections to the replica, unless they are open, and proves that it is fit. Waits
    /// at most [`WAIT`] for the connections.
    pub(super) async fn restore(&mut self) -> Result<(), Unfit> {
        if self.standby.is_none() {
            let opening = timeout(WAIT, Standby::open(&self.connector, &self.primary));
            self.standby = Some(Arc::new(opening.await.unwrap_or(Err(Unfit::Silent))?));
        }
        self.prove().await.map(drop)
    }

    /// Queries both servers. Connections to the replica are not opened again, and are dropped if
    /// they are of no more use.
    async fn prove(&mut self) -> Result<Proof, Unfit> {
        let proved = self.ask().await;
        if !matches!(proved, Ok(_) | Err(Unfit::Behind { .. } | Unfit::Primary(_))) {
            self.standby = None;
        }
        proved
    }

    async fn ask(&self) -> Result<Proof, Unfit> {
        let standby =
            self.standby.as_ref().filter(|standby| standby.is_usable()).ok_or(Unfit::Broken)?;
        let Position { log, timeline } = Position::of(&self.primary).await?;
        if timeline != standby.timeline {
            return Err(Unfit::OtherTimeline);
        }
        timeout(SILENCE, standby.reach(log)).await.unwrap_or(Err(Unfit::Silent))?;
        Ok(Proof { standby: Arc::clone(standby), position: log })
    }

    /// Logs the outcome. A failure that lasts is a warning only once.
    pub(super) fn tell<T>(&mut self, outcome: &Result<T, Unfit>) {
        match outcome {
            // `Behind` comes and goes as the primary is busy, and is counted. A failure of the
            // primary shows in all other requests.
            Err(unfit @ (Unfit::Behind { .. } | Unfit::Primary(_))) => {
                tracing::debug!(error = chain(unfit), "lists are read from the primary");
            }
            Err(unfit) => {
                if self.told.replace(discriminant(unfit)) != Some(discriminant(unfit)) {
                    tracing::warn!(
                        error = chain(unfit),
                        "lists are read from the primary, since they cannot be from the replica"
                    );
                }
            }
            Ok(_) => {
                if self.told.take().is_some() {
                    tracing::info!("lists are read from the replica again");
                }
            }
        }
    }
}

/// Drops all requests for proofs, so that their lists are read from the primary, until no sender of
/// requests is left.
async fn refuse(asked: &mut mpsc::UnboundedReceiver<Asker>) {
    while let Some(asker) = asked.recv().await {
        drop(asker);
    }
}
