//! `/feedback-posts/…`

use crate::answer::{AttributesView, LevelCode, ModerationCode, SpendView, Timestamp, as_uuids};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fault::Wrong;
use crate::fields::{
    Fields, Noted, any_of, attributes, boolean, bounded, by_id, given, is_one_of, one_of, query,
    slug, timestamp, uuid, wanted,
};
use crate::page::Paging;
use crate::v1::audit::ACTIVITY;
use crate::v1::changes::{Listed, sorted_changes};
use crate::v1::people::author;
use hearback_app::feedback_posts::{
    self, BulkUpdate, ChangeStatus, CreatePost, FindSimilar, MergePosts, SimilarTo, TagPost,
    UnmergePost, UpdatePost,
};
use hearback_app::subscriptions::{self, SubscribeUser};
use hearback_app::{Missing, Precondition, crud};
use hearback_domain::edit::Patch;
use hearback_domain::feedback_post::{
    FeedbackPost, Moderation, PostDetails, PostDraft, PostFilter, PostPatch, PostSort,
};
use hearback_domain::fold::Folded;
use hearback_domain::id::{PostId, RoadmapPostId, TagId};
use hearback_domain::merge::MergeRequest;
use hearback_domain::record::Kind;
use hearback_domain::similar::SimilarPost;
use hearback_domain::subscription::{Level, Subscriber};
use hearback_domain::text::ExternalId;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::page::{ByPost, ByTime};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/feedback-posts/retrieve",
        "Retrieve a feedback post",
        handler!(object<PostView>: by_id::<PostId> => feedback_posts::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::FeedbackPost))]),
    write(
        "/feedback-posts/create",
        "Make a feedback post",
        handler!(created: draft => feedback_posts::create),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::FeedbackBoard)),
        NotFound(Missing::Record(Kind::User)),
        NotFound(Missing::Record(Kind::Status)),
        NotFound(Missing::Record(Kind::Category)),
        Refused(Precondition::UnknownOf("tag_ids")),
        Refused(Precondition::EmailTaken),
        Refused(Precondition::NoDefaultStatus),
        Refused(Precondition::UserBlocked),
    ]),
    write(
        "/feedback-posts/update",
        "Change a feedback post",
        handler!(success: patch => feedback_posts::update),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::FeedbackPost)),
        NotFound(Missing::Record(Kind::FeedbackBoard)),
        NotFound(Missing::Record(Kind::User)),
        NotFound(Missing::Record(Kind::Status)),
        NotFound(Missing::Record(Kind::Category)),
        Refused(Precondition::Changed),
        Refused(Precondition::PostMerged),
        Refused(Precondition::TooManyAttributes),
        Refused(Precondition::UnknownOf("tag_ids")),
        Refused(Precondition::SlugTaken),
        Refused(Precondition::ExternalIdTaken),
    ]),
    write(
        "/feedback-posts/change-status",
        "Change the status of a feedback post",
        handler!(success: status => feedback_posts::change_status),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::FeedbackPost)),
        NotFound(Missing::Record(Kind::Status)),
        NotFound(Missing::Record(Kind::User)),
        Refused(Precondition::PostMerged),
    ]),
    write(
        "/feedback-posts/bulk-update",
        "Change several feedback posts, all or none",
        handler!(updated: bulk => feedback_posts::bulk_update),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::FeedbackPost)),
        NotFound(Missing::Record(Kind::FeedbackBoard)),
        NotFound(Missing::Record(Kind::User)),
        NotFound(Missing::Record(Kind::Status)),
        NotFound(Missing::Record(Kind::Category)),
        Refused(Precondition::PostMerged),
        Refused(Precondition::UnknownOf("tag_ids")),
    ]),
    write(
        "/feedback-posts/add-tag",
        "Add a tag to a feedback post",
        handler!(success: tag => feedback_posts::add_tag),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::FeedbackPost)),
        NotFound(Missing::Record(Kind::Tag)),
        Refused(Precondition::PostMerged),
    ]),
    write(
        "/feedback-posts/remove-tag",
        "Remove a tag from a feedback post",
        handler!(success: tag => feedback_posts::remove_tag),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::FeedbackPost)),
        NotFound(Missing::Record(Kind::Tag)),
        Refused(Precondition::PostMerged),
    ]),
    write(
        "/feedback-posts/delete",
        "Delete a feedback post",
        handler!(success: id => crud::delete::<FeedbackPost>),
    )
    .refusing(&[NotFound(Missing::Record(Kind::FeedbackPost))]),
    write(
        "/feedback-posts/restore",
        "Restore a deleted feedback post",
        handler!(success: id => feedback_posts::restore),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::FeedbackPost)),
        Refused(Precondition::PostNotRestored),
        Refused(Precondition::ExternalIdTaken),
    ]),
    write(
        "/feedback-posts/merge",
        "Merge a feedback post into another one",
        handler!(tried: merge => feedback_posts::merge),
    )
    .refusing(&[
        NotFound(Missing::MergeSource),
        NotFound(Missing::MergeTarget),
        NotFound(Missing::Record(Kind::User)),
        Refused(Precondition::CannotMerge),
    ]),
    write(
        "/feedback-posts/unmerge",
        "End the merge of a feedback post",
        handler!(tried: unmerge => feedback_posts::unmerge),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::FeedbackPost)),
        NotFound(Missing::Record(Kind::User)),
        Refused(Precondition::PostNotMerged),
    ]),
    read(
        "/feedback-posts/list",
        "List feedback posts",
        handler!(page<ListedPost>: filtered => |ports, caller, (filter, sort), page| {
            feedback_posts::list(ports, caller, filter, sort, page)
        }),
    ),
    read(
        "/feedback-posts/similar",
        "Find feedback posts with similar titles, best first",
        handler!(array<SimilarPostView>: similar_to => feedback_posts::similar),
    )
    .refusing(&[NotFound(Missing::Record(Kind::FeedbackPost))]),
    read(
        "/feedback-posts/subscribers",
        "List the subscribers of a feedback post, oldest subscription first",
        handler!(page<SubscriberView>: of_post => subscriptions::list),
    )
    .refusing(&[NotFound(Missing::Record(Kind::FeedbackPost))]),
    ACTIVITY,
    write(
        "/feedback-posts/subscribe",
        "Subscribe a user to a feedback post",
        handler!(success: subscriber => subscriptions::subscribe),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::FeedbackPost)),
        NotFound(Missing::Record(Kind::User)),
    ]),
    write(
        "/feedback-posts/unsubscribe",
        "End the subscription of a user to a feedback post",
        handler!(success: ended => subscriptions::unsubscribe),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::FeedbackPost)),
        NotFound(Missing::Record(Kind::User)),
    ]),
];

