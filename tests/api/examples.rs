//! The examples of `/openapi.json`: the demo responds to each request as its example says.

use crate::support::{Installation, Store};
use hearback_domain::Uuid;
use rstest::rstest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// An example of the file. Requests are sent in the file's order, in which writes come last.
#[derive(Debug, PartialEq, Eq, Deserialize, Serialize)]
struct Example {
    path: String,
    request: Value,
    answer: Value,
}

/// Endpoints that return the identifier or the secret of a new record, which differ each time. All other
/// responses are always the same, cursors too, since all tests have one master key.
const CREATE: [&str; 18] = [
    "/users/upsert",
    "/companies/upsert",
    "/feedback-boards/create",
    "/categories/create",
    "/roadmap-boards/create",
    "/roadmap-posts/create",
    "/statuses/create",
    "/feedback-posts/create",
    "/comments/create",
    "/tags/create",
    "/labels/create",
    "/changelog/create",
    "/help-collections/create",
    "/help-categories/create",
    "/help-articles/create",
    "/help-redirects/create",
    "/webhooks/create",
    "/webhooks/rotate-secret",
];

/// Endpoints whose responses have the times and the identifiers of changes that the test made.
const LOGS: [&str; 9] = [
    "/audit/list",
    "/feedback-posts/activity",
    "/feedback-posts/subscribers",
    "/ping",
    "/webhooks/list",
    "/webhooks/retrieve",
    "/webhooks/test",
    "/deliveries/list",
    "/deliveries/retrieve",
];

/// Notes which identifiers an answer has in the place of those of its example. Later requests name
/// the records of earlier answers.
fn note(expected: &Value, answer: &Value, known: &mut Vec<(String, String)>) {
    match (expected, answer) {
        (Value::Object(expected), Value::Object(answer)) => {
            for (name, expected) in expected {
                note(expected, &answer[name], known);
            }
        }
        (Value::Array(expected), Value::Array(answer)) => {
            expected
                .iter()
                .zip(answer)
                .for_each(|(expected, answer)| note(expected, answer, known));
        }
        (Value::String(expected), Value::String(answer))
            if expected != answer && Uuid::parse_str(expected).is_ok() =>
        {
            known.push((expected.clone(), answer.clone()));
        }
        _ => {}
    }
}

/// The names of the members of a value and of the values in it.
fn members(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(members_of_it) => {
            let inner = |(name, value)| [vec![String::as_str(name)], members(value)].concat();
            members_of_it.iter().flat_map(inner).collect()
        }
        Value::Array(items) => items.iter().flat_map(members).collect(),
        _ => vec![],
    }
}

/// Set by `make examples`: the responses of the embedded store are written into the file, and
/// nothing is compared.
const WRITE: &str = "HEARBACK_WRITE_EXAMPLES";

#[rstest]
#[tokio::test]
async fn the_demo_answers_each_request_with_its_example(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let writes = std::env::var_os(WRITE).is_some();
    if writes && store != Store::Sqlite {
        return;
    }
    let file =
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/api/src/examples.json"));
    let examples: Vec<Example> =
        serde_json::from_str(&fs::read_to_string(&file).expect("the examples"))
            .expect("a list of examples");
    let installation = Installation::new(store, &[]).await;
    let server = installation.serve();
    let demo = installation.demo().await.at(&server);
    let mut known: Vec<(String, String)> = Vec::new();
    let mut answered = Vec::new();
    for Example { path, request, answer: expected } in &examples {
        let mut named = request.to_string();
        for (id, now) in &known {
            named = named.replace(id, now);
        }
        let named = serde_json::from_str(&named).expect("JSON");
        let mut answer = demo.post(path, named).await.expect(200);
        if ["/webhooks/", "/deliveries/"].iter().any(|of| path.starts_with(of)) {
            note(expected, &answer, &mut known);
        }
        if CREATE.contains(&path.as_str()) {
            for member in ["id", "user_id", "signing_secret"] {
                if expected[member].is_string() {
                    answer[member] = expected[member].clone();
                }
            }
        }
        if LOGS.contains(&path.as_str()) && !expected.is_null() {
            let expected_members = members(expected);
            let is_known = |member| expected_members.contains(&member);
            assert!(members(&answer).into_iter().all(is_known), "{path}: {answer}");
            answer = expected.clone();
        }
        answered.push(Example { path: path.clone(), request: request.clone(), answer });
    }
    if writes {
        let text = serde_json::to_string_pretty(&answered).expect("JSON") + "\n";
        fs::write(&file, text).expect("the examples are written");
        return;
    }
    for (expected, answered) in examples.iter().zip(&answered) {
        assert_eq!(
            answered, expected,
            "the response differs: run `make examples` and review the changes"
        );
    }
}
