//! `/roadmap-boards/…`

use crate::once::{Outcome, Repeat};
use crate::write::{self, Update};
use crate::{Caller, Error};
use hearback_domain::id::RoadmapBoardId;
use hearback_domain::record::Kind;
use hearback_domain::roadmap_board::{RoadmapBoard, RoadmapBoardDraft, RoadmapBoardPatch};
use hearback_ports::Ports;

/// `/roadmap-boards/list`: the active boards, by position.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<RoadmapBoard>, Error> {
    let organization = caller.view(Kind::RoadmapBoard)?;
    Ok(ports.whole_lists.roadmap_boards(organization).await?)
}

/// `/roadmap-boards/retrieve`: an active board.
pub async fn retrieve(
    ports: &Ports,
    caller: Caller,
    id: RoadmapBoardId,
) -> Result<RoadmapBoard, Error> {
    write::find(ports, caller, id).await
}

/// `/roadmap-boards/create`
pub async fn create(
    ports: &Ports,
    caller: Caller,
    draft: RoadmapBoardDraft,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::make_named(ports, caller, draft.slug(), repeat, |id, slug, now| {
        draft.clone().create(id.into(), slug, now)
    })
    .await
}

/// The input of [`update`].
pub type UpdateRoadmapBoard = Update<RoadmapBoardId, RoadmapBoardPatch>;

/// `/roadmap-boards/update`: changes the given values.
pub async fn update(
    ports: &Ports,
    caller: Caller,
    update: UpdateRoadmapBoard,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::update(ports, caller, update, repeat, RoadmapBoardPatch::edit).await
}
