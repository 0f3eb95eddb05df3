//! Feedback posts.

use crate::SqliteStore;
use crate::error::BadRow;
use crate::merge;
use crate::readers::gives_way;
use crate::rows::{Id, Origin, all, by_first, instr};
use crate::schema::{
    comments, feedback_boards, feedback_post_tags, feedback_posts, statuses, votes,
};
use crate::stored::{Edited, Stored, finds, inserts, updates};
use async_trait::async_trait;
use diesel::dsl::{auto_type, exists};
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::feedback_post::{FeedbackPost, PostDetails, PostFilter};
use hearback_domain::id::{OrganizationId, PostId};
use hearback_domain::merge::{Merge, MergeCase, MergeRequest};
use hearback_domain::{ClosedSet, Time};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{FeedbackPostRepository, Receipt, Recorded, StoreError};
use std::borrow::Cow;

#[async_trait]
impl FeedbackPostRepository for SqliteStore {
    async fn find(
        &self,
        organization: OrganizationId,
        id: PostId,
    ) -> Result<Option<PostDetails>, StoreError> {
        let found = self.readers.snapshot("finding a feedback post", |connection| {
            let counted = feedback_posts::table
                .filter(feedback_posts::organization_id.eq(Id::of(organization)))
                .filter(feedback_posts::id.eq(Id::of(id)))
                .filter(feedback_posts::is_active)
                .select((FeedbackPostRow::as_select(), vote_count(), comment_count()))
                .first::<CountedPost>(connection)
                .optional()?;
            with_tags(connection, organization, counted.into_iter().collect())
        })?;
        Ok(found.into_iter().next().map(PostDetails::try_from).transpose()?)
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: PostFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<PostDetails, ByTime>, StoreError> {
        let limit = page.limit;
        let doing = "listing feedback posts";
        // A search walks posts until it has enough of them, which may be all there are.
        let found = if filter.search.is_some() {
            self.slow_readers
                .snapshot(doing, move |connection| listed(connection, organization, &filter, &page))
                .await?
        } else {
            self.readers
                .snapshot(doing, |connection| listed(connection, organization, &filter, &page))?
        };
        let posts: Vec<PostDetails> = all(found)?;
        Ok(Page::cut(posts, limit, |details| ByTime {
            at: details.post.created_at,
            id: details.post.id.0,
        }))
    }

    async fn merge_case(
        &self,
        organization: OrganizationId,
        request: MergeRequest,
    ) -> Result<MergeCase, StoreError> {
        self.readers.snapshot("loading a merge", |connection| {
            merge::load(connection, organization, request)
        })
    }

    async fn merge(
        &self,
        organization: OrganizationId,
        merge: Merge,
        receipt: Option<Receipt>,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            merge::record(connection, organization, merge, receipt.as_ref())
        };
        self.writer.record("recording a merge", work).await
    }
}

/// The posts of a page and the one behind it.
fn listed(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    filter: &PostFilter,
    page: &PageRequest<ByTime>,
) -> QueryResult<Vec<CountedPostWithTags>> {
    let mut query = feedback_posts::table
        .filter(feedback_posts::organization_id.eq(Id::of(organization)))
        .filter(feedback_posts::is_active)
        .order((feedback_posts::created_at.desc(), feedback_posts::id.desc()))
        .limit(page.limit.and_one())
        .select((FeedbackPostRow::as_select(), vote_count(), comment_count()))
        .into_boxed();
    if let Some(board) = filter.board_id {
        query = query.filter(feedback_posts::board_id.eq(Id::of(board))).filter(exists(
            feedback_boards::table
                .filter(feedback_boards::organization_id.eq(Id::of(organization)))
                .filter(feedback_boards::id.eq(Id::of(board)))
                .filter(feedback_boards::is_active),
        ));
    }
    if let Some(status) = filter.status_id {
        query = query.filter(feedback_posts::status_id.eq(Id::of(status))).filter(exists(
            statuses::table
                .filter(statuses::organization_id.eq(Id::of(organization)))
                .filter(statuses::id.eq(Id::of(status)))
                .filter(statuses::is_active),
        ));
    }
    if let Some(search) = &filter.search {
        query = query
            .filter(gives_way())
            .filter(instr(feedback_posts::search_text, search.as_str()).gt(0));
    }
    if let Some(after) = page.after {
        let (at, id) = (after.at.unix_millis(), Id(after.id));
        // This form, so that the index is entered at the key: all newer posts of an OR would be walked.
        query = query
            .filter(feedback_posts::created_at.le(at))
            .filter(feedback_posts::created_at.lt(at).or(feedback_posts::id.lt(id)));
    }
    let counted = query.load::<CountedPost>(connection)?;
    with_tags(connection, organization, counted)
}

