//! Compares responses and deliveries with the OpenAPI document.

use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The document in the repository.
pub(crate) static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../docs/openapi.json"))
        .expect("docs/openapi.json is JSON")
});

/// A validator for each path and status of a response, and for each event of a delivery.
static VALIDATORS: LazyLock<Mutex<Validators>> = LazyLock::new(Mutex::default);

type Validators = HashMap<(String, u16), Arc<Validator>>;

/// Checks that the response to a `POST` has a status and a body that the document has for its path.
pub(crate) fn check(path: &str, status: u16, body: &[u8]) {
    let Some(item) = DOCUMENT["paths"].get(path) else { return };
    let response = || {
        let response = &item["post"]["responses"][status.to_string()];
        assert!(response.is_object(), "{path}: {status} is not documented");
        response
    };
    let faults = faults(&validator((path.to_owned(), status), response), body);
    assert!(
        faults.is_empty(),
        "{path} {status}: {} deviates from docs/openapi.json: {faults:?}",
        text(body)
    );
}

/// The deviations of a delivery from the document. `headers` has names in lower case.
pub(crate) fn faults_of_delivery(
    event: &str,
    headers: &[(String, String)],
    body: &[u8],
) -> Vec<String> {
    let Some(item) = DOCUMENT["webhooks"].get(event) else {
        return vec![format!("the event {event:?} is not documented")];
    };
    let operation = &item["post"];
    let named = |header: &Value| header["name"].as_str().expect("a name").to_ascii_lowercase();
    let parameters = operation["parameters"].as_array().expect("headers").iter().map(component);
    let required = parameters.filter(|header| header["required"] == true).map(named);
    let missing = required.filter(|name| headers.iter().all(|(there, _)| there != name));
    let mut all: Vec<String> = missing.map(|name| format!("no {name}")).collect();
    all.extend(faults(&validator((event.to_owned(), 0), || &operation["requestBody"]), body));
    all
}

/// The example of an event.
pub(crate) fn example_of_event(event: &str) -> Value {
    DOCUMENT["webhooks"][event]["post"]["requestBody"]["content"]["application/json"]["example"]
        .clone()
}

fn faults(validator: &Validator, body: &[u8]) -> Vec<String> {
    let Ok(body) = serde_json::from_slice::<Value>(body) else {
        return vec!["it is no JSON".to_owned()];
    };
    validator.iter_errors(&body).map(|error| error.to_string()).collect()
}

fn text(body: &[u8]) -> String {
    String::from_utf8_lossy(body).into_owned()
}

fn validator<'a>(of: (String, u16), body: impl FnOnce() -> &'a Value) -> Arc<Validator> {
    // A thread that panicked has left the map intact.
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let made = || Arc::new(build(&component(body())["content"]["application/json"]["schema"]));
    Arc::clone(validators.entry(of).or_insert_with(made))
}

/// The value, or the component that it refers to.
pub(crate) fn component(value: &Value) -> &Value {
    match value["$ref"].as_str() {
        Some(name) => DOCUMENT.pointer(name.trim_start_matches('#')).expect("a component"),
        None => value,
    }
}

fn build(schema: &Value) -> Validator {
    let schema = json!({"allOf": [schema], "components": DOCUMENT["components"]});
    jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(&schema)
        .expect("a schema")
}

#[test]
fn an_answer_of_another_form_or_status_is_noticed() {
    let path = "/api/external/v1/votes/toggle";
    check(path, 200, br#"{"voted": true}"#);
    check(path, 404, br#"{"detail": {"error": "post not found"}}"#);
    let wrong: [(u16, &[u8]); 5] = [
        (200, br#"{"voted": 1}"#),
        (200, b"{}"),
        (404, br#"{"detail": {"error": "no post"}}"#),
        (403, br#"{"detail": {"error": "Voting is not permitted for this board"}}"#),
        (418, b"{}"),
    ];
    for (status, body) in wrong {
        assert!(std::panic::catch_unwind(|| check(path, status, body)).is_err(), "{status}");
    }
}

#[test]
fn a_delivery_of_another_form_is_noticed() {
    let example = example_of_event("vote.created");
    let headers = [
        "x-service-event",
        "x-service-signature",
        "x-service-webhook-id",
        "x-service-delivery-id",
        "x-service-attempt",
    ];
    let headers = headers.map(|name| (name.to_owned(), "x".to_owned()));
    let faults = |change: fn(&mut Value)| {
        let mut body = example.clone();
        change(&mut body);
        faults_of_delivery("vote.created", &headers, body.to_string().as_bytes()).len()
    };
    assert_eq!(faults(|_| {}), 0);
    assert_eq!(faults(|body| body["data"]["post_title"] = json!(5)), 1);
    assert_eq!(faults(|body| body["data"]["board_id"] = json!("Ideas")), 1);
    assert_eq!(
        faults(|body| drop(body["data"].as_object_mut().expect("an object").remove("id"))),
        1
    );
    assert_eq!(faults(|body| body["event"] = json!("vote.deleted")), 1);
    let body = example.to_string();
    assert_eq!(
        faults_of_delivery("vote.created", &headers[1..], body.as_bytes()),
        ["no x-service-event"]
    );
    assert_eq!(
        faults_of_delivery("vote.cast", &headers, body.as_bytes()),
        [r#"the event "vote.cast" is not documented"#]
    );
}

#[test]
fn each_example_matches_its_schema() {
    fn walk(value: &Value, place: &str, seen: &mut usize) {
        let Some(members) = value.as_object() else {
            return value.as_array().into_iter().flatten().for_each(|item| walk(item, place, seen));
        };
        if let Some(schema) = members.get("schema") {
            let several = members.get("examples").and_then(Value::as_object).into_iter().flatten();
            let several = several.map(|(_, example)| &example["value"]);
            let validator = build(schema);
            for example in members.get("example").into_iter().chain(several) {
                let faults = faults(&validator, example.to_string().as_bytes());
                assert!(faults.is_empty(), "{place}: {example}: {faults:?}");
                *seen += 1;
            }
        }
        members.iter().for_each(|(name, member)| walk(member, &format!("{place}/{name}"), seen));
    }
    let mut seen = 0;
    walk(&DOCUMENT["paths"], "", &mut seen);
    walk(&DOCUMENT["components"], "", &mut seen);
    walk(&DOCUMENT["webhooks"], "", &mut seen);
    let endpoints = DOCUMENT["paths"].as_object().expect("paths").len();
    let events = DOCUMENT["webhooks"].as_object().expect("webhooks").len();
    assert!(seen > 2 * endpoints + events, "{seen} examples");
}
