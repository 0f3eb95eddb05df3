//! The environment of the conformance suite: time, identifiers, and the runtime that all tests
//! share.

use async_trait::async_trait;
use hearback_app::Error;
use hearback_domain::{Time, Uuid};
use hearback_ports::{Alarm, Clock, Ids, StoreError};
use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime};
use tokio::runtime::Runtime;

/// Runs a test on the one runtime of the process.
///
/// A pooled connection belongs to the runtime that opened it. With a runtime for each test, each
/// test would have to open the store.
pub fn block_on<T>(test: impl Future<Output = T>) -> T {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime"));
    RUNTIME.block_on(test)
}

/// The time limit of a step of a test. It is long, since the machine may have other work.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The deadline of a step that begins now. A step that misses it fails its test.
pub fn deadline() -> Instant {
    Instant::now() + PATIENCE
}

/// Calls a store again while it is busy. Another transaction may hold its only writer, or a
/// transaction may fail under serializable isolation.
pub async fn patiently<T, F: Future<Output = Result<T, StoreError>>>(ask: impl Fn() -> F) -> T {
    let deadline = deadline();
    loop {
        match ask().await {
            Err(StoreError::Busy) if Instant::now() < deadline => {}
            answer => return answer.expect("a result of the store"),
        }
    }
}

/// Calls a use case again while the store is busy, as a client does. Under load, or with many
/// writers, a write may have to wait longer than its limit.
pub async fn asked<T, F>(ask: impl Fn() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    let deadline = deadline();
    loop {
        match ask().await {
            Err(Error::Store(StoreError::Busy)) if Instant::now() < deadline => {}
            answer => return answer,
        }
    }
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct MachineClock;

#[async_trait]
impl Clock for MachineClock {
    fn now(&self) -> Time {
        #[expect(clippy::disallowed_methods, reason = "this is the Clock port of the suite")]
        let now = SystemTime::now();
        let millis =
            now.duration_since(SystemTime::UNIX_EPOCH).expect("a time after 1970").as_millis();
        Time::from_unix_millis(i64::try_from(millis).expect("a time before 9999"))
            .expect("a time before 9999")
    }

    fn elapsed(&self) -> Duration {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

/// UUIDs of version 7 in ascending order.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderedIds;

impl Ids for OrderedIds {
    fn fresh(&self) -> Uuid {
        #[expect(clippy::disallowed_methods, reason = "this is the Ids port of the suite")]
        Uuid::now_v7()
    }
}

/// An alarm without listeners.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAlarm;

#[async_trait]
impl Alarm for NoAlarm {
    fn ring(&self) {}

    async fn rung(&self) {
        std::future::pending().await
    }
}

/// A new identifier of any type.
pub fn fresh<T: From<Uuid>>() -> T {
    OrderedIds.fresh().into()
}
