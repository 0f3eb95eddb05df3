//! The events, as webhooks of the OpenAPI document.

use crate::answer::Timestamp;
use crate::fields::{code_schema, string_schema as string};
use crate::shape::{all_required, array_of, uuid};
use hearback_app::webhooks;
use hearback_domain::ClosedSet;
use hearback_domain::changelog_entry::EntryType;
use hearback_domain::event::{EventType, Moderated, PostField, RoadmapField};
use hearback_domain::status::StatusGroup;
use hearback_ports::events::{EventFact, facts};
use serde_json::{Value, json};
use utoipa::PartialSchema;
use utoipa::openapi::path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::SchemaType;
use utoipa::openapi::{
    ContentBuilder, HttpMethod, Object, ObjectBuilder, OneOfBuilder, PathItem, PathsBuilder, RefOr,
    Required, ResponseBuilder, Schema, Type,
};

/// The requests that subscriptions receive.
pub(super) fn paths() -> PathsBuilder {
    EventType::ALL.iter().fold(PathsBuilder::new(), |paths, event_type| {
        let body = ContentBuilder::new()
            .schema(Some(event(*event_type)))
            .example(Some(example_event(*event_type)));
        let operation = HEADERS
            .iter()
            .fold(OperationBuilder::new(), |operation, header| {
                operation.parameter_ref(super::parameter(header.name))
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

/// The schema of facts of this kind.
fn kind(fact: EventFact<'_>) -> RefOr<Schema> {
    match fact {
        EventFact::Id(_) => uuid().build().into(),
        EventFact::OptionalId(_) => {
            uuid().schema_type(SchemaType::Array(vec![Type::String, Type::Null])).build().into()
        }
        EventFact::Text(_) => string().build().into(),
        EventFact::OptionalText(_) => {
            string().schema_type(SchemaType::Array(vec![Type::String, Type::Null])).build().into()
        }
        EventFact::RoadmapFields(_) => array_of(code_schema::<RoadmapField>().into()).into(),
        EventFact::Moderated(_) => code_schema::<Moderated>().into(),
        EventFact::EntryType(_) => or_null(code_schema::<EntryType>()),
        EventFact::OptionalTime(_) => or_null(Timestamp::schema()),
        EventFact::StatusGroup(_) => code_schema::<StatusGroup>().into(),
        EventFact::PostFields(_) => array_of(code_schema::<PostField>().into()).into(),
    }
}

fn or_null(schema: impl Into<RefOr<Schema>>) -> RefOr<Schema> {
    let null = ObjectBuilder::new().schema_type(Type::Null);
    OneOfBuilder::new().item(null).item(schema).into()
}

/// The event that `hearback webhook test --event …` sends.
fn example_event(event_type: EventType) -> Value {
    let data: Value = serde_json::from_str(&webhooks::example_data(event_type)).unwrap_or_default();
    json!({
        "event": event_type.code(),
        "organization_id": "01900000-0000-7000-8000-000000000000",
        "occurred_at": "2026-03-01T09:30:00.120Z",
        "data": data,
    })
}

/// The headers of deliveries.
pub(super) fn headers() -> impl Iterator<Item = Parameter> {
    HEADERS.iter().map(|header| header.parameter().build())
}

/// A header of a delivery.
struct DeliveryHeader {
    name: &'static str,
    description: &'static str,
    is_always_there: Required,
}

/// The headers that a delivery has beside `Content-Type`.
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

    /// A header that needs a secret of the Standard Webhooks format. An imported secret may have
    /// another format.
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
