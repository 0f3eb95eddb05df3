//! The dispatcher: brings recorded events to their subscriptions.
//!
//! ```text
//!   claim (store) ──> desk ──> attempts (sink) ──> ended ──> settle (store)
//! ```
//!
//! Everything streams. Deliveries are claimed under a lease in batches, which is committed before
//! anything of them is sent; they wait on the desk for their turn; each attempt is a task of its
//! own; and what has ended by the time that the last settlement is written is settled next. Nobody
//! waits for the slowest of a batch, and a subscription has a place of its own on the desk, so that
//! what one receiver does is nothing to the others.
//!
//! **Nothing is lost, and little is sent twice.** Whoever dies leaves leases that run out; whoever
//! finds that, this process or another one, claims the deliveries again. So a delivery whose
//! attempt was not settled is attempted again, with the same identifier and the same body. While a
//! lease holds nobody else has the delivery; an attempt begins only when enough is left of it to
//! see the attempt through.

mod desk;
#[cfg(test)]
mod tests;

use crate::backlog::StepError;
use crate::vault::{Purpose, SealError, Vault};
use desk::{Desk, LeasedDelivery};
use hearback_domain::api_key::Sealed;
use hearback_domain::delivery::{DeliveryFailure, DeliveryOutcome, Response, RetrySchedule, Try};
use hearback_domain::webhook_subscription::Deactivation;
use hearback_domain::{ClosedSet, Time};
use hearback_ports::delivery_queue::{
    Attempt, Claim, Claimed, DeliveryKey, Queue, Settled, Unreadable,
};
use hearback_ports::event_sink::{Dispatch, Reply, SigningSecret, SigningSecrets};
use hearback_ports::{EventSink, Lease, Ports, StoreError};
use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{self, JoinError, JoinSet};

/// For how long deliveries are claimed, in milliseconds: whoever dies delays them by that long.
const LEASE_MILLIS: i64 = 60_000;

/// How long the dispatcher waits before it looks for what it was not woken for: retries, and what
/// other processes recorded.
const POLL: Duration = Duration::from_secs(1);
/// How long it is deaf to the alarm after it found something: what is recorded meanwhile makes one
/// claim.
const AFTER_SOME: Duration = Duration::from_millis(5);
/// The same after it found nothing: events that nobody wants ring, too.
const AFTER_NONE: Duration = Duration::from_millis(20);
/// It is deaf for so many times as long as a claim that found nothing took: to look costs by the
/// number of queues that wait for a retry, and is not to cost more than a fifth of the time.
const AFTER_NONE_TIMES: u32 = 4;
/// How long it waits when the store failed.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// The longest that an attempt may take: what sends ends it after 30 seconds, and one that does not
/// is not waited for.
const LONGEST_ATTEMPT: Duration = Duration::from_secs(31);

/// How long to wait before a settlement is tried again, the last of these again and again.
const SETTLING_PAUSES: [Duration; 3] =
    [Duration::from_millis(100), Duration::from_secs(1), Duration::from_secs(5)];
/// The most that is settled in one transaction.
const SETTLED_AT_ONCE: usize = 512;

/// Brings recorded events to their subscriptions.
pub struct Dispatcher {
    ports: Ports,
    vault: Arc<Vault>,
    sink: Arc<dyn EventSink>,
    schedule: RetrySchedule,
}

/// What whoever runs a dispatcher should hear of.
#[derive(Debug)]
pub enum Notice {
    /// A part of the work failed, and is tried again.
    Failed(StepError),
    /// A subscription was deactivated for what its receiver did: nothing is sent to it until
    /// somebody activates it.
    Deactivated(Queue, Deactivation),
    /// A delivery cannot be sent: it is looked at again in a minute.
    Unreadable(Unreadable),
    /// An attempt ended.
    Attempted {
        /// What follows.
        outcome: DeliveryOutcome,
        /// How long it took.
        took: Duration,
    },
}

impl Dispatcher {
    /// One that works on these ports.
    pub fn new(
        ports: Ports,
        vault: Arc<Vault>,
        sink: Arc<dyn EventSink>,
        schedule: RetrySchedule,
    ) -> Self {
        Self { ports, vault, sink, schedule }
    }

    /// Works until `stop` returns, then claims no more and returns when what is on its way has
    /// ended and is settled.
    ///
    /// Dropped earlier it loses nothing: what is on its way then is sent again when its lease has
    /// run out.
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
                Some(stored) = run.storing.join_next(), if !run.storing.is_empty() => run.stored(stored),
                Some(ended) = run.attempts.join_next_with_id(), if !run.attempts.is_empty() => run.all_ended(ended),
                () = self.ports.alarm.rung(), if !run.stopping => run.look_soon(),
                () = self.ports.clock.sleep(pause), if may_claim => run.claim(),
            }
        }
    }

    /// What an attempt is made of, unless the secret cannot be read.
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
            // One that does not open is nothing to wait for: its receiver goes by the new one.
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

/// An attempt on its way.
struct Flight {
    key: DeliveryKey,
    lease: Lease,
    number: u32,
    /// Which attempt it is since the delivery was made or last replayed.
    number_in_schedule: u32,
    started_at: Time,
    /// By the clock that does not jump.
    started: Duration,
}

/// What the store was asked to do, and did.
enum Stored {
    Claimed(Claim, Result<Claimed, StoreError>),
    Settled(Result<Vec<(Queue, Deactivation)>, StoreError>),
    Released(Result<(), StoreError>),
}

