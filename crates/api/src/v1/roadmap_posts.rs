//! `/roadmap-posts/…`

use crate::answer::{Timestamp, as_uuids};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fields::{
    Fields, Noted, Rank, boolean, bounded, by_id, query, rank, slug, timestamp, uuid,
};
use crate::page::Paging;
use crate::v1::changes::{Changes, Listed, changes};
use hearback_app::roadmap_posts::{
    self, ChangeRoadmapStatus, CreateRoadmapPost, LinkPosts, PatchPlaced, UpdateRoadmapPost,
};
use hearback_app::{Missing, Precondition, crud};
use hearback_domain::Uuid;
use hearback_domain::fold::Folded;
use hearback_domain::id::{PostId, RoadmapPostId, TagId};
use hearback_domain::record::Kind;
use hearback_domain::roadmap_post::{
    RoadmapFilter, RoadmapPost, RoadmapPostDetails, RoadmapPostDraft, RoadmapPostPatch,
};
use hearback_ports::page::BySort;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/roadmap-posts/retrieve",
        "Retrieve a roadmap post",
        handler!(object<RoadmapPostView>: by_id::<RoadmapPostId> => roadmap_posts::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::RoadmapPost))]),
    read(
        "/roadmap-posts/list",
        "List roadmap posts, by position",
        handler!(page<ListedRoadmapPost>: filtered => roadmap_posts::list),
    ),
    write(
        "/roadmap-posts/create",
        "Make a roadmap post",
        handler!(created: draft => roadmap_posts::create),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::RoadmapBoard)),
        NotFound(Missing::Record(Kind::User)),
        NotFound(Missing::Record(Kind::Status)),
        NotFound(Missing::Record(Kind::Category)),
        Refused(Precondition::NoDefaultStatus),
        Refused(Precondition::UnknownOf("tag_ids")),
        Refused(Precondition::UnknownOf("feedback_post_ids")),
    ]),
    write(
        "/roadmap-posts/update",
        "Change a roadmap post",
        handler!(success: patch => roadmap_posts::update),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::RoadmapPost)),
        NotFound(Missing::Record(Kind::RoadmapBoard)),
        NotFound(Missing::Record(Kind::User)),
        NotFound(Missing::Record(Kind::Status)),
        NotFound(Missing::Record(Kind::Category)),
        Refused(Precondition::Changed),
        Refused(Precondition::UnknownOf("tag_ids")),
        Refused(Precondition::SlugTaken),
        Refused(Precondition::ExternalIdTaken),
    ]),
    write(
        "/roadmap-posts/change-status",
        "Change the status of a roadmap post",
        handler!(success: status => roadmap_posts::change_status),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::RoadmapPost)),
        NotFound(Missing::Record(Kind::Status)),
    ]),
    write(
        "/roadmap-posts/link",
        "Link feedback posts to a roadmap post",
        handler!(success: link => roadmap_posts::link),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::RoadmapPost)),
        Refused(Precondition::UnknownOf("feedback_post_ids")),
    ]),
    write(
        "/roadmap-posts/unlink",
        "Unlink feedback posts from a roadmap post",
        handler!(success: unlink => roadmap_posts::unlink),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::RoadmapPost)),
        Refused(Precondition::UnknownOf("feedback_post_ids")),
    ]),
    write(
        "/roadmap-posts/delete",
        "Delete a roadmap post",
        handler!(success: id => crud::delete::<RoadmapPost>),
    )
    .refusing(&[NotFound(Missing::Record(Kind::RoadmapPost))]),
];

fn id(fields: &mut Fields<'_>) -> Result<RoadmapPostId, Noted> {
    fields.id("post_id")
}

fn draft(fields: &mut Fields<'_>) -> Result<CreateRoadmapPost, Noted> {
    let roadmap_board_id = fields.id("roadmap_board_id");
    let title = fields.required("title", bounded);
    let description = fields.optional("description", bounded);
    let slug = fields.optional("slug", slug);
    let status_id = fields.optional("status_id", uuid);
    let category_id = fields.optional("category_id", uuid);
    let tag_ids = fields.some_ids("tag_ids");
    let owner_id = fields.optional("owner_id", uuid);
    let author_id = fields.optional("author_id", uuid);
    let eta = fields.optional("eta", timestamp);
    let position = fields.optional("position", rank);
    let feedback_post_ids = fields.some_ids("feedback_post_ids");
    let external_id = fields.optional("external_id", bounded);
    let draft = RoadmapPostDraft {
        roadmap_board_id: roadmap_board_id?,
        title: title?,
        description: description?.unwrap_or_default(),
        slug: slug?,
        author_id: author_id?.map(Into::into),
        owner_id: owner_id?.map(Into::into),
        status_id: status_id?.map(Into::into),
        category_id: category_id?.map(Into::into),
        eta: eta?,
        tag_ids: tag_ids?.unwrap_or_default(),
        external_id: external_id?,
    };
    Ok(CreateRoadmapPost {
        draft,
        place: position?.map(|Rank(place)| place),
        feedback_post_ids: feedback_post_ids?.unwrap_or_default(),
    })
}

