//! The background workers of a server: each goes round one of the background steps of `app`, on every replica alike. Only the
//! dispatcher of webhook deliveries has no rounds: it is one that lasts until the server stops.
//!
//! A worker outlives whatever its step does. What fails is logged and tried again after a pause; a panic is a failure.

mod pulse;

use crate::error::chain;
use crate::metrics::{attempted, deactivated, worked};
use crate::serve::STOP_LIMIT;
use futures_util::FutureExt;
use hearback_app::Vault;
use hearback_app::backlog::{Progress, StepError};
use hearback_app::deliver::{Dispatcher, Notice};
use hearback_app::mail::{Sender, write_mails};
use hearback_app::prune::prune;
use hearback_app::publish::publish_due_entries;
use hearback_domain::delivery::RetrySchedule;
use hearback_domain::webhook_subscription::Deactivation;
use hearback_ports::delivery_queue::Queue;
use hearback_ports::{Clock, EventSink, Ports, StoreError};
use pulse::Pulse;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The workers of a server, not started yet.
pub(crate) struct Workers {
    ports: Ports,
    publishing: Arc<Pulse>,
    writing: Arc<Pulse>,
    sending: Arc<Pulse>,
    delivering: Arc<Pulse>,
    pruning: Arc<Pulse>,
}

/// What the workers send by.
pub(crate) struct Outgoing {
    /// Sends mails.
    pub(crate) mails: Sender,
    /// Opens the secrets that deliveries are signed with.
    pub(crate) vault: Arc<Vault>,
    /// Sends deliveries.
    pub(crate) sink: Arc<dyn EventSink>,
    /// When it tries again.
    pub(crate) schedule: RetrySchedule,
}

/// How long a worker pauses when there is nothing to do: an entry is published that long after its time, and a round more.
const PAUSE: Duration = Duration::from_millis(500);
/// The same of the worker that removes old deliveries, which are a month old by then.
const PRUNING_PAUSE: Duration = Duration::from_secs(60);
/// How long the publishing worker pauses when the store failed. Short, so that what is due is published within 2 seconds of the
/// store's return.
const PUBLISHING_FAILED: Duration = Duration::from_secs(1);
/// How long the workers that nobody waits for pause when the store or the mail server failed.
const MAILING_FAILED: Duration = Duration::from_secs(5);
/// How long there is no dispatcher after it panicked. What it was at is claimed again when its leases have run out.
const DELIVERING_FAILED: Duration = Duration::from_secs(5);

/// How long nothing may be heard of a worker that works on the store alone, whose calls all have time limits; and of the
/// dispatcher, who is busy with attempts for half as long at most.
const LONGEST_SILENCE: Duration = Duration::from_secs(60);
/// How long nothing may be heard of the worker that sends mails: a [mailer](hearback_ports::Mailer) may take two minutes.
const LONGEST_SENDING: Duration = Duration::from_secs(180);
/// How long nothing may be heard of the worker that removes old deliveries: it pauses for long.
const LONGEST_PRUNING: Duration = PRUNING_PAUSE.saturating_add(LONGEST_SILENCE);

impl Workers {
    /// On these ports. They count as alive from now on.
    pub(crate) fn new(ports: Ports) -> Self {
        let pulse = |longest| Arc::new(Pulse::new(Arc::clone(&ports.clock), longest));
        let (publishing, writing, sending) =
            (pulse(LONGEST_SILENCE), pulse(LONGEST_SILENCE), pulse(LONGEST_SENDING));
        let (delivering, pruning) = (pulse(LONGEST_SILENCE), pulse(LONGEST_PRUNING));
        Self { ports, publishing, writing, sending, delivering, pruning }
    }

    /// Tells whether all of them are alive.
    pub(crate) fn all_alive(&self) -> Arc<dyn Fn() -> bool + Send + Sync> {
        let Self { publishing, writing, sending, delivering, pruning, .. } = self;
        let pulses = [publishing, writing, sending, delivering, pruning].map(Arc::clone);
        Arc::new(move || pulses.iter().all(|pulse| pulse.is_alive()))
    }

