//! Bodies of requests to the API, and cursors.

use crate::{ORGANIZATION, block_on, mocks, vault};
use hearback_api::{Api, Host, Limits, Reply, paths};
use hearback_app::{Caller, Who};
use hearback_domain::plan::Plan;
use hearback_portal::cursor::Cursor;
use hearback_ports::IdempotencyKey;
use hearback_ports::event_sink::MockEventSink;
use hearback_ports::page::{ByArticle, ByOptionalTime, ByPost, ByTime};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::fmt::Debug;
use std::sync::{Arc, LazyLock};

/// Calls the endpoint of the first line with the rest as its body. The fields are read, and then
/// the caller is refused, who has no permission: no store is needed.
///
/// - No body leads to a fault of the server, and every answer is JSON.
/// - A body that serde_json does not read as an object is refused as a body.
pub fn bodies(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let (path, body) = (&data[..end], data.get(end + 1..).unwrap_or_default());
    let Ok(path) = str::from_utf8(path) else { return };
    let Reply { status, body: answer } = call(path, body);
    assert!(status < 500, "{status} {answer:?}");
    serde_json::from_slice::<&RawValue>(&answer).expect("an answer is JSON");
    if !body.is_empty() && !is_object(body) {
        assert!([404, 422].contains(&status), "{status} {answer:?}");
    }
}

fn is_object(body: &[u8]) -> bool {
    match serde_json::from_slice::<Map<String, Value>>(body) {
        Ok(_) => true,
        // A tree of serde_json reads the text in a member that is named as its raw values are. The
        // API makes no tree of a body.
        Err(error) => error.is_data() && body.trim_ascii_start().starts_with(b"{"),
    }
}

/// Reads a text as the cursor of each list of the portal, and as one of the API.
///
/// - A cursor of the portal is written as a text that is read as the same cursor.
/// - A text is no cursor of the API, unless the server made it.
pub fn cursors(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    comes_back::<ByArticle>(text);
    comes_back::<ByOptionalTime>(text);
    comes_back::<ByPost>(text);
    comes_back::<ByTime>(text);
    let body = json!({ "cursor": text }).to_string();
    assert_eq!(call(LIST, body.as_bytes()).status, 422);
}

/// A list that needs no fields.
const LIST: &str = "/feedback-posts/list";

fn comes_back<C: Cursor + Debug + PartialEq>(text: &str) {
    if let Some(cursor) = C::read(text) {
        assert_eq!(C::read(&cursor.write()), Some(cursor));
    }
}

fn call(path: &str, body: &[u8]) -> Reply {
    static API: LazyLock<Arc<Api>> = LazyLock::new(|| {
        let ports = mocks().ports();
        let host = Host::new(&ports, Limits::default(), paths());
        Arc::new(Api::new(host, ports, Arc::new(vault()), Arc::new(MockEventSink::new())))
    });
    let nobody = Caller::new(ORGANIZATION, Plan::FULL, Who::Visitor { user: None });
    let key = IdempotencyKey::parse("fuzz");
    block_on(API.call_as(path, (ORGANIZATION, nobody), body, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_without_a_cursor_refuses_the_caller() {
        assert_eq!(call(LIST, b"{}").status, 403);
    }
}
