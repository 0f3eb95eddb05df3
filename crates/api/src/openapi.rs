//! `/openapi.json`: the API as OpenAPI 3.1 says it, made from what the code goes by: the route table, the fields that inputs read,
//! the views that answers are written from, and the failures that are told.

use crate::answer::{Answer, Timestamp};
use crate::call::Call;
use crate::error::Failure;
use crate::examples::{self, Example};
use crate::fault::{Fault, Place, Wrong};
use crate::fields::{Feature, Input, Taken, code_schema, string_schema as string, taken};
use crate::health::{get_only, reading};
use crate::rate;
use crate::v1;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue};
use actix_web::web::{self, ServiceConfig};
use actix_web::{Handler, HttpResponse};
use hearback_app::webhooks;
use hearback_app::{Error, Missing, Precondition};
use hearback_domain::event::{EventType, PostField};
use hearback_domain::status::StatusGroup;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::events::{Fact, facts};
use hearback_ports::{IdempotencyKey, StoreError};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::path::{OperationBuilder, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{AllOfBuilder, ArrayItems, SchemaType};
use utoipa::openapi::{
    Array, ArrayBuilder, Components, Content, ContentBuilder, Header, HttpMethod, InfoBuilder,
    KnownFormat, Object, ObjectBuilder, OneOfBuilder, OpenApi, OpenApiBuilder, PathItem,
    PathsBuilder, Ref, RefOr, Required, ResponseBuilder, Responses, ResponsesBuilder, Schema,
    SchemaFormat, Server, Type,
};
use utoipa::{PartialSchema, ToSchema};

/// Adds the document.
pub(crate) fn routes(config: &mut ServiceConfig) {
    config.service(
        web::resource("/openapi.json")
            .route(web::route().guard(reading()).to(show))
            .default_service(web::to(get_only)),
    );
}

async fn show() -> Answer {
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")))
        .body(text()))
}

/// The document as text, indented, with a newline at the end: what is kept in `docs/openapi.json`.
pub fn text() -> &'static str {
    // The same for as long as the process runs. There is nothing in it that serde_json could refuse.
    static TEXT: LazyLock<String> =
        LazyLock::new(|| document().to_pretty_json().unwrap_or_default() + "\n");
    &TEXT
}

/// Where endpoints are entered.
pub(crate) trait Table {
    /// Enters one.
    fn post<I, F>(&mut self, path: &'static str, handler: F, endpoint: Endpoint)
    where
        I: Input + 'static,
        F: Handler<(Call<I>,), Output = Answer>;
}

/// What is to be said of an endpoint beside what its input takes.
pub(crate) struct Endpoint {
    /// What it does.
    summary: &'static str,
    /// What it answers.
    shown: fn() -> Shown,
    /// Why it refuses what has the right form.
    refusals: &'static [Refusal],
}

/// What is to be said of an endpoint: what it does, what it answers, and why it refuses what has the right form.
pub(crate) const fn endpoint(
    summary: &'static str,
    shown: fn() -> Shown,
    refusals: &'static [Refusal],
) -> Endpoint {
    Endpoint { summary, shown, refusals }
}

/// Why an endpoint refuses what has the right form.
pub(crate) enum Refusal {
    /// Something is not there.
    NotFound(Missing),
    /// Something stands in the way.
    Refused(Precondition),
}

impl Refusal {
    fn failure(&self) -> Failure {
        Failure::UseCase(match self {
            Self::NotFound(missing) => Error::NotFound(*missing),
            Self::Refused(precondition) => Error::Refused(*precondition),
        })
    }
}

/// What an endpoint answers.
pub(crate) struct Shown {
    schema: RefOr<Schema>,
    views: Vec<(String, RefOr<Schema>)>,
}

/// One record, shown as `V`.
pub(crate) fn object<V: ToSchema>() -> Shown {
    let mut views = vec![(V::name().into_owned(), V::schema())];
    V::schemas(&mut views);
    Shown { schema: Ref::from_schema_name(V::name()).into(), views }
}

/// All records, shown as `V`.
pub(crate) fn array<V: ToSchema>() -> Shown {
    let Shown { schema, views } = object::<V>();
    Shown { schema: array_of(schema).into(), views }
}

/// A page of records, shown as `V`.
pub(crate) fn page<V: ToSchema>() -> Shown {
    let Shown { schema, views } = object::<V>();
    let cursor =
        ObjectBuilder::new().schema_type(SchemaType::Array(vec![Type::String, Type::Null]));
    let page = ObjectBuilder::new()
        .property("items", array_of(schema))
        .property("has_next_page", ObjectBuilder::new().schema_type(Type::Boolean))
        .property("cursor", cursor.description(Some("the next page's; null behind the last one")));
    Shown { schema: all_required(page.build()).into(), views }
}

/// Whether there is a vote now.
pub(crate) fn voted() -> Shown {
    member("voted", ObjectBuilder::new().schema_type(Type::Boolean))
}

/// That it was done.
pub(crate) fn success() -> Shown {
    member("success", ObjectBuilder::new().schema_type(Type::Boolean).enum_values(Some([true])))
}

/// The identifier of what was made.
pub(crate) fn created() -> Shown {
    member("id", uuid())
}

fn member(name: &str, schema: ObjectBuilder) -> Shown {
    Shown {
        schema: all_required(ObjectBuilder::new().property(name, schema).build()).into(),
        views: Vec::new(),
    }
}

fn array_of(schema: RefOr<Schema>) -> Array {
    ArrayBuilder::new().items(ArrayItems::RefOrSchema(Box::new(schema))).build()
}

fn uuid() -> ObjectBuilder {
    string().format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)))
}

