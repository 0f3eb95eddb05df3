//! `/comments/…`

use crate::{Caller, Error, Missing};
use hearback_domain::comment::Comment;
use hearback_domain::id::{CommentId, PostId};
use hearback_domain::record::Kind;
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

/// `/comments/list`: the active comments on a post, oldest first. The page is empty if the post is
/// not there.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    post: PostId,
    page: PageRequest<ByTime>,
) -> Result<Page<Comment, ByTime>, Error> {
    let organization = caller.view(Kind::Comment)?;
    Ok(ports.comments.page(organization, post, page).await?)
}
