//! `/roadmap-boards/…`

use crate::once::{Outcome, Repeat};
use crate::write::{self, Decided};
use crate::{Caller, Error};
use hearback_domain::id::RoadmapBoardId;
use hearback_domain::record::{Kind, OfKind};
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_ports::Ports;

/// `/roadmap-boards/list`: the active boards, by position.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<RoadmapBoard>, Error> {
    let organization = caller.view(Kind::RoadmapBoard)?;
    Ok(ports.whole_lists.roadmap_boards(organization).await?)
}

/// `/roadmap-boards/delete`: a board without posts.
pub async fn delete(
    ports: &Ports,
    caller: Caller,
    id: RoadmapBoardId,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::edit_with(ports, caller, id, repeat, async |board: RoadmapBoard| {
        let unused = vec![(Kind::RoadmapBoard, board.id.0)];
        Ok(Decided { unused, ..board.deleted().into() })
    })
    .await
}