/// What we show has all of its members, null where there is nothing to show.
fn all_required(mut object: Object) -> Object {
    object.required = object.properties.keys().cloned().collect();
    object
}

fn with_all_required(schema: RefOr<Schema>) -> RefOr<Schema> {
    match schema {
        RefOr::T(Schema::Object(object)) => all_required(object).into(),
        RefOr::T(Schema::AllOf(mut all)) => {
            all.items = all.items.into_iter().map(with_all_required).collect();
            RefOr::T(Schema::AllOf(all))
        }
        other => other,
    }
}

/// The document that is being made.
#[derive(Default)]
struct Document {
    paths: PathsBuilder,
    views: BTreeMap<String, RefOr<Schema>>,
}

impl Table for Document {
    fn post<I, F>(&mut self, path: &'static str, _: F, endpoint: Endpoint)
    where
        I: Input + 'static,
        F: Handler<(Call<I>,), Output = Answer>,
    {
        let taken = taken::<I>();
        let shown = (endpoint.shown)();
        let example = examples::of(path);
        self.views.extend(
            shown.views.into_iter().map(|(name, schema)| (name, with_all_required(schema))),
        );
        let mut operation = OperationBuilder::new()
            .operation_id(Some(path.trim_start_matches('/').replace('/', ".")))
            .tag(path.split('/').nth(1).unwrap_or_default())
            .summary(Some(endpoint.summary))
            .request_body(Some(
                RequestBodyBuilder::new()
                    .required(Some(Required::True))
                    .content(
                        "application/json",
                        content(body(&taken), example.map(Example::request)),
                    )
                    .build(),
            ))
            .responses(responses(
                content(shown.schema, example.map(Example::answer)),
                &taken,
                endpoint.refusals,
            ));
        if taken.is_write {
            let key = string()
                .min_length(Some(1))
                .max_length(Some(IdempotencyKey::MAX))
                .pattern(Some("^[!-~]+$"));
            operation = operation.parameter(
                ParameterBuilder::new()
                    .name("Idempotency-Key")
                    .parameter_in(ParameterIn::Header)
                    .description(Some("the client's name for this one write: sent again under it, it is done once, and its answer is given again"))
                    .schema(Some(key)),
            );
        }
        let paths = std::mem::take(&mut self.paths);
        self.paths =
            paths.path(format!("{}{path}", v1::BASE), PathItem::new(HttpMethod::Post, operation));
    }
}

fn body(taken: &Taken) -> Schema {
    let key = string().description(Some("the organization's key"));
    let mut body = ObjectBuilder::new().property("api_key", key).required("api_key");
    for field in &taken.fields {
        body = body.property(field.name, field.schema.clone());
        if field.is_required {
            body = body.required(field.name);
        }
    }
    if taken.rules.is_empty() {
        return body.build().into();
    }
    let all = AllOfBuilder::new().item(body);
    Schema::AllOf(taken.rules.iter().cloned().fold(all, AllOfBuilder::item).build())
}

fn content(schema: impl Into<RefOr<Schema>>, example: Option<Value>) -> Content {
    ContentBuilder::new().schema(Some(schema)).example(example).build()
}

fn responses(shown: Content, taken: &Taken, refusals: &[Refusal]) -> Responses {
    let done = ResponseBuilder::new().description("It is done.").content("application/json", shown);
    let replayed = Header::builder()
        .description(Some("`true`: this was done before under the same `Idempotency-Key`"))
        .schema(Some(string().enum_values(Some(["true"]))))
        .build();
    let done = if taken.is_write { done.header("Idempotent-Replayed", replayed) } else { done };
    let mut all = ResponsesBuilder::new().response("200", done);

    let mut failures = Vec::new();
    if taken.is_write {
        failures.push(Failure::BadIdempotencyKey);
    }
    if taken.feature == Feature::HelpCenter {
        failures.push(Failure::NoHelpCenter);
    }
    failures.extend(refusals.iter().map(Refusal::failure));
    failures.extend(common());
    if taken.is_write {
        failures.push(Failure::UseCase(Error::KeyReused));
    }
    let by_status = by_status_of(&failures);
    let common = by_status_of(&common());
    for (status, bodies) in by_status {
        let response = match common.get(&status) {
            Some(same) if *same == bodies => RefOr::Ref(Ref::from_response_name(name(status))),
            _ => RefOr::T(failed(status, &bodies).build()),
        };
        all = all.response(status.as_str(), response);
    }
    all.build()
}

/// What every endpoint may answer.
fn common() -> Vec<Failure> {
    vec![
        Failure::Unauthorized,
        Failure::Limited { retry_after: 1 },
        Failure::Slow,
        Failure::TooLarge,
        Failure::NotJson,
        Failure::Invalid(vec![Fault {
            place: Place::Field("limit"),
            wrong: Wrong::Above(100),
            input: json!(101),
        }]),
        Failure::Panicked,
        Failure::UseCase(Error::Store(StoreError::Busy)),
    ]
}

fn by_status_of(failures: &[Failure]) -> BTreeMap<StatusCode, Vec<Value>> {
    let mut by_status: BTreeMap<StatusCode, Vec<Value>> = BTreeMap::new();
    for failure in failures {
        let (status, body) = failure.shown();
        by_status.entry(status).or_default().push(body);
    }
    by_status
}

/// What a status is called among the components.
fn name(status: StatusCode) -> String {
    status.canonical_reason().unwrap_or_default().replace(' ', "")
}

/// The answer that these are all of.
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
            rate::HEADERS
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

/// One of these messages, or one with another identifier in it.
fn message(messages: &[&str]) -> ObjectBuilder {
    let nil = Uuid::nil().to_string();
    if messages.iter().any(|message| message.contains(&nil)) {
        string()
    } else {
        string().enum_values(Some(messages.iter().copied()))
    }
}

/// The schema of a `422`.
const INVALID: &str = "Invalid";

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

fn document() -> OpenApi {
    let mut document = Document::default();
    v1::table(&mut document);
    let mut components = Components::new();
    components.schemas.extend(document.views);
    components.schemas.insert(INVALID.to_owned(), invalid().into());
    for (status, bodies) in by_status_of(&common()) {
        components.responses.insert(name(status), failed(status, &bodies).build().into());
    }
    let about = "Feedback, roadmap, changelog and help center of one organization. Every call is a `POST` with a JSON body; \
                 the organization's key is its member `api_key`.";
    OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("Hearback")
                .version(env!("CARGO_PKG_VERSION"))
                .description(Some(about)),
        )
        .servers(Some([Server::new("/")]))
        .paths(document.paths)
        .components(Some(components))
        .webhooks(Some(events()))
        .build()
}

