//! `/feedback-boards/…`

use crate::{Error, Missing};
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::id::{BoardId, OrganizationId};
use hearback_domain::record::Kind;
use hearback_ports::Ports;

/// `/feedback-boards/list`: the active ones, by position.
pub async fn list(
    ports: &Ports,
    organization: OrganizationId,
) -> Result<Vec<FeedbackBoard>, Error> {
    Ok(ports.feedback_boards.list(organization).await?)
}

/// `/feedback-boards/retrieve`: an active one.
pub async fn retrieve(
    ports: &Ports,
    organization: OrganizationId,
    id: BoardId,
) -> Result<FeedbackBoard, Error> {
    ports
        .feedback_boards
        .find(organization, id)
        .await?
        .ok_or(Error::NotFound(Missing::Record(Kind::FeedbackBoard)))
}
