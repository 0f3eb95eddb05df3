//! The catalog of tools: the OpenAPI document gives the schemas of their arguments, and the texts in
//! their answers. The first call of an agent reads the document.

use crate::texts::Texts;
use crate::tools::{Calls, Nature, TOOLS, Tool};
use rmcp::model::{self, JsonObject, ToolAnnotations};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// The tools as agents see them, and the endpoints that they call.
pub(crate) struct Catalog {
    /// In the order of the table.
    pub(crate) tools: Vec<model::Tool>,
    endpoints: HashMap<&'static str, Endpoint>,
}

/// An endpoint.
pub(crate) struct Endpoint {
    /// The schemas of its fields, without the key.
    pub(crate) fields: JsonObject,
    required: Vec<Value>,
    /// Whether it changes something.
    pub(crate) is_write: bool,
    /// The texts in its answers that end users may have written.
    pub(crate) texts: Texts,
}

/// The catalog.
pub(crate) fn catalog() -> &'static Catalog {
    static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
        // The document is a part of the program.
        let document = serde_json::from_str(hearback_api::openapi()).unwrap_or_default();
        Catalog::new(&document)
    });
    &CATALOG
}

impl Catalog {
    fn new(document: &Value) -> Self {
        let paths = TOOLS.iter().flat_map(|tool| tool.calls.paths());
        let endpoints =
            paths.map(|path| (path, Endpoint::new(path, document))).collect::<HashMap<_, _>>();
        let tools = TOOLS.iter().map(|tool| shown(tool, &endpoints)).collect();
        Self { tools, endpoints }
    }

    /// The endpoint with a path of the table.
    pub(crate) fn endpoint(&self, path: &str) -> Option<&Endpoint> {
        self.endpoints.get(path)
    }