/// What subscriptions are sent.
fn events() -> PathsBuilder {
    EventType::ALL.iter().fold(PathsBuilder::new(), |paths, event_type| {
        let body = ContentBuilder::new()
            .schema(Some(event(*event_type)))
            .example(Some(example_event(*event_type)));
        let operation = HEADERS
            .iter()
            .fold(OperationBuilder::new(), |operation, header| {
                operation.parameter(header.parameter())
            })
            .operation_id(Some(event_type.code()))
            .tag("events")
            .request_body(Some(
                RequestBodyBuilder::new()
                    .required(Some(Required::True))
                    .content("application/json", body.build())
                    .build(),
            ))
            .response("2XX", ResponseBuilder::new().description("The receiver has taken it."));
        paths.path(event_type.code(), PathItem::new(HttpMethod::Post, operation))
    })
}

fn event(event_type: EventType) -> Object {
    let example = webhooks::example(event_type);
    let data = facts(&example)
        .into_iter()
        .fold(ObjectBuilder::new(), |data, (member, fact)| data.property(member, kind(fact)));
    let event = ObjectBuilder::new()
        .property("event", string().enum_values(Some([event_type.code()])))
        .property("organization_id", uuid())
        .property("occurred_at", Timestamp::schema())
        .property("data", all_required(data.build()));
    all_required(event.build())
}

