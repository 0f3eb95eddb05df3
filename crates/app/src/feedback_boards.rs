//! `/feedback-boards/…`

use crate::crud::edit_and_follow;
use crate::effects::{Effects, Tried};
use crate::once::Repeat;
use crate::write::{self, Decided};
use crate::{Caller, Error, Precondition};
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::follow_up::{Affected, FollowUp, Only};
use hearback_domain::id::BoardId;
use hearback_domain::record::{Kind, OfKind};
use hearback_ports::Ports;

/// `/feedback-boards/list`: the active boards, by position.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<FeedbackBoard>, Error> {
    let organization = caller.view(Kind::FeedbackBoard)?;
    Ok(ports.whole_lists.feedback_boards(organization).await?)
}

/// The input of [`delete`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeleteBoard {
    /// The board.
    pub id: BoardId,
    /// What becomes of its posts.
    pub posts: PostsOfBoard,
    /// Whether nothing is changed.
    pub dry_run: bool,
}

/// What becomes of the posts of a deleted board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostsOfBoard {
    /// The board must have none.
    Refuse,
    /// They move to another board.
    Move(BoardId),
    /// They are deleted.
    Delete,
}

/// `/feedback-boards/delete`
pub async fn delete(
    ports: &Ports,
    caller: Caller,
    DeleteBoard { id, posts, dry_run }: DeleteBoard,
    repeat: Option<Repeat>,
) -> Result<Tried, Error> {
    let organization = caller.manage(Kind::FeedbackBoard)?;
    let key = (Kind::FeedbackBoard, id.0);
    let rule = move |board: FeedbackBoard| async move {
        if let PostsOfBoard::Move(to) = posts {
            write::find::<FeedbackBoard>(ports, caller, to).await?;
        }
        let deleted = board.deleted().into();
        Ok(match posts {
            PostsOfBoard::Refuse => Decided { unused: vec![key], ..deleted },
            PostsOfBoard::Move(to) => Decided {
                follow_ups: vec![FollowUp::Replace { key, by: Some(to.0) }],
                needs: vec![write::need("move_posts_to_board_id", Kind::FeedbackBoard, to)],
                ..deleted
            },
            PostsOfBoard::Delete => {
                Decided { follow_ups: vec![FollowUp::DeletePosts { board: id }], ..deleted }
            }
        })
    };
    if dry_run {
        rule(write::find(ports, caller, id).await?).await?;
        let of_board =
            Affected { kind: Kind::FeedbackPost, member: "board_id", only: Only::Active };
        let count = ports.records.count(organization, of_board, id.0).await?;
        let (moved, deleted) = match posts {
            PostsOfBoard::Refuse if count > 0 => {
                return Err(Error::Refused(Precondition::BoardHasPosts));
            }
            PostsOfBoard::Refuse => (0, 0),
            PostsOfBoard::Move(_) => (count, 0),
            PostsOfBoard::Delete => (0, count),
        };
        let effects = Effects(vec![("posts_moved", moved), ("posts_deleted", deleted)]);
        return Ok(Tried::Would(effects));
    }
    edit_and_follow(ports, caller, id, repeat, rule).await.map(Tried::Did)
}
