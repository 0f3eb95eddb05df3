//! `/comments/…`

use crate::moderation::beginning;
use crate::once::{Outcome, Repeat};
use crate::write::{self, Decided, Unnamed, Update};
use crate::{Caller, Error, Missing};
use hearback_domain::comment::{Comment, CommentDraft, CommentFilter, CommentPatch, Visibility};
use hearback_domain::draft::Patches;
use hearback_domain::event::Moderated;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::{BoardId, CommentId, OrganizationId};
use hearback_domain::person::Person;
use hearback_domain::record::{Kind, Step};
use hearback_ports::Ports;
use hearback_ports::page::{ByTime, Page, PageRequest};

/// `/comments/retrieve`: an active comment.
pub async fn retrieve(ports: &Ports, caller: Caller, id: CommentId) -> Result<Comment, Error> {
    let organization = caller.view(Kind::Comment)?;
    ports
        .comments
        .find(organization, id)
        .await?
        .ok_or(Error::NotFound(Missing::Record(Kind::Comment)))
}

/// `/comments/list`: the comments that the filter admits, oldest first.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    filter: CommentFilter,
    page: PageRequest<ByTime>,
) -> Result<Page<Comment, ByTime>, Error> {
    let organization = caller.view(Kind::Comment)?;
    let filter = CommentFilter { audience: caller.audience(), ..filter };
    Ok(ports.comments.page(organization, filter, page).await?)
}

/// The input of [`create`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateComment {
    /// The comment.
    pub draft: CommentDraft,
    /// Its author.
    pub author: Person,
    /// Whether the subscribers of the post are mailed, if the comment is public and accepted.
    pub notify: bool,
}

/// `/comments/create`
pub async fn create(
    ports: &Ports,
    caller: Caller,
    CreateComment { draft, author, notify }: CreateComment,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::Comment)?;
    write::make_authored(ports, caller, Unnamed, &author, repeat, |id, _, writer, now| {
        let mut draft = draft.clone();
        async move {
            let (visibility, board) = visibility(ports, organization, &draft).await?;
            let place = (Moderated::Comment, board);
            let written = (writer, draft.content.as_str());
            draft.moderation = beginning(ports, caller, draft.moderation, place, written).await?;
            let comment = draft.create(id.into(), writer.id, visibility, now);
            Ok(Decided { notify, ..comment.into() })
        }
    })
    .await
}

/// Decides the visibility of a new comment by its parent and its board, which it returns too.
async fn visibility(
    ports: &Ports,
    organization: OrganizationId,
    draft: &CommentDraft,
) -> Result<(Visibility, BoardId), Error> {
    let missing = |kind| Error::NotFound(Missing::Record(kind));
    let post = (Kind::FeedbackPost, draft.feedback_post_id.0);
    let parent = draft.parent_comment_id.map(|id| (Kind::Comment, id.0));
    let keys = std::iter::once(post).chain(parent).collect();
    let known = ports.records.load(organization, keys).await?;
    let post: &FeedbackPost =
        known.active(draft.feedback_post_id).ok_or(missing(Kind::FeedbackPost))?;
    let parent: Option<&Comment> = match draft.parent_comment_id {
        Some(id) => Some(known.active(id).ok_or(missing(Kind::Comment))?),
        None => None,
    };
    let board = vec![(Kind::FeedbackBoard, post.board_id.0)];
    let boards = ports.records.load(organization, board).await?;
    let board: Option<&FeedbackBoard> = boards.any(post.board_id);
    let is_enabled = board.is_none_or(|board| board.is_commenting_enabled);
    Ok((draft.decide(parent, is_enabled)?, post.board_id))
}

/// The input of [`update`].
pub type UpdateComment = Update<CommentId, CommentPatch>;

/// `/comments/update`: changes the given values. A comment that is pinned takes the place of the
/// pinned comment of its post.
pub async fn update(
    ports: &Ports,
    caller: Caller,
    update: UpdateComment,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::Comment)?;
    write::update_with(ports, caller, update, repeat, async |patch: CommentPatch, before| {
        let comment = patch.edit(Comment::clone(&before));
        let mut first = Vec::new();
        if comment.is_pinned && !before.is_pinned {
            let pinned = ports.comments.pinned(organization, comment.feedback_post_id).await?;
            let unpin = |pinned: Comment| {
                let after = Comment { is_pinned: false, ..pinned.clone() };
                Step::edit(pinned, after, ports.clock.now())
            };
            first.extend(pinned.map(unpin));
        }
        Ok(Decided { first, ..comment.into() })
    })
    .await
}