/// What facts of this kind look like.
fn kind(fact: Fact<'_>) -> RefOr<Schema> {
    match fact {
        Fact::Id(_) => uuid().build().into(),
        Fact::OptionalId(_) => {
            uuid().schema_type(SchemaType::Array(vec![Type::String, Type::Null])).build().into()
        }
        Fact::Text(_) => string().build().into(),
        Fact::StatusGroup(_) => code_schema::<StatusGroup>().into(),
        Fact::PostFields(_) => array_of(code_schema::<PostField>().into()).into(),
    }
}

/// What `hearback webhook test --event …` sends.
fn example_event(event_type: EventType) -> Value {
    let data: Value = serde_json::from_str(&webhooks::example_data(event_type)).unwrap_or_default();
    json!({
        "event": event_type.code(),
        "organization_id": "01900000-0000-7000-8000-000000000000",
        "occurred_at": "2026-03-01T09:30:00.120Z",
        "data": data,
    })
}

/// A header of a delivery.
struct DeliveryHeader {
    name: &'static str,
    description: &'static str,
    is_always_there: Required,
}

/// Those that a delivery has beside `Content-Type`.
const HEADERS: &[DeliveryHeader] = &[
    DeliveryHeader::always("X-Service-Event", "the event type"),
    DeliveryHeader::always(
        "X-Service-Signature",
        "`sha256=` and the HMAC-SHA256 of the body in lower-case hex, keyed with the signing secret as it was printed",
    ),
    DeliveryHeader::always("X-Service-Webhook-Id", "the subscription"),
    DeliveryHeader::always("X-Service-Delivery-Id", "the delivery, the same on every attempt"),
    DeliveryHeader::always("X-Service-Attempt", "which attempt it is, from 1"),
    DeliveryHeader::of_secrets_made_here(
        "webhook-id",
        "the delivery, as the Standard Webhooks specification names it",
    ),
    DeliveryHeader::of_secrets_made_here(
        "webhook-timestamp",
        "when this attempt was made, in seconds since 1970",
    ),
    DeliveryHeader::of_secrets_made_here(
        "webhook-signature",
        "the signature of that specification",
    ),
];

impl DeliveryHeader {
    const fn always(name: &'static str, description: &'static str) -> Self {
        Self { name, description, is_always_there: Required::True }
    }

