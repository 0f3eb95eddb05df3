//! The background workers of a server. Each runs rounds of a background step of `app`, on every
//! replica alike. The dispatcher of webhook deliveries is one round until the server stops.
//!
//! A worker outlives the failures of its step. It logs a failure or a panic, and tries again after
//! a pause.

mod notices;
mod pulse;
mod worker;

use crate::serve::STOP_LIMIT;
use hearback_app::Vault;
use hearback_app::backlog::Progress;
use hearback_app::counts;
use hearback_app::deliver::Dispatcher;
use hearback_app::finish::finish_changes;
use hearback_app::images::Images;
use hearback_app::mail::{Sender, write_mails};
use hearback_app::portal::HelpUse;
use hearback_app::prune::prune;
use hearback_app::publish::publish_due_entries;
use hearback_domain::delivery::RetrySchedule;
use hearback_ports::{Clock, EventSink, Ports};
use notices::{DELIVERING, tell};
use pulse::Pulse;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use worker::{AtStop, Worker, requested};

/// The workers of a server, before their start.
pub(crate) struct Workers {
    ports: Ports,
    publishing: Arc<Pulse>,
    finishing: Arc<Pulse>,
    writing: Arc<Pulse>,
    sending: Arc<Pulse>,
    delivering: Arc<Pulse>,
    pruning: Arc<Pulse>,
    ranking: Arc<Pulse>,
    counting: Arc<Pulse>,
    viewing: Arc<Pulse>,
    /// The pause of the worker that counts recent votes.
    ranking_pause: Duration,
}

/// The senders of the workers.
pub(crate) struct Outgoing {
    /// The images, whose files are removed.
    pub(crate) images: Images,
    /// Sends mails.
    pub(crate) mails: Sender,
    /// The use of the help center that waits to be stored.
    pub(crate) help_use: Arc<HelpUse>,
    /// Opens the signing secrets of deliveries.
    pub(crate) vault: Arc<Vault>,
    /// Sends deliveries.
    pub(crate) sink: Arc<dyn EventSink>,
    /// The schedule of its retries.
    pub(crate) schedule: RetrySchedule,
}

/// The pause of a worker without work. An entry is published at most this long and a round after
/// its time.
const PAUSE: Duration = Duration::from_millis(500);
/// The pause of the worker that removes old deliveries, which are a month old by then.
const PRUNING_PAUSE: Duration = Duration::from_secs(60);
/// The pause between two counts of the records of each day, which read all votes.
const COUNTING_PAUSE: Duration = Duration::from_secs(600);
/// The pause between two batches of the use of the help center: of views, and of searches.
const VIEWING_PAUSE: Duration = Duration::from_secs(5);
/// The pause of the workers that change records after a failure of the store. Due entries are
/// published within 2 seconds of the store's return.
const CHANGING_FAILED: Duration = Duration::from_secs(1);
/// The pause of the mailing workers after a failure of the store or the mail server.
const MAILING_FAILED: Duration = Duration::from_secs(5);
/// The pause of the dispatcher after a panic. Its deliveries are claimed again when their leases
/// have run out.
const DELIVERING_FAILED: Duration = Duration::from_secs(5);

/// The longest silence of a live worker that calls the store alone, with time limits, and of the
/// dispatcher, whose attempts take at most half of this time.
const LONGEST_SILENCE: Duration = Duration::from_secs(60);
/// The longest silence of a live worker that sends mails: a [mailer](hearback_ports::Mailer) may
/// take two minutes.
const LONGEST_SENDING: Duration = Duration::from_secs(180);
/// The longest silence of a live worker that counts days: the first count of a large organization
/// writes many rows.
const LONGEST_COUNTING: Duration = Duration::from_secs(600);
/// The longest silence of a live worker that removes old deliveries, which has long pauses.
const LONGEST_PRUNING: Duration = PRUNING_PAUSE.saturating_add(LONGEST_SILENCE);

impl Workers {
    /// The workers on these ports, with the pause between two counts of recent votes. They count as
    /// alive from now on.
    pub(crate) fn new(ports: Ports, ranking_pause: Duration) -> Self {
        let pulse = |longest| Arc::new(Pulse::new(Arc::clone(&ports.clock), longest));
        let (publishing, writing, sending) =
            (pulse(LONGEST_SILENCE), pulse(LONGEST_SILENCE), pulse(LONGEST_SENDING));
        let (delivering, pruning) = (pulse(LONGEST_SILENCE), pulse(LONGEST_PRUNING));
        let finishing = pulse(LONGEST_SILENCE);
        let viewing = pulse(VIEWING_PAUSE.saturating_add(LONGEST_SILENCE));
        let ranking = pulse(ranking_pause.saturating_add(LONGEST_SILENCE));
        let counting = pulse(COUNTING_PAUSE.saturating_add(LONGEST_COUNTING));
        Self {
            ports,
            publishing,
            finishing,
            writing,
            sending,
            delivering,
            pruning,
            ranking,
            counting,
            viewing,
            ranking_pause,
        }
    }

