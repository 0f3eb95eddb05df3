//! The log.

use crate::testing::{FRESH, KEY, ORGANIZATION, call, mocks, send};
use actix_web::test::TestRequest;
use hearback_domain::Uuid;
use hearback_ports::StoreError;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once};
use std::time::Duration;
use tracing::Level;
use tracing::subscriber::DefaultGuard;

/// The log of the current thread, from here until this is dropped.
struct Logged {
    text: Arc<Mutex<Vec<u8>>>,
    _guard: DefaultGuard,
}

impl Logged {
    fn new() -> Self {
        // With a single subscriber, a callsite first reached on a thread without it is disabled on
        // all threads. The second, global subscriber receives the events of the other tests'
        // threads.
        static ELSEWHERE: Once = Once::new();
        ELSEWHERE.call_once(|| {
            tracing::subscriber::set_global_default(tracing_subscriber::registry()).unwrap()
        });
        let text = Arc::<Mutex<Vec<u8>>>::default();
        let writer = text.clone();
        let subscriber = tracing_subscriber::fmt()
            .json()
            .flatten_event(true)
            .without_time()
            .with_max_level(Level::DEBUG)
            .with_writer(move || Appended(writer.clone()))
            .finish();
        Self { text, _guard: tracing::subscriber::set_default(subscriber) }
    }

    fn text(&self) -> String {
        String::from_utf8(self.text.lock().unwrap().clone()).unwrap()
    }

    /// The events of Hearback's own crates.
    fn lines(&self) -> Vec<Value> {
        let lines = self
            .text()
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .collect::<Vec<_>>();
        lines.into_iter().filter(|line| line["target"] == "hearback_http::log").collect()
    }
}

struct Appended(Arc<Mutex<Vec<u8>>>);

impl Write for Appended {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[actix_web::test]
async fn a_request_is_one_line_and_its_answer_has_its_identifier() {
    let logged = Logged::new();
    let mut mocks = mocks();
    mocks.whole_lists.expect_tags().returning(|_| Ok(vec![]));
    let reply = call(mocks, "/tags/list", json!({"unknown": "secret"})).await;
    assert_eq!(reply.header("x-request-id"), FRESH);
    let line = json!({
        "level": "INFO",
        "target": "hearback_http::log",
        "message": "request",
        "id": FRESH,
        "path": "/api/external/v1/tags/list",
        "status": 200,
        "duration_ms": 0.0,
        "organization": ORGANIZATION.to_string(),
    });
    assert_eq!(logged.lines(), [line]);
    assert!(!logged.text().contains("hbk_") && !logged.text().contains("secret"));
}

#[actix_web::test]
async fn its_time_is_in_milliseconds() {
    let logged = Logged::new();
    let mut mocks = hearback_ports::mock::Mocks::default();
    let reading = AtomicU64::new(0);
    mocks
        .clock
        .expect_elapsed()
        .returning(move || Duration::from_micros(1500 * reading.fetch_add(1, Ordering::Relaxed)));
    mocks.ids.expect_fresh().return_const(Uuid::nil());
    send(mocks, TestRequest::get().uri("/")).await;
    assert_eq!(logged.lines().last().unwrap()["duration_ms"], 1.5);
}

#[actix_web::test]
async fn an_unknown_path_is_logged_with_possible_keys_masked() {
    let encoded: String = KEY.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let expected = [
        (format!("/api/external/v1/votes/togle?api_key={KEY}"), "/api/external/v1/votes/togle"),
        (format!("/{KEY}"), "/***"),
        (format!("/votes/{}/x", &KEY[..20]), "/votes/***/x"),
        (format!("/votes/{}", &KEY[4..]), "/votes/***"),
        (format!("/votes/{encoded}"), "/votes/***"),
        ("/a/b/c/d/e/f/g/h/i/j".to_owned(), "/a/b/c/d/e/f/g/…"),
        ("*".to_owned(), "*"),
    ];
    for (path, shown) in expected {
        let logged = Logged::new();
        let reply = send(mocks(), TestRequest::post().uri(&path)).await;
        assert_eq!((reply.status, reply.header("x-request-id")), (404, FRESH), "{path}");
        assert_eq!(logged.lines().iter().filter(|line| line["message"] == "request").count(), 1);
        assert_eq!(logged.lines().last().unwrap()["path"], shown);
        assert!(!logged.text().contains(&KEY[..20]), "{}", logged.text());
    }
}

#[actix_web::test]
async fn a_key_in_a_query_or_a_header_is_not_logged() {
    let logged = Logged::new();
    let request = TestRequest::post().uri(&format!("/api/external/v1/tags/list?api_key={KEY}"));
    send(
        mocks(),
        request.insert_header(("authorization", format!("Bearer {KEY}"))).set_payload("{}"),
    )
    .await;
    assert_eq!(logged.lines().last().unwrap()["path"], "/api/external/v1/tags/list");
    assert!(!logged.text().contains("hbk_"), "{}", logged.text());
}

#[actix_web::test]
async fn a_refusal_is_explained_at_debug_without_values() {
    let logged = Logged::new();
    call(mocks(), "/categories/retrieve", json!({"id": "secret"})).await;
    let lines = logged.lines();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["level"], &lines[0]["id"]), (&json!("DEBUG"), &json!(FRESH)));
    assert_eq!(lines[0]["reason"], "the body is not valid: id: uuid_parsing");
    assert!(!logged.text().contains("secret"), "{}", logged.text());
}

#[actix_web::test]
async fn a_failure_is_logged_once_with_its_chain() {
    let logged = Logged::new();
    let mut mocks = mocks();
    let failure = || StoreError::Backend { doing: "listing tags", source: "no such table".into() };
    mocks.whole_lists.expect_tags().returning(move |_| Err(failure()));
    let reply = call(mocks, "/tags/list", json!({})).await;
    assert_eq!(reply.shown(), (500, r#"{"detail":{"error":"internal error"}}"#));
    let lines = logged.lines();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["level"], &lines[0]["id"]), (&json!("ERROR"), &json!(FRESH)));
    assert_eq!(lines[0]["error"], "the store failed: listing tags: no such table");
    assert_eq!(lines[1]["status"], 500);
}

#[actix_web::test]
async fn a_handler_that_panics_is_a_500_like_any_other() {
    let logged = Logged::new();
    // A mock without expectations panics.
    let reply = call(mocks(), "/tags/list", json!({})).await;
    assert_eq!(reply.shown(), (500, r#"{"detail":{"error":"internal error"}}"#));
    assert_eq!(reply.header("x-request-id"), FRESH);
    let lines = logged.lines();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["error"], "a handler panicked");
    let request = (&lines[1]["path"], &lines[1]["status"], &lines[1]["organization"]);
    assert_eq!(
        request,
        (&json!("/api/external/v1/tags/list"), &json!(500), &json!(ORGANIZATION.to_string()))
    );
}
