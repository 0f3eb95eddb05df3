//! `/openapi.json`: the OpenAPI 3.1 document of the API. It is made from the declarations of the
//! endpoints, their fields, their views and their failures.

mod events;
mod failures;
mod text;
mod words;

use crate::answer::Answer;
use crate::endpoint::{Effect, Endpoint};
use crate::examples::{self, Example};
use crate::fields::{Described, describe, string_schema as string};
use crate::shape::{Shape, with_all_required};
use crate::v1;
use actix_web::web::{Bytes, ServiceConfig};
use hearback_domain::record::Kind;
use hearback_http::{fixed, get, json_of};
use hearback_ports::IdempotencyKey;
use serde_json::Value;
use std::sync::LazyLock;
use utoipa::openapi::path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::{
    Components, Content, ContentBuilder, Header, HttpMethod, InfoBuilder, ObjectBuilder, OpenApi,
    OpenApiBuilder, PathItem, PathsBuilder, Ref, RefOr, Required, Response, ResponseBuilder,
    Schema, Server,
};

/// Adds the document.
pub(crate) fn routes(config: &mut ServiceConfig) {
    config.service(get("/openapi.json", show));
}

async fn show() -> Answer {
    Ok(json_of(fixed(Bytes::from_static(text().as_bytes()))))
}

/// The document as indented text, with a newline at the end: `docs/openapi.json`.
pub fn text() -> &'static str {
    // The document does not change while the process runs. `serde_json` can serialize all of it.
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let mut document = serde_json::to_value(document()).unwrap_or_default();
        words::describe(&mut document);
        text::of(&document)
    });
    &TEXT
}

