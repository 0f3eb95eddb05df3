//! The rounds of one worker: pauses, panics, its pulse.

use super::TestClock;
use crate::workers::LONGEST_SILENCE;
use crate::workers::pulse::Pulse;
use crate::workers::worker::{AtStop, Worker, comes_from_outside};
use hearback_app::backlog::{Progress, StepError};
use hearback_domain::mail::MailFailure;
use hearback_ports::mailer::MailError;
use hearback_ports::{Clock, StoreError};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The result of a round.
#[derive(Clone, Copy, Debug)]
enum Round {
    Comes { done: usize, failed: usize },
    Panics,
}

use Round::{Comes, Panics};

fn progress(done: usize, failed: usize) -> Progress {
    Progress { done, failures: (0..failed).map(|_| StepError::Store(StoreError::Busy)).collect() }
}

fn worker(at_stop: AtStop) -> Worker {
    Worker::new("test", Duration::from_secs(5), at_stop)
}

fn pulse(clock: &Arc<TestClock>) -> Arc<Pulse> {
    Arc::new(Pulse::new(clock.clone(), LONGEST_SILENCE))
}

/// The beginnings of these rounds, in milliseconds. The last round stops the worker.
async fn began(worker: Worker, rounds: &[Round]) -> Vec<u128> {
    let clock = TestClock::new();
    let (stopping, stopped) = watch::channel(false);
    let mut rounds = VecDeque::from(rounds.to_vec());
    let mut began = Vec::new();
    let round = async || {
        began.push(clock.elapsed().as_millis());
        let round = rounds.pop_front().unwrap();
        if rounds.is_empty() {
            stopping.send_replace(true);
        }
        match round {
            Comes { done, failed } => progress(done, failed),
            Panics => panic!("as a step should not"),
        }
    };
    worker.work(pulse(&clock), stopped, round).await;
    began
}

const IDLE: Round = Comes { done: 0, failed: 0 };
const BUSY: Round = Comes { done: 8, failed: 0 };
const MIXED: Round = Comes { done: 8, failed: 7 };
const FAILED: Round = Comes { done: 0, failed: 1 };
/// A mail that failed counts as done, too.
const MAILS_FAILED: Round = Comes { done: 8, failed: 8 };
const MORE_FAILED: Round = Comes { done: 8, failed: 9 };

#[tokio::test(start_paused = true)]
async fn a_pause_follows_a_round_without_work_and_a_longer_one_a_failed_round() {
    for (rounds, beginnings) in [
        (&[BUSY, BUSY, IDLE, IDLE, BUSY, IDLE][..], &[0, 0, 0, 500, 1000, 1000][..]),
        (&[MIXED, MIXED, MIXED], &[0, 0, 0]),
        (&[FAILED, FAILED, IDLE, IDLE], &[0, 5000, 10_000, 10_500]),
        (&[MAILS_FAILED, MAILS_FAILED, IDLE, IDLE], &[0, 5000, 10_000, 10_500]),
        (&[MORE_FAILED, MORE_FAILED, IDLE, IDLE], &[0, 5000, 10_000, 10_500]),
        (&[Panics, Panics, IDLE, IDLE], &[0, 5000, 10_000, 10_500]),
    ] {
        assert_eq!(began(worker(AtStop::Await), rounds).await, beginnings, "{rounds:?}");
    }
    let slow = Worker { pause: Duration::from_secs(60), ..worker(AtStop::Drop) };
    let rounds = [IDLE, BUSY, BUSY, IDLE, IDLE];
    assert_eq!(began(slow, &rounds).await, [0, 60_000, 60_000, 60_000, 120_000]);
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_pauses_ends_at_once() {
    let clock = TestClock::new();
    let (stopping, stopped) = watch::channel(false);
    let working = worker(AtStop::Await).work(pulse(&clock), stopped, async || progress(0, 1));
    let stop = async {
        clock.sleep(Duration::from_secs(1)).await;
        stopping.send_replace(true);
    };
    tokio::join!(working, stop);
    assert_eq!(clock.elapsed(), Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn a_round_under_way_is_dropped_or_waited_for() {
    for (at_stop, ends) in [(AtStop::Drop, 1), (AtStop::Await, 60)] {
        let clock = TestClock::new();
        let (stopping, stopped) = watch::channel(false);
        let round = async || {
            clock.sleep(Duration::from_secs(60)).await;
            progress(1, 0)
        };
        let working = worker(at_stop).work(pulse(&clock), stopped, round);
        let stop = async {
            clock.sleep(Duration::from_secs(1)).await;
            stopping.send_replace(true);
        };
        tokio::join!(working, stop);
        assert_eq!(clock.elapsed(), Duration::from_secs(ends));
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_is_alive_while_it_asks_for_the_time() {
    let clock = TestClock::new();
    let pulse = pulse(&clock);
    clock.sleep(Duration::from_secs(60)).await;
    assert!(pulse.is_alive());
    clock.sleep(Duration::from_millis(1)).await;
    assert!(!pulse.is_alive());
    pulse.now();
    assert!(pulse.is_alive());
}

#[tokio::test(start_paused = true)]
async fn a_worker_is_not_alive_when_its_step_panics_every_time() {
    let clock = TestClock::new();
    let pulse = pulse(&clock);
    let (_stopping, stopped) = watch::channel(false);
    let asked = pulse.clone();
    let round = async || {
        asked.now();
        panic!("as a step should not")
    };
    tokio::select! {
        () = worker(AtStop::Await).work(pulse.clone(), stopped, round) => {}
        () = clock.sleep(Duration::from_secs(62)) => {}
    }
    assert!(!pulse.is_alive());
}

#[test]
fn a_failure_from_outside_is_a_warning_in_the_log() {
    let source = || "source".into();
    let mail = MailError { failure: MailFailure::Refused, source: source() };
    for failure in [
        StoreError::Busy.into(),
        StoreError::Unreachable { doing: "", source: source() }.into(),
        mail.into(),
    ] {
        assert!(comes_from_outside(&failure));
    }
    for failure in [
        StoreError::Lost { doing: "", source: source() },
        StoreError::Backend { doing: "", source: source() },
    ] {
        assert!(!comes_from_outside(&failure.into()));
    }
}
