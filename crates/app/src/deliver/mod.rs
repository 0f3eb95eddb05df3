//! The dispatcher: brings recorded events to their subscriptions.
//!
//! ```text
//!   claim (store) ──> desk <──> look-ups (sink)
//!                     desk ──> attempts (sink) ──> ended ──> settle (store)
//! ```
//!
//! Deliveries stream through these stages. A claim leases a batch of deliveries and commits the
//! lease before any of them is sent. The deliveries wait on the desk for their turn. Each attempt
//! is a task of its own. Attempts that end while a settlement is written are settled by the next
//! one. So no delivery waits for the slowest of its batch, and as each subscription has its own
//! tray on the desk, no receiver delays another.
//!
//! **Nothing is lost, and little is sent twice.** The leases of a process that ends run out, and
//! this process or another one claims the deliveries again. A delivery whose attempt was not
//! settled is attempted again, with the same identifier and the same body. Only the holder of a
//! valid lease has a delivery. An attempt begins only if its lease lasts until its end.

mod desk;
#[cfg(test)]
mod tests;

use crate::backlog::StepError;
use crate::vault::{Purpose, SealError, Vault};
use desk::{Desk, LeasedDelivery, Stage};
use hearback_domain::api_key::Sealed;
use hearback_domain::delivery::{
    DeliveryFailure, DeliveryOutcome, EndedAttempt, Response, RetrySchedule,
};
use hearback_domain::webhook_subscription::Deactivation;
use hearback_domain::{ClosedSet, Time};
use hearback_ports::delivery_queue::{
    Attempt, Claim, Claimed, DeliveryKey, Queue, SettledDelivery, Unreadable,
};
use hearback_ports::event_sink::{Dispatch, Reply, SigningSecret, SigningSecrets};
use hearback_ports::{EventSink, Lease, Ports, StoreError};
use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{self, JoinError, JoinSet};

/// The length of a lease, in milliseconds. The deliveries of a process that ends are delayed by at
/// most as much.
const LEASE_MILLIS: i64 = 60_000;

/// The pause between two claims without an alarm. They find retries, and the events of other
/// processes.
const POLL: Duration = Duration::from_secs(1);
/// The time after a claim with deliveries in which the alarm does not cause another: several events
/// make one claim.
const AFTER_SOME: Duration = Duration::from_millis(5);
/// The same after a claim without deliveries. The alarm also rings for events that no subscription
/// receives.
const AFTER_NONE: Duration = Duration::from_millis(20);
/// The same as a multiple of the duration of a claim without deliveries. The cost of a claim grows
/// with the number of queues that wait for a retry; claims take at most a fifth of the time.
const AFTER_NONE_TIMES: u32 = 4;
/// The pause after a failure of the store.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// The longest duration of an attempt. A sink ends an attempt after 30 seconds; one that does not
/// is abandoned.
const LONGEST_ATTEMPT: Duration = Duration::from_secs(31);

/// The pauses before a settlement is retried. The last one is repeated.
const SETTLING_PAUSES: [Duration; 3] =
    [Duration::from_millis(100), Duration::from_secs(1), Duration::from_secs(5)];
/// The time between two notes of successes of a receiver, in milliseconds.
const NOTED_EVERY: i64 = 60_000;
/// The most deliveries that are settled in one transaction.
const SETTLED_AT_ONCE: usize = 512;

/// Brings recorded events to their subscriptions.
pub struct Dispatcher {
    ports: Ports,
    vault: Arc<Vault>,
    sink: Arc<dyn EventSink>,
    schedule: RetrySchedule,
    /// The pause between two claims without an alarm: [`POLL`], and longer in tests of days.
    poll: Duration,
}

/// An incident that a dispatcher reports.
#[derive(Debug)]
pub enum Notice {
    /// A part of the work failed. It is retried.
    Failed(StepError),
    /// An attempt deactivated a subscription. It receives nothing until it is activated again.
    Deactivated(Queue, Deactivation),
    /// A delivery cannot be read. It is claimed again in a minute.
    Unreadable(Unreadable),
    /// An attempt ended.
    Attempted {
        /// The outcome.
        outcome: DeliveryOutcome,
        /// The duration.
        took: Duration,
    },
}