    /// Works until `stop` returns, then returns when the mails and deliveries that are on their way have arrived or failed,
    /// [`STOP_LIMIT`] later at the latest. After that nothing of it reaches the store any more.
    pub(crate) async fn until(self, outgoing: Outgoing, stop: impl Future<Output = ()>) {
        let (stopping, stopped) = watch::channel(false);
        let mut running = JoinSet::new();

        let worker = Worker::new("publish entries", PUBLISHING_FAILED, AtStop::Drop);
        let ports = working_by(&self.publishing, &self.ports);
        let publish = async move || publish_due_entries(&ports).await;
        running.spawn(worker.work(self.publishing, stopped.clone(), publish));

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
        let prune = async move || prune(&ports).await;
        running.spawn(worker.work(self.pruning, stopped, prune));

        stop.await;
        stopping.send_replace(true);
        tokio::select! {
            () = async { while running.join_next().await.is_some() {} } => return,
            () = self.ports.clock.sleep(STOP_LIMIT) => {}
        }
        if !sending.is_finished() {
            tracing::warn!(
                "mails were still on their way when the time to stop ran out: nobody will know what became of them"
            );
        }
        if !delivering.is_finished() {
            tracing::warn!(
                "deliveries were still on their way when the time to stop ran out: they will be sent again"
            );
        }
        running.shutdown().await;
    }
}

/// The ports, with the worker's pulse as their clock.
fn working_by(pulse: &Arc<Pulse>, ports: &Ports) -> Ports {
    Ports { clock: Arc::clone(pulse) as Arc<dyn Clock>, ..ports.clone() }
}

struct Worker {
    /// What it does, for the log.
    name: &'static str,
    /// How long it pauses when there was nothing to do.
    pause: Duration,
    /// How long it pauses when nothing came off.
    after_failure: Duration,
    at_stop: AtStop,
}

/// What becomes of the round that is under way when a worker is to stop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AtStop {
    /// It is dropped: what it has the store do is done whole or not at all, and what is left waits for the next start.
    Drop,
    /// It is waited for.
    Await,
}

impl Worker {
    fn new(name: &'static str, after_failure: Duration, at_stop: AtStop) -> Self {
        Self { name, pause: PAUSE, after_failure, at_stop }
    }

    /// Goes round and round until it is stopped.
    async fn work(
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
                // What is used again after a panic is ports, which are shared by everybody anyway, and a cache of letters. A
                // dispatcher keeps what it is at in what it drops then.
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

    /// How long to wait for the next round. Mails to many people fail one by one for reasons of their own, such as an address
    /// that is gone: those do not hold up the others.
    fn pause_after(&self, progress: &Progress) -> Duration {
        match progress.failures.len() {
            failed if progress.done > failed => Duration::ZERO,
            0 => self.pause,
            _ => self.after_failure,
        }
    }
}

fn log_failure(worker: &'static str, failure: &StepError) {
    let error = chain(failure);
    if comes_from_outside(failure) {
        tracing::warn!(worker, error, "a background step failed");
    } else {
        tracing::error!(worker, error, "a background step failed");
    }
}

/// What the dispatcher does, for the log.
const DELIVERING: &str = "send deliveries";

/// Logs and counts. The subscription is named by its identifier: there may be a secret in its URL.
fn tell(notice: Notice) {
    match notice {
        Notice::Attempted { outcome, took } => {
            worked(DELIVERING, 1, 0);
            attempted(outcome, took);
        }
        Notice::Failed(failure) => {
            worked(DELIVERING, 0, 1);
            log_failure(DELIVERING, &failure);
        }
        Notice::Unreadable(unreadable) => {
            worked(DELIVERING, 0, 1);
            tracing::error!(organization = %unreadable.key.queue.organization, "{unreadable}");
        }
        Notice::Deactivated(Queue { organization, subscription }, reason) => {
            deactivated(reason);
            let reason = match reason {
                Deactivation::Gone => "its receiver answered 410 Gone",
                Deactivation::Hopeless => "its receiver took nothing for 120 hours",
            };
            tracing::error!(%organization, %subscription, reason, "a webhook subscription was deactivated: nothing is sent to it");
        }
    }
}

/// Whether a failure says that something else is down, or took no mail, and not that something is wrong here.
fn comes_from_outside(failure: &StepError) -> bool {
    match failure {
        StepError::Store(StoreError::Busy | StoreError::Unreachable { .. })
        | StepError::Mail(_) => true,
        StepError::Store(StoreError::Lost { .. } | StoreError::Backend { .. })
        | StepError::Panicked(_) => false,
    }
}

async fn requested(stopped: &mut watch::Receiver<bool>) {
    // Where the sender is gone, nobody is there any more to work for.
    let _ = stopped.wait_for(|&stopped| stopped).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alarm::ProcessAlarm;
    use async_trait::async_trait;
    use hearback_app::MasterKey;
    use hearback_app::unsubscribe::UnsubscribeTokens;
    use hearback_app::vault::Purpose;
    use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus};
    use hearback_domain::delivery::{DeliveryOutcome, Response};
    use hearback_domain::event::EventType;
    use hearback_domain::id::{OrganizationId, SubscriptionId};
    use hearback_domain::mail::{MailFailure, MailOutcome};
    use hearback_domain::slug::Slug;
    use hearback_domain::{Time, Uuid};
    use hearback_ports::backlog::Task;
    use hearback_ports::deliveries::Ended;
    use hearback_ports::delivery_queue::{Claimed, ClaimedDelivery, DeliveryKey};
    use hearback_ports::event_sink::{Dispatch, MockEventSink, Reply};
    use hearback_ports::mail_queue::{Announcement, ClaimedMail};
    use hearback_ports::mailer::{Mail, MailError, MockMailer, Recipient};
    use hearback_ports::mock::Mocks;
    use hearback_ports::{Ids, Mailer};
    use std::collections::VecDeque;
    use std::sync::Mutex;
    use tokio::time::Instant;

