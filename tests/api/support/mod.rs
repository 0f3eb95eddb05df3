//! The actors of the tests: organizations with data, and the server that they call.

mod draft;
mod endpoints;
pub(crate) mod openapi;
pub(crate) mod site;

pub(crate) use draft::{Draft, id};
pub(crate) use endpoints::ENDPOINTS;
pub(crate) use site::{Answer, Installation, Organization, PUBLIC_URL, Server, Site, Store};

use hearback_domain::Time;
use hearback_ports::Clock;
use hearback_tests::system::MachineClock;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The time of this machine, which is the servers' too.
pub(crate) fn now() -> Time {
    MachineClock.now()
}

/// The time that stands in an answer.
pub(crate) fn time(value: &Value) -> Time {
    Time::parse(value.as_str().expect("a text")).expect("a time")
}

/// Asks until there is an answer, for half a minute.
pub(crate) async fn eventually<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "{what}: not within 30 seconds");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits for a time to come.
pub(crate) async fn until(at: Time) {
    while now() < at {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The usual error body.
pub(crate) fn error(message: &str) -> Value {
    json!({"detail": {"error": message}})
}

/// A `422` body of the given items: type, field, message, input.
pub(crate) fn invalid(items: &[(&str, &str, &str, Value)]) -> Value {
    let item = |(kind, field, msg, input): &(&str, &str, &str, Value)| json!({"type": kind, "loc": ["body", field], "msg": msg, "input": input});
    json!({"detail": items.iter().map(item).collect::<Vec<_>>()})
}

/// Values that no help collection or category takes: field, value, type of the fault. Each field is optional.
pub(crate) fn wrong_patches() -> Vec<(&'static str, Value, &'static str)> {
    let long = "é".repeat(513);
    let mut cases = vec![
        ("name", json!(""), "string_too_short"),
        ("name", json!(long), "string_too_long"),
        ("name", json!(5), "string_type"),
        ("name", json!({"a": 1}), "string_type"),
        ("name", json!("a\u{0}"), "value_error"),
        ("description", json!(long), "string_too_long"),
        ("description", json!(5), "string_type"),
        ("description", json!(["x"]), "string_type"),
        ("description", json!("a\u{0}"), "value_error"),
        ("icon", json!(long), "string_too_long"),
        ("icon", json!(false), "string_type"),
        ("icon", json!("\u{0}"), "value_error"),
        ("color", json!(5), "string_type"),
        ("color", json!(""), "string_pattern_mismatch"),
        ("color", json!("red"), "string_pattern_mismatch"),
        ("color", json!("abc"), "string_pattern_mismatch"),
        ("color", json!("#ab"), "string_pattern_mismatch"),
        ("color", json!("#abcde"), "string_pattern_mismatch"),
        ("color", json!("#abcdefa"), "string_pattern_mismatch"),
        ("color", json!("#abcdefabc"), "string_pattern_mismatch"),
        ("color", json!("#ggg"), "string_pattern_mismatch"),
        ("color", json!(" #abc"), "string_pattern_mismatch"),
        ("color", json!("#abc\n"), "string_pattern_mismatch"),
        ("color", json!("#äöü"), "string_pattern_mismatch"),
        ("color", json!("#".repeat(51)), "string_too_long"),
        ("color", json!("#\u{0}ab"), "value_error"),
    ];
    cases.extend(wrong_slugs());
    cases
}

/// Values that no `slug` takes.
pub(crate) fn wrong_slugs() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("slug", json!(5), "string_type"),
        ("slug", json!(["a"]), "string_type"),
        ("slug", json!(""), "string_too_short"),
        ("slug", json!("s".repeat(513)), "string_too_long"),
        ("slug", json!("."), "string_pattern_mismatch"),
        ("slug", json!(".."), "string_pattern_mismatch"),
        ("slug", json!("a b"), "string_pattern_mismatch"),
        ("slug", json!("a/b"), "string_pattern_mismatch"),
        ("slug", json!("a%20b"), "string_pattern_mismatch"),
        ("slug", json!("a?b"), "string_pattern_mismatch"),
        ("slug", json!("a#b"), "string_pattern_mismatch"),
        ("slug", json!("a\n"), "string_pattern_mismatch"),
        ("slug", json!("größe"), "string_pattern_mismatch"),
        ("slug", json!("a\u{0}"), "value_error"),
    ]
}
