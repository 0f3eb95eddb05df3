//! The endpoints of the API as the dashboard sees them: their fields, from the OpenAPI document.

use serde_json::Value;
use std::sync::LazyLock;

/// An endpoint.
#[derive(Debug)]
pub(crate) struct Action {
    /// The path, relative to the base of all paths: `/tags/create`.
    pub(crate) path: &'static str,
    /// The fields, in the order of the document.
    pub(crate) fields: Vec<Field>,
    /// Whether it changes something.
    pub(crate) is_write: bool,
}

/// A field of an endpoint.
#[derive(Debug)]
pub(crate) struct Field {
    /// The name.
    pub(crate) name: &'static str,
    /// The kind of its values.
    pub(crate) kind: FieldKind,
    /// Whether each call has to have the field.
    pub(crate) is_required: bool,
    /// The most characters of a text.
    pub(crate) most: Option<u64>,
}

/// The kind of the values of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldKind {
    /// A text of one line.
    Line,
    /// A text of several lines.
    Text,
    /// One of these codes.
    Choice(Vec<&'static str>),
    /// Some of these codes.
    Choices(Vec<&'static str>),
    /// Yes or no.
    Flag,
    /// A whole number.
    Number,
    /// A moment.
    Time,
    /// A colour.
    Color,
    /// The identifier of a record.
    Id,
    /// The identifiers of records.
    Ids,
    /// Texts of one line each.
    Lines,
    /// Attributes of a record: values by name.
    Attributes,
    /// Values in JSON.
    Object,
}

impl Action {
    /// The field with a name.
    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Whether the endpoint can say what it would do.
    pub(crate) fn has_effects(&self) -> bool {
        self.field("dry_run").is_some()
    }

    /// Whether a field can be emptied by its name in `clear`.
    pub(crate) fn clears(&self, name: &str) -> bool {
        let clear = self.field("clear").map(|field| &field.kind);
        matches!(clear, Some(FieldKind::Choices(names)) if names.contains(&name))
    }

    /// Whether the endpoint gives a record new values, and keeps those that a call does not have.
    pub(crate) fn is_edit(&self) -> bool {
        ["update", "upsert"].contains(&self.parts().1)
    }

    /// The group of the endpoint and its own name: `tags` and `create`.
    pub(crate) fn parts(&self) -> (&'static str, &'static str) {
        self.path.trim_start_matches('/').split_once('/').unwrap_or((self.path, ""))
    }
}

/// The endpoint with a path.
pub(crate) fn action(path: &str) -> Option<&'static Action> {
    actions().iter().find(|action| action.path == path)
}

/// All endpoints, in the order of the document.
pub(crate) fn actions() -> &'static [Action] {
    static ACTIONS: LazyLock<Vec<Action>> = LazyLock::new(|| {
        let Some(paths) = DOCUMENT["paths"].as_object() else { return Vec::new() };
        paths.iter().filter_map(|(path, operations)| read(path, &operations["post"])).collect()
    });
    &ACTIONS
}

/// The document is a part of the program.
static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(hearback_api::openapi()).unwrap_or_default());

fn read(path: &'static str, operation: &'static Value) -> Option<Action> {
    let path = path.strip_prefix("/api/external/v1")?;
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    // A body with rules for several fields is composed: its first part has the fields.
    let body = body.pointer("/allOf/0").unwrap_or(body);
    let required = body["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let field = |(name, schema): (&'static String, &'static Value)| Field {
        name,
        kind: kind(name, schema),
        is_required: required.iter().any(|it| it == name.as_str()),
        most: schema["maxLength"].as_u64(),
    };
    let properties = body["properties"].as_object()?;
    let fields = properties.iter().filter(|(name, _)| *name != "api_key").map(field).collect();
    Some(Action { path, fields, is_write: operation.get("parameters").is_some() })
}

/// The most characters of a text of one line.
const LONGEST_LINE: u64 = 2048;

fn kind(name: &str, schema: &'static Value) -> FieldKind {
    let of = &schema["type"];
    let is =
        |kind: &str| of == kind || of.as_array().is_some_and(|all| all.iter().any(|it| it == kind));
    let codes = |schema: &'static Value| -> Vec<&'static str> {
        let all = schema["enum"].as_array().map(Vec::as_slice).unwrap_or_default();
        all.iter().filter_map(Value::as_str).collect()
    };
    let format = schema["format"].as_str().unwrap_or_default();
    if is("boolean") {
        FieldKind::Flag
    } else if is("integer") {
        FieldKind::Number
    } else if is("array") {
        let items = &schema["items"];
        match (codes(items), items["format"].as_str()) {
            (codes, _) if !codes.is_empty() => FieldKind::Choices(codes),
            (_, Some("uuid")) => FieldKind::Ids,
            _ if items["type"] == "object" => FieldKind::Object,
            _ => FieldKind::Lines,
        }
    } else if name == "attributes" {
        FieldKind::Attributes
    } else if is("object") {
        FieldKind::Object
    } else if !codes(schema).is_empty() {
        FieldKind::Choice(codes(schema))
    } else if format == "uuid" {
        FieldKind::Id
    } else if format == "date-time" {
        FieldKind::Time
    } else if name == "color" {
        FieldKind::Color
    } else if schema["maxLength"].as_u64().is_none_or(|most| most > LONGEST_LINE)
        && name != "monthly_spend"
    {
        FieldKind::Text
    } else {
        FieldKind::Line
    }
}
