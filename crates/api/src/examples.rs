//! The examples of `/openapi.json`: requests to the demo, and its responses.
//!
//! The requests in `examples.json` are made up. The responses come from the demo: `make examples`
//! writes them. The tests of the API compare them with a server's.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::iter;
use std::sync::LazyLock;

/// Stands for an organization's key. It has the form of a key, but no key ends like it: its last
/// character encodes 2 bits beyond the 32 bytes, which are zero in a key and not zero here.
pub(crate) const PLACEHOLDER: &str = "hbk_Put-the-key-of-your-organization-right-here";

/// The example of an endpoint. `None` if it has none.
pub(crate) fn of(path: &str) -> Option<&'static Example> {
    // The file is a part of the program. A test proves that it can be parsed.
    static ALL: LazyLock<Vec<Example>> =
        LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).unwrap_or_default());
    ALL.iter().find(|example| example.path == path)
}

/// A request and its response.
#[derive(Deserialize)]
pub(crate) struct Example {
    path: String,
    request: Map<String, Value>,
    answer: Value,
}

impl Example {
    /// The body of the request, with [`PLACEHOLDER`] as its key.
    pub(crate) fn request(&self) -> Value {
        let key = ("api_key".to_owned(), PLACEHOLDER.into());
        iter::once(key).chain(self.request.clone()).collect()
    }

    /// The body of the response.
    pub(crate) fn answer(&self) -> Value {
        self.answer.clone()
    }
}
