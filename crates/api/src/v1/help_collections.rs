//! `/help-collections/…`

use crate::answer::{PlainTimestamp, SeqNumber};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fields::{Fields, Noted, bounded, color, slug, timestamp, uuid};
use crate::page::Paging;
use crate::v1::content::deletion;
use hearback_app::content::DeleteWithContent;
use hearback_app::reorder::{Order, reorder};
use hearback_app::write::Update;
use hearback_app::{Missing, Precondition, crud, help_collections};
use hearback_domain::Uuid;
use hearback_domain::help_collection::{
    CollectionDetails, CollectionDraft, CollectionPatch, HelpCollection,
};
use hearback_domain::id::HelpCollectionId;
use hearback_domain::record::{Kind, Parent};
use hearback_ports::page::ByPosition;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/help-collections/list",
        "List the help collections",
        handler!(page<CollectionView>: by_position => |ports, caller, (), page| {
            help_collections::list(ports, caller, page)
        }),
    ),
    read(
        "/help-collections/retrieve",
        "Retrieve a help collection",
        handler!(object<CollectionView>: id => help_collections::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::HelpCollection))]),
    write(
        "/help-collections/create",
        "Create a help collection behind the others",
        handler!(created: draft => crud::create),
    ),
    write(
        "/help-collections/update",
        "Change a help collection",
        handler!(success: patch => crud::update),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::HelpCollection)),
        Refused(Precondition::Changed),
        Refused(Precondition::SlugTaken),
        Refused(Precondition::ExternalIdTaken),
    ]),
    write(
        "/help-collections/delete",
        "Delete a help collection",
        handler!(tried: delete => help_collections::delete),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::HelpCollection)),
        Refused(Precondition::CollectionHasArticles),
    ]),
    write(
        "/help-collections/reorder",
        "Put the collections in another order",
        handler!(success: order => reorder::<HelpCollection>),
    )
    .refusing(&[Refused(Precondition::NotEveryOne)]),
];

fn by_position(fields: &mut Fields<'_>) -> Result<((), Paging<ByPosition>), Noted> {
    let list = fields.list("position");
    Ok(((), fields.paging(Ok(list))?))
}

fn delete(fields: &mut Fields<'_>) -> Result<DeleteWithContent<HelpCollectionId>, Noted> {
    let id = fields.required("collection_id", uuid);
    let rule = "articles cannot move to the deleted collection";
    let to = fields.optional_other("move_to_collection_id", &id, rule);
    let exclusive = "move_to_collection_id and delete_articles exclude each other";
    deletion(fields, id, ("move_to_collection_id", to), ("delete_articles", exclusive))
}

fn order(fields: &mut Fields<'_>) -> Result<Order, Noted> {
    Ok(Order { parent: Parent::Organization, ids: fields.order()? })
}

fn id(fields: &mut Fields<'_>) -> Result<HelpCollectionId, Noted> {
    fields.id("collection_id")
}

fn draft(fields: &mut Fields<'_>) -> Result<CollectionDraft, Noted> {
    let name = fields.required("name", bounded);
    let slug = fields.optional("slug", slug);
    let description = fields.optional("description", bounded);
    let icon = fields.optional("icon", bounded);
    let color = fields.optional("color", color);
    let external_id = fields.optional("external_id", bounded);
    Ok(CollectionDraft {
        name: name?,
        slug: slug?,
        description: description?,
        icon: icon?,
        color: color?,
        external_id: external_id?,
    })
}

fn patch(fields: &mut Fields<'_>) -> Result<Update<HelpCollectionId, CollectionPatch>, Noted> {
    let id = id(fields);
    let name = fields.optional("name", bounded);
    let slug = fields.optional("slug", slug);
    let description = fields.optional("description", bounded);
    let icon = fields.optional("icon", bounded);
    let color = fields.optional("color", color);
    let external_id = fields.clearable("external_id", bounded);
    let expected_updated_at = fields.optional("expected_updated_at", timestamp);
    let cleared = fields.clear();
    let patch = CollectionPatch {
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
#[schema(as = HelpCollection)]
pub(crate) struct CollectionView<'a> {
    id: Uuid,
    name: &'a str,
    slug: &'a str,
    description: &'a str,
    icon: &'a str,
    color: &'a str,
    seq_number: SeqNumber,
    category_count: i64,
    created_at: PlainTimestamp,
    updated_at: PlainTimestamp,
    external_id: Option<&'a str>,
}

impl<'a> From<&'a CollectionDetails> for CollectionView<'a> {
    fn from(CollectionDetails { collection, category_count }: &'a CollectionDetails) -> Self {
        Self {
            id: collection.id.0,
            name: &collection.name,
            slug: collection.slug.as_str(),
            description: &collection.description,
            icon: &collection.icon,
            color: &collection.color,
            seq_number: collection.seq_number.into(),
            category_count: *category_count,
            created_at: collection.created_at.into(),
            updated_at: collection.updated_at.into(),
            external_id: collection.external_id.as_deref(),
        }
    }
}
