//! `/feedback-posts/…`

use crate::answer::{ModerationCode, Timestamp, as_uuids};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fault::Wrong;
use crate::fields::{Fields, Noted, by_id, query, uuid};
use crate::page::Paging;
use hearback_app::{Missing, Precondition, feedback_posts};
use hearback_domain::Uuid;
use hearback_domain::feedback_post::{PostDetails, PostFilter};
use hearback_domain::fold::Folded;
use hearback_domain::id::{PostId, TagId};
use hearback_domain::merge::MergeRequest;
use hearback_domain::record::Kind;
use hearback_ports::page::ByTime;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/feedback-posts/retrieve",
        "Retrieve a feedback post",
        handler!(object<PostView>: by_id::<PostId> => feedback_posts::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::FeedbackPost))]),
    write(
        "/feedback-posts/merge",
        "Merge a feedback post into another one",
        handler!(success: merge => feedback_posts::merge),
    )
    .refusing(&[
        NotFound(Missing::MergeSource),
        NotFound(Missing::MergeTarget),
        NotFound(Missing::Record(Kind::User)),
        Refused(Precondition::CannotMerge),
    ]),
    read(
        "/feedback-posts/list",
        "List feedback posts, newest first",
        handler!(page<PostView>: filtered => feedback_posts::list),
    ),
];

fn merge(fields: &mut Fields<'_>) -> Result<MergeRequest, Noted> {
    let source = fields.required("merge_post_id", uuid);
    let target = fields.required("into_post_id", |value| match uuid(value)? {
        // Two notations of one identifier name one post.
        id if source.is_ok_and(|source| source == id) => {
            Err(Wrong::Rule("a post cannot be merged into itself"))
        }
        id => Ok(id),
    });
    let merger = fields.required("merger_id", uuid);
    Ok(MergeRequest { source: source?.into(), target: target?.into(), merger: merger?.into() })
}

fn filtered(fields: &mut Fields<'_>) -> Result<(PostFilter, Paging<ByTime>), Noted> {
    let board_id = fields.optional("board_id", uuid);
    let status_id = fields.optional("status_id", uuid);
    let search = fields.optional("search", query);
    let filter = board_id.and_then(|board_id| {
        Ok(PostFilter {
            board_id: board_id.map(Into::into),
            status_id: status_id?.map(Into::into),
            search: search?,
        })
    });
    let list = fields.list("newest");
    let paging = fields.paging(filter.as_ref().map_err(|noted| *noted).map(|filter| {
        list.filter(filter.board_id.map(Uuid::from))
            .filter(filter.status_id.map(Uuid::from))
            .filter(filter.search.as_ref().map(Folded::as_str))
    }));
    Ok((filter?, paging?))
}

#[derive(Serialize, ToSchema)]
#[schema(as = FeedbackPost)]
pub(crate) struct PostView<'a> {
    id: Uuid,
    title: &'a str,
    description: &'a str,
    slug: &'a str,
    board_id: Uuid,
    author_id: Uuid,
    owner_id: Option<Uuid>,
    status_id: Uuid,
    category_id: Option<Uuid>,
    eta: Option<Timestamp>,
    #[schema(inline)]
    moderation_status_code: ModerationCode,
    created_at: Timestamp,
    updated_at: Timestamp,
    #[serde(serialize_with = "as_uuids")]
    #[schema(value_type = Vec<Uuid>)]
    tag_ids: &'a [TagId],
    vote_count: i64,
    comment_count: i64,
    merged_into_id: Option<Uuid>,
}

impl<'a> From<&'a PostDetails> for PostView<'a> {
    fn from(PostDetails { post, vote_count, comment_count }: &'a PostDetails) -> Self {
        Self {
            id: post.id.0,
            title: &post.title,
            description: &post.description,
            slug: post.slug.as_str(),
            board_id: post.board_id.0,
            author_id: post.author_id.0,
            owner_id: post.owner_id.map(Uuid::from),
            status_id: post.status_id.0,
            category_id: post.category_id.map(Uuid::from),
            eta: post.eta.map(Timestamp::from),
            moderation_status_code: post.moderation.into(),
            created_at: post.created_at.into(),
            updated_at: post.updated_at.into(),
            tag_ids: &post.tag_ids,
            vote_count: *vote_count,
            comment_count: *comment_count,
            merged_into_id: post.merged_into_id.map(Uuid::from),
        }
    }
}
