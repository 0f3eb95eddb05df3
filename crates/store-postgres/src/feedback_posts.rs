//! Feedback posts.

use crate::PgStore;
use crate::error::Undone;
use crate::error::read_error;
use crate::merge::{self, CaseRow, LoadCase};
use crate::readers::Reach;
use crate::sql::{containing, strpos};
use crate::stored::{Stored, finds, inserts, lists, updates};
use crate::unmerge;
use async_trait::async_trait;
use diesel::dsl::{AsSelect, auto_type};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::feedback_post::{FeedbackPost, PostDetails, PostFilter, PostSort};
use hearback_domain::fold::Folded;
use hearback_domain::id::{BoardId, OrganizationId, PostId};
use hearback_domain::merge::{
    Merge, MergeCase, MergeEffects, MergeRequest, Unmerge, UnmergeEffects,
};
use hearback_domain::similar::keys;
use hearback_ports::feedback_posts::Attached;
use hearback_ports::page::{ByPost, Limit, Page, PageRequest};
use hearback_ports::{FeedbackPostRepository, Recorded, StoreError};
use hearback_store_rows::feedback_posts::{
    CountedPost, Place, Rank, is_ranked, key_by_rank, key_by_time,
};
use hearback_store_rows::postgres::lists::{
    FirstNumber, PostKey, Posts, SecondNumber, posts, posts_in_order, posts_sorted, posts_until,
    ranks,
};
use hearback_store_rows::queries::counted_posts;
use hearback_store_rows::rows::FeedbackPostRow;
use hearback_store_rows::schema::{feedback_post_counts, feedback_post_tags, feedback_posts};
use hearback_store_rows::shown::{ShownSpend, comment_count, vote_count};
use hearback_store_rows::{Edited, Id, Keys, Stamp, all, counts, ids_beside, merges};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

#[async_trait]
impl FeedbackPostRepository for PgStore {
    async fn find(
        &self,
        organization: OrganizationId,
        id: PostId,
    ) -> Result<Option<PostDetails>, StoreError> {
        let row: Option<CountedPost> = self
            .readers
            .row("finding a feedback post", || {
                counted_posts()
                    .filter(feedback_posts::organization_id.eq(Id::of(organization)))
                    .filter(feedback_posts::id.eq(Id::of(id)))
                    .filter(feedback_posts::is_active)
                    .select(shown(organization))
            })
            .await?;
        Ok(row.map(PostDetails::try_from).transpose()?)
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: PostFilter,
        sort: PostSort,
        page: PageRequest<ByPost>,
    ) -> Result<Page<PostDetails, ByPost>, StoreError> {
        let PageRequest { after, limit } = page;
        let after = after.map(Place::new);
        if is_ranked(sort) {
            let after = after.and_then(Place::rank);
            return self.ranked(organization, &filter, sort, after, limit).await;
        }
        let after = after.and_then(Place::time);
        let listed = || listed(organization, &filter, sort, after);
        let rows = match &filter.search {
            None => {
                let reach = if filter.is_narrow() { Reach::Long } else { Reach::Short };
                self.counted(organization, reach, limit, listed).await?
            }
            Some(search) if self.has_trigrams(search.as_str()).await? => {
                let matching = || {
                    listed().filter(feedback_posts::search_text.like(containing(search.as_str())))
                };
                self.counted(organization, Reach::Long, limit, matching).await?
            }
            Some(search) => self.walked(organization, &filter, search, sort, after, limit).await?,
        };
        Ok(Page::cut(all(rows)?, limit, |details: &PostDetails| key_by_time(sort, &details.post)))
    }

    async fn candidates(
        &self,
        organization: OrganizationId,
        title: String,
        board: Option<BoardId>,
    ) -> Result<Vec<(PostId, String)>, StoreError> {
        self.similar(organization, &title, board).await
    }

    async fn merge_case(
        &self,
        organization: OrganizationId,
        request: MergeRequest,
    ) -> Result<MergeCase, StoreError> {
        let doing = "loading a merge";
        let row: Option<CaseRow> =
            self.readers.row(doing, || LoadCase::new(organization, request)).await?;
        row.map(MergeCase::from).ok_or_else(|| read_error(doing, diesel::result::Error::NotFound))
    }

    async fn merge(
        &self,
        organization: OrganizationId,
        merge: Merge,
        attached: Attached,
    ) -> Result<Recorded, StoreError> {
        let record = self.writer.record("recording a merge", move |connection| {
            async move { merge::record(connection, organization, merge, &attached).await }.boxed()
        });
        record.await
    }

    async fn index_posts(&self) -> Result<usize, StoreError> {
        self.index_some_posts().await
    }

    async fn merge_effects(
        &self,
        organization: OrganizationId,
        source: PostId,
        target: PostId,
    ) -> Result<MergeEffects, StoreError> {
        let doing = "counting the votes of a merge";
        let query = || merges::effects::<()>(organization, Id::of(source), Id::of(target));
        let row: Option<(i64, i64)> = self.readers.row(doing, query).await?;
        let (moved, dropped) = row.unwrap_or_default();
        Ok(MergeEffects { moved, dropped })
    }

