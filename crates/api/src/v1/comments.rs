//! `/comments/…`

use crate::answer::{ModerationCode, Timestamp, VisibilityCode};
use crate::endpoint::Refusal::NotFound;
use crate::endpoint::{Endpoint, handler, read};
use crate::fields::{Fields, Noted, by_id, uuid};
use crate::page::Paging;
use hearback_app::{Missing, comments};
use hearback_domain::Uuid;
use hearback_domain::comment::Comment;
use hearback_domain::id::{CommentId, PostId};
use hearback_domain::record::Kind;
use hearback_ports::page::ByTime;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/comments/retrieve",
        "Retrieve a comment",
        handler!(object<CommentView>: by_id::<CommentId> => comments::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::Comment))]),
    read(
        "/comments/list",
        "List the comments on a feedback post, oldest first",
        handler!(page<CommentView>: of_post => comments::list),
    ),
];

fn of_post(fields: &mut Fields<'_>) -> Result<(PostId, Paging<ByTime>), Noted> {
    let post = fields.required("feedback_post_id", uuid);
    let list = fields.list("oldest");
    let paging = fields.paging(post.map(|post| list.filter(Some(post))));
    Ok((post?.into(), paging?))
}

#[derive(Serialize, ToSchema)]
#[schema(as = Comment)]
pub(crate) struct CommentView<'a> {
    id: Uuid,
    content: &'a str,
    author_id: Uuid,
    parent_comment_id: Option<Uuid>,
    feedback_post_id: Uuid,
    #[schema(inline)]
    visibility_code: VisibilityCode,
    #[schema(inline)]
    moderation_status_code: ModerationCode,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a> From<&'a Comment> for CommentView<'a> {
    fn from(comment: &'a Comment) -> Self {
        Self {
            id: comment.id.0,
            content: &comment.content,
            author_id: comment.author_id.0,
            parent_comment_id: comment.parent_comment_id.map(Uuid::from),
            feedback_post_id: comment.feedback_post_id.0,
            visibility_code: comment.visibility.into(),
            moderation_status_code: comment.moderation.into(),
            created_at: comment.created_at.into(),
            updated_at: comment.updated_at.into(),
        }
    }
}