    /// A clock that stands still while anything runs, and jumps ahead when everybody waits: that of a paused runtime.
    struct TestClock(Instant);

    impl TestClock {
        fn new() -> Arc<Self> {
            Arc::new(Self(Instant::now()))
        }
    }

    #[async_trait]
    impl Clock for TestClock {
        fn now(&self) -> Time {
            Time::MIN
        }

        fn elapsed(&self) -> Duration {
            self.0.elapsed()
        }

        async fn sleep(&self, duration: Duration) {
            tokio::time::sleep(duration).await;
        }
    }

    /// What a round comes to.
    #[derive(Clone, Copy)]
    enum Round {
        Comes { done: usize, failed: usize },
        Panics,
    }

    use Round::{Comes, Panics};

    fn progress(done: usize, failed: usize) -> Progress {
        Progress {
            done,
            failures: (0..failed).map(|_| StepError::Store(StoreError::Busy)).collect(),
        }
    }

    fn worker(at_stop: AtStop) -> Worker {
        Worker::new("test", Duration::from_secs(5), at_stop)
    }

    fn pulse(clock: &Arc<TestClock>) -> Arc<Pulse> {
        Arc::new(Pulse::new(clock.clone(), LONGEST_SILENCE))
    }

    /// When each of these rounds began, in milliseconds. It is stopped during the last one.
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
        // A mail that was not sent counts as done, too.
        for broken in [
            Comes { done: 0, failed: 1 },
            Comes { done: 8, failed: 8 },
            Comes { done: 8, failed: 9 },
        ] {
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
    fn what_comes_from_outside_is_no_error_of_ours() {
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

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));

