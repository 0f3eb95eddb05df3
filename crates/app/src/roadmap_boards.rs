//! `/roadmap-boards/…`

use crate::Error;
use hearback_domain::id::OrganizationId;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_ports::Ports;

/// `/roadmap-boards/list`: the active ones, by position.
pub async fn list(ports: &Ports, organization: OrganizationId) -> Result<Vec<RoadmapBoard>, Error> {
    Ok(ports.roadmap_boards.list(organization).await?)
}
