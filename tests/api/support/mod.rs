//! The actors of the tests: organizations with data, and the server that they call.

mod draft;
mod endpoints;
pub(crate) mod forward;
pub(crate) mod openapi;
pub(crate) mod site;

pub(crate) use draft::{Draft, id};
pub(crate) use endpoints::{ENDPOINTS, Endpoint, Field};
pub(crate) use site::{Installation, Organization, PUBLIC_URL, Server, Site, Store, TestResponse};

use hearback_domain::Time;
use hearback_ports::Clock;
use hearback_tests::system::{self, MachineClock};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The time of this machine, which is also the servers' time.
pub(crate) fn now() -> Time {
    MachineClock.now()
}

/// The time in a response.
pub(crate) fn time(value: &Value) -> Time {
    Time::parse(value.as_str().expect("a text")).expect("a time")
}

/// Calls `ask` until it returns a value.
pub(crate) async fn eventually<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = system::deadline();
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(Instant::now() < deadline, "{what}: not in time");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until a time.
pub(crate) async fn until(at: Time) {
    while now() < at {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The usual error body.
pub(crate) fn error(message: &str) -> Value {
    json!({"detail": {"error": message}})
}

/// The body of a `422` with these items: type, field, message, input.
pub(crate) fn invalid(items: &[(&str, &str, &str, Value)]) -> Value {
    let item = |(kind, field, msg, input): &(&str, &str, &str, Value)| json!({"type": kind, "loc": ["body", field], "msg": msg, "input": input});
    json!({"detail": items.iter().map(item).collect::<Vec<_>>()})
}