fn similar_to(fields: &mut Fields<'_>) -> Result<FindSimilar, Noted> {
    fields.exactly_one_of(&["title", "post_id"]);
    let title = fields.optional("title", bounded);
    let post = fields.optional("post_id", |value| match uuid(value)? {
        _ if !matches!(title, Ok(None)) => Err(Wrong::Rule("title and post_id exclude each other")),
        post => Ok(post),
    });
    if let (Ok(None), Ok(None)) = (&title, post) {
        fields.fault("title", Wrong::Missing);
    }
    let board = fields.optional("board_id", uuid);
    let most = fields.few();
    let to = match (title?, post?) {
        (Some(title), _) => SimilarTo::Title(title),
        (None, Some(post)) => SimilarTo::Post(post.into()),
        (None, None) => return Err(Noted),
    };
    Ok(FindSimilar { to, board: board?.map(Into::into), most: most?.get() })
}

fn of_post(fields: &mut Fields<'_>) -> Result<(PostId, Paging<ByTime>), Noted> {
    let post = fields.required("post_id", uuid);
    let list = fields.list("oldest");
    let paging = fields.paging(post.map(|post| list.filter(Some(post))));
    Ok((post?.into(), paging?))
}

fn subscriber(fields: &mut Fields<'_>) -> Result<SubscribeUser, Noted> {
    let ended = ended(fields);
    let level = fields.optional("level", one_of);
    Ok(SubscribeUser { level: level?.unwrap_or(Level::All), ..ended? })
}

fn ended(fields: &mut Fields<'_>) -> Result<SubscribeUser, Noted> {
    let post = id(fields);
    let user = fields.id("user_id");
    Ok(SubscribeUser { post: post?, user: user?, level: Level::All })
}