/// A running dispatcher.
struct Run<'a, N> {
    dispatcher: &'a Dispatcher,
    notice: N,
    stopping: bool,
    desk: Desk,
    attempts: JoinSet<Reply>,
    flights: HashMap<task::Id, Flight>,
    /// What has ended and is not settled yet, and until when that can be.
    results: Vec<(Settled, Time)>,
    storing: JoinSet<Stored>,
    is_claiming: bool,
    is_settling: bool,
    is_releasing: bool,
    /// The queue behind which the next claim goes on; `None`: it begins with the first.
    turn: Option<Queue>,
    /// When the claim that is under way, or the last one, was begun.
    claim_began: Duration,
    /// When to claim next, and how early at the earliest.
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

    /// Takes nothing up any more.
    fn stop(&mut self) {
        self.stopping = true;
        self.desk.clear();
    }

    fn may_claim(&self) -> bool {
        !self.stopping && !self.is_claiming && self.desk.has_room()
    }

    /// How long until the next claim.
    fn pause(&self) -> Duration {
        self.next_claim.saturating_sub(self.elapsed())
    }

    /// Claims as soon as may be.
    fn look_soon(&mut self) {
        self.next_claim = self.next_claim.min(self.earliest_claim);
    }

    fn claim(&mut self) {
        let ports = self.ports();
        let now = ports.clock.now();
        let lease = Lease { holder: ports.ids.fresh(), until: now.plus_millis(LEASE_MILLIS) };
        let claim = self.desk.claim(lease, now, self.turn);
        let queue = Arc::clone(&ports.delivery_queue);
        // Whatever is recorded from now on may or may not be seen by this claim.
        self.claim_began = self.elapsed();
        self.next_claim = self.claim_began + POLL;
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
            Ok(Stored::Settled(settled)) => {
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
            Err(panicked) => {
                // A store panicked, and nobody knows at what: everything that it may have been is
                // taken to be over.
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
            AFTER_NONE.max(now.saturating_sub(self.claim_began) * AFTER_NONE_TIMES).min(POLL)
        } else {
            AFTER_SOME
        };
        self.earliest_claim = now + rest;
        self.turn = claimed.next_after;
        // All queues have been looked at when a claim that began with the first came to the end.
        // Until then there may be more.
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

    /// Starts what may be on its way now.
    fn start_attempts(&mut self) {
        if self.stopping {
            return;
        }
        let clock = &self.ports().clock;
        let started_at = clock.now();
        while let Some(held) = self.desk.start(started_at) {
            let attempts = held.claimed.attempts;
            let flight = Flight {
                key: held.claimed.key,
                lease: held.lease,
                number: attempts + 1,
                number_in_schedule: attempts.saturating_sub(held.claimed.attempts_before_replay)
                    + 1,
                started_at,
                started: clock.elapsed(),
            };
            let dispatch = self.dispatcher.dispatch(held, started_at);
            let (sink, clock) = (Arc::clone(&self.dispatcher.sink), Arc::clone(clock));
            let attempt = self.attempts.spawn(async move {
                let Ok(dispatch) = dispatch else { return nothing(DeliveryFailure::Secret) };
                tokio::select! {
                    reply = sink.send(dispatch) => reply,
                    () = clock.sleep(LONGEST_ATTEMPT) => nothing(DeliveryFailure::Timeout),
                }
            });
            self.flights.insert(attempt.id(), flight);
        }
    }

    /// Takes in the attempt that has ended, and those that have ended with it.
    fn all_ended(&mut self, first: Result<(task::Id, Reply), JoinError>) {
        self.ended(first);
        while let Some(next) = self.attempts.try_join_next_with_id() {
            self.ended(next);
        }
    }

    fn ended(&mut self, ended: Result<(task::Id, Reply), JoinError>) {
        let (id, reply) = match ended {
            Ok(ended) => ended,
            // What sends panicked. That is an attempt that failed, or it would be made for ever.
            Err(panicked) => {
                let id = panicked.id();
                (self.notice)(Notice::Failed(panicked.into()));
                (id, nothing(DeliveryFailure::Internal))
            }
        };
        let Some(flight) = self.flights.remove(&id) else { return };
        let took = self.elapsed().saturating_sub(flight.started);
        let ended_at = self.ports().clock.now();
        let outcome = self.dispatcher.schedule.after(Try {
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
        let settled =
            Settled { key: flight.key, holder: flight.lease.holder, attempt, outcome, ended_at };
        self.results.push((settled, flight.lease.until));
        let runs_low = self.desk.end(flight.key.queue, took);
        if reply.response.is_gone() {
            self.desk.discard(flight.key.queue);
        } else if runs_low {
            self.next_claim = Duration::ZERO;
        }
    }

    /// Has the store keep what has ended, and take back what is not to be sent from here.
    fn store_results(&mut self) {
        if !self.is_settling && !self.results.is_empty() {
            self.is_settling = true;
            let some = self.results.len().min(SETTLED_AT_ONCE);
            let (results, leases): (Vec<Settled>, Vec<Time>) = self.results.drain(..some).unzip();
            let until = leases.into_iter().max().unwrap_or(Time::MIN);
            let ports = self.ports().clone();
            self.storing
                .spawn(async move { Stored::Settled(settle(&ports, results, until).await) });
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

/// Keeps what became of attempts. Tried again, whatever came of it, until the last of the leases
/// has run out: what is not kept is sent again, and to keep it twice changes nothing, as nobody
/// holds it the second time.
async fn settle(
    ports: &Ports,
    results: Vec<Settled>,
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
