//! The metrics of a server, and the page at `/metrics`.
//!
//! Code that does something counts it. Queues and pools are looked at for the page, at most every
//! few seconds.

use futures_util::FutureExt;
use hearback_api::MetricsPage;
use hearback_domain::Time;
use hearback_domain::delivery::DeliveryOutcome;
use hearback_domain::webhook_subscription::Deactivation;
use hearback_ports::Ports;
use hearback_ports::backlog::{Line, Waiting};
use hearback_ports::health::{PoolUse, ReplicaReads};
use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use metrics_process::Collector;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// The metrics of a server.
pub(crate) struct Metrics {
    handle: PrometheusHandle,
    ports: Ports,
    workers_run: Arc<dyn Fn() -> bool + Send + Sync>,
    process: Collector,
    /// When the queues were last looked at, by the clock's elapsed time. A second request waits at
    /// this lock for the result of the first.
    asked: Mutex<Option<Duration>>,
}

/// The store is asked at most once in this time, for any number of requests for the page.
const FRESH: Duration = Duration::from_secs(5);
/// How long the store is waited for. Prometheus waits for 10 seconds.
const PATIENCE: Duration = Duration::from_secs(3);
/// The most that is counted of a queue.
const COUNTED: i64 = 100_000;

const BUILD: &str = "hearback_build_info";
const STORE_UP: &str = "hearback_store_up";
const WORKERS_ALIVE: &str = "hearback_workers_alive";
const QUEUE_WAITING: &str = "hearback_queue_waiting";
const QUEUE_DUE: &str = "hearback_queue_due";
const QUEUE_AGE: &str = "hearback_queue_oldest_due_age_seconds";
const POOL_SIZE: &str = "hearback_pool_size";
const POOL_IN_USE: &str = "hearback_pool_in_use";
const POOL_WAITING: &str = "hearback_pool_waiting";
const POOL_USES: &str = "hearback_pool_uses_total";
const POOL_WAIT: &str = "hearback_pool_wait_microseconds_total";
const POOL_TIMEOUTS: &str = "hearback_pool_timeouts_total";
const REPLICA_READS: &str = "hearback_replica_reads_total";
const ATTEMPTS: &str = "hearback_webhook_attempts_total";
const ATTEMPT_DURATION: &str = "hearback_webhook_attempt_duration_seconds";
const DEACTIVATIONS: &str = "hearback_webhook_deactivations_total";
const STEPS: &str = "hearback_worker_steps_total";
const LAG: &str = "hearback_event_loop_lag_seconds";

/// Requests take from a fraction of a millisecond to the 10 seconds that a body may; attempts of
/// deliveries up to 30.
const DURATIONS: [f64; 15] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

impl Metrics {
    /// Installs the recorder. Call it once in a process, before a counter is made.
    pub(crate) fn install() -> Result<PrometheusHandle, BuildError> {
        let builder = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &DURATIONS)?;
        let handle = builder.install_recorder()?;
        describe();
        Ok(handle)
    }

    /// The metrics of a server on these ports and this kind of store.
    pub(crate) fn new(
        handle: PrometheusHandle,
        ports: Ports,
        store: &'static str,
        workers_run: Arc<dyn Fn() -> bool + Send + Sync>,
    ) -> Arc<Self> {
        gauge!(BUILD, "version" => env!("CARGO_PKG_VERSION"), "store" => store).set(1);
        let process = Collector::default();
        process.describe();
        Arc::new(Self { handle, ports, workers_run, process, asked: Mutex::default() })
    }

    /// The page at `/metrics`.
    pub(crate) fn page(self: Arc<Self>) -> MetricsPage {
        Arc::new(move || {
            let metrics = Arc::clone(&self);
            async move { metrics.text().await }.boxed()
        })
    }

    /// Measures the main event loop, and frees the memory of samples that no request has fetched.
    pub(crate) async fn keep_up(&self) {
        loop {
            let lag = Lag::of("main");
            for _ in 0..UPKEEP {
                lag.measure().await;
            }
            self.handle.run_upkeep();
        }
    }

    async fn text(&self) -> String {
        self.ask_store().await;
        gauge!(WORKERS_ALIVE).set(f64::from(u8::from((self.workers_run)())));
        self.ports.health.pools().iter().for_each(show_pool);
        let ReplicaReads { used, missed } = self.ports.health.replica_reads();
        counter!(REPLICA_READS, "from" => "replica").absolute(used);
        counter!(REPLICA_READS, "from" => "primary").absolute(missed);
        self.process.collect();
        self.handle.render()
    }

    async fn ask_store(&self) {
        let mut asked = self.asked.lock().await;
        let now = self.ports.clock.elapsed();
        if asked.is_some_and(|asked| now.saturating_sub(asked) < FRESH) {
            return;
        }
        let is_up = matches!(timeout(PATIENCE, self.ports.health.ping()).await, Ok(Ok(())));
        gauge!(STORE_UP).set(f64::from(u8::from(is_up)));
        let lengths = if is_up {
            timeout(PATIENCE, self.lengths()).await.unwrap_or_default()
        } else {
            HashMap::new()
        };
        let now = self.ports.clock.now();
        for line in Line::ALL {
            show_line(line, lengths.get(&line), now);
        }
        *asked = Some(self.ports.clock.elapsed());
    }

    /// The lengths of the queues. A queue that the store cannot count is left out.
    async fn lengths(&self) -> HashMap<Line, Waiting> {
        let now = self.ports.clock.now();
        let mut lengths = HashMap::new();
        for line in Line::ALL {
            if let Ok(waiting) = self.ports.backlog.waiting(line, None, now, COUNTED).await {
                lengths.insert(line, waiting);
            }
        }
        lengths
    }
}

