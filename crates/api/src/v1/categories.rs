//! `/categories/…`

use crate::answer::Timestamp;
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fields::{Fields, Noted, boolean, bounded, by_id, code, color, uuid};
use hearback_app::categories::{self, DeleteCategory};
use hearback_app::write::Update;
use hearback_app::{Missing, Precondition, crud};
use hearback_domain::Uuid;
use hearback_domain::category::{Category, CategoryDraft, CategoryPatch};
use hearback_domain::id::CategoryId;
use hearback_domain::record::Kind;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/categories/list",
        "List the categories",
        handler!(array<CategoryView>: categories::list),
    ),
    read(
        "/categories/retrieve",
        "Retrieve a category",
        handler!(object<CategoryView>: by_id::<CategoryId> => crud::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::Category))]),
    write("/categories/create", "Create a category", handler!(created: draft => crud::create)),
    write("/categories/update", "Change a category", handler!(success: patch => crud::update))
        .refusing(&[
            NotFound(Missing::Record(Kind::Category)),
            Refused(Precondition::CodeTaken),
            Refused(Precondition::ExternalIdTaken),
        ]),
    write(
        "/categories/delete",
        "Delete a category",
        handler!(success: delete => categories::delete),
    )
    .refusing(&[NotFound(Missing::Record(Kind::Category))]),
];

fn delete(fields: &mut Fields<'_>) -> Result<DeleteCategory, Noted> {
    let id = fields.required("category_id", uuid);
    let rule = "a category cannot replace itself";
    let replacement = fields.optional_other("replacement_category_id", &id, rule);
    Ok(DeleteCategory { id: id?.into(), replacement: replacement?.map(Into::into) })
}

fn draft(fields: &mut Fields<'_>) -> Result<CategoryDraft, Noted> {
    let name = fields.required("name", bounded);
    let code = fields.optional("code", code);
    let description = fields.optional("description", bounded);
    let color = fields.optional("color", color);
    let show_on_feedback = fields.optional("show_on_feedback", boolean);
    let show_on_roadmap = fields.optional("show_on_roadmap", boolean);
    let external_id = fields.optional("external_id", bounded);
    Ok(CategoryDraft {
        name: name?,
        code: code?,
        description: description?,
        color: color?,
        show_on_feedback: show_on_feedback?.unwrap_or(true),
        show_on_roadmap: show_on_roadmap?.unwrap_or(true),
        external_id: external_id?,
    })
}

fn patch(fields: &mut Fields<'_>) -> Result<Update<CategoryId, CategoryPatch>, Noted> {
    let id = fields.id("category_id");
    let name = fields.optional("name", bounded);
    let code = fields.optional("code", code);
    let description = fields.clearable("description", bounded);
    let color = fields.optional("color", color);
    let show_on_feedback = fields.optional("show_on_feedback", boolean);
    let show_on_roadmap = fields.optional("show_on_roadmap", boolean);
    let external_id = fields.clearable("external_id", bounded);
    let cleared = fields.clear();
    let patch = CategoryPatch {
        name: name?,
        code: code?,
        description: description?,
        color: color?,
        show_on_feedback: show_on_feedback?,
        show_on_roadmap: show_on_roadmap?,
        external_id: external_id?,
    };
    cleared?;
    Ok(Update::new(id?, patch))
}

#[derive(Serialize, ToSchema)]
#[schema(as = Category)]
pub(crate) struct CategoryView<'a> {
    id: Uuid,
    name: &'a str,
    code: &'a str,
    description: Option<&'a str>,
    color: &'a str,
    show_on_feedback: bool,
    show_on_roadmap: bool,
    created_at: Timestamp,
    external_id: Option<&'a str>,
}

impl<'a> From<&'a Category> for CategoryView<'a> {
    fn from(category: &'a Category) -> Self {
        Self {
            id: category.id.0,
            name: &category.name,
            code: &category.code,
            description: category.description.as_deref(),
            color: &category.color,
            show_on_feedback: category.show_on_feedback,
            show_on_roadmap: category.show_on_roadmap,
            created_at: category.created_at.into(),
            external_id: category.external_id.as_deref(),
        }
    }
}
