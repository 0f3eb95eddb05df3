//! `/roadmap-boards/…`

use crate::answer::{AccessCode, Timestamp};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fields::{Fields, Noted, boolean, bounded, by_id, one_of, slug, web_url};
use hearback_app::reorder::{Order, reorder};
use hearback_app::write::Update;
use hearback_app::{Missing, Precondition, crud, roadmap_boards};
use hearback_domain::Uuid;
use hearback_domain::id::RoadmapBoardId;
use hearback_domain::record::{Kind, Parent};
use hearback_domain::roadmap_board::{RoadmapBoard, RoadmapBoardDraft, RoadmapBoardPatch};
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/roadmap-boards/list",
        "List the roadmap boards",
        handler!(array<RoadmapBoardView>: roadmap_boards::list),
    ),
    read(
        "/roadmap-boards/retrieve",
        "Retrieve a roadmap board",
        handler!(object<RoadmapBoardView>: by_id::<RoadmapBoardId> => crud::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::RoadmapBoard))]),
    write(
        "/roadmap-boards/create",
        "Create a roadmap board",
        handler!(created: draft => crud::create),
    ),
    write(
        "/roadmap-boards/update",
        "Change a roadmap board",
        handler!(success: patch => crud::update),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::RoadmapBoard)),
        Refused(Precondition::SlugTaken),
        Refused(Precondition::ExternalIdTaken),
    ]),
    write(
        "/roadmap-boards/delete",
        "Delete a roadmap board without posts",
        handler!(success: id => roadmap_boards::delete),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::RoadmapBoard)),
        Refused(Precondition::BoardHasPosts),
    ]),
    write(
        "/roadmap-boards/reorder",
        "Put the roadmap boards in another order",
        handler!(success: order => reorder::<RoadmapBoard>),
    )
    .refusing(&[Refused(Precondition::NotEveryOne)]),
];

fn id(fields: &mut Fields<'_>) -> Result<RoadmapBoardId, Noted> {
    fields.id("roadmap_board_id")
}

fn order(fields: &mut Fields<'_>) -> Result<Order, Noted> {
    Ok(Order { parent: Parent::Organization, ids: fields.order()? })
}

fn draft(fields: &mut Fields<'_>) -> Result<RoadmapBoardDraft, Noted> {
    let name = fields.required("name", bounded);
    let slug = fields.optional("slug", slug);
    let description = fields.optional("description", bounded);
    let icon_url = fields.optional("icon_url", web_url);
    let is_voting_enabled = fields.optional("is_voting_enabled", boolean);
    let access = fields.optional("access_code", one_of);
    let external_id = fields.optional("external_id", bounded);
    Ok(RoadmapBoardDraft {
        name: name?,
        slug: slug?,
        description: description?,
        icon_url: icon_url?,
        is_voting_enabled: is_voting_enabled?.unwrap_or(true),
        access: access?.unwrap_or_default(),
        external_id: external_id?,
    })
}

fn patch(fields: &mut Fields<'_>) -> Result<Update<RoadmapBoardId, RoadmapBoardPatch>, Noted> {
    let id = id(fields);
    let name = fields.optional("name", bounded);
    let slug = fields.optional("slug", slug);
    let description = fields.clearable("description", bounded);
    let icon_url = fields.clearable("icon_url", web_url);
    let is_voting_enabled = fields.optional("is_voting_enabled", boolean);
    let access = fields.optional("access_code", one_of);
    let external_id = fields.clearable("external_id", bounded);
    let cleared = fields.clear();
    let patch = RoadmapBoardPatch {
        name: name?,
        slug: slug?,
        description: description?,
        icon_url: icon_url?,
        is_voting_enabled: is_voting_enabled?,
        access: access?,
        external_id: external_id?,
    };
    cleared?;
    Ok(Update::new(id?, patch))
}

#[derive(Serialize, ToSchema)]
#[schema(as = RoadmapBoard)]
pub(crate) struct RoadmapBoardView<'a> {
    id: Uuid,
    name: &'a str,
    slug: &'a str,
    description: Option<&'a str>,
    icon_url: Option<&'a str>,
    is_voting_enabled: bool,
    created_at: Timestamp,
    external_id: Option<&'a str>,
    #[schema(inline)]
    access_code: AccessCode,
}

impl<'a> From<&'a RoadmapBoard> for RoadmapBoardView<'a> {
    fn from(board: &'a RoadmapBoard) -> Self {
        Self {
            id: board.id.0,
            name: &board.name,
            slug: board.slug.as_str(),
            description: board.description.as_deref(),
            icon_url: board.icon_url.as_deref(),
            is_voting_enabled: board.is_voting_enabled,
            created_at: board.created_at.into(),
            external_id: board.external_id.as_deref(),
            access_code: board.access.into(),
        }
    }
}