/// Shows a queue, or NaN for an unknown length.
fn show_line(line: Line, waiting: Option<&Waiting>, now: Time) {
    let age = |waiting: &Waiting| {
        waiting.due_since.map_or(0, |since| now.unix_millis() - since.unix_millis())
    };
    let set = |name: &'static str, value: Option<f64>| {
        gauge!(name, "queue" => line.name()).set(value.unwrap_or(f64::NAN))
    };
    set(QUEUE_WAITING, waiting.map(|waiting| waiting.count as f64));
    set(QUEUE_DUE, waiting.map(|waiting| waiting.due as f64));
    set(QUEUE_AGE, waiting.map(|waiting| age(waiting).max(0) as f64 / 1000.0));
}

fn show_pool(pool: &PoolUse) {
    gauge!(POOL_SIZE, "pool" => pool.name).set(pool.size as f64);
    gauge!(POOL_IN_USE, "pool" => pool.name).set(pool.in_use as f64);
    gauge!(POOL_WAITING, "pool" => pool.name).set(pool.waiting as f64);
    counter!(POOL_USES, "pool" => pool.name).absolute(pool.uses);
    counter!(POOL_WAIT, "pool" => pool.name)
        .absolute(u64::try_from(pool.waited.as_micros()).unwrap_or(u64::MAX));
    counter!(POOL_TIMEOUTS, "pool" => pool.name).absolute(pool.timeouts);
}

/// Counts an attempt to deliver.
pub(crate) fn attempted(outcome: DeliveryOutcome, took: Duration) {
    histogram!(ATTEMPT_DURATION).record(took);
    counter!(ATTEMPTS, "outcome" => outcome_name(outcome)).increment(1);
}

fn outcome_name(outcome: DeliveryOutcome) -> &'static str {
    match outcome {
        DeliveryOutcome::Delivered => "delivered",
        DeliveryOutcome::Retry { .. } => "retried",
        DeliveryOutcome::Failed => "failed",
    }
}

/// Counts a subscription that its receiver's answers deactivated.
pub(crate) fn deactivated(reason: Deactivation) {
    counter!(DEACTIVATIONS, "reason" => reason_name(reason)).increment(1);
}

fn reason_name(reason: Deactivation) -> &'static str {
    match reason {
        Deactivation::Gone => "gone",
        Deactivation::Hopeless => "hopeless",
    }
}

/// Counts the ended and the failed tasks of a background worker.
pub(crate) fn worked(worker: &'static str, ended: usize, failed: usize) {
    let count = |result: &'static str, count: usize| {
        counter!(STEPS, "worker" => worker, "result" => result)
            .increment(u64::try_from(count).unwrap_or(u64::MAX));
    };
    count("ended", ended);
    count("failed", failed);
}

/// The delay of an event loop: the time that every request on it loses.
pub(crate) struct Lag(metrics::Histogram);

/// The time between two measurements, and the number of them between two looks at the memory.
const EVERY: Duration = Duration::from_millis(250);
const UPKEEP: usize = 20;

impl Lag {
    /// The lag of all event loops with this name.
    pub(crate) fn of(event_loop: &'static str) -> Self {
        Self(histogram!(LAG, "loop" => event_loop))
    }

    /// Measures it until the event loop ends.
    pub(crate) async fn watch(self) {
        loop {
            self.measure().await;
        }
    }

    async fn measure(&self) {
        let due = Instant::now() + EVERY;
        tokio::time::sleep_until(due.into()).await;
        self.0.record(due.elapsed());
    }
}

