//! `/tags/…`

use crate::answer::Timestamp;
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fields::{Fields, Noted, boolean, bounded, by_id, code, color, uuid};
use hearback_app::tags::{self, MergeTags};
use hearback_app::write::Update;
use hearback_app::{Missing, Precondition, crud};
use hearback_domain::Uuid;
use hearback_domain::id::TagId;
use hearback_domain::record::Kind;
use hearback_domain::tag::{Tag, TagDraft, TagPatch};
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read("/tags/list", "List the tags", handler!(array<TagView>: tags::list)),
    read(
        "/tags/retrieve",
        "Retrieve a tag",
        handler!(object<TagView>: by_id::<TagId> => crud::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::Tag))]),
    write("/tags/create", "Create a tag", handler!(created: draft => crud::create))
        .refusing(&[Refused(Precondition::NameTaken)]),
    write("/tags/update", "Change a tag", handler!(success: patch => crud::update)).refusing(&[
        NotFound(Missing::Record(Kind::Tag)),
        Refused(Precondition::NameTaken),
        Refused(Precondition::CodeTaken),
        Refused(Precondition::ExternalIdTaken),
    ]),
    write("/tags/delete", "Delete a tag", handler!(success: id => tags::delete))
        .refusing(&[NotFound(Missing::Record(Kind::Tag))]),
    write("/tags/merge", "Merge a tag into another one", handler!(success: merge => tags::merge))
        .refusing(&[NotFound(Missing::Record(Kind::Tag))]),
];

fn id(fields: &mut Fields<'_>) -> Result<TagId, Noted> {
    fields.id("tag_id")
}

fn merge(fields: &mut Fields<'_>) -> Result<MergeTags, Noted> {
    let tag = fields.required("tag_id", uuid);
    let into = fields.other("into_tag_id", &tag, "a tag cannot be merged into itself");
    Ok(MergeTags { tag: tag?.into(), into: into?.into() })
}

fn draft(fields: &mut Fields<'_>) -> Result<TagDraft, Noted> {
    let name = fields.required("name", bounded);
    let code = fields.optional("code", code);
    let color = fields.optional("color", color);
    let show_on_feedback = fields.optional("show_on_feedback", boolean);
    let show_on_roadmap = fields.optional("show_on_roadmap", boolean);
    let is_public = fields.optional("is_public", boolean);
    let external_id = fields.optional("external_id", bounded);
    Ok(TagDraft {
        name: name?,
        code: code?,
        color: color?,
        show_on_feedback: show_on_feedback?.unwrap_or(true),
        show_on_roadmap: show_on_roadmap?.unwrap_or(true),
        is_public: is_public?.unwrap_or(true),
        external_id: external_id?,
    })
}

fn patch(fields: &mut Fields<'_>) -> Result<Update<TagId, TagPatch>, Noted> {
    let id = id(fields);
    let name = fields.optional("name", bounded);
    let code = fields.optional("code", code);
    let color = fields.optional("color", color);
    let show_on_feedback = fields.optional("show_on_feedback", boolean);
    let show_on_roadmap = fields.optional("show_on_roadmap", boolean);
    let is_public = fields.optional("is_public", boolean);
    let external_id = fields.clearable("external_id", bounded);
    let cleared = fields.clear();
    let patch = TagPatch {
        name: name?,
        code: code?,
        color: color?,
        show_on_feedback: show_on_feedback?,
        show_on_roadmap: show_on_roadmap?,
        is_public: is_public?,
        external_id: external_id?,
    };
    cleared?;
    Ok(Update::new(id?, patch))
}

#[derive(Serialize, ToSchema)]
#[schema(as = Tag)]
pub(crate) struct TagView<'a> {
    id: Uuid,
    name: &'a str,
    code: Option<&'a str>,
    color: &'a str,
    show_on_feedback: bool,
    show_on_roadmap: bool,
    created_at: Timestamp,
    is_public: bool,
    external_id: Option<&'a str>,
}

impl<'a> From<&'a Tag> for TagView<'a> {
    fn from(tag: &'a Tag) -> Self {
        Self {
            id: tag.id.0,
            name: &tag.name,
            code: tag.code.as_deref(),
            color: &tag.color,
            show_on_feedback: tag.show_on_feedback,
            show_on_roadmap: tag.show_on_roadmap,
            created_at: tag.created_at.into(),
            is_public: tag.is_public,
            external_id: tag.external_id.as_deref(),
        }
    }
}
