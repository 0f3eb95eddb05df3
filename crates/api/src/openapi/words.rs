//! The descriptions of operations, schemas and fields in the document. The generated clients have
//! them too.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// `words.json`.
#[derive(Default, Deserialize)]
struct Words {
    /// By the path of the endpoint.
    operations: BTreeMap<String, String>,
    /// By the name of a schema, or that with the name of a member: `User.id`.
    schemas: BTreeMap<String, String>,
    /// By the path of the endpoint and the name of the field: `/votes/set voted`.
    fields: BTreeMap<String, String>,
}

/// Adds the descriptions. Returns the names of those that describe nothing.
pub(super) fn describe(document: &mut Value) -> Vec<String> {
    // The file is a part of the program. A test proves that it can be parsed.
    let words: Words = serde_json::from_str(include_str!("../words.json")).unwrap_or_default();
    let operations =
        words.operations.into_iter().map(|(it, text)| (vec![operation(&it)], it, text));
    let schemas = words.schemas.into_iter().map(|(it, text)| (vec![schema(&it)], it, text));
    let fields = words.fields.into_iter().map(|(it, text)| (field(&it).to_vec(), it, text));
    let mut unused = Vec::new();
    for (places, name, text) in operations.chain(schemas).chain(fields) {
        let place = places.into_iter().find(|place| document.pointer(place).is_some());
        match place.and_then(|place| document.pointer_mut(&place)?.as_object_mut()) {
            Some(described) => _ = described.insert("description".to_owned(), text.into()),
            None => unused.push(name),
        }
    }
    unused
}

fn operation(path: &str) -> String {
    format!("/paths/~1api~1external~1v1{}/post", path.replace('/', "~1"))
}

fn schema(name: &str) -> String {
    format!("/components/schemas/{}", name.replace('.', "/properties/"))
}

/// The places of a field: in a body, and in one with rules for several fields.
fn field(name: &str) -> [String; 2] {
    let (path, field) = name.split_once(' ').unwrap_or((name, ""));
    let body = format!("{}/requestBody/content/application~1json/schema", operation(path));
    ["", "/allOf/0"].map(|part| format!("{body}{part}/properties/{field}"))
}