fn status(fields: &mut Fields<'_>) -> Result<ChangeStatus, Noted> {
    let post = id(fields);
    let status = fields.id("status_id");
    let changed_by = fields.optional("changed_by_id", uuid);
    let note = fields.optional("note", bounded);
    let notify = fields.optional("notify", boolean);
    let eta = fields.optional("eta", timestamp);
    fields.rule(|| any_of([is_one_of("note", [Value::Null]).build(), given("changed_by_id")]));
    if let (Ok(None), Ok(Some(_))) = (changed_by, &note) {
        fields.fault("changed_by_id", Wrong::Missing);
    }
    Ok(ChangeStatus {
        post: post?,
        status: status?,
        eta: eta?,
        changed_by: changed_by?.map(Into::into),
        note: note?,
        notify: notify?.unwrap_or(false),
    })
}

fn bulk(fields: &mut Fields<'_>) -> Result<BulkUpdate, Noted> {
    let posts = fields.required_ids("post_ids");
    let board_id = fields.optional("board_id", uuid);
    let status_id = fields.optional("status_id", uuid);
    let category_id = fields.optional("category_id", uuid);
    let owner_id = fields.optional("owner_id", uuid);
    let moderation = fields.optional("moderation_status_code", one_of);
    let added = fields.some_ids::<TagId>("add_tag_ids");
    let removed = fields.some_ids::<TagId>("remove_tag_ids");
    let notify = fields.optional("notify", boolean);
    if let (Ok(Some(added)), Ok(Some(removed))) = (&added, &removed)
        && added.iter().any(|tag| removed.contains(tag))
    {
        fields.fault("remove_tag_ids", Wrong::Rule("a tag is either added or removed"));
    }
    let set = |id: Option<Uuid>| id.map_or(Patch::Keep, Patch::Set);
    let patch = PostPatch {
        board_id: board_id?.map(Into::into),
        status_id: status_id?.map(Into::into),
        category_id: set(category_id?).map(Into::into),
        owner_id: set(owner_id?).map(Into::into),
        moderation: moderation?,
        ..PostPatch::default()
    };
    Ok(BulkUpdate {
        posts: posts?,
        patch,
        add_tag_ids: added?.unwrap_or_default(),
        remove_tag_ids: removed?.unwrap_or_default(),
        notify: notify?.unwrap_or(false),
    })
}

fn id(fields: &mut Fields<'_>) -> Result<PostId, Noted> {
    fields.id("post_id")
}

fn tag(fields: &mut Fields<'_>) -> Result<TagPost, Noted> {
    let post = id(fields);
    let tag = fields.id("tag_id");
    Ok(TagPost { post: post?, tag: tag? })
}

fn draft(fields: &mut Fields<'_>) -> Result<CreatePost, Noted> {
    let board_id = fields.id("board_id");
    let title = fields.required("title", bounded);
    let description = fields.optional("description", bounded);
    let author = author(fields);
    let status_id = fields.optional("status_id", uuid);
    let category_id = fields.optional("category_id", uuid);
    let tag_ids = fields.some_ids("tag_ids");
    let owner_id = fields.optional("owner_id", uuid);
    let eta = fields.optional("eta", timestamp);
    let eta_is_public = fields.optional("eta_is_public", boolean);
    let slug = fields.optional("slug", slug);
    let moderation = fields.optional("moderation_status_code", one_of);
    let attributes = fields.optional("attributes", attributes);
    let external_id = fields.optional("external_id", bounded);
    let created_by_id = fields.optional("created_by_id", uuid);
    let is_pinned = fields.optional("is_pinned", boolean);
    let created_at = fields.past("created_at");
    let subscribe_author = fields.optional("subscribe_author", boolean);
    let draft = PostDraft {
        board_id: board_id?,
        title: title?,
        description: description?.unwrap_or_default(),
        slug: slug?,
        status_id: status_id?.map(Into::into),
        category_id: category_id?.map(Into::into),
        tag_ids: tag_ids?.unwrap_or_default(),
        owner_id: owner_id?.map(Into::into),
        eta: eta?,
        eta_is_public: eta_is_public?.unwrap_or(true),
        is_pinned: is_pinned?.unwrap_or(false),
        moderation: moderation?.unwrap_or(Moderation::Accepted),
        attributes: attributes?.unwrap_or_default().into(),
        created_by_id: created_by_id?.map(Into::into),
        external_id: external_id?,
        created_at: created_at?,
    };
    let subscribe_author = subscribe_author?.unwrap_or(true);
    Ok(CreatePost { draft, author: author?, subscribe_author })
}