fn patch(fields: &mut Fields<'_>) -> Result<UpdateRoadmapPost, Noted> {
    let id = id(fields);
    let roadmap_board_id = fields.optional("roadmap_board_id", uuid);
    let title = fields.optional("title", bounded);
    let description = fields.optional("description", bounded);
    let slug = fields.optional("slug", slug);
    let status_id = fields.optional("status_id", uuid);
    let category_id = fields.clearable("category_id", uuid);
    let tag_ids = fields.some_ids("tag_ids");
    let owner_id = fields.clearable("owner_id", uuid);
    let author_id = fields.clearable("author_id", uuid);
    let eta = fields.clearable("eta", timestamp);
    let position = fields.optional("position", rank);
    let external_id = fields.clearable("external_id", bounded);
    let expected_updated_at = fields.optional("expected_updated_at", timestamp);
    let cleared = fields.clear();
    let patch = RoadmapPostPatch {
        roadmap_board_id: roadmap_board_id?.map(Into::into),
        title: title?,
        description: description?,
        slug: slug?,
        author_id: author_id?.map(Into::into),
        owner_id: owner_id?.map(Into::into),
        status_id: status_id?.map(Into::into),
        category_id: category_id?.map(Into::into),
        eta: eta?,
        tag_ids: tag_ids?,
        external_id: external_id?,
    };
    cleared?;
    let patch = PatchPlaced { patch, place: position?.map(|Rank(place)| place) };
    Ok(UpdateRoadmapPost { id: id?, patch, expected_updated_at: expected_updated_at? })
}

fn status(fields: &mut Fields<'_>) -> Result<ChangeRoadmapStatus, Noted> {
    let post = id(fields);
    let status = fields.id("status_id");
    Ok(ChangeRoadmapStatus { post: post?, status: status? })
}

fn link(fields: &mut Fields<'_>) -> Result<LinkPosts, Noted> {
    let links = unlink(fields);
    let sync_status = fields.optional("sync_status", boolean);
    Ok(LinkPosts { sync_status: sync_status?.unwrap_or(false), ..links? })
}

fn unlink(fields: &mut Fields<'_>) -> Result<LinkPosts, Noted> {
    let post = id(fields);
    let feedback_post_ids = fields.required_ids("feedback_post_ids");
    Ok(LinkPosts { post: post?, feedback_post_ids: feedback_post_ids?, sync_status: false })
}

type Filtered = ((RoadmapFilter, Option<Folded>), Paging<BySort>);

fn filtered(fields: &mut Fields<'_>) -> Result<Filtered, Noted> {
    let roadmap_board_id = fields.optional("roadmap_board_id", uuid);
    let status_id = fields.optional("status_id", uuid);
    let category_id = fields.optional("category_id", uuid);
    let owner_id = fields.optional("owner_id", uuid);
    let search = fields.optional("search", query);
    let changes = changes(fields);
    let filter = changes.and_then(|Changes { updated_after, include_deleted }| {
        let filter = RoadmapFilter {
            roadmap_board_id: roadmap_board_id?.map(Into::into),
            status_id: status_id?.map(Into::into),
            category_id: category_id?.map(Into::into),
            owner_id: owner_id?.map(Into::into),
            updated_after,
            include_deleted,
        };
        Ok((filter, search?))
    });
    let list = changes.and_then(|changes| {
        let (filter, search) = filter.as_ref().map_err(|noted| *noted)?;
        Ok(changes
            .list(fields, "position")
            .filter(filter.roadmap_board_id.map(Uuid::from))
            .filter(filter.status_id.map(Uuid::from))
            .filter(filter.category_id.map(Uuid::from))
            .filter(filter.owner_id.map(Uuid::from))
            .filter(search.as_ref().map(Folded::as_str)))
    });
    let paging = fields.paging(list);
    Ok((filter?, paging?))
}

pub(crate) type ListedRoadmapPost<'a> = Listed<RoadmapPostView<'a>>;

impl<'a> From<&'a RoadmapPostDetails> for ListedRoadmapPost<'a> {
    fn from(details: &'a RoadmapPostDetails) -> Self {
        let RoadmapPost { is_active, id, updated_at, .. } = details.post;
        Self::of(details, is_active, id, updated_at)
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = RoadmapPost)]
pub(crate) struct RoadmapPostView<'a> {
    id: Uuid,
    title: &'a str,
    description: &'a str,
    slug: &'a str,
    roadmap_board_id: Uuid,
    author_id: Option<Uuid>,
    owner_id: Option<Uuid>,
    status_id: Uuid,
    category_id: Option<Uuid>,
    eta: Option<Timestamp>,
    position: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
    #[serde(serialize_with = "as_uuids")]
    #[schema(value_type = Vec<Uuid>)]
    tag_ids: &'a [TagId],
    #[serde(serialize_with = "as_uuids")]
    #[schema(value_type = Vec<Uuid>)]
    feedback_post_ids: &'a [PostId],
    vote_count: i64,
    external_id: Option<&'a str>,
}

impl<'a> From<&'a RoadmapPostDetails> for RoadmapPostView<'a> {
    fn from(details: &'a RoadmapPostDetails) -> Self {
        let RoadmapPostDetails { post, feedback_post_ids, vote_count } = details;
        Self {
            id: post.id.0,
            title: &post.title,
            description: &post.description,
            slug: post.slug.as_str(),
            roadmap_board_id: post.roadmap_board_id.0,
            author_id: post.author_id.map(Uuid::from),
            owner_id: post.owner_id.map(Uuid::from),
            status_id: post.status_id.0,
            category_id: post.category_id.map(Uuid::from),
            eta: post.eta.map(Timestamp::from),
            position: post.seq_number.place(),
            created_at: post.created_at.into(),
            updated_at: post.updated_at.into(),
            tag_ids: &post.tag_ids,
            feedback_post_ids,
            vote_count: *vote_count,
            external_id: post.external_id.as_deref(),
        }
    }
}