    async fn unmerge(
        &self,
        organization: OrganizationId,
        unmerge: Unmerge,
        attached: Attached,
    ) -> Result<Recorded, StoreError> {
        let record = self.writer.record(UNMERGING, move |connection| {
            async move {
                unmerge::record(connection, organization, unmerge).await?;
                merge::attach(connection, organization, &attached).await
            }
            .boxed()
        });
        record.await
    }

    async fn unmerge_effects(
        &self,
        organization: OrganizationId,
        unmerge: Unmerge,
    ) -> Result<Option<UnmergeEffects>, StoreError> {
        let found = Arc::new(OnceLock::new());
        let effects = Arc::clone(&found);
        let record = self.writer.record(UNMERGING, move |connection| {
            async move {
                let done = unmerge::record(connection, organization, unmerge).await?;
                effects.get_or_init(|| done);
                // The transaction is rolled back.
                Err(Undone::Stale)
            }
            .boxed()
        });
        // It is stale in any case.
        record.await.map(|_| found.get().copied())
    }
}

impl PgStore {
    /// The posts of a page and the first post behind it, with the columns of other tables that
    /// lists show.
    async fn counted(
        &self,
        organization: OrganizationId,
        reach: Reach,
        limit: Limit,
        query: impl Fn() -> Posts + Send + Sync,
    ) -> Result<Vec<CountedPost>, StoreError> {
        let query = || query().limit(limit.and_one()).select(shown(organization));
        self.list_rows(reach, LISTING, query).await
    }

    /// A page of a list by counts. Its [`ranks`] are read first.
    async fn ranked(
        &self,
        organization: OrganizationId,
        filter: &PostFilter,
        sort: PostSort,
        after: Option<Rank>,
        limit: Limit,
    ) -> Result<Page<PostDetails, ByPost>, StoreError> {
        let PostFilter { board_id, status_id, search, .. } = filter;
        // The counts have the board of their post alone. With other filters, the best plan depends
        // on the values.
        let is_narrow = status_id.is_some() || search.is_some() || filter.is_narrow();
        let reach = if is_narrow { Reach::Long } else { Reach::Short };
        let indexed = match search {
            None => false,
            Some(search) => self.has_trigrams(search.as_str()).await?,
        };
        let ranks = || {
            let mut query = ranks(organization, *board_id, sort, after).limit(limit.and_one());
            if is_narrow {
                let mut posts = posts(organization, filter);
                if let Some(search) = search {
                    let (text, place) = (search.as_str(), feedback_posts::search_text);
                    posts = if indexed {
                        posts.filter(place.like(containing(text)))
                    } else {
                        posts.filter(strpos(place, text.to_owned()).gt(0))
                    };
                }
                query = query.filter(
                    feedback_post_counts::feedback_post_id.eq_any(posts.select(feedback_posts::id)),
                );
            }
            let id = feedback_post_counts::feedback_post_id;
            query.select((FirstNumber(sort), SecondNumber(sort), id))
        };
        let ranks: Vec<Rank> = self.list_rows(reach, LISTING, ranks).await?;
        let page = Page::cut(ranks, limit, |rank| key_by_rank(sort, *rank));
        let ids: Vec<Id> = page.items.iter().map(|(.., id)| *id).collect();
        let these = || {
            let query = posts(organization, &PostFilter::default());
            query.filter(feedback_posts::id.eq_any(ids.clone()))
        };
        let rows = self.counted(organization, Reach::Short, limit, these).await?;
        let mut rows: HashMap<Id, CountedPost> =
            rows.into_iter().map(|counted| (counted.row.id, counted)).collect();
        // A post that was deleted meanwhile is left out.
        let items = ids.iter().filter_map(|id| rows.remove(id));
        Ok(Page { items: all(items.collect())?, next: page.next })
    }

    /// The posts of a search that no index helps. It may have to read all posts, so it lets point
    /// reads pass between two strides. By the
    /// time of its creation, a post never changes its place, so none is found twice.
    async fn walked(
        &self,
        organization: OrganizationId,
        filter: &PostFilter,
        search: &Folded,
        sort: PostSort,
        mut after: Option<PostKey>,
        limit: Limit,
    ) -> Result<Vec<CountedPost>, StoreError> {
        let mut found = Vec::new();
        let mut pace = self.readers.pace();
        loop {
            let ahead = || listed(organization, filter, sort, after);
            // No index serves this function. With a choice, the planner sometimes takes an index
            // that does not help.
            let matches = || strpos(feedback_posts::search_text, search.as_str().to_owned()).gt(0);
            let end = || {
                ahead().offset(STRIDE - 1).limit(1).select((
                    feedback_posts::created_at,
                    feedback_posts::updated_at,
                    feedback_posts::id,
                ))
            };
            let end: Option<(Stamp, Stamp, Id)> =
                self.list_rows(Reach::Long, LISTING, end).await?.pop();
            let end: Option<PostKey> = end.map(|(created_at, updated_at, id)| match sort {
                PostSort::Updated | PostSort::Changes => (updated_at, id),
                _ => (created_at, id),
            });
            let stride = || posts_until(ahead(), sort, end).filter(matches());
            // Most strides of a long walk have no match, and planning the counts of a list takes as
            // long as walking a few hundred posts. So the counts are only run if there is a match.
            let first: Vec<Id> = self
                .list_rows(Reach::Long, LISTING, || stride().limit(1).select(feedback_posts::id))
                .await?;
            if !first.is_empty() {
                found.extend(self.counted(organization, Reach::Long, limit, stride).await?);
            }
            if end.is_none() || found.len() > limit.get() {
                return Ok(found);
            }
            after = end;
            pace.pause().await;
        }
    }
}

