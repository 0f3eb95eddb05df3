//! The responses other than `200`, as components that the endpoints share.

use crate::endpoint::{Effect, Endpoint};
use crate::error::ApiFailure;
use crate::fault::{Fault, Place, Wrong};
use crate::fields::string_schema as string;
use crate::shape::{all_required, array_of};
use actix_web::ResponseError;
use actix_web::http::StatusCode;
use hearback_app::{Denied, Error};
use hearback_domain::Uuid;
use hearback_domain::plan::Feature;
use hearback_domain::record::Kind;
use hearback_http::{Failure, RATE_HEADERS};
use hearback_ports::StoreError;
use serde_json::Value;
use serde_json::value::to_raw_value;
use std::collections::BTreeMap;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::schema::{ArrayItems, SchemaType};
use utoipa::openapi::{
    ArrayBuilder, Components, ContentBuilder, Header, Object, ObjectBuilder, OneOfBuilder, Ref,
    RefOr, Response, ResponseBuilder, Schema, Type,
};

/// The failures of an endpoint for records of a kind. Each status has the name of its component,
/// and its response.
///
/// If all endpoints have the same response of a status, the component is named after the status,
/// such as `Unauthorized`. Otherwise the names of the cases follow, such as `NotFound.User`.
pub(super) fn of(kind: Kind, endpoint: &Endpoint) -> Vec<(StatusCode, String, Response)> {
    let mut by_status: BTreeMap<StatusCode, (String, Vec<Value>)> = BTreeMap::new();
    let mut add = |case: Option<String>, failure: Failure| {
        let (status, body) = shown(&failure);
        let (name, bodies) = by_status.entry(status).or_insert_with(|| {
            (status.canonical_reason().unwrap_or_default().replace(' ', ""), Vec::new())
        });
        if let Some(case) = case {
            name.push('.');
            name.push_str(&case);
        }
        bodies.push(body);
    };
    let is_write = endpoint.effect == Effect::Write;
    if is_write {
        add(Some("IdempotencyKey".to_owned()), ApiFailure::BadIdempotencyKey.into());
    }
    if let Some(feature) = Feature::of(kind) {
        let denied = Error::Denied(Denied::Feature(feature));
        add(Some(format!("{feature:?}")), ApiFailure::UseCase(denied).into());
    }
    for refusal in endpoint.refusals {
        add(Some(refusal.name()), refusal.failure().into());
    }
    for failure in common() {
        add(None, failure);
    }
    if is_write {
        add(Some("KeyReused".to_owned()), ApiFailure::UseCase(Error::KeyReused).into());
    }
    let failures = by_status.into_iter();
    failures
        .map(|(status, (name, bodies))| (status, name, failed(status, &bodies).build()))
        .collect()
}

/// The failures of every endpoint.
fn common() -> Vec<Failure> {
    vec![
        ApiFailure::Unauthorized.into(),
        Failure::Limited { retry_after: 1 },
        Failure::Slow,
        Failure::TooLarge,
        ApiFailure::NotJson.into(),
        ApiFailure::Invalid(vec![Fault {
            place: Place::Field("limit"),
            wrong: Wrong::Above(100),
            input: to_raw_value(&101).ok(),
        }])
        .into(),
        Failure::Panicked,
        ApiFailure::UseCase(Error::Store(StoreError::Busy)).into(),
    ]
}

fn shown(failure: &Failure) -> (StatusCode, Value) {
    (failure.status_code(), serde_json::from_slice(&failure.body()).unwrap_or_default())
}

/// The response that covers all of these bodies.
fn failed(status: StatusCode, bodies: &[Value]) -> ResponseBuilder {
    let mut shapes: Vec<Object> = Vec::new();
    let messages =
        |of: fn(&Value) -> Option<&str>| -> Vec<&str> { bodies.iter().filter_map(of).collect() };
    let usual = messages(|body| body["detail"]["error"].as_str());
    if !usual.is_empty() {
        let error = all_required(ObjectBuilder::new().property("error", message(&usual)).build());
        shapes.push(all_required(ObjectBuilder::new().property("detail", error).build()));
    }
    let plain = messages(|body| body["detail"].as_str());
    if !plain.is_empty() {
        shapes.push(all_required(ObjectBuilder::new().property("detail", message(&plain)).build()));
    }
    let schema: RefOr<Schema> = match <[Object; 1]>::try_from(shapes) {
        Ok([one]) => one.into(),
        Err(none) if none.is_empty() => Ref::from_schema_name(INVALID).into(),
        Err(several) => {
            let any = several.into_iter().fold(OneOfBuilder::new(), OneOfBuilder::item);
            RefOr::T(Schema::OneOf(any.build()))
        }
    };
    let examples = bodies.iter().enumerate().map(|(number, body)| {
        (format!("{}", number + 1), ExampleBuilder::new().value(Some(body.clone())).build())
    });
    let content = ContentBuilder::new().schema(Some(schema)).examples_from_iter(examples).build();
    let failed = ResponseBuilder::new()
        .description(status.canonical_reason().unwrap_or_default())
        .content("application/json", content);
    match status {
        StatusCode::SERVICE_UNAVAILABLE => failed.header("Retry-After", count("in seconds")),
        StatusCode::TOO_MANY_REQUESTS => {
            let failed = failed.header("Retry-After", count("in seconds"));
            RATE_HEADERS
                .iter()
                .fold(failed, |failed, (name, says)| failed.header(name.as_str(), count(says)))
        }
        _ => failed,
    }
}

/// A header with a number.
fn count(description: &str) -> Header {
    let number = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0));
    Header::builder().description(Some(description)).schema(Some(number)).build()
}

/// The schema of these messages. An identifier in a message may be any other.
fn message(messages: &[&str]) -> ObjectBuilder {
    let nil = Uuid::nil().to_string();
    if messages.iter().any(|message| message.contains(&nil)) {
        string()
    } else {
        string().enum_values(Some(messages.iter().copied()))
    }
}

/// The name of the schema of a `422`.
const INVALID: &str = "Invalid";

/// Adds the schema of a `422`.
pub(super) fn add_schema(components: &mut Components) {
    components.schemas.insert(INVALID.to_owned(), invalid().into());
}

fn invalid() -> Object {
    let place = ArrayBuilder::new()
        .description(Some("`body`, then the field, then the index of an element"))
        .items(ArrayItems::RefOrSchema(Box::new(RefOr::T(Schema::Object(
            ObjectBuilder::new()
                .schema_type(SchemaType::Array(vec![Type::String, Type::Integer]))
                .build(),
        )))));
    let input = ObjectBuilder::new()
        .schema_type(SchemaType::AnyValue)
        .description(Some("the offending value; null where a field is missing"));
    let item = ObjectBuilder::new()
        .property("type", string())
        .property("loc", place)
        .property("msg", string())
        .property("input", input);
    let items = array_of(all_required(item.build()).into());
    all_required(ObjectBuilder::new().property("detail", items).build())
}
