//! `/roadmap-boards/…`

use crate::{Caller, Error};
use hearback_domain::record::Kind;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_ports::Ports;

/// `/roadmap-boards/list`: the active boards, by position.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<RoadmapBoard>, Error> {
    let organization = caller.view(Kind::RoadmapBoard)?;
    Ok(ports.whole_lists.roadmap_boards(organization).await?)
}
