//! `/help-categories/…`

use crate::answer::{PlainTimestamp, SeqNumber};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fields::{Fields, Noted, bounded, color, slug, timestamp, uuid};
use crate::page::Paging;
use crate::v1::content::deletion;
use hearback_app::content::DeleteWithContent;
use hearback_app::reorder::{Order, reorder};
use hearback_app::write::Update;
use hearback_app::{Missing, Precondition, crud, help_categories};
use hearback_domain::Uuid;
use hearback_domain::help_category::{CategoryDetails, CategoryDraft, CategoryPatch, HelpCategory};
use hearback_domain::id::{HelpCategoryId, HelpCollectionId};
use hearback_domain::record::{Kind, Parent};
use hearback_ports::page::ByPosition;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/help-categories/list",
        "List the help categories of a collection",
        handler!(page<CategoryView>: of_collection => help_categories::list),
    ),
    read(
        "/help-categories/retrieve",
        "Retrieve a help category",
        handler!(object<CategoryView>: id => help_categories::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::HelpCategory))]),
    write(
        "/help-categories/create",
        "Create a help category at the end of a collection",
        handler!(created: draft => crud::create),
    )
    .refusing(&[NotFound(Missing::Record(Kind::HelpCollection))]),
    write(
        "/help-categories/update",
        "Change a help category, or move it to another collection",
        handler!(success: patch => crud::update),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::HelpCategory)),
        NotFound(Missing::Record(Kind::HelpCollection)),
        Refused(Precondition::Changed),
        Refused(Precondition::SlugTaken),
        Refused(Precondition::ExternalIdTaken),
    ]),
    write(
        "/help-categories/delete",
        "Delete a help category",
        handler!(tried: delete => help_categories::delete),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::HelpCategory)),
        NotFound(Missing::Record(Kind::HelpCollection)),
        Refused(Precondition::CategoryHasArticles),
    ]),
    write(
        "/help-categories/reorder",
        "Put the categories of a collection in another order",
        handler!(success: order => reorder::<HelpCategory>),
    )
    .refusing(&[Refused(Precondition::NotEveryOne)]),
];

fn of_collection(
    fields: &mut Fields<'_>,
) -> Result<(Option<HelpCollectionId>, Paging<ByPosition>), Noted> {
    let collection = fields.optional("collection_id", uuid);
    let list = fields.list("position");
    let paging = fields.paging(collection.map(|collection| list.filter(collection)));
    Ok((collection?.map(Into::into), paging?))
}

fn delete(
    fields: &mut Fields<'_>,
) -> Result<DeleteWithContent<HelpCategoryId, HelpCollectionId>, Noted> {
    let id = fields.required("category_id", uuid);
    let to = fields.optional("move_to_collection_id", uuid);
    let exclusive = "move_to_collection_id and delete_articles exclude each other";
    deletion(fields, id, ("move_to_collection_id", to), ("delete_articles", exclusive))
}

fn order(fields: &mut Fields<'_>) -> Result<Order, Noted> {
    let collection = fields.required("collection_id", uuid);
    let ids = fields.order();
    Ok(Order { parent: Parent::Record(Kind::HelpCollection, collection?), ids: ids? })
}

fn id(fields: &mut Fields<'_>) -> Result<HelpCategoryId, Noted> {
    fields.id("category_id")
}

fn draft(fields: &mut Fields<'_>) -> Result<CategoryDraft, Noted> {
    let collection_id = fields.id("collection_id");
    let name = fields.required("name", bounded);
    let slug = fields.optional("slug", slug);
    let description = fields.optional("description", bounded);
    let icon = fields.optional("icon", bounded);
    let color = fields.optional("color", color);
    let external_id = fields.optional("external_id", bounded);
    Ok(CategoryDraft {
        collection_id: collection_id?,
        name: name?,
        slug: slug?,
        description: description?,
        icon: icon?,
        color: color?,
        external_id: external_id?,
    })
}

fn patch(fields: &mut Fields<'_>) -> Result<Update<HelpCategoryId, CategoryPatch>, Noted> {
    let id = id(fields);
    let collection_id = fields.optional("collection_id", uuid);
    let name = fields.optional("name", bounded);
    let slug = fields.optional("slug", slug);
    let description = fields.optional("description", bounded);
    let icon = fields.optional("icon", bounded);
    let color = fields.optional("color", color);
    let external_id = fields.clearable("external_id", bounded);
    let expected_updated_at = fields.optional("expected_updated_at", timestamp);
    let cleared = fields.clear();
    let patch = CategoryPatch {
        collection_id: collection_id?.map(Into::into),
        name: name?,
        slug: slug?,
        description: description?,
        icon: icon?,
        color: color?,
        external_id: external_id?,
    };
    cleared?;
    Ok(Update { id: id?, patch, expected_updated_at: expected_updated_at? })
}

#[derive(Serialize, ToSchema)]
#[schema(as = HelpCategory)]
pub(crate) struct CategoryView<'a> {
    id: Uuid,
    collection_id: Uuid,
    name: &'a str,
    slug: &'a str,
    description: Option<&'a str>,
    icon: Option<&'a str>,
    color: Option<&'a str>,
    seq_number: SeqNumber,
    article_count: i64,
    created_at: PlainTimestamp,
    updated_at: PlainTimestamp,
    external_id: Option<&'a str>,
}

impl<'a> From<&'a CategoryDetails> for CategoryView<'a> {
    fn from(CategoryDetails { category, article_count }: &'a CategoryDetails) -> Self {
        Self {
            id: category.id.0,
            collection_id: category.collection_id.0,
            name: &category.name,
            slug: category.slug.as_str(),
            description: category.description.as_deref(),
            icon: category.icon.as_deref(),
            color: category.color.as_deref(),
            seq_number: category.seq_number.into(),
            article_count: *article_count,
            created_at: category.created_at.into(),
            updated_at: category.updated_at.into(),
            external_id: category.external_id.as_deref(),
        }
    }
}
