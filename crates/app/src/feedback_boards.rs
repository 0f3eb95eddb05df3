//! `/feedback-boards/…`

use crate::once::{Outcome, Repeat};
use crate::write::{self, Update};
use crate::{Caller, Error};
use hearback_domain::feedback_board::{BoardDraft, BoardPatch, FeedbackBoard};
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

/// `/feedback-boards/create`
pub async fn create(
    ports: &Ports,
    caller: Caller,
    draft: BoardDraft,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::make_named(ports, caller, draft.slug(), repeat, |id, slug, now| {
        draft.clone().create(id.into(), slug, now)
    })
    .await
}

/// The input of [`update`].
pub type UpdateBoard = Update<BoardId, BoardPatch>;

/// `/feedback-boards/update`: changes the given values.
pub async fn update(
    ports: &Ports,
    caller: Caller,
    update: UpdateBoard,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::update(ports, caller, update, repeat, BoardPatch::edit).await
}
