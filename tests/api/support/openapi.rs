//! Holds every answer against the description of the API.

use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../../docs/openapi.json")).expect("docs/openapi.json is JSON"));

/// One for each path and status that has been answered.
static VALIDATORS: LazyLock<Mutex<Validators>> = LazyLock::new(Mutex::default);

type Validators = HashMap<(String, u16), Arc<Validator>>;

/// An answer to a `POST` has a status that is documented for its path, and the form that is documented for that.
pub(super) fn check(path: &str, status: u16, body: &[u8]) {
    let Some(operation) = DOCUMENT["paths"].get(path).map(|item| &item["post"]) else { return };
    let body: Value = serde_json::from_slice(body).expect("every answer is JSON");
    let errors: Vec<String> = validator(operation, path, status).iter_errors(&body).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{path} {status}: {body} is not what docs/openapi.json says: {errors:?}");
}

fn validator(operation: &Value, path: &str, status: u16) -> Arc<Validator> {
    // One that panicked has left it whole.
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let made = || {
        let mut response = &operation["responses"][status.to_string()];
        if let Some(name) = response["$ref"].as_str() {
            response = DOCUMENT.pointer(name.trim_start_matches('#')).expect("a component");
        }
        assert!(response.is_object(), "{path}: {status} is not documented");
        let schema = json!({
            "allOf": [response["content"]["application/json"]["schema"]],
            "components": DOCUMENT["components"],
        });
        let options = jsonschema::draft202012::options().should_validate_formats(true);
        Arc::new(options.build(&schema).expect("a schema"))
    };
    Arc::clone(validators.entry((path.to_owned(), status)).or_insert_with(made))
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