impl Dispatcher {
    /// A dispatcher on these ports.
    pub fn new(
        ports: Ports,
        vault: Arc<Vault>,
        sink: Arc<dyn EventSink>,
        schedule: RetrySchedule,
    ) -> Self {
        Self { ports, vault, sink, schedule, poll: POLL }
    }

    /// Runs until `stop` returns, then claims no more, and returns when all attempts in flight have
    /// ended and are settled.
    ///
    /// If the future is dropped earlier, the deliveries in flight are sent again when their leases
    /// have run out.
    pub async fn run(&self, stop: impl Future<Output = ()>, notice: impl Fn(Notice)) {
        let mut run = Run::new(self, notice);
        let mut stop = pin!(stop);
        loop {
            run.start_attempts();
            run.store_results();
            if run.stopping && run.is_idle() {
                return;
            }
            let (may_claim, pause) = (run.may_claim(), run.pause());
            tokio::select! {
                biased;
                () = &mut stop, if !run.stopping => run.stop(),
                Some(stored) = run.storing.join_next(), if !run.storing.is_empty() => {
                    run.stored(stored);
                }
                Some(ended) = run.attempts.join_next_with_id(), if !run.attempts.is_empty() => {
                    run.all_ended(ended);
                }
                () = self.ports.alarm.rung(), if !run.stopping => run.look_soon(),
                () = self.ports.clock.sleep(pause), if may_claim => run.claim(),
            }
        }
    }

    /// The dispatch of a delivery. Fails if its signing secret does not open.
    fn dispatch(
        &self,
        LeasedDelivery { claimed, .. }: LeasedDelivery,
        at: Time,
    ) -> Result<Dispatch, SealError> {
        let Queue { organization, subscription } = claimed.key.queue;
        let open = |sealed: &Sealed| {
            self.vault
                .open(organization, subscription.0, Purpose::SigningSecret, sealed)
                .map(SigningSecret::new)
        };
        let secrets = SigningSecrets {
            current: open(&claimed.secret)?,
            // A former secret that does not open is left out: the receiver has the current one.
            previous: claimed.previous_secret.as_ref().and_then(|sealed| open(sealed).ok()),
        };
        Ok(Dispatch {
            delivery: claimed.key.id(),
            organization,
            subscription,
            url: claimed.url,
            secrets,
            event: claimed.event_type.code(),
            data: claimed.data,
            occurred_at: claimed.occurred_at,
            attempt: claimed.attempts + 1,
            at,
        })
    }
}

/// A look-up or an attempt in flight.
struct Flight {
    key: DeliveryKey,
    lease: Lease,
    number: u32,
    /// The number of the attempt since the delivery was made or last replayed, from 1.
    number_in_schedule: u32,
    /// The delivery, while the name of its receiver is looked up.
    looking_up: Option<LeasedDelivery>,
    started_at: Time,
    /// The start by the clock that never jumps.
    started: Duration,
}

/// The result of a request to the store.
enum Stored {
    Claimed(Claim, Result<Claimed, StoreError>),
    SettledDelivery(Result<Vec<(Queue, Deactivation)>, StoreError>),
    Released(Result<(), StoreError>),
    Noted(Result<(), StoreError>),
}

/// A running dispatcher.
struct Run<'a, N> {
    dispatcher: &'a Dispatcher,
    notice: N,
    stopping: bool,
    desk: Desk,
    /// Look-ups and attempts. A look-up that finds the name has no reply.
    attempts: JoinSet<Option<Reply>>,
    flights: HashMap<task::Id, Flight>,
    /// The outcomes that are not settled yet, each with the end of its lease.
    results: Vec<(SettledDelivery, Time)>,
    /// The last noted success of each receiver.
    noted: HashMap<Queue, Time>,
    storing: JoinSet<Stored>,
    is_claiming: bool,
    is_settling: bool,
    is_releasing: bool,
    /// The queue behind which the next claim begins. `None`: the first queue.
    turn: Option<Queue>,
    /// When the current or the last claim began.
    claim_began: Duration,
    /// When the next claim begins, and its earliest time.
    next_claim: Duration,
    earliest_claim: Duration,
}