/// The operation that ends a merge.
const UNMERGING: &str = "recording the end of a merge";

/// The operation that an error of a list names.
const LISTING: &str = "listing feedback posts";

/// The number of posts that one statement of a long walk reads. This takes 0.5 ms, and the planner
/// takes 0.25 ms.
const STRIDE: i64 = 500;

/// The posts behind a place that pass the filter. The text of the filter is not applied.
fn listed(
    organization: OrganizationId,
    filter: &PostFilter,
    sort: PostSort,
    after: Option<PostKey>,
) -> Posts {
    let matching = posts(organization, filter);
    match filter.merged_into_id {
        None => posts_in_order(matching, sort, after),
        Some(_) => posts_sorted(matching, sort, after),
    }
}

/// The columns of a [`CountedPost`].
#[auto_type]
fn shown(organization: OrganizationId) -> _ {
    let organization: Id = Id::of(organization);
    let row: AsSelect<FeedbackPostRow<'static>, Pg> = FeedbackPostRow::as_select();
    let (votes, comments): (vote_count, comment_count) = (vote_count(), comment_count());
    let spend: ShownSpend = ShownSpend(organization);
    let (hidden, plans): (HiddenTags, RoadmapPosts) =
        (HiddenTags(organization), RoadmapPosts(organization));
    (row, hidden, votes, comments, spend, plans)
}

ids_beside! {
    /// The tags that are being removed. Posts do not show them.
    HiddenTags:
    "ARRAY (SELECT id FROM tags WHERE removal_pending AND organization_id = ",
    ")"
}

ids_beside! {
    /// The active roadmap posts that are linked to a post, in the order of the links.
    RoadmapPosts:
    "ARRAY (SELECT roadmap_links.roadmap_post_id FROM roadmap_links JOIN roadmap_posts \
     ON roadmap_posts.organization_id = roadmap_links.organization_id \
     AND roadmap_posts.id = roadmap_links.roadmap_post_id AND roadmap_posts.is_active \
     WHERE roadmap_links.feedback_post_id = feedback_posts.id \
     AND roadmap_links.organization_id = ",
    " ORDER BY roadmap_links.created_at, roadmap_links.id)"
}

impl Stored for FeedbackPost {
    inserts!(
        slugged feedback_posts,
        |post, organization| (
            feedback_posts::slug_key.eq(post.slug.key()),
            feedback_posts::search_text.eq(post.search_text()),
            feedback_posts::similar_keys.eq(Keys(keys(organization, &post.title))),
            FeedbackPostRow { merged_into_id: None, ..FeedbackPostRow::from(post) },
        ),
        tag
    );

    async fn link(
        mut connection: &AsyncPgConnection,
        organization: OrganizationId,
        post: &Self,
    ) -> QueryResult<()> {
        counts::begin::<()>(organization, post.id).execute(&mut connection).await?;
        Ok(())
    }

    updates!(
        feedback_posts,
        |post, organization| (
            feedback_posts::slug_key.eq(post.after.slug.key()),
            post.changed(|post| post.description.clone())
                .map(|text| feedback_posts::description.eq(text)),
            post.changed(FeedbackPost::search_text)
                .map(|text| feedback_posts::search_text.eq(text)),
            post.changed(|post| keys(organization, &post.title))
                .map(|keys| feedback_posts::similar_keys.eq(Keys(keys))),
            FeedbackPostRow::from(post.after),
        ),
        update_elsewhere
    );
    finds!(feedback_posts.id, FeedbackPostRow::as_select() => FeedbackPostRow<'static>);
}

/// Replaces the tags of a post, and the values beside its counts, if they change.
async fn update_elsewhere(
    mut connection: &AsyncPgConnection,
    organization: OrganizationId,
    post: Edited<'_, FeedbackPost>,
) -> QueryResult<()> {
    if post.changed(|post| (post.board_id, post.is_active)).is_some() {
        counts::follow::<()>(organization, post.after.id).execute(&mut connection).await?;
    }
    tag_anew(connection, organization, post).await
}

lists!(
    FeedbackPost.tag_ids in feedback_post_tags.feedback_post_id.tag_id:
    tag, tag_anew
);