#[auto_type]
fn vote_count() -> _ {
    votes::table
        .filter(votes::organization_id.eq(feedback_posts::organization_id))
        .filter(votes::feedback_post_id.eq(feedback_posts::id.nullable()))
        .count()
        .single_value()
        .assume_not_null()
}

#[auto_type]
fn comment_count() -> _ {
    comments::table
        .filter(comments::organization_id.eq(feedback_posts::organization_id))
        .filter(comments::feedback_post_id.eq(feedback_posts::id))
        .filter(comments::is_active)
        .count()
        .single_value()
        .assume_not_null()
}

fn with_tags(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    posts: Vec<CountedPost>,
) -> QueryResult<Vec<CountedPostWithTags>> {
    let with_tags = |counted: CountedPost| {
        let CountedPost { row, vote_count, comment_count } = counted;
        // A statement for each post: it is prepared once, where one for all of them would be prepared on every call.
        let tag_ids = feedback_post_tags::table
            .filter(feedback_post_tags::organization_id.eq(Id::of(organization)))
            .filter(feedback_post_tags::feedback_post_id.eq(row.id))
            .order(feedback_post_tags::place)
            .select(feedback_post_tags::tag_id)
            .load(connection)?;
        Ok(CountedPostWithTags { post: StoredPost { row, tag_ids }, vote_count, comment_count })
    };
    posts.into_iter().map(with_tags).collect()
}

impl Stored for FeedbackPost {
    inserts!(
        feedback_posts,
        |post| (
            feedback_posts::slug_key.eq(post.slug.key()),
            feedback_posts::search_text.eq(post.search_text()),
            FeedbackPostRow { merged_into_id: None, ..FeedbackPostRow::from(post) },
        ),
        tag
    );
    updates!(
        feedback_posts,
        |post| (
            feedback_posts::slug_key.eq(post.after.slug.key()),
            post.changed(|post| post.description.clone())
                .map(|text| feedback_posts::description.eq(text)),
            post.changed(FeedbackPost::search_text)
                .map(|text| feedback_posts::search_text.eq(text)),
            FeedbackPostRow::from(post.after),
        ),
        tag_anew
    );
    finds!(feedback_posts.id, FeedbackPostRow::as_select() => FeedbackPostRow<'static>, tagged);
}

/// Writes the tags of a post.
fn tag(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    post: &FeedbackPost,
) -> QueryResult<()> {
    for (place, &tag) in (0..).zip(&post.tag_ids) {
        diesel::insert_into(feedback_post_tags::table)
            .values((
                feedback_post_tags::organization_id.eq(Id::of(organization)),
                feedback_post_tags::feedback_post_id.eq(Id::of(post.id)),
                feedback_post_tags::tag_id.eq(Id::of(tag)),
                feedback_post_tags::place.eq(place),
            ))
            .execute(connection)?;
    }
    Ok(())
}

/// Replaces the tags of a post, if they change.
fn tag_anew(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    post: Edited<'_, FeedbackPost>,
) -> QueryResult<()> {
    if post.before.tag_ids == post.after.tag_ids {
        return Ok(());
    }
    diesel::delete(feedback_post_tags::table)
        .filter(feedback_post_tags::organization_id.eq(Id::of(organization)))
        .filter(feedback_post_tags::feedback_post_id.eq(Id::of(post.after.id)))
        .execute(connection)?;
    tag(connection, organization, post.after)
}

/// Adds the tags to posts, which are in the order of their identifiers.
fn tagged(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    rows: Vec<FeedbackPostRow<'static>>,
) -> QueryResult<Vec<StoredPost>> {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(Vec::new()) };
    let tags = feedback_post_tags::table
        .filter(feedback_post_tags::organization_id.eq(Id::of(organization)))
        .filter(feedback_post_tags::feedback_post_id.between(first.id, last.id))
        .order((feedback_post_tags::feedback_post_id, feedback_post_tags::place))
        .select((feedback_post_tags::feedback_post_id, feedback_post_tags::tag_id))
        .load::<(Id, Id)>(connection)?;
    let mut tags = by_first(tags);
    Ok(rows
        .into_iter()
        .map(|row| StoredPost { tag_ids: tags.remove(&row.id).unwrap_or_default(), row })
        .collect())
}

