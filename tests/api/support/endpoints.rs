//! The endpoints of `docs/openapi.json`, for tests of the behaviour that all endpoints share.

use super::openapi::{DOCUMENT, component};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::LazyLock;

const BASE: &str = "/api/external/v1";

/// An endpoint.
pub(crate) struct Endpoint {
    /// The path, relative to the base path.
    pub(crate) path: &'static str,
    /// Whether the endpoint changes something.
    pub(crate) is_write: bool,
    /// Whether the endpoint needs the help center in the organization's plan.
    pub(crate) is_of_help_center: bool,
    /// The fields beside the key, in the order of the contract.
    pub(crate) fields: Vec<Field>,
    /// The fields of the faults if the body has no field.
    pub(crate) missing: Vec<&'static str>,
    /// The members of the example without ids: all members of a write, the required ones of a read,
    /// and all if a field that excludes others is of the example.
    rest: Map<String, Value>,
}

/// A field of an endpoint.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    /// The name of the field.
    pub(crate) name: &'static str,
    /// The schema of the field.
    pub(crate) schema: &'static Value,
    /// Whether the field is required.
    pub(crate) is_required: bool,
}

/// All endpoints, in the order of the contract. An endpoint with fields that exclude each other is
/// listed once for each of these.
pub(crate) static ENDPOINTS: LazyLock<Vec<Endpoint>> = LazyLock::new(|| {
    let paths = DOCUMENT["paths"].as_object().expect("paths");
    paths.iter().flat_map(|(path, item)| variants(path, &item["post"])).collect()
});

impl Endpoint {
    /// A valid body without key. `id` gives the id of each field that names records.
    pub(crate) fn body(&self, id: impl Fn(&str) -> String) -> Value {
        let mut body = self.bare();
        for field in self.ids() {
            field.put(&mut body, &id(field.name));
        }
        body
    }

    /// A body without key and without ids.
    pub(crate) fn bare(&self) -> Value {
        Value::Object(self.rest.clone())
    }

    /// The fields that name records.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.names_records())
    }
}

impl Field {
    /// Puts the id of a record into a body.
    pub(crate) fn put(&self, body: &mut Value, id: &str) {
        body[self.name] = if self.schema["items"].is_object() { json!([id]) } else { json!(id) };
    }

    /// Whether a field is of this type or null.
    pub(crate) fn is_a(&self, kind: &str) -> bool {
        let kinds = &self.schema["type"];
        kinds == kind || kinds.as_array().is_some_and(|kinds| kinds.contains(&json!(kind)))
    }

    /// A text that the field takes.
    fn sample(&self) -> Value {
        json!(match self.schema["format"].as_str() {
            Some("email") => "kim@example.com",
            Some("date-time") => "2026-01-01T00:00:00Z",
            _ => "sample",
        })
    }

    fn names_records(&self) -> bool {
        self.schema["format"] == "uuid" || self.schema["items"]["format"] == "uuid"
    }
}

/// The fields that have to be null for this choice, if it says nothing else.
fn nulls(choice: &'static Value) -> Option<Vec<&'static str>> {
    let properties = choice["properties"].as_object()?;
    let are_null = properties.values().all(|schema| schema["enum"] == json!([null]));
    are_null.then(|| properties.keys().map(String::as_str).collect())
}

fn variants(path: &'static str, operation: &'static Value) -> Vec<Endpoint> {
    let content = &operation["requestBody"]["content"]["application/json"];
    let parts = content["schema"]["allOf"].as_array().map_or(&[][..], Vec::as_slice);
    let body = parts.first().unwrap_or(&content["schema"]);
    let names = |value: &'static Value| -> Vec<&'static str> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let required = names(&body["required"]);
    // One of several fields has to be given, and each of them is enough.
    let choices = parts.iter().flat_map(|part| [&part["oneOf"], &part["anyOf"]]);
    let choices = choices.filter_map(Value::as_array);
    let needed = choices.clone().filter(|all| all.iter().all(|one| one["required"].is_array()));
    let needed: Vec<&str> = needed.flatten().flat_map(|one| names(&one["required"])).collect();
    // At most one of several fields can be given.
    let spare = choices.map(|all| all.iter().filter_map(nulls).collect::<Vec<_>>());
    let spare: BTreeSet<&str> = spare.filter(|all| all.len() > 1).flatten().flatten().collect();
    let exclusive: Vec<&str> = needed.iter().copied().chain(spare).collect();
    let is_write = !operation["parameters"].is_null();
    let of = |given: Option<&str>| {
        let properties = body["properties"].as_object().expect("properties").iter();
        let fields = properties
            .map(|(name, schema)| (name.as_str(), schema))
            .filter(|(name, _)| *name != "api_key")
            .map(|(name, schema)| {
                let is_given = given == Some(name) && needed.contains(&name);
                let is_required = required.contains(&name) || is_given;
                Field { name, schema, is_required }
            });
        let is_missing =
            |name: &&str| required.contains(name) || needed.first().is_some_and(|it| it == name);
        let missing = fields.clone().map(|field| field.name).filter(is_missing).collect();
        let fields: Vec<Field> = fields
            .filter(|field| given == Some(field.name) || !exclusive.contains(&field.name))
            .collect();
        let example = content["example"].as_object().expect("an example");
        // The example has what belongs to the field.
        let is_of_example = given.is_some_and(|name| example.contains_key(name));
        let rest = fields
            .iter()
            .filter(|field| !field.names_records())
            .filter(|field| is_write || field.is_required || is_of_example)
            .filter_map(|field| {
                // The example has one of the fields that exclude each other.
                let sample = || (given == Some(field.name)).then(|| field.sample());
                let value = example.get(field.name).cloned().or_else(sample)?;
                Some((field.name.to_owned(), value))
            })
            .collect();
        Endpoint {
            path: path.strip_prefix(BASE).expect("a path of the API"),
            is_write,
            is_of_help_center: component(&operation["responses"]["403"])["content"]
                .to_string()
                .contains("Help Center"),
            fields,
            missing,
            rest,
        }
    };
    if exclusive.is_empty() {
        return vec![of(None)];
    }
    exclusive.iter().map(|name| of(Some(name))).collect()
}