    /// A function that answers whether all workers are alive.
    pub(crate) fn all_alive(&self) -> Arc<dyn Fn() -> bool + Send + Sync> {
        let pulses = [
            &self.publishing,
            &self.finishing,
            &self.writing,
            &self.sending,
            &self.delivering,
            &self.pruning,
            &self.ranking,
            &self.counting,
            &self.viewing,
        ];
        let pulses = pulses.map(Arc::clone);
        Arc::new(move || pulses.iter().all(|pulse| pulse.is_alive()))
    }

    /// Works until `stop` returns, and then until the mails and deliveries under way have arrived
    /// or failed, at most for [`STOP_LIMIT`]. After that the workers no longer reach the store.
    pub(crate) async fn until(self, outgoing: Outgoing, stop: impl Future<Output = ()>) {
        let (stopping, stopped) = watch::channel(false);
        let mut running = JoinSet::new();

        let worker = Worker::new("publish entries", CHANGING_FAILED, AtStop::Drop);
        let ports = working_by(&self.publishing, &self.ports);
        let publish = async move || publish_due_entries(&ports).await;
        running.spawn(worker.work(self.publishing, stopped.clone(), publish));

        let worker = Worker::new("finish changes", CHANGING_FAILED, AtStop::Drop);
        let ports = working_by(&self.finishing, &self.ports);
        let finish = async move || finish_changes(&ports).await;
        running.spawn(worker.work(self.finishing, stopped.clone(), finish));

        let worker = Worker::new("write mails", MAILING_FAILED, AtStop::Drop);
        let ports = working_by(&self.writing, &self.ports);
        let write = async move || write_mails(&ports).await;
        running.spawn(worker.work(self.writing, stopped.clone(), write));

        let worker = Worker::new("send mails", MAILING_FAILED, AtStop::Await);
        let ports = working_by(&self.sending, &self.ports);
        let asked = stopped.clone();
        let mut sender = outgoing.mails.until(move || *asked.borrow());
        let send = async move || sender.send_mails(&ports).await;
        let sending = running.spawn(worker.work(self.sending, stopped.clone(), send));

        let worker = Worker::new(DELIVERING, DELIVERING_FAILED, AtStop::Await);
        let ports = working_by(&self.delivering, &self.ports);
        let dispatcher = Dispatcher::new(ports, outgoing.vault, outgoing.sink, outgoing.schedule);
        let mut asked = stopped.clone();
        let deliver = async move || {
            dispatcher.run(requested(&mut asked), tell).await;
            Progress::default()
        };
        let delivering = running.spawn(worker.work(self.delivering, stopped.clone(), deliver));

        let worker =
            Worker { pause: PRUNING_PAUSE, ..Worker::new("prune", PRUNING_PAUSE, AtStop::Drop) };
        let ports = working_by(&self.pruning, &self.ports);
        let images = outgoing.images;
        let prune = async move || prune(&ports, &images).await;
        running.spawn(worker.work(self.pruning, stopped.clone(), prune));

        let worker = Worker {
            pause: self.ranking_pause,
            ..Worker::new("count recent votes", CHANGING_FAILED, AtStop::Drop)
        };
        let ports = working_by(&self.ranking, &self.ports);
        let rank = async move || counts::refresh_trends(&ports).await;
        running.spawn(worker.work(self.ranking, stopped.clone(), rank));

        let worker = Worker {
            pause: COUNTING_PAUSE,
            ..Worker::new("count days", COUNTING_PAUSE, AtStop::Drop)
        };
        let ports = working_by(&self.counting, &self.ports);
        let count = async move || counts::refresh_days(&ports).await;
        running.spawn(worker.work(self.counting, stopped.clone(), count));

        let worker = Worker {
            pause: VIEWING_PAUSE,
            ..Worker::new("store views", CHANGING_FAILED, AtStop::Await)
        };
        let (ports, used) = (working_by(&self.viewing, &self.ports), outgoing.help_use);
        let view = async move || used.store(&ports).await;
        running.spawn(worker.work(self.viewing, stopped, view));

        stop.await;
        stopping.send_replace(true);
        tokio::select! {
            () = async { while running.join_next().await.is_some() {} } => return,
            () = self.ports.clock.sleep(STOP_LIMIT) => {}
        }
        if !sending.is_finished() {
            tracing::warn!("stopped while mails were being sent: their outcome is unknown");
        }
        if !delivering.is_finished() {
            tracing::warn!("stopped while deliveries were being sent: they will be sent again");
        }
        running.shutdown().await;
    }
}

/// The ports, with the worker's pulse as their clock.
fn working_by(pulse: &Arc<Pulse>, ports: &Ports) -> Ports {
    Ports { clock: Arc::clone(pulse) as Arc<dyn Clock>, ..ports.clone() }
}

#[cfg(test)]
mod tests;
