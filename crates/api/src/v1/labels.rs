//! `/labels/…`

use crate::answer::Timestamp;
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fields::{Fields, Noted, bounded, by_id, code, color};
use crate::page::Paging;
use hearback_app::write::Update;
use hearback_app::{Missing, Precondition, crud, labels};
use hearback_domain::Uuid;
use hearback_domain::id::LabelId;
use hearback_domain::label::{Label, LabelDraft, LabelPatch};
use hearback_domain::record::Kind;
use hearback_ports::page::ByName;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/labels/list",
        "List the labels of the changelog",
        handler!(page<LabelView>: by_name => |ports, caller, (), page| {
            labels::list(ports, caller, page)
        }),
    ),
    read(
        "/labels/retrieve",
        "Retrieve a label",
        handler!(object<LabelView>: by_id::<LabelId> => crud::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::Label))]),
    write("/labels/create", "Create a label", handler!(created: draft => crud::create)),
    write("/labels/update", "Change a label", handler!(success: patch => crud::update)).refusing(
        &[
            NotFound(Missing::Record(Kind::Label)),
            Refused(Precondition::CodeTaken),
            Refused(Precondition::ExternalIdTaken),
        ],
    ),
    write("/labels/delete", "Delete a label", handler!(success: id => crud::delete::<Label>))
        .refusing(&[NotFound(Missing::Record(Kind::Label))]),
];

fn id(fields: &mut Fields<'_>) -> Result<LabelId, Noted> {
    fields.id("label_id")
}

fn draft(fields: &mut Fields<'_>) -> Result<LabelDraft, Noted> {
    let name = fields.required("name", bounded);
    let code = fields.optional("code", code);
    let color = fields.required("color", color);
    let description = fields.optional("description", bounded);
    let external_id = fields.optional("external_id", bounded);
    Ok(LabelDraft {
        name: name?,
        code: code?,
        color: color?,
        description: description?,
        external_id: external_id?,
    })
}

fn patch(fields: &mut Fields<'_>) -> Result<Update<LabelId, LabelPatch>, Noted> {
    let id = id(fields);
    let name = fields.optional("name", bounded);
    let code = fields.optional("code", code);
    let color = fields.optional("color", color);
    let description = fields.clearable("description", bounded);
    let external_id = fields.clearable("external_id", bounded);
    let cleared = fields.clear();
    let patch = LabelPatch {
        name: name?,
        code: code?,
        color: color?,
        description: description?,
        external_id: external_id?,
    };
    cleared?;
    Ok(Update::new(id?, patch))
}

fn by_name(fields: &mut Fields<'_>) -> Result<((), Paging<ByName>), Noted> {
    let list = fields.list("name");
    Ok(((), fields.paging(Ok(list))?))
}

#[derive(Serialize, ToSchema)]
#[schema(as = Label)]
pub(crate) struct LabelView<'a> {
    id: Uuid,
    name: &'a str,
    code: &'a str,
    color: &'a str,
    description: Option<&'a str>,
    created_at: Timestamp,
    external_id: Option<&'a str>,
}

impl<'a> From<&'a Label> for LabelView<'a> {
    fn from(label: &'a Label) -> Self {
        Self {
            id: label.id.0,
            name: &label.name,
            code: &label.code,
            color: &label.color,
            description: label.description.as_deref(),
            created_at: label.created_at.into(),
            external_id: label.external_id.as_deref(),
        }
    }
}