    /// An imported secret may have a form that the Standard Webhooks specification does not know.
    const fn of_secrets_made_here(name: &'static str, description: &'static str) -> Self {
        Self { name, description, is_always_there: Required::False }
    }

    fn parameter(&self) -> ParameterBuilder {
        ParameterBuilder::new()
            .name(self.name)
            .parameter_in(ParameterIn::Header)
            .description(Some(self.description))
            .required(self.is_always_there.clone())
            .schema(Some(string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{mocks, send};
    use actix_web::http::Method;
    use actix_web::test::TestRequest;

    #[test]
    fn the_copy_in_the_documentation_is_the_one_that_is_served() {
        assert!(
            include_str!("../../../docs/openapi.json") == text(),
            "docs/openapi.json is not up to date: run `make openapi`"
        );
    }

    #[actix_web::test]
    async fn it_is_served_to_everybody() {
        for method in [Method::GET, Method::HEAD] {
            let reply = send(mocks(), TestRequest::with_uri("/openapi.json").method(method)).await;
            assert_eq!(reply.status, 200);
            assert_eq!(reply.header("content-type"), "application/json");
            assert_eq!(reply.body, text());
        }
        let reply = send(mocks(), TestRequest::post().uri("/openapi.json")).await;
        assert_eq!((reply.status, reply.header("allow")), (405, "GET, HEAD"));
    }

    fn operation(path: &str) -> Value {
        let document: Value = serde_json::from_str(text()).unwrap();
        document["paths"][format!("/api/external/v1{path}")]["post"].clone()
    }

    #[test]
    fn what_an_endpoint_takes_is_what_its_input_reads() {
        let body =
            &operation("/votes/voters")["requestBody"]["content"]["application/json"]["schema"];
        let expected = json!({
            "type": "object",
            "required": ["api_key", "post_id", "post_type"],
            "properties": {
                "api_key": {"type": "string", "description": "the organization's key"},
                "post_id": {"type": "string", "format": "uuid", "minLength": 36, "maxLength": 36},
                "post_type": {"type": "string", "enum": ["feedback", "roadmap"]},
                "limit": {"type": "integer", "default": 25, "minimum": 1, "maximum": 100},
                "cursor": {"type": ["string", "null"], "description": "the `cursor` of the page before"}
            }
        });
        assert_eq!(*body, expected);
    }

    #[test]
    fn each_endpoint_has_an_example_of_what_it_takes_and_of_what_it_answers() {
        let document: Value = serde_json::from_str(text()).unwrap();
        for (path, item) in document["paths"].as_object().unwrap() {
            let body = |place: &str| {
                item["post"].pointer(place).unwrap()["content"]["application/json"]["example"]
                    .clone()
            };
            assert_eq!(body("/requestBody")["api_key"], examples::PLACEHOLDER, "{path}");
            assert!(!body("/responses/200").is_null(), "{path}");
        }
    }

    #[test]
    fn each_refusal_is_there_with_its_words() {
        let of = |path, status| {
            operation(path)["responses"][status]["content"]["application/json"]["schema"].clone()
        };
        let error = |messages: Value| {
            let error = json!({"type": "object", "required": ["error"], "properties": {"error": {"type": "string", "enum": messages}}});
            json!({"type": "object", "required": ["detail"], "properties": {"detail": error}})
        };
        assert_eq!(of("/votes/toggle", "404"), error(json!(["post not found", "user not found"])));
        let plain = |message: &str| json!({"type": "object", "required": ["detail"], "properties": {"detail": {"type": "string", "enum": [message]}}});
        assert_eq!(of("/votes/toggle", "403"), plain("Voting is not permitted for this board"));
        let key = "Idempotency-Key must be one value of 1 to 255 visible ASCII characters";
        let merge = "Cannot merge posts. Ensure both posts exist, are active, and neither is already merged.";
        assert_eq!(
            of("/feedback-posts/merge", "400"),
            json!({"oneOf": [error(json!([key])), plain(merge)]})
        );
    }
}
