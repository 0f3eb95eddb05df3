//! `/roadmap-boards/…`

use crate::answer::Timestamp;
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fields::{Fields, Noted, boolean, bounded, by_id, slug, web_url};
use hearback_app::roadmap_boards::{self, UpdateRoadmapBoard};
use hearback_app::{Missing, Precondition};
use hearback_domain::Uuid;
use hearback_domain::id::RoadmapBoardId;
use hearback_domain::record::Kind;
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
        handler!(object<RoadmapBoardView>: by_id::<RoadmapBoardId> => roadmap_boards::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::RoadmapBoard))]),
    write(
        "/roadmap-boards/create",
        "Create a roadmap board",
        handler!(created: draft => roadmap_boards::create),
    ),
    write(
        "/roadmap-boards/update",
        "Change a roadmap board",
        handler!(success: patch => roadmap_boards::update),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::RoadmapBoard)),
        Refused(Precondition::SlugTaken),
        Refused(Precondition::ExternalIdTaken),
    ]),
];

fn draft(fields: &mut Fields<'_>) -> Result<RoadmapBoardDraft, Noted> {
    let name = fields.required("name", bounded);
    let slug = fields.optional("slug", slug);
    let description = fields.optional("description", bounded);
    let icon_url = fields.optional("icon_url", web_url);
    let is_voting_enabled = fields.optional("is_voting_enabled", boolean);
    let external_id = fields.optional("external_id", bounded);
    Ok(RoadmapBoardDraft {
        name: name?,
        slug: slug?,
        description: description?,
        icon_url: icon_url?,
        is_voting_enabled: is_voting_enabled?.unwrap_or(true),
        external_id: external_id?,
    })
}

fn patch(fields: &mut Fields<'_>) -> Result<UpdateRoadmapBoard, Noted> {
    let id = fields.id("roadmap_board_id");
    let name = fields.optional("name", bounded);
    let slug = fields.optional("slug", slug);
    let description = fields.clearable("description", bounded);
    let icon_url = fields.clearable("icon_url", web_url);
    let is_voting_enabled = fields.optional("is_voting_enabled", boolean);
    let external_id = fields.clearable("external_id", bounded);
    let cleared = fields.clear();
    let patch = RoadmapBoardPatch {
        name: name?,
        slug: slug?,
        description: description?,
        icon_url: icon_url?,
        is_voting_enabled: is_voting_enabled?,
        external_id: external_id?,
    };
    cleared?;
    Ok(UpdateRoadmapBoard::new(id?, patch))
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
        }
    }
}
