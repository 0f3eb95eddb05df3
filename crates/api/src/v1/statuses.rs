//! `/statuses/…`

use crate::answer::{StatusGroupCode, Timestamp};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fields::{Fields, Noted, boolean, bounded, by_id, code, color, one_of, uuid};
use hearback_app::reorder::{Order, reorder};
use hearback_app::statuses::{self, DeleteStatus, UpdateStatus};
use hearback_app::{Missing, Precondition, crud};
use hearback_domain::Uuid;
use hearback_domain::id::StatusId;
use hearback_domain::record::{Kind, Parent};
use hearback_domain::status::{Status, StatusDraft, StatusPatch};
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read("/statuses/list", "List the statuses", handler!(array<StatusView>: statuses::list)),
    read(
        "/statuses/retrieve",
        "Retrieve a status",
        handler!(object<StatusView>: by_id::<StatusId> => crud::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::Status))]),
    write("/statuses/create", "Create a status", handler!(created: draft => statuses::create)),
    write("/statuses/update", "Change a status", handler!(success: patch => statuses::update))
        .refusing(&[
            NotFound(Missing::Record(Kind::Status)),
            Refused(Precondition::DefaultStatusUnset),
            Refused(Precondition::CodeTaken),
            Refused(Precondition::ExternalIdTaken),
        ]),
    write("/statuses/delete", "Delete a status", handler!(success: delete => statuses::delete))
        .refusing(&[
            NotFound(Missing::Record(Kind::Status)),
            Refused(Precondition::DefaultStatusDeleted),
            Refused(Precondition::StatusInUse),
        ]),
    write(
        "/statuses/reorder",
        "Put the statuses of a group in another order",
        handler!(success: order => reorder::<Status>),
    )
    .refusing(&[Refused(Precondition::NotEveryOne)]),
];

fn draft(fields: &mut Fields<'_>) -> Result<StatusDraft, Noted> {
    let name = fields.required("name", bounded);
    let code = fields.optional("code", code);
    let color = fields.optional("color", color);
    let group = fields.required("status_group_code", one_of);
    let is_default_status = fields.optional("is_default_status", boolean);
    let show_on_feedback = fields.optional("show_on_feedback", boolean);
    let show_on_roadmap = fields.optional("show_on_roadmap", boolean);
    let external_id = fields.optional("external_id", bounded);
    Ok(StatusDraft {
        name: name?,
        code: code?,
        color: color?,
        group: group?,
        is_default_status: is_default_status?.unwrap_or(false),
        show_on_feedback: show_on_feedback?.unwrap_or(true),
        show_on_roadmap: show_on_roadmap?.unwrap_or(true),
        external_id: external_id?,
    })
}

fn patch(fields: &mut Fields<'_>) -> Result<UpdateStatus, Noted> {
    let id = fields.id("status_id");
    let name = fields.optional("name", bounded);
    let code = fields.optional("code", code);
    let color = fields.optional("color", color);
    let group = fields.optional("status_group_code", one_of);
    let is_default_status = fields.optional("is_default_status", boolean);
    let show_on_feedback = fields.optional("show_on_feedback", boolean);
    let show_on_roadmap = fields.optional("show_on_roadmap", boolean);
    let external_id = fields.clearable("external_id", bounded);
    let cleared = fields.clear();
    let patch = StatusPatch {
        name: name?,
        code: code?,
        color: color?,
        group: group?,
        is_default_status: is_default_status?,
        show_on_feedback: show_on_feedback?,
        show_on_roadmap: show_on_roadmap?,
        external_id: external_id?,
    };
    cleared?;
    Ok(UpdateStatus::new(id?, patch))
}

fn delete(fields: &mut Fields<'_>) -> Result<DeleteStatus, Noted> {
    let id = fields.required("status_id", uuid);
    let rule = "a status cannot replace itself";
    let replacement = fields.optional_other("replacement_status_id", &id, rule);
    Ok(DeleteStatus { id: id?.into(), replacement: replacement?.map(Into::into) })
}

fn order(fields: &mut Fields<'_>) -> Result<Order, Noted> {
    let group = fields.required("status_group_code", one_of);
    let ids = fields.order();
    Ok(Order { parent: Parent::Group(group?), ids: ids? })
}

#[derive(Serialize, ToSchema)]
#[schema(as = Status)]
pub(crate) struct StatusView<'a> {
    id: Uuid,
    name: &'a str,
    code: &'a str,
    color: &'a str,
    #[schema(inline)]
    status_group_code: StatusGroupCode,
    is_default_status: bool,
    show_on_feedback: bool,
    show_on_roadmap: bool,
    created_at: Timestamp,
    external_id: Option<&'a str>,
}

impl<'a> From<&'a Status> for StatusView<'a> {
    fn from(status: &'a Status) -> Self {
        Self {
            id: status.id.0,
            name: &status.name,
            code: &status.code,
            color: &status.color,
            status_group_code: status.group.into(),
            is_default_status: status.is_default_status,
            show_on_feedback: status.show_on_feedback,
            show_on_roadmap: status.show_on_roadmap,
            created_at: status.created_at.into(),
            external_id: status.external_id.as_deref(),
        }
    }
}