fn patch(fields: &mut Fields<'_>) -> Result<UpdatePost, Noted> {
    let id = id(fields);
    let board_id = fields.optional("board_id", uuid);
    let title = fields.optional("title", bounded);
    let description = fields.optional("description", bounded);
    let status_id = fields.optional("status_id", uuid);
    let category_id = fields.clearable("category_id", uuid);
    let tag_ids = fields.some_ids("tag_ids");
    let owner_id = fields.clearable("owner_id", uuid);
    let eta = fields.clearable("eta", timestamp);
    let eta_is_public = fields.optional("eta_is_public", boolean);
    let slug = fields.optional("slug", slug);
    let moderation = fields.optional("moderation_status_code", one_of);
    let attributes = fields.clearable("attributes", attributes);
    let external_id = fields.clearable("external_id", bounded);
    let created_by_id = fields.optional("created_by_id", uuid);
    let is_pinned = fields.optional("is_pinned", boolean);
    let expected_updated_at = fields.optional("expected_updated_at", timestamp);
    let cleared = fields.clear();
    let patch = PostPatch {
        title: title?,
        description: description?,
        slug: slug?,
        board_id: board_id?.map(Into::into),
        status_id: status_id?.map(Into::into),
        category_id: category_id?.map(Into::into),
        tag_ids: tag_ids?,
        owner_id: owner_id?.map(Into::into),
        eta: eta?,
        eta_is_public: eta_is_public?,
        is_pinned: is_pinned?,
        moderation: moderation?,
        attributes: attributes?,
        created_by_id: created_by_id?.map(Into::into),
        external_id: external_id?,
    };
    cleared?;
    Ok(UpdatePost { id: id?, patch, expected_updated_at: expected_updated_at? })
}

fn merge(fields: &mut Fields<'_>) -> Result<MergePosts, Noted> {
    let source = fields.required("merge_post_id", uuid);
    let rule = "a post cannot be merged into itself";
    let target = fields.other("into_post_id", &source, rule);
    let merger = fields.required("merger_id", uuid);
    let dry_run = fields.dry_run();
    let request =
        MergeRequest { source: source?.into(), target: target?.into(), merger: merger?.into() };
    Ok(MergePosts { request, dry_run: dry_run? })
}

fn unmerge(fields: &mut Fields<'_>) -> Result<UnmergePost, Noted> {
    let post = id(fields);
    let merger = fields.optional("merger_id", uuid);
    let dry_run = fields.dry_run();
    Ok(UnmergePost { post: post?, merger: merger?.map(Into::into), dry_run: dry_run? })
}

fn filtered(fields: &mut Fields<'_>) -> Result<((PostFilter, PostSort), Paging<ByPost>), Noted> {
    let board_id = fields.optional("board_id", uuid);
    let status_id = fields.optional("status_id", uuid);
    let search = fields.optional("search", query);
    let status_group = fields.optional("status_group_code", one_of);
    let category_id = fields.optional("category_id", uuid);
    let tag_ids = fields.some_ids("tag_ids");
    let author_id = fields.optional("author_id", uuid);
    let owner_id = fields.optional("owner_id", uuid);
    let company_id = fields.optional("company_id", uuid);
    let moderation = fields.optional("moderation_status_code", one_of);
    let external_id = fields.optional("external_id", bounded);
    let is_merged = fields.optional("is_merged", boolean);
    let created_after = fields.optional("created_after", timestamp);
    let created_before = fields.optional("created_before", timestamp);
    let changes = sorted_changes(fields, PostSort::Changes);
    let attributes = fields.optional("attributes", wanted);
    let filter = changes.and_then(|(changes, _)| {
        Ok(PostFilter {
            board_id: board_id?.map(Into::into),
            status_id: status_id?.map(Into::into),
            search: search?,
            status_group: status_group?,
            category_id: category_id?.map(Into::into),
            tag_ids: tag_ids?.unwrap_or_default(),
            author_id: author_id?.map(Into::into),
            owner_id: owner_id?.map(Into::into),
            company_id: company_id?.map(Into::into),
            moderation: moderation?,
            external_id: external_id?.map(ExternalId::into),
            is_merged: is_merged?,
            created_after: created_after?,
            created_before: created_before?,
            updated_after: changes.updated_after,
            include_deleted: changes.include_deleted,
            attributes: attributes?.unwrap_or_default(),
            ..PostFilter::default()
        })
    });
    let list = changes.and_then(|(changes, sort)| {
        let filter = filter.as_ref().map_err(|noted| *noted)?;
        let list = changes
            .list(fields, sort.code())
            .filter(filter.board_id.map(Uuid::from))
            .filter(filter.status_id.map(Uuid::from))
            .filter(filter.search.as_ref().map(Folded::as_str));
        // A cursor of a list without these filters stays the same.
        if !filter.is_narrow() {
            return Ok(list);
        }
        Ok(list
            .filter(filter.status_group.map(ClosedSet::code))
            .filter(filter.category_id.map(Uuid::from))
            .filter_by_any(&filter.tag_ids)
            .filter(filter.author_id.map(Uuid::from))
            .filter(filter.owner_id.map(Uuid::from))
            .filter(filter.company_id.map(Uuid::from))
            .filter(filter.moderation.map(ClosedSet::code))
            .filter(filter.external_id.as_deref())
            .filter(filter.is_merged.map(|is_merged| [u8::from(is_merged)]))
            .filter(filter.created_after.map(|time| time.to_string()))
            .filter(filter.created_before.map(|time| time.to_string()))
            .filter_by_attributes(&filter.attributes))
    });
    let paging = fields.paging(list);
    let (_, sort) = changes?;
    Ok(((filter?, sort), paging?))
}