    /// Ports with nothing to do but these tasks of one organization.
    fn mocks(tasks: &'static [Task]) -> Mocks {
        let mut mocks = Mocks::default();
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(2));
        mocks.backlog.expect_organizations().returning(|task, _, after, _| {
            Ok(if tasks.contains(&task) && after.is_none() { vec![ACME] } else { vec![] })
        });
        mocks
    }

    fn ports(mocks: Mocks, clock: &Arc<TestClock>) -> Ports {
        Ports { clock: clock.clone(), alarm: Arc::<ProcessAlarm>::default(), ..mocks.ports() }
    }

    /// By this mailer, and with deliveries by this sink.
    fn outgoing(mailer: impl Mailer + 'static, sink: impl EventSink + 'static) -> Outgoing {
        let vault = vault();
        let tokens = UnsubscribeTokens::new(&vault);
        let mails = Sender::new(Arc::new(mailer), tokens, "https://feedback.example".to_owned());
        Outgoing {
            mails,
            vault: Arc::new(vault),
            sink: Arc::new(sink),
            schedule: RetrySchedule::default(),
        }
    }

    fn vault() -> Vault {
        Vault::new(&MasterKey::parse(&"ab".repeat(32)).unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn every_step_is_gone_round_until_it_is_to_stop() {
        let clock = TestClock::new();
        let asked = Arc::<Mutex<Vec<Task>>>::default();
        let mut mocks = Mocks::default();
        let noted = asked.clone();
        mocks.backlog.expect_organizations().returning(move |task, _, _, _| {
            noted.lock().unwrap().push(task);
            Ok(vec![])
        });
        let claims = Arc::<Mutex<usize>>::default();
        let counted = claims.clone();
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(2));
        mocks.delivery_queue.expect_claim().returning(move |_| {
            *counted.lock().unwrap() += 1;
            Ok(Claimed::default())
        });
        let workers = Workers::new(ports(mocks, &clock));
        let all_alive = workers.all_alive();
        let outgoing = outgoing(MockMailer::new(), MockEventSink::new());
        workers.until(outgoing, clock.sleep(Duration::from_millis(60_250))).await;
        assert_eq!(clock.elapsed(), Duration::from_millis(60_250));
        let rounds = |task| asked.lock().unwrap().iter().filter(|asked| **asked == task).count();
        for task in [Task::PublishEntries, Task::WriteMails, Task::SendMails] {
            assert_eq!(rounds(task), 121);
        }
        let old = [
            Task::PruneDeliveries(Ended::Delivered),
            Task::PruneDeliveries(Ended::Failed),
            Task::ExpireDeliveries,
        ];
        for task in old.into_iter().chain([Task::PruneReceipts]) {
            assert_eq!(rounds(task), 2);
        }
        assert_eq!(*claims.lock().unwrap(), 61);
        assert!(all_alive());
        clock.sleep(Duration::from_secs(61)).await;
        assert!(!all_alive());
    }

    #[tokio::test(start_paused = true)]
    async fn each_worker_is_counted_whether_it_is_alive() {
        let clock = TestClock::new();
        let workers = Workers::new(ports(Mocks::default(), &clock));
        let all_alive = workers.all_alive();
        clock.sleep(Duration::from_secs(3600)).await;
        let Workers { publishing, writing, sending, delivering, pruning, .. } = workers;
        for silent in 0..5 {
            for (number, pulse) in
                [&publishing, &writing, &sending, &delivering, &pruning].into_iter().enumerate()
            {
                if number == silent { pulse.set(Duration::ZERO) } else { pulse.beat() }
            }
            assert!(!all_alive(), "{silent}");
        }
        for pulse in [publishing, writing, sending, delivering, pruning] {
            pulse.beat();
        }
        assert!(all_alive());
    }

    /// A mail server that takes its time.
    struct SlowMailer(Duration);

    #[async_trait]
    impl Mailer for SlowMailer {
        async fn send(&self, _: Mail) -> Result<(), MailError> {
            tokio::time::sleep(self.0).await;
            Ok(())
        }
    }

    fn mocks_with_a_mail() -> Mocks {
        let mut mocks = mocks(&[Task::SendMails]);
        mocks.delivery_queue.expect_claim().returning(|_| Ok(Claimed::default()));
        let recipient =
            Recipient { name: "Ann".to_owned(), address: "ann@acme.example".to_owned() };
        let mail = ClaimedMail {
            entry: Uuid::nil().into(),
            user: Uuid::nil().into(),
            attempt: 1,
            recipient: Some(recipient),
        };
        mocks.mail_queue.expect_claim().once().return_once(|_, _, _, _| Ok(vec![mail]));
        let entry = ChangelogEntry {
            id: Uuid::nil().into(),
            title: "Dark mode".to_owned(),
            content: String::new(),
            slug: Slug::parse("dark-mode").unwrap(),
            status: EntryStatus::Published,
            show_on_portal: true,
            featured_image_url: None,
            author_id: None,
            scheduled_at: None,
            published_at: Some(Time::MIN),
            entry_type: None,
            label_ids: vec![],
            notify: true,
            is_active: true,
            created_at: Time::MIN,
            updated_at: Time::MIN,
        };
        let announcement = Announcement { organization_name: "Acme".to_owned(), entry };
        mocks
            .mail_queue
            .expect_announcement()
            .returning(move |_, _| Ok(Some(announcement.clone())));
        mocks
    }

    #[tokio::test(start_paused = true)]
    async fn a_mail_on_its_way_is_waited_for_and_what_became_of_it_is_kept() {
        let clock = TestClock::new();
        let mut mocks = mocks_with_a_mail();
        mocks
            .mail_queue
            .expect_settle()
            .once()
            .withf(|_, _, mails, _| mails.iter().all(|mail| mail.outcome == MailOutcome::Sent))
            .returning(|_, _, _, _| Ok(()));
        let workers = Workers::new(ports(mocks, &clock));
        let outgoing = outgoing(SlowMailer(Duration::from_secs(20)), MockEventSink::new());
        workers.until(outgoing, clock.sleep(Duration::from_secs(1))).await;
        assert_eq!(clock.elapsed(), Duration::from_secs(20));
    }

    #[tokio::test(start_paused = true)]
    async fn a_mail_that_takes_too_long_does_not_hold_up_the_end() {
        let clock = TestClock::new();
        // What became of it is not kept: nobody knows.
        let workers = Workers::new(ports(mocks_with_a_mail(), &clock));
        let outgoing = outgoing(SlowMailer(Duration::from_secs(90)), MockEventSink::new());
        workers.until(outgoing, clock.sleep(Duration::from_secs(1))).await;
        assert_eq!(clock.elapsed(), Duration::from_secs(1) + STOP_LIMIT);
    }

    const QUEUE: Queue =
        Queue { organization: ACME, subscription: SubscriptionId(Uuid::from_u128(3)) };

    /// Ports on which this is claimed first, and nothing later.
    fn mocks_with_a_delivery() -> Mocks {
        let mut mocks = mocks(&[]);
        let delivery = ClaimedDelivery {
            key: DeliveryKey { queue: QUEUE, event: Uuid::from_u128(4).into() },
            event_type: EventType::VoteCreated,
            data: "{}".to_owned(),
            url: "https://acme.example/hook".to_owned(),
            secret: vault()
                .seal(ACME, QUEUE.subscription.0, Purpose::SigningSecret, "whsec_secret")
                .unwrap(),
            previous_secret: None,
            occurred_at: Time::MIN,
            attempts: 0,
            attempts_before_replay: 0,
        };
        let mut claimed = Some(Claimed { deliveries: vec![delivery], ..Claimed::default() });
        mocks
            .delivery_queue
            .expect_claim()
            .returning(move |_| Ok(claimed.take().unwrap_or_default()));
        mocks
    }

    /// A receiver that takes its time.
    struct SlowSink(Duration);

    #[async_trait]
    impl EventSink for SlowSink {
        async fn send(&self, _: Dispatch) -> Reply {
            tokio::time::sleep(self.0).await;
            Reply {
                response: Response::Status { code: 204, cut: None },
                retry_after: None,
                answer: vec![],
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_delivery_on_its_way_is_waited_for_and_what_became_of_it_is_kept() {
        let clock = TestClock::new();
        let mut mocks = mocks_with_a_delivery();
        mocks
            .delivery_queue
            .expect_settle()
            .once()
            .withf(|settled| {
                settled.iter().all(|settled| settled.outcome == DeliveryOutcome::Delivered)
            })
            .returning(|_| Ok(vec![]));
        let workers = Workers::new(ports(mocks, &clock));
        let outgoing = outgoing(MockMailer::new(), SlowSink(Duration::from_secs(20)));
        workers.until(outgoing, clock.sleep(Duration::from_secs(1))).await;
        assert_eq!(clock.elapsed(), Duration::from_secs(20));
    }

    #[tokio::test(start_paused = true)]
    async fn a_delivery_that_takes_too_long_does_not_hold_up_the_end() {
        let clock = TestClock::new();
        // What became of it is not kept: it is sent again.
        let workers = Workers::new(ports(mocks_with_a_delivery(), &clock));
        let outgoing = outgoing(MockMailer::new(), SlowSink(Duration::from_secs(90)));
        workers.until(outgoing, clock.sleep(Duration::from_secs(1))).await;
        assert_eq!(clock.elapsed(), Duration::from_secs(1) + STOP_LIMIT);
    }

    /// Identifiers that cannot be had the first two times. Notes when they were asked for, in seconds.
    struct LateIds {
        clock: Arc<TestClock>,
        asked: Mutex<Vec<u64>>,
    }

    impl Ids for LateIds {
        fn fresh(&self) -> Uuid {
            let mut asked = self.asked.lock().unwrap();
            asked.push(self.clock.elapsed().as_secs());
            let fails = asked.len() <= 2;
            drop(asked);
            assert!(!fails, "as a port should not");
            Uuid::from_u128(2)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_dispatcher_is_started_again_after_a_panic() {
        let clock = TestClock::new();
        let mut mocks = mocks(&[]);
        mocks.delivery_queue.expect_claim().returning(|_| Ok(Claimed::default()));
        // A lease is made up by the dispatcher itself; what it has the store do runs in tasks of their own.
        let ids = Arc::new(LateIds { clock: clock.clone(), asked: Mutex::default() });
        let workers = Workers::new(Ports { ids: ids.clone(), ..ports(mocks, &clock) });
        let outgoing = outgoing(MockMailer::new(), MockEventSink::new());
        workers.until(outgoing, clock.sleep(Duration::from_millis(12_500))).await;
        assert_eq!(*ids.asked.lock().unwrap(), [0, 5, 10, 11, 12]);
    }
}
