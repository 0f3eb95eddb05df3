//! The proof, again and again, that the replica is as far as the primary.

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

/// How long the replica may take to tell how far it is.
const SILENCE: Duration = Duration::from_secs(1);

/// How long the replica is left alone after it was not fit to be read from.
const REST: Duration = Duration::from_millis(200);

/// That a standby has replayed the log up to a position that covers all that was answered before
/// whoever has this asked for it.
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

/// Proves, again and again, that the replica is as far as the primary.
pub(super) struct Prover {
    primary: Arc<Readers>,
    connector: Arc<Connector>,
    standby: Option<Arc<Standby>>,
    /// Of what kind the failure is that was told last.
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

    /// Answers all who ask, until nobody can any more.
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
                    // Whoever asked may have gone away.
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

    /// Makes the replica fit, if that can be done in a while.
    pub(super) async fn restore(&mut self) -> Result<(), Unfit> {
        if self.standby.is_none() {
            let opening = timeout(WAIT, Standby::open(&self.connector, &self.primary));
            self.standby = Some(Arc::new(opening.await.unwrap_or(Err(Unfit::Silent))?));
        }
        self.prove().await.map(drop)
    }

    /// Asks both. The connections to the replica are not made anew, and given up where they are of
    /// no more use.
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

    /// Logs what is news.
    pub(super) fn tell<T>(&mut self, outcome: &Result<T, Unfit>) {
        match outcome {
            // The one comes and goes as the primary is busy, and is counted; of the other one
            // everybody hears.
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

/// Lets all go to the primary who ask, until nobody can any more.
async fn refuse(asked: &mut mpsc::UnboundedReceiver<Asker>) {
    while let Some(asker) = asked.recv().await {
        drop(asker);
    }
}