fn describe() {
    for (name, text) in [
        (BUILD, "1, with the version and the store as labels"),
        (STORE_UP, "1 if the store answered the last query for its queues, 0 if not"),
        (WORKERS_ALIVE, "1 if all background workers run, 0 if one was silent for too long"),
        (QUEUE_WAITING, "Records that wait in a queue, due or not; at most 100000"),
        (QUEUE_DUE, "Records that are due in a queue and not leased; at most 100000"),
        (QUEUE_AGE, "Time since the first due record of a queue fell due; 0 without one"),
        (POOL_SIZE, "Uses of a pool of the store that are possible at once"),
        (POOL_IN_USE, "Present uses of a pool of the store"),
        (POOL_WAITING, "Present waits for a pool of the store"),
    ] {
        describe_gauge!(name, text);
    }
    for (name, text) in [
        (POOL_USES, "Uses of a pool of the store"),
        (POOL_WAIT, "Sum of the waits for uses of a pool of the store"),
        (POOL_TIMEOUTS, "Waits for a pool of the store that ended without a use"),
        (REPLICA_READS, "Reads of lists that a replica may answer, by the answering server"),
        (ATTEMPTS, "Attempts to deliver, by the outcome of the delivery"),
        (DEACTIVATIONS, "Subscriptions that were deactivated, by the reason"),
        (STEPS, "Ended and failed tasks of background workers"),
    ] {
        describe_counter!(name, text);
    }
    describe_histogram!(ATTEMPT_DURATION, "Duration of attempts to deliver");
    describe_histogram!(LAG, "Delay of event loops");

    // A series without any event is shown, too: a rate over it is 0, and not nothing.
    for outcome in [
        DeliveryOutcome::Delivered,
        DeliveryOutcome::Retry { at: Time::MIN },
        DeliveryOutcome::Failed,
    ] {
        counter!(ATTEMPTS, "outcome" => outcome_name(outcome)).increment(0);
    }
    for reason in [Deactivation::Gone, Deactivation::Hopeless] {
        counter!(DEACTIVATIONS, "reason" => reason_name(reason)).increment(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_ports::StoreError;
    use hearback_ports::mock::Mocks;
    use metrics_exporter_prometheus::PrometheusRecorder;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Mocks with a clock that moves on by two seconds at each look.
    fn mocks() -> Mocks {
        let mut mocks = Mocks::default();
        let seconds = AtomicU64::new(0);
        mocks
            .clock
            .expect_elapsed()
            .returning(move || Duration::from_secs(2 * seconds.fetch_add(1, Ordering::Relaxed)));
        mocks.clock.expect_now().return_const(Time::parse("2026-03-01T09:30:00Z").unwrap());
        mocks.health.expect_pools().return_const(vec![pool()]);
        mocks.health.expect_replica_reads().return_const(ReplicaReads { used: 9, missed: 4 });
        mocks.health.expect_ping().returning(|| Ok(()));
        mocks
    }

    fn pool() -> PoolUse {
        PoolUse {
            name: "writer",
            size: 16,
            in_use: 3,
            waiting: 1,
            uses: 70,
            waited: Duration::from_millis(5),
            timeouts: 2,
        }
    }

    fn metrics(recorder: &PrometheusRecorder, mocks: Mocks) -> Arc<Metrics> {
        Metrics::new(recorder.handle(), mocks.ports(), "sqlite", Arc::new(|| false))
    }

    fn lines(text: &str, name: &str) -> Vec<String> {
        let mut lines: Vec<String> =
            text.lines().filter(|line| line.starts_with(name)).map(str::to_owned).collect();
        lines.sort();
        lines
    }

    #[tokio::test]
    async fn the_queues_are_counted_once_in_a_while() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let _installed = metrics::set_default_local_recorder(&recorder);
        let mut mocks = mocks();
        // Each page looks at the clock once, and once more if it asks the store. The four pages ask
        // the store at 0 s and at 8 s.
        mocks.backlog.expect_waiting().times(2 * Line::ALL.len()).returning(
            |line, organization, now, limit| {
                assert_eq!((organization, limit), (None, COUNTED));
                Ok(match line {
                    Line::Deliveries => {
                        Waiting { count: 7, due: 2, due_since: Some(now.plus_millis(-1_500)) }
                    }
                    Line::Entries => Waiting { count: 1, due: 0, due_since: None },
                    // A clock that was set back.
                    Line::Mails => {
                        Waiting { count: 1, due: 1, due_since: Some(now.plus_millis(1)) }
                    }
                })
            },
        );
        let metrics = metrics(&recorder, mocks);
        let mut text = String::new();
        for _ in 0..4 {
            text = metrics.text().await;
        }
        assert_eq!(lines(&text, "hearback_store_up"), ["hearback_store_up 1"]);
        assert_eq!(lines(&text, "hearback_workers_alive"), ["hearback_workers_alive 0"]);
        let queues = [
            r#"hearback_queue_due{queue="changelog_entries"} 0"#,
            r#"hearback_queue_due{queue="deliveries"} 2"#,
            r#"hearback_queue_due{queue="mails"} 1"#,
            r#"hearback_queue_oldest_due_age_seconds{queue="changelog_entries"} 0"#,
            r#"hearback_queue_oldest_due_age_seconds{queue="deliveries"} 1.5"#,
            r#"hearback_queue_oldest_due_age_seconds{queue="mails"} 0"#,
            r#"hearback_queue_waiting{queue="changelog_entries"} 1"#,
            r#"hearback_queue_waiting{queue="deliveries"} 7"#,
            r#"hearback_queue_waiting{queue="mails"} 1"#,
        ];
        assert_eq!(lines(&text, "hearback_queue_"), queues);
        let pools = [
            r#"hearback_pool_in_use{pool="writer"} 3"#,
            r#"hearback_pool_size{pool="writer"} 16"#,
            r#"hearback_pool_timeouts_total{pool="writer"} 2"#,
            r#"hearback_pool_uses_total{pool="writer"} 70"#,
            r#"hearback_pool_wait_microseconds_total{pool="writer"} 5000"#,
            r#"hearback_pool_waiting{pool="writer"} 1"#,
        ];
        assert_eq!(lines(&text, "hearback_pool_"), pools);
        let reads = [
            r#"hearback_replica_reads_total{from="primary"} 4"#,
            r#"hearback_replica_reads_total{from="replica"} 9"#,
        ];
        assert_eq!(lines(&text, "hearback_replica_"), reads);
    }

    #[tokio::test]
    async fn without_an_answer_of_the_store_the_lengths_of_queues_are_unknown() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let _installed = metrics::set_default_local_recorder(&recorder);
        let mut mocks = mocks();
        mocks.health.checkpoint();
        mocks.health.expect_pools().return_const(vec![pool()]);
        mocks.health.expect_replica_reads().return_const(ReplicaReads::default());
        mocks.health.expect_ping().once().returning(|| Err(StoreError::Busy));
        let text = metrics(&recorder, mocks).text().await;
        assert_eq!(lines(&text, "hearback_store_up"), ["hearback_store_up 0"]);
        let queues = lines(&text, "hearback_queue_");
        assert_eq!(queues.len(), 9);
        assert!(queues.iter().all(|line| line.ends_with(" NaN")), "{queues:?}");
        // Pools need no answer of the store.
        assert_eq!(lines(&text, "hearback_pool_size"), [r#"hearback_pool_size{pool="writer"} 16"#]);
    }

    #[tokio::test]
    async fn a_queue_that_cannot_be_counted_hides_no_other() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let _installed = metrics::set_default_local_recorder(&recorder);
        let mut mocks = mocks();
        mocks.backlog.expect_waiting().times(Line::ALL.len()).returning(
            |line, _, _, _| match line {
                Line::Mails => Err(StoreError::Busy),
                _ => Ok(Waiting { count: 3, due: 0, due_since: None }),
            },
        );
        let text = metrics(&recorder, mocks).text().await;
        assert_eq!(lines(&text, "hearback_store_up"), ["hearback_store_up 1"]);
        let waiting = [
            r#"hearback_queue_waiting{queue="changelog_entries"} 3"#,
            r#"hearback_queue_waiting{queue="deliveries"} 3"#,
            r#"hearback_queue_waiting{queue="mails"} NaN"#,
        ];
        assert_eq!(lines(&text, "hearback_queue_waiting"), waiting);
    }

    #[tokio::test]
    async fn attempts_deactivations_and_steps_are_counted() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let _installed = metrics::set_default_local_recorder(&recorder);
        describe();
        attempted(DeliveryOutcome::Delivered, Duration::from_millis(20));
        attempted(DeliveryOutcome::Retry { at: Time::MIN }, Duration::from_secs(30));
        deactivated(Deactivation::Gone);
        worked("send mails", 5, 2);
        let text = recorder.handle().render();
        for (name, expected) in [
            (
                ATTEMPTS,
                &[
                    r#"hearback_webhook_attempts_total{outcome="delivered"} 1"#,
                    r#"hearback_webhook_attempts_total{outcome="failed"} 0"#,
                    r#"hearback_webhook_attempts_total{outcome="retried"} 1"#,
                ][..],
            ),
            (
                DEACTIVATIONS,
                &[
                    r#"hearback_webhook_deactivations_total{reason="gone"} 1"#,
                    r#"hearback_webhook_deactivations_total{reason="hopeless"} 0"#,
                ],
            ),
            (
                STEPS,
                &[
                    r#"hearback_worker_steps_total{worker="send mails",result="ended"} 5"#,
                    r#"hearback_worker_steps_total{worker="send mails",result="failed"} 2"#,
                ],
            ),
            (
                "hearback_webhook_attempt_duration_seconds_sum",
                &["hearback_webhook_attempt_duration_seconds_sum 30.02"],
            ),
        ] {
            assert_eq!(lines(&text, name), expected);
        }
    }
}
