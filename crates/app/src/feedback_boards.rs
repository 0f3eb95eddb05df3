//! `/feedback-boards/…`

use crate::content::{self, Content, DeleteWithContent};
use crate::crud::edit_and_follow;
use crate::effects::{Effects, Tried};
use crate::once::Repeat;
use crate::{Caller, Error, Precondition, write};
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::follow_up::FollowUp;
use hearback_domain::id::BoardId;
use hearback_domain::record::Kind;
use hearback_ports::Ports;

/// `/feedback-boards/list`: the active boards, by position.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<FeedbackBoard>, Error> {
    let organization = caller.view(Kind::FeedbackBoard)?;
    Ok(ports.whole_lists.feedback_boards(organization).await?)
}

/// `/feedback-boards/delete`: the posts of the board move to another one, or are deleted, or the
/// board must have none.
pub async fn delete(
    ports: &Ports,
    caller: Caller,
    DeleteWithContent { id, content, dry_run }: DeleteWithContent<BoardId>,
    repeat: Option<Repeat>,
) -> Result<Tried, Error> {
    caller.manage(Kind::FeedbackBoard)?;
    let moved =
        move |to: BoardId| FollowUp::Replace { key: (Kind::FeedbackBoard, id.0), by: Some(to.0) };
    let rule = |board: FeedbackBoard| {
        let member = "move_posts_to_board_id";
        content.delete::<_, FeedbackBoard>(ports, caller, board, member, moved)
    };
    if !dry_run {
        return edit_and_follow(ports, caller, id, repeat, rule).await.map(Tried::Did);
    }
    rule(write::find(ports, caller, id).await?).await?;
    let count = content::count(ports, caller, (Kind::FeedbackPost, "board_id"), id.0).await?;
    if content == Content::Refuse && count > 0 {
        return Err(Error::Refused(Precondition::BoardHasPosts));
    }
    let (moved, deleted) = content.split(count);
    Ok(Tried::Would(Effects(vec![("posts_moved", moved), ("posts_deleted", deleted)])))
}