fn document() -> OpenApi {
    let mut components = Components::new();
    let mut paths = PathsBuilder::new();
    for &(kind, table) in v1::TABLES {
        for endpoint in table {
            let operation = operation(kind, endpoint, &mut components);
            paths = paths.path(endpoint.route(), PathItem::new(HttpMethod::Post, operation));
        }
    }
    failures::add_schema(&mut components);
    let key = idempotency_key();
    components.parameters.insert(key.name.clone(), key.into());
    for header in events::headers() {
        components.parameters.insert(header.name.clone(), header.into());
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
        .paths(paths)
        .components(Some(components))
        .webhooks(Some(events::paths()))
        .build()
}

/// The operation of an endpoint for records of a kind. The parts that it shares with other
/// endpoints go into `components`.
fn operation(kind: Kind, endpoint: &Endpoint, components: &mut Components) -> OperationBuilder {
    let Shape { schema, parts } = (endpoint.handler.shape)();
    components
        .schemas
        .extend(parts.into_iter().map(|(name, schema)| (name, with_all_required(schema))));
    let example = examples::of(endpoint.path);
    let request =
        content(body(&describe(endpoint.handler.describe)), example.map(Example::request));
    let done = done(endpoint.effect, content(schema, example.map(Example::answer)));
    let operation = OperationBuilder::new()
        .operation_id(Some(endpoint.path.trim_start_matches('/').replace('/', ".")))
        .tag(endpoint.path.split('/').nth(1).unwrap_or_default())
        .summary(Some(endpoint.summary))
        .request_body(Some(
            RequestBodyBuilder::new()
                .required(Some(Required::True))
                .content("application/json", request)
                .build(),
        ))
        .response("200", done);
    let operation = match endpoint.effect {
        Effect::Read => operation,
        Effect::Write => operation.parameter_ref(parameter(&idempotency_key().name)),
    };
    failures::of(kind, endpoint).into_iter().fold(
        operation,
        |operation, (status, name, response)| {
            components.responses.entry(name.clone()).or_insert_with(|| response.into());
            operation.response(status.as_str(), RefOr::Ref(Ref::from_response_name(name)))
        },
    )
}

fn body(described: &Described) -> Schema {
    let key = string().description(Some("the organization's key"));
    described.object(ObjectBuilder::new().property("api_key", key).required("api_key"))
}

fn content(schema: impl Into<RefOr<Schema>>, example: Option<Value>) -> Content {
    ContentBuilder::new().schema(Some(schema)).example(example).build()
}

fn done(effect: Effect, shown: Content) -> Response {
    let done = ResponseBuilder::new().description("It is done.").content("application/json", shown);
    let replayed = Header::builder()
        .description(Some("`true`: this was done before under the same `Idempotency-Key`"))
        .schema(Some(string().enum_values(Some(["true"]))))
        .build();
    match effect {
        Effect::Read => done,
        Effect::Write => done.header("Idempotent-Replayed", replayed),
    }
    .build()
}

fn idempotency_key() -> Parameter {
    let key = string()
        .min_length(Some(1))
        .max_length(Some(IdempotencyKey::MAX))
        .pattern(Some("^[!-~]+$"));
    ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .description(Some("the client's name for this one write: sent again under it, it is done once, and its answer is given again"))
        .schema(Some(key))
        .build()
}

/// A reference to the parameter of this name among the components.
fn parameter(name: &str) -> Ref {
    Ref::new(format!("#/components/parameters/{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{mocks, send};
    use actix_web::http::Method;
    use actix_web::test::TestRequest;
    use serde_json::json;

    #[test]
    fn the_copy_in_the_documentation_is_the_one_that_is_served() {
        assert!(
            include_str!("../../../../docs/openapi.json") == text(),
            "docs/openapi.json is not up to date: run `make openapi`"
        );
    }

    #[test]
    fn each_description_describes_something() {
        let mut document = serde_json::to_value(super::document()).unwrap();
        assert_eq!(words::describe(&mut document), [] as [String; 0]);
        let described = &document["components"]["schemas"]["User"]["properties"]["id"];
        assert!(described["description"].is_string(), "the words can be read");
    }

    #[actix_web::test]
    async fn the_document_is_served_without_a_key() {
        for method in [Method::GET, Method::HEAD] {
            let reply = send(mocks(), TestRequest::with_uri("/openapi.json").method(method)).await;
            assert_eq!(reply.status, 200);
            assert_eq!(reply.header("content-type"), "application/json");
            assert_eq!(reply.body, text());
        }
        let reply = send(mocks(), TestRequest::post().uri("/openapi.json")).await;
        assert_eq!((reply.status, reply.header("allow")), (405, "GET, HEAD"));
    }

    fn document() -> Value {
        serde_json::from_str(text()).unwrap()
    }

    fn operation(path: &str) -> Value {
        document()["paths"][format!("/api/external/v1{path}")]["post"].clone()
    }

    #[test]
    fn the_described_fields_are_the_fields_that_the_input_reads() {
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
                "cursor": {"type": ["string", "null"], "description": "the `cursor` of the page before", "minLength": 23}
            }
        });
        assert_eq!(*body, expected);
    }

    #[test]
    fn each_endpoint_has_an_example_of_a_request_and_a_response() {
        for (path, item) in document()["paths"].as_object().unwrap() {
            let body = |place: &str| {
                item["post"].pointer(place).unwrap()["content"]["application/json"]["example"]
                    .clone()
            };
            assert_eq!(body("/requestBody")["api_key"], examples::PLACEHOLDER, "{path}");
            assert!(!body("/responses/200").is_null(), "{path}");
        }
    }

    #[test]
    fn the_document_has_each_refusal_with_its_message() {
        let of = |path: &str, status: &str, name: &str| {
            let response = &operation(path)["responses"][status]["$ref"];
            assert_eq!(*response, format!("#/components/responses/{name}"));
            document()["components"]["responses"][name]["content"]["application/json"]["schema"]
                .clone()
        };
        let error = |messages: Value| {
            let error = json!({"type": "object", "required": ["error"], "properties": {"error": {"type": "string", "enum": messages}}});
            json!({"type": "object", "required": ["detail"], "properties": {"detail": error}})
        };
        assert_eq!(
            of("/votes/toggle", "404", "NotFound.VoteTarget.User"),
            error(json!(["post not found", "user not found"]))
        );
        let plain = |message: &str| json!({"type": "object", "required": ["detail"], "properties": {"detail": {"type": "string", "enum": [message]}}});
        assert_eq!(
            of("/votes/toggle", "403", "Forbidden.VotingDisabled.UserBlocked"),
            json!({"oneOf": [
                error(json!(["the user is blocked"])),
                plain("Voting is not permitted for this board"),
            ]})
        );
        let key = "Idempotency-Key must be one value of 1 to 255 visible ASCII characters";
        let merge = "Cannot merge posts. Ensure both posts exist, are active, and neither is already merged.";
        assert_eq!(
            of("/feedback-posts/merge", "400", "BadRequest.IdempotencyKey.CannotMerge"),
            json!({"oneOf": [error(json!([key])), plain(merge)]})
        );
    }
}
