//! `/webhooks/…`

use crate::answer::{self, EventTypeCode, Timestamp, as_uuids};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::error::ApiFailure;
use crate::fields::{Fields, Noted, boolean, bounded, by_id, one_of, overlap, web_url};
use crate::page::Paging;
use crate::shape;
use hearback_app::webhooks::{self, Disclosed, OVERLAP, Tested};
use hearback_app::write::Update;
use hearback_app::{Missing, Precondition};
use hearback_domain::delivery::Response;
use hearback_domain::event::EventType;
use hearback_domain::id::{BoardId, SubscriptionId};
use hearback_domain::record::Kind;
use hearback_domain::webhook_subscription::{Health, SubscriptionDraft, SubscriptionPatch};
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::page::ByTime;
use hearback_ports::webhook_subscriptions::SubscriptionDetails;
use serde::Serialize;
use std::borrow::Cow;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read("/webhooks/list", "List webhooks", handler!(page<WebhookView>: by_time => webhooks::page)),
    read(
        "/webhooks/retrieve",
        "Retrieve a webhook",
        handler!(object<WebhookView>: by_id::<SubscriptionId> => webhooks::find),
    )
    .refusing(&[UNKNOWN]),
    write(
        "/webhooks/create",
        "Create a webhook",
        handler!(@ shape::object::<NewWebhookView<'_>>, draft, call, draft => {
            let api = &call.api;
            let (vault, sink) = (&api.vault, &*api.sink);
            let added = webhooks::add(&api.ports, vault, sink, call.caller, draft, call.repeat);
            let added = added.await.map_err(ApiFailure::from)?;
            let view = NewWebhookView { id: added.id.0, signing_secret: added.secret.reveal() };
            Ok(answer::marked(answer::object(&view)?, added.is_replay))
        }),
    )
    .refusing(&[Refused(Precondition::UnknownOf("board_ids")), NOT_ALLOWED]),
    write(
        "/webhooks/update",
        "Change a webhook",
        handler!(@ shape::success, patch, call, update => {
            let (ports, sink) = (&call.api.ports, &*call.api.sink);
            let outcome = webhooks::update(ports, sink, call.caller, update, call.repeat);
            answer::outcome(outcome.await.map_err(ApiFailure::from)?)
        }),
    )
    .refusing(&[
        UNKNOWN,
        Refused(Precondition::UnknownOf("board_ids")),
        NOT_ALLOWED,
        Refused(Precondition::AwaitsRotation),
    ]),
    write("/webhooks/delete", "Delete a webhook", handler!(success: id => webhooks::remove))
        .refusing(&[UNKNOWN]),
    write(
        "/webhooks/rotate-secret",
        "Replace the signing secret of a webhook",
        handler!(@ shape::object::<NewSecretView<'_>>, rotation, call, rotation => {
            let (ports, vault) = (&call.api.ports, &call.api.vault);
            let rotated = webhooks::rotate_secret(ports, vault, call.caller, rotation, call.repeat);
            let rotated: Disclosed = rotated.await.map_err(ApiFailure::from)?;
            let view = NewSecretView { signing_secret: rotated.secret.reveal() };
            Ok(answer::marked(answer::object(&view)?, rotated.is_replay))
        }),
    )
    .refusing(&[UNKNOWN]),
    read(
        "/webhooks/test",
        "Send a test to a webhook",
        handler!(@ shape::object::<TestView<'_>>, id, call, id => {
            let api = &call.api;
            let tested = webhooks::test(&api.ports, &api.vault, &*api.sink, call.caller, id, None);
            answer::object(&TestView::from(&tested.await.map_err(ApiFailure::from)?))
        }),
    )
    .refusing(&[UNKNOWN, Refused(Precondition::AwaitsRotation)]),
];

const UNKNOWN: crate::endpoint::Refusal = NotFound(Missing::Record(Kind::WebhookSubscription));
const NOT_ALLOWED: crate::endpoint::Refusal = Refused(Precondition::UrlNotAllowed);

fn id(fields: &mut Fields<'_>) -> Result<SubscriptionId, Noted> {
    fields.id("webhook_id")
}

fn by_time(fields: &mut Fields<'_>) -> Result<((), Paging<ByTime>), Noted> {
    let list = fields.list("oldest");
    Ok(((), fields.paging(Ok(list))?))
}

