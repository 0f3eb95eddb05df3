//! The actors of the tests: organizations with data, and the server that they call.

mod draft;
mod endpoints;
mod site;

pub(crate) use draft::{Draft, id};
pub(crate) use endpoints::ENDPOINTS;
pub(crate) use site::{Organization, Site, Store};

use serde_json::{Value, json};

/// The usual error body.
pub(crate) fn error(message: &str) -> Value {
    json!({"detail": {"error": message}})
}

/// A `422` body of the given items: type, field, message, input.
pub(crate) fn invalid(items: &[(&str, &str, &str, Value)]) -> Value {
    let item = |(kind, field, msg, input): &(&str, &str, &str, Value)| json!({"type": kind, "loc": ["body", field], "msg": msg, "input": input});
    json!({"detail": items.iter().map(item).collect::<Vec<_>>()})
}
