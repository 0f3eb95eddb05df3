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
#[derive(Clone, Copy)]
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
async fn began(rounds: &[Round]) -> Vec<u128> {
    began_of(worker(AtStop::Await), rounds).await
}

async fn began_of(worker: Worker, rounds: &[Round]) -> Vec<u128> {
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

#[tokio::test(start_paused = true)]
async fn rounds_follow_each_other_while_there_is_something_to_do() {
    let idle = Comes { done: 0, failed: 0 };
    let busy = Comes { done: 8, failed: 0 };
    assert_eq!(began(&[busy, busy, idle, idle, busy, idle]).await, [0, 0, 0, 500, 1000, 1000]);
}

#[tokio::test(start_paused = true)]
async fn a_worker_may_have_a_pause_of_its_own() {
    let (idle, busy) = (Comes { done: 0, failed: 0 }, Comes { done: 1, failed: 0 });
    let worker = Worker { pause: Duration::from_secs(60), ..worker(AtStop::Drop) };
    assert_eq!(
        began_of(worker, &[idle, busy, busy, idle, idle]).await,
        [0, 60_000, 60_000, 60_000, 120_000]
    );
}

#[tokio::test(start_paused = true)]
async fn a_round_in_which_nothing_came_off_is_followed_by_a_longer_pause() {
    let idle = Comes { done: 0, failed: 0 };
    // A mail that failed counts as done, too.
    for broken in
        [Comes { done: 0, failed: 1 }, Comes { done: 8, failed: 8 }, Comes { done: 8, failed: 9 }]
    {
        assert_eq!(began(&[broken, broken, idle, idle]).await, [0, 5000, 10_000, 10_500]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_mail_that_fails_does_not_hold_up_the_others() {
    let mixed = Comes { done: 8, failed: 7 };
    assert_eq!(began(&[mixed, mixed, mixed]).await, [0, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn a_worker_survives_a_panic_of_its_step() {
    let idle = Comes { done: 0, failed: 0 };
    assert_eq!(began(&[Panics, Panics, idle, idle]).await, [0, 5000, 10_000, 10_500]);
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