/// The types of events that a request names, each once.
pub(super) fn event_types(fields: &mut Fields<'_>) -> Result<Option<Vec<EventType>>, Noted> {
    let types = fields.list_of("event_types", Some(MOST_TYPES), one_of::<EventType>)?;
    Ok(types.map(|types| EventType::each_once(&types)))
}

/// The most elements of `event_types`.
const MOST_TYPES: usize = 100;

fn draft(fields: &mut Fields<'_>) -> Result<SubscriptionDraft, Noted> {
    let url = fields.required("url", web_url);
    let event_types = event_types(fields);
    let board_ids = fields.some_ids::<BoardId>("board_ids");
    let description = fields.optional("description", bounded);
    let is_active = fields.optional("is_active", boolean);
    Ok(SubscriptionDraft {
        url: url?,
        event_types: event_types?.unwrap_or_default(),
        board_ids: board_ids?.unwrap_or_default(),
        description: description?,
        is_active: is_active?.unwrap_or(true),
    })
}

fn patch(fields: &mut Fields<'_>) -> Result<Update<SubscriptionId, SubscriptionPatch>, Noted> {
    let id = id(fields);
    let url = fields.optional("url", web_url);
    let event_types = event_types(fields);
    let board_ids = fields.some_ids("board_ids");
    let description = fields.clearable("description", bounded);
    let is_active = fields.optional("is_active", boolean);
    let cleared = fields.clear();
    let patch = SubscriptionPatch {
        url: url?,
        event_types: event_types?,
        board_ids: board_ids?,
        description: description?,
        is_active: is_active?,
    };
    cleared?;
    Ok(Update::new(id?, patch))
}

fn rotation(fields: &mut Fields<'_>) -> Result<(SubscriptionId, i64), Noted> {
    let id = id(fields);
    let overlap = fields.optional("overlap_seconds", overlap);
    Ok((id?, overlap?.map_or(OVERLAP, |overlap| overlap.0)))
}

#[derive(Serialize, ToSchema)]
#[schema(as = Webhook)]
pub(crate) struct WebhookView<'a> {
    id: Uuid,
    url: &'a str,
    #[schema(inline)]
    event_types: Vec<EventTypeCode>,
    #[serde(serialize_with = "as_uuids")]
    #[schema(value_type = Vec<Uuid>)]
    board_ids: &'a [BoardId],
    description: Option<&'a str>,
    is_active: bool,
    failing_since: Option<Timestamp>,
    last_success_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl<'a> From<&'a SubscriptionDetails> for WebhookView<'a> {
    fn from(details: &'a SubscriptionDetails) -> Self {
        let SubscriptionDetails { subscription, health, last_success_at, .. } = details;
        Self {
            id: subscription.id.0,
            url: &subscription.url,
            event_types: subscription.event_types.iter().copied().map(Into::into).collect(),
            board_ids: &subscription.board_ids,
            description: subscription.description.as_deref(),
            is_active: subscription.is_active,
            failing_since: match *health {
                Health::Well => None,
                Health::Failing { since, .. } => Some(since.into()),
            },
            last_success_at: last_success_at.map(Into::into),
            created_at: subscription.created_at.into(),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = NewWebhook)]
pub(crate) struct NewWebhookView<'a> {
    id: Uuid,
    signing_secret: &'a str,
}

#[derive(Serialize, ToSchema)]
#[schema(as = NewSecret)]
pub(crate) struct NewSecretView<'a> {
    signing_secret: &'a str,
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookTest)]
pub(crate) struct TestView<'a> {
    status: Option<u16>,
    duration_ms: u64,
    error: Option<&'a str>,
    // A byte that is no UTF-8 becomes U+FFFD.
    #[schema(value_type = String)]
    response: Cow<'a, str>,
}

impl<'a> From<&'a Tested> for TestView<'a> {
    fn from(Tested { reply, took, .. }: &'a Tested) -> Self {
        let (status, error) = outcome_of(reply.response);
        let duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        Self { status, duration_ms, error, response: String::from_utf8_lossy(&reply.answer) }
    }
}

/// The status of a response, and the class of the failure that replaced it or cut it short.
pub(super) fn outcome_of(response: Response) -> (Option<u16>, Option<&'static str>) {
    match response {
        Response::Status { code, cut } => (Some(code), cut.map(ClosedSet::code)),
        Response::Nothing(failure) => (None, Some(failure.code())),
    }
}
