//! `/roadmap-boards/…`

use crate::answer::Timestamp;
use crate::endpoint::{Endpoint, handler, read};
use hearback_app::roadmap_boards;
use hearback_domain::Uuid;
use hearback_domain::roadmap_board::RoadmapBoard;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[read(
    "/roadmap-boards/list",
    "List the roadmap boards",
    handler!(array<RoadmapBoardView>: roadmap_boards::list),
)];

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
        }
    }
}