/// A row with what is counted.
#[derive(Queryable)]
struct CountedPost {
    row: FeedbackPostRow<'static>,
    vote_count: i64,
    comment_count: i64,
}

struct CountedPostWithTags {
    post: StoredPost,
    vote_count: i64,
    comment_count: i64,
}

impl TryFrom<CountedPostWithTags> for PostDetails {
    type Error = BadRow;

    fn try_from(counted: CountedPostWithTags) -> Result<Self, BadRow> {
        let CountedPostWithTags { post, vote_count, comment_count } = counted;
        Ok(Self { post: post.try_into()?, vote_count, comment_count })
    }
}

/// A row with what stands in another table.
pub(crate) struct StoredPost {
    row: FeedbackPostRow<'static>,
    tag_ids: Vec<Id>,
}

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = feedback_posts,
    check_for_backend(Sqlite),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct FeedbackPostRow<'a> {
    id: Id,
    title: Cow<'a, str>,
    #[diesel(skip_update)]
    description: Cow<'a, str>,
    slug: Cow<'a, str>,
    board_id: Id,
    author_id: Id,
    owner_id: Option<Id>,
    status_id: Id,
    category_id: Option<Id>,
    eta: Option<i64>,
    moderation_status_code: Cow<'a, str>,
    #[diesel(skip_update)]
    merged_into_id: Option<Id>,
    is_active: bool,
    created_at: i64,
    updated_at: i64,
}

impl<'a> From<&'a FeedbackPost> for FeedbackPostRow<'a> {
    fn from(post: &'a FeedbackPost) -> Self {
        Self {
            id: Id::of(post.id),
            title: Cow::from(&post.title),
            description: Cow::from(&post.description),
            slug: Cow::from(post.slug.as_str()),
            board_id: Id::of(post.board_id),
            author_id: Id::of(post.author_id),
            owner_id: post.owner_id.map(Id::of),
            status_id: Id::of(post.status_id),
            category_id: post.category_id.map(Id::of),
            eta: post.eta.map(Time::unix_millis),
            moderation_status_code: Cow::from(post.moderation.code()),
            merged_into_id: post.merged_into_id.map(Id::of),
            is_active: post.is_active,
            created_at: post.created_at.unix_millis(),
            updated_at: post.updated_at.unix_millis(),
        }
    }
}

impl TryFrom<StoredPost> for FeedbackPost {
    type Error = BadRow;

    fn try_from(StoredPost { row, tag_ids }: StoredPost) -> Result<Self, BadRow> {
        let origin = Origin::new("feedback_posts", row.id);
        Ok(Self {
            id: row.id.to(),
            title: row.title.into_owned(),
            description: row.description.into_owned(),
            slug: origin.slug(&row.slug)?,
            board_id: row.board_id.to(),
            author_id: row.author_id.to(),
            owner_id: row.owner_id.map(Id::to),
            status_id: row.status_id.to(),
            category_id: row.category_id.map(Id::to),
            eta: origin.optional_time("eta", row.eta)?,
            moderation: origin.code("moderation_status_code", &row.moderation_status_code)?,
            tag_ids: tag_ids.into_iter().map(Id::to).collect(),
            merged_into_id: row.merged_into_id.map(Id::to),
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
            updated_at: origin.time("updated_at", row.updated_at)?,
        })
    }
}
