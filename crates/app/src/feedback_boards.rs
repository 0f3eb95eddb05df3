//! `/feedback-boards/…`

use crate::write;
use crate::{Caller, Error};
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::id::BoardId;
use hearback_domain::record::Kind;
use hearback_ports::Ports;

/// `/feedback-boards/list`: the active boards, by position.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<FeedbackBoard>, Error> {
    let organization = caller.view(Kind::FeedbackBoard)?;
    Ok(ports.whole_lists.feedback_boards(organization).await?)
}

/// `/feedback-boards/retrieve`: an active board.
pub async fn retrieve(ports: &Ports, caller: Caller, id: BoardId) -> Result<FeedbackBoard, Error> {
    write::find(ports, caller, id).await
}
