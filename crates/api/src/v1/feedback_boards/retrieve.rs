//! `/feedback-boards/retrieve`

use super::BoardView;
use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::ById;
use hearback_app::feedback_boards;
use hearback_domain::id::BoardId;

/// `/feedback-boards/retrieve`
pub(crate) async fn retrieve(
    Call { api, organization, input: ById(id), .. }: Call<ById<BoardId>>,
) -> Answer {
    let board = feedback_boards::retrieve(&api.ports, organization, id).await?;
    answer::object(&BoardView::from(&board))
}
