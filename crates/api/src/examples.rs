//! What is asked of the demo, and what it answers: the examples of `/openapi.json`.
//!
//! The requests in `examples.json` are made up, the answers are the demo's. `make examples` writes
//! them anew, and the tests of the API hold them against a server.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::iter;
use std::sync::LazyLock;

/// Stands for an organization's key. It has the form of one, but ends as none does: of its last
/// character two bits are left over behind 32 bytes, and they are not zero.
pub(crate) const PLACEHOLDER: &str = "hbk_Put-the-key-of-your-organization-right-here";

/// The example of an endpoint.
pub(crate) fn of(path: &str) -> Option<&'static Example> {
    // The file is a part of the program, which the tests know to be read.
    static ALL: LazyLock<Vec<Example>> =
        LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).unwrap_or_default());
    ALL.iter().find(|example| example.path == path)
}

/// A request and its answer.
#[derive(Deserialize)]
pub(crate) struct Example {
    path: String,
    request: Map<String, Value>,
    answer: Value,
}

impl Example {
    /// The body of the request, with a key that is none.
    pub(crate) fn request(&self) -> Value {
        let key = ("api_key".to_owned(), PLACEHOLDER.into());
        iter::once(key).chain(self.request.clone()).collect()
    }

    /// The body of the answer.
    pub(crate) fn answer(&self) -> Value {
        self.answer.clone()
    }
}
