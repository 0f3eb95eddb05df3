//! `/feedback-boards/list`

use super::BoardView;
use crate::answer::{self, Answer};
use crate::call::Call;
use hearback_app::feedback_boards;

/// `/feedback-boards/list`
pub(crate) async fn list(Call { api, organization, .. }: Call<()>) -> Answer {
    let boards = feedback_boards::list(&api.ports, organization).await?;
    answer::array::<BoardView<'_>, _>(&boards)
}