impl<'a, N: Fn(Notice)> Run<'a, N> {
    fn new(dispatcher: &'a Dispatcher, notice: N) -> Self {
        Self {
            dispatcher,
            notice,
            stopping: false,
            desk: Desk::default(),
            attempts: JoinSet::new(),
            flights: HashMap::new(),
            results: Vec::new(),
            noted: HashMap::new(),
            storing: JoinSet::new(),
            is_claiming: false,
            is_settling: false,
            is_releasing: false,
            turn: None,
            claim_began: Duration::ZERO,
            next_claim: Duration::ZERO,
            earliest_claim: Duration::ZERO,
        }
    }

    fn ports(&self) -> &'a Ports {
        &self.dispatcher.ports
    }

    fn elapsed(&self) -> Duration {
        self.ports().clock.elapsed()
    }

    fn is_idle(&self) -> bool {
        self.attempts.is_empty() && self.storing.is_empty() && self.results.is_empty()
    }

    /// Stops claims, and returns the deliveries on the desk.
    fn stop(&mut self) {
        self.stopping = true;
        self.desk.clear();
    }

    fn may_claim(&self) -> bool {
        !self.stopping && !self.is_claiming && self.desk.has_room()
    }

    /// The time until the next claim.
    fn pause(&self) -> Duration {
        self.next_claim.saturating_sub(self.elapsed())
    }

    /// Moves the next claim to its earliest time.
    fn look_soon(&mut self) {
        self.next_claim = self.next_claim.min(self.earliest_claim);
    }

    fn claim(&mut self) {
        let ports = self.ports();
        let now = ports.clock.now();
        let lease = Lease { holder: ports.ids.fresh(), until: now.plus_millis(LEASE_MILLIS) };
        let claim = self.desk.claim(lease, now, self.turn);
        let queue = Arc::clone(&ports.delivery_queue);
        // The claim may miss an event that is recorded from now on.
        self.claim_began = self.elapsed();
        self.next_claim = self.claim_began + self.dispatcher.poll;
        self.is_claiming = true;
        self.storing.spawn(async move {
            let claimed = queue.claim(claim.clone()).await;
            Stored::Claimed(claim, claimed)
        });
    }

    fn stored(&mut self, stored: Result<Stored, JoinError>) {
        match stored {
            Ok(Stored::Claimed(claim, Ok(claimed))) => self.claimed(&claim, claimed),
            Ok(Stored::Claimed(_, Err(error))) => {
                self.is_claiming = false;
                self.earliest_claim = self.elapsed() + AFTER_FAILURE;
                self.next_claim = self.earliest_claim;
                (self.notice)(Notice::Failed(error.into()));
            }
            Ok(Stored::SettledDelivery(settled)) => {
                self.is_settling = false;
                match settled {
                    Ok(deactivated) => {
                        for (queue, reason) in deactivated {
                            self.desk.discard(queue);
                            (self.notice)(Notice::Deactivated(queue, reason));
                        }
                    }
                    Err(error) => (self.notice)(Notice::Failed(error.into())),
                }
            }
            Ok(Stored::Released(released)) => {
                self.is_releasing = false;
                if let Err(error) = released {
                    (self.notice)(Notice::Failed(error.into()));
                }
            }
            Ok(Stored::Noted(noted)) => {
                if let Err(error) = noted {
                    (self.notice)(Notice::Failed(error.into()));
                }
            }
            Err(panicked) => {
                // An unknown task of the store panicked, so that all of them count as ended.
                (self.is_claiming, self.is_settling, self.is_releasing) = (false, false, false);
                self.earliest_claim = self.elapsed() + AFTER_FAILURE;
                self.next_claim = self.earliest_claim;
                (self.notice)(Notice::Failed(panicked.into()));
            }
        }
    }

    fn claimed(&mut self, claim: &Claim, mut claimed: Claimed) {
        self.is_claiming = false;
        for unreadable in claimed.unreadable.drain(..) {
            (self.notice)(Notice::Unreadable(unreadable));
        }
        let is_empty = claimed.deliveries.is_empty();
        let now = self.elapsed();
        let rest = if is_empty {
            let rest = now.saturating_sub(self.claim_began) * AFTER_NONE_TIMES;
            AFTER_NONE.max(rest).min(self.dispatcher.poll)
        } else {
            AFTER_SOME
        };
        self.earliest_claim = now + rest;
        self.turn = claimed.next_after;
        // All queues were looked at if a claim began with the first queue and reached the last.
        // Until then more may be due.
        if claimed.next_after.is_some() || claim.after.is_some() {
            self.next_claim = Duration::ZERO;
        } else {
            self.next_claim = self.next_claim.max(self.earliest_claim);
        }
        self.desk.put(claim, claimed);
        if self.stopping {
            self.desk.clear();
        }
    }

    /// Starts the look-ups and attempts that have their turn.
    fn start_attempts(&mut self) {
        if self.stopping {
            return;
        }
        let clock = &self.ports().clock;
        let started_at = clock.now();
        while let Some((stage, held)) = self.desk.start(started_at) {
            let attempts = held.claimed.attempts;
            let mut flight = Flight {
                key: held.claimed.key,
                lease: held.lease,
                number: attempts + 1,
                number_in_schedule: attempts.saturating_sub(held.claimed.attempts_before_replay)
                    + 1,
                looking_up: None,
                started_at,
                started: clock.elapsed(),
            };
            let (sink, clock) = (Arc::clone(&self.dispatcher.sink), Arc::clone(clock));
            let limit = async move { clock.sleep(LONGEST_ATTEMPT).await };
            let attempt = match stage {
                Stage::LookUp => {
                    let url = held.claimed.url.clone();
                    flight.looking_up = Some(held);
                    self.attempts.spawn(async move {
                        tokio::select! {
                            found = sink.look_up(&url) => found.err().map(nothing),
                            () = limit => Some(nothing(DeliveryFailure::Timeout)),
                        }
                    })
                }
                Stage::Attempt => {
                    let dispatch = self.dispatcher.dispatch(held, started_at);
                    self.attempts.spawn(async move {
                        Some(match dispatch {
                            Err(_) => nothing(DeliveryFailure::Secret),
                            Ok(dispatch) => tokio::select! {
                                reply = sink.send(dispatch) => reply,
                                () = limit => nothing(DeliveryFailure::Timeout),
                            },
                        })
                    })
                }
            };
            self.flights.insert(attempt.id(), flight);
        }
    }

    /// Handles the attempt that has ended, and all others that have ended by now.
    fn all_ended(&mut self, first: Result<(task::Id, Option<Reply>), JoinError>) {
        self.ended(first);
        while let Some(next) = self.attempts.try_join_next_with_id() {
            self.ended(next);
        }
    }

    fn ended(&mut self, ended: Result<(task::Id, Option<Reply>), JoinError>) {
        let (id, reply) = match ended {
            Ok(ended) => ended,
            // The sink panicked. The attempt counts as failed, so that it is not repeated for ever.
            Err(panicked) => {
                let id = panicked.id();
                (self.notice)(Notice::Failed(panicked.into()));
                (id, Some(nothing(DeliveryFailure::Internal)))
            }
        };
        let Some(flight) = self.flights.remove(&id) else { return };
        let took = self.elapsed().saturating_sub(flight.started);
        let ended_at = self.ports().clock.now();
        let stage = if flight.looking_up.is_some() { Stage::LookUp } else { Stage::Attempt };
        let Some(reply) = reply else {
            if let Some(held) = flight.looking_up {
                self.desk.found(held, ended_at);
            }
            if self.stopping {
                self.desk.clear();
            }
            return;
        };
        let outcome = self.dispatcher.schedule.after(EndedAttempt {
            delivery: flight.key.id(),
            number: flight.number_in_schedule,
            response: reply.response,
            retry_after: reply.retry_after,
            ended_at,
        });
        let attempt = Attempt {
            number: flight.number,
            started_at: flight.started_at,
            duration_ms: u32::try_from(took.as_millis()).unwrap_or(u32::MAX),
            response: reply.response,
            answer: reply.answer,
        };
        (self.notice)(Notice::Attempted { outcome, took });
        let settled = SettledDelivery {
            key: flight.key,
            holder: flight.lease.holder,
            attempt,
            outcome,
            ended_at,
        };
        self.results.push((settled, flight.lease.until));
        let runs_low = self.desk.end(flight.key.queue, stage, took);
        if reply.response.is_gone() {
            self.desk.discard(flight.key.queue);
        } else if runs_low {
            self.next_claim = Duration::ZERO;
        }
    }

    /// Notes when receivers took deliveries, once a minute: a note is a write of its own.
    fn note_successes(&mut self, results: &[SettledDelivery]) {
        let mut successes = Vec::new();
        for SettledDelivery { key, attempt, ended_at, .. } in results {
            let noted = self.noted.get(&key.queue);
            let is_old = noted.is_none_or(|noted| noted.plus_millis(NOTED_EVERY) <= *ended_at);
            if attempt.response.is_success() && is_old {
                self.noted.insert(key.queue, *ended_at);
                successes.push((key.queue, *ended_at));
            }
        }
        if !successes.is_empty() {
            let subscriptions = Arc::clone(&self.ports().webhook_subscriptions);
            self.storing.spawn(async move {
                for (Queue { organization, subscription }, at) in successes {
                    let noted = subscriptions.succeeded(organization, subscription, at).await;
                    if noted.is_err() {
                        return Stored::Noted(noted);
                    }
                }
                Stored::Noted(Ok(()))
            });
        }
    }

    /// Settles outcomes, and returns deliveries that are not sent from here.
    fn store_results(&mut self) {
        if !self.is_settling && !self.results.is_empty() {
            self.is_settling = true;
            let some = self.results.len().min(SETTLED_AT_ONCE);
            let (results, leases): (Vec<SettledDelivery>, Vec<Time>) =
                self.results.drain(..some).unzip();
            let until = leases.into_iter().max().unwrap_or(Time::MIN);
            self.note_successes(&results);
            let ports = self.ports().clone();
            self.storing.spawn(async move {
                Stored::SettledDelivery(settle(&ports, results, until).await)
            });
        }
        if !self.is_releasing {
            let returned = self.desk.returned();
            if !returned.is_empty() {
                self.is_releasing = true;
                let queue = Arc::clone(&self.ports().delivery_queue);
                self.storing.spawn(async move { Stored::Released(queue.release(returned).await) });
            }
        }
    }
}

/// Stores the outcomes of attempts. A failure is retried until the last lease has run out: an
/// outcome that is not stored is sent again, and one that is stored twice changes nothing, as its
/// lease has no holder the second time.
async fn settle(
    ports: &Ports,
    results: Vec<SettledDelivery>,
    until: Time,
) -> Result<Vec<(Queue, Deactivation)>, StoreError> {
    let mut pauses = SETTLING_PAUSES.into_iter();
    let mut pause = Duration::ZERO;
    loop {
        let settled = ports.delivery_queue.settle(results.clone()).await;
        if settled.is_ok() || ports.clock.now() > until {
            return settled;
        }
        pause = pauses.next().unwrap_or(pause);
        ports.clock.sleep(pause).await;
    }
}

fn nothing(failure: DeliveryFailure) -> Reply {
    Reply { response: Response::Nothing(failure), retry_after: None, answer: Vec::new() }
}
