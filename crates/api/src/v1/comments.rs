//! `/comments/…`

use crate::answer::{ModerationCode, Timestamp, VisibilityCode};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fault::Wrong;
use crate::fields::{
    Fields, Noted, any_of, boolean, bounded, by_id, given, one_of, timestamp, uuid,
};
use crate::page::Paging;
use crate::v1::changes::{Changes, Listed, changes};
use crate::v1::people::author;
use hearback_app::comments::{self, CreateComment, UpdateComment};
use hearback_app::{Missing, Precondition, crud};
use hearback_domain::comment::{Comment, CommentDraft, CommentFilter, CommentPatch};
use hearback_domain::feedback_post::Moderation;
use hearback_domain::id::CommentId;
use hearback_domain::record::Kind;
use hearback_domain::{ClosedSet, Uuid};
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
        "List comments, oldest first: those on a feedback post, or those that changed",
        handler!(page<ListedComment>: filtered => comments::list),
    ),
    write(
        "/comments/create",
        "Comment on a feedback post",
        handler!(created: draft => comments::create),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::FeedbackPost)),
        NotFound(Missing::Record(Kind::User)),
        NotFound(Missing::Record(Kind::Comment)),
        Refused(Precondition::ParentElsewhere),
        Refused(Precondition::CommentingDisabled),
        Refused(Precondition::EmailTaken),
        Refused(Precondition::UserBlocked),
    ]),
    write("/comments/update", "Change a comment", handler!(success: patch => comments::update))
        .refusing(&[
            NotFound(Missing::Record(Kind::Comment)),
            Refused(Precondition::Changed),
            Refused(Precondition::ExternalIdTaken),
        ]),
    write("/comments/delete", "Delete a comment", handler!(success: id => crud::delete::<Comment>))
        .refusing(&[NotFound(Missing::Record(Kind::Comment))]),
];

fn id(fields: &mut Fields<'_>) -> Result<CommentId, Noted> {
    fields.id("comment_id")
}

fn draft(fields: &mut Fields<'_>) -> Result<CreateComment, Noted> {
    let feedback_post_id = fields.id("feedback_post_id");
    let content = fields.required("content", bounded);
    let author = author(fields);
    let parent_comment_id = fields.optional("parent_comment_id", uuid);
    let visibility = fields.optional("visibility_code", one_of);
    let moderation = fields.optional("moderation_status_code", one_of);
    let notify = fields.optional("notify", boolean);
    let external_id = fields.optional("external_id", bounded);
    let created_at = fields.past("created_at");
    let draft = CommentDraft {
        feedback_post_id: feedback_post_id?,
        content: content?,
        parent_comment_id: parent_comment_id?.map(Into::into),
        visibility: visibility?,
        moderation: moderation?.unwrap_or(Moderation::Accepted),
        external_id: external_id?,
        created_at: created_at?,
    };
    Ok(CreateComment { draft, author: author?, notify: notify?.unwrap_or(true) })
}

fn patch(fields: &mut Fields<'_>) -> Result<UpdateComment, Noted> {
    let id = id(fields);
    let content = fields.optional("content", bounded);
    let visibility = fields.optional("visibility_code", one_of);
    let moderation = fields.optional("moderation_status_code", one_of);
    let is_pinned = fields.optional("is_pinned", boolean);
    let external_id = fields.clearable("external_id", bounded);
    let expected_updated_at = fields.optional("expected_updated_at", timestamp);
    let cleared = fields.clear();
    let patch = CommentPatch {
        content: content?,
        visibility: visibility?,
        moderation: moderation?,
        is_pinned: is_pinned?,
        external_id: external_id?,
    };
    cleared?;
    Ok(UpdateComment { id: id?, patch, expected_updated_at: expected_updated_at? })
}

fn filtered(fields: &mut Fields<'_>) -> Result<(CommentFilter, Paging<ByTime>), Noted> {
    let post = fields.optional("feedback_post_id", uuid);
    let author = fields.optional("author_id", uuid);
    let visibility = fields.optional("visibility_code", one_of);
    let moderation = fields.optional("moderation_status_code", one_of);
    let changes = changes(fields);
    fields.rule(|| any_of([given("feedback_post_id"), given("updated_after")]));
    let post = match fields.has("feedback_post_id") || fields.has("updated_after") {
        true => post,
        false => Err(fields.fault("feedback_post_id", Wrong::Missing)),
    };
    let filter = post.and_then(|post| {
        let Changes { updated_after, include_deleted } = changes?;
        Ok(CommentFilter {
            feedback_post_id: post.map(Into::into),
            author_id: author?.map(Into::into),
            visibility: visibility?,
            moderation: moderation?,
            updated_after,
            include_deleted,
            ..CommentFilter::default()
        })
    });
    let list = changes.map(|changes| changes.list(fields, "oldest"));
    let paging = fields.paging(filter.and_then(|filter| {
        Ok(list?
            .filter(filter.feedback_post_id.map(Uuid::from))
            .filter(filter.author_id.map(Uuid::from))
            .filter(filter.visibility.map(ClosedSet::code))
            .filter(filter.moderation.map(ClosedSet::code)))
    }));
    Ok((filter?, paging?))
}

pub(crate) type ListedComment<'a> = Listed<CommentView<'a>>;

impl<'a> From<&'a Comment> for ListedComment<'a> {
    fn from(comment: &'a Comment) -> Self {
        Self::of(comment, comment.is_active, comment.id, comment.updated_at)
    }
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
    external_id: Option<&'a str>,
    is_pinned: bool,
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
            external_id: comment.external_id.as_deref(),
            is_pinned: comment.is_pinned,
        }
    }
}