pub(crate) type ListedPost<'a> = Listed<PostView<'a>>;

impl<'a> From<&'a PostDetails> for ListedPost<'a> {
    fn from(details: &'a PostDetails) -> Self {
        let FeedbackPost { is_active, id, updated_at, .. } = details.post;
        Self::of(details, is_active, id, updated_at)
    }
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
    #[schema(inline)]
    monthly_spend: SpendView,
    merged_into_id: Option<Uuid>,
    external_id: Option<&'a str>,
    eta_is_public: bool,
    is_pinned: bool,
    created_by_id: Option<Uuid>,
    status_changed_at: Timestamp,
    #[schema(inline)]
    attributes: AttributesView<'a>,
    #[serde(serialize_with = "as_uuids")]
    #[schema(value_type = Vec<Uuid>)]
    roadmap_post_ids: &'a [RoadmapPostId],
}

#[derive(Serialize, ToSchema)]
#[schema(as = SimilarFeedbackPost)]
pub(crate) struct SimilarPostView<'a> {
    #[serde(flatten)]
    post: PostView<'a>,
    /// From 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    score: f64,
}

impl<'a> From<&'a SimilarPost> for SimilarPostView<'a> {
    fn from(SimilarPost { details, score }: &'a SimilarPost) -> Self {
        // Three digits are enough for clients. The order is that of the exact scores.
        Self { post: details.into(), score: (score * 1_000.0).round() / 1_000.0 }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = Subscriber)]
pub(crate) struct SubscriberView<'a> {
    user_id: Uuid,
    name: &'a str,
    email: &'a str,
    #[schema(inline)]
    level: LevelCode,
    subscribed_at: Timestamp,
}

impl<'a> From<&'a Subscriber> for SubscriberView<'a> {
    fn from(subscriber: &'a Subscriber) -> Self {
        Self {
            user_id: subscriber.user_id.0,
            name: &subscriber.name,
            email: &subscriber.email,
            level: subscriber.level.into(),
            subscribed_at: subscriber.subscribed_at.into(),
        }
    }
}

impl<'a> From<&'a PostDetails> for PostView<'a> {
    fn from(details: &'a PostDetails) -> Self {
        let PostDetails { post, vote_count, comment_count, monthly_spend, roadmap_post_ids } =
            details;
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
            monthly_spend: (*monthly_spend).into(),
            merged_into_id: post.merged_into_id.map(Uuid::from),
            external_id: post.external_id.as_deref(),
            eta_is_public: post.eta_is_public,
            is_pinned: post.is_pinned,
            created_by_id: post.created_by_id.map(Uuid::from),
            status_changed_at: post.status_changed_at.into(),
            attributes: AttributesView(&post.attributes),
            roadmap_post_ids,
        }
    }
}