    /// A tool as agents see it.
    pub(crate) fn tool(&self, name: &str) -> Option<&model::Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

impl Endpoint {
    fn new(path: &str, document: &Value) -> Self {
        let operation = &document["paths"][format!("/api/external/v1{path}")]["post"];
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        // A body with rules for several fields is composed: its first part has the fields.
        let body = body.pointer("/allOf/0").unwrap_or(body);
        let mut fields = body["properties"].as_object().cloned().unwrap_or_default();
        fields.shift_remove("api_key");
        fields.values_mut().for_each(leave_out_null);
        let mut required = body["required"].as_array().cloned().unwrap_or_default();
        required.retain(|name| name != "api_key");
        let answer = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        Self {
            fields,
            required,
            is_write: operation.get("parameters").is_some(),
            texts: Texts::of(path, answer, document),
        }
    }
}

/// A tool as agents see it.
fn shown(tool: &Tool, endpoints: &HashMap<&str, Endpoint>) -> model::Tool {
    let hints = ToolAnnotations::with_title(tool.title)
        .read_only(tool.nature == Nature::Reads)
        .destructive(tool.nature == Nature::Destroys)
        .idempotent(tool.nature != Nature::Adds)
        .open_world(false);
    let about = match tool.nature {
        Nature::Destroys => {
            format!("{} Ask the person first: nothing is done without `confirm`: true.", tool.about)
        }
        _ => tool.about.to_owned(),
    };
    model::Tool::new(tool.name, about, Arc::new(arguments(tool, endpoints)))
        .with_title(tool.title)
        .with_annotations(hints)
}

/// The schema of the arguments of a tool.
fn arguments(tool: &Tool, endpoints: &HashMap<&str, Endpoint>) -> JsonObject {
    let mut properties = JsonObject::new();
    let mut required = Vec::new();
    if let Some((name, values)) = tool.calls.selector() {
        properties.insert(name.to_owned(), json!({"type": "string", "enum": values}));
        if let Calls::By(..) = tool.calls {
            required.push(name.into());
        }
    }
    match tool.calls {
        Calls::Find(_) => {
            properties.insert("id".to_owned(), json!({"type": "string", "format": "uuid"}));
            required.push("id".into());
        }
        Calls::All(_) => {}
        Calls::One(_) | Calls::If(..) | Calls::By(..) => {
            let called: Vec<_> =
                tool.calls.paths().iter().filter_map(|path| endpoints.get(path)).collect();
            for (name, schema) in called.iter().flat_map(|endpoint| &endpoint.fields) {
                merge(&mut properties, name, schema);
            }
            // An argument is required if every endpoint of the tool requires it.
            let by_all = |name: &&Value| called.iter().all(|one| one.required.contains(name));
            required.extend(
                called.iter().take(1).flat_map(|one| &one.required).filter(by_all).cloned(),
            );
        }
    }
    if tool.nature == Nature::Destroys {
        let about = "Whether the person has agreed.";
        properties.insert("confirm".to_owned(), json!({"type": "boolean", "description": about}));
    }
    if tool.nature != Nature::Reads {
        let about = "A name for this one call: sent again under it, it is done once.";
        let schema = json!({"type": "string", "description": about});
        properties.insert("idempotency_key".to_owned(), schema);
    }
    let schema = [
        ("type", "object".into()),
        ("properties", properties.into()),
        ("required", required.into()),
        ("additionalProperties", false.into()),
    ];
    schema.map(|(name, value): (&str, Value)| (name.to_owned(), value)).into_iter().collect()
}

/// Adds a field to properties. Endpoints may have different fields of one name.
fn merge(properties: &mut JsonObject, name: &str, schema: &Value) {
    let Some(known) = properties.get_mut(name) else {
        properties.insert(name.to_owned(), schema.clone());
        return;
    };
    let undescribed = |schema: &Value| {
        let mut schema = schema.clone();
        schema.as_object_mut().and_then(|schema| schema.shift_remove("description"));
        schema
    };
    if undescribed(known) == undescribed(schema) {
        return;
    }
    match known.get_mut("anyOf").and_then(Value::as_array_mut) {
        Some(any) => any.push(schema.clone()),
        None => *known = json!({"anyOf": [known.clone(), schema]}),
    }
}

/// Takes `null` out of a schema. It is the same as no value, and many agents cannot read schemas
/// with several types.
fn leave_out_null(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(leave_out_null);
            if let Some(Value::Array(types)) = members.get_mut("type") {
                types.retain(|one| one != "null");
                if let [one] = &types[..] {
                    members["type"] = one.clone();
                }
            }
            if let Some(Value::Array(values)) = members.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
        }
        Value::Array(parts) => parts.iter_mut().for_each(leave_out_null),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_endpoint_of_the_table_is_in_the_document() {
        for path in TOOLS.iter().flat_map(|tool| tool.calls.paths()) {
            let endpoint = catalog().endpoint(path).unwrap();
            let is_list_of_all = path.ends_with("/list");
            assert!(is_list_of_all || !endpoint.fields.is_empty(), "{path}");
        }
    }

    #[test]
    fn a_tool_reads_if_none_of_its_endpoints_writes() {
        for tool in TOOLS {
            let paths = tool.calls.paths();
            let writes = paths.iter().any(|path| catalog().endpoint(path).unwrap().is_write);
            assert_eq!(writes, tool.nature != Nature::Reads, "{}", tool.name);
        }
    }

    #[test]
    fn no_argument_of_the_door_is_a_field() {
        for tool in TOOLS {
            let selector = tool.calls.selector().map(|(name, _)| name);
            for path in tool.calls.paths() {
                let fields = &catalog().endpoint(path).unwrap().fields;
                for name in ["confirm", "idempotency_key"].into_iter().chain(selector) {
                    assert!(!fields.contains_key(name), "{path} {name}");
                }
            }
        }
    }

    #[test]
    fn arguments_are_the_fields_of_the_endpoints() {
        let tool = catalog().tool("moderate").unwrap();
        let schema = &tool.input_schema;
        let names: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(
            names,
            [
                "items",
                "moderation_status_code",
                "trust_author",
                "block_author",
                "kind",
                "limit",
                "cursor",
                "confirm",
                "idempotency_key"
            ]
        );
        let code = &schema["properties"]["moderation_status_code"];
        assert_eq!(code["type"], "string", "null is left out");
        assert_eq!(code["enum"], json!(["pending", "accepted", "rejected", "spam"]));
        assert_eq!(schema["required"], json!([]));
    }
}
