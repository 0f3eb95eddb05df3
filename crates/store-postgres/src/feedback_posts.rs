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
use diesel::dsl::{array, auto_type};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use futures_util::FutureExt;
use hearback_domain::feedback_post::{FeedbackPost, PostDetails, PostFilter};
use hearback_domain::fold::Folded;
use hearback_domain::id::{OrganizationId, PostId};
use hearback_domain::merge::{
    Merge, MergeCase, MergeEffects, MergeRequest, Unmerge, UnmergeEffects,
};
use hearback_ports::feedback_posts::Attached;
use hearback_ports::page::{ByTime, Limit, Page, PageRequest};
use hearback_ports::{FeedbackPostRepository, Recorded, StoreError};
use hearback_store_rows::feedback_posts::CountedPost;
use hearback_store_rows::postgres::lists::{PostKey, Posts, posts, posts_behind, posts_until};
use hearback_store_rows::rows::{FeedbackPostRow, Listed};
use hearback_store_rows::schema::{feedback_post_tags, feedback_posts};
use hearback_store_rows::shown::{comment_count, is_shown, vote_count};
use hearback_store_rows::{Id, Stamp, all, merges, one};
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
                one!(feedback_posts, organization, Id::of(id))
                    .filter(feedback_posts::is_active)
                    .select((
                        FeedbackPostRow::as_select(),
                        array(tag_ids(Id::of(organization)).filter(is_shown(Id::of(organization)))),
                        vote_count(Id::of(organization)),
                        comment_count(Id::of(organization)),
                    ))
            })
            .await?;
        Ok(row.map(PostDetails::try_from).transpose()?)
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: PostFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<PostDetails, ByTime>, StoreError> {
        let PageRequest { after, limit } = page;
        let after = after.map(|ByTime { at, id }| (Stamp::of(at), Id(id)));
        let listed = || listed(organization, &filter, after);
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
            Some(search) => self.walked(organization, &filter, search, after, limit).await?,
        };
        Ok(Page::cut(all(rows)?, limit, |details: &PostDetails| ByTime {
            at: details.post.created_at,
            id: details.post.id.0,
        }))
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
        let query = || {
            let page = query().limit(limit.and_one());
            page.select((
                FeedbackPostRow::as_select(),
                array(tag_ids(Id::of(organization)).filter(is_shown(Id::of(organization)))),
                vote_count(Id::of(organization)),
                comment_count(Id::of(organization)),
            ))
        };
        self.list_rows(reach, LISTING, query).await
    }

    /// The posts of a search that no index helps. It may have to read all posts, so it lets point
    /// reads pass between two strides. A post never changes its place in the list, so none is found
    /// twice.
    async fn walked(
        &self,
        organization: OrganizationId,
        filter: &PostFilter,
        search: &Folded,
        mut after: Option<PostKey>,
        limit: Limit,
    ) -> Result<Vec<CountedPost>, StoreError> {
        let mut found = Vec::new();
        let mut pace = self.readers.pace();
        loop {
            let ahead = || listed(organization, filter, after);
            // No index serves this function. With a choice, the planner sometimes takes an index
            // that does not help.
            let matches = || strpos(feedback_posts::search_text, search.as_str().to_owned()).gt(0);
            let end = || {
                ahead()
                    .offset(STRIDE - 1)
                    .limit(1)
                    .select((feedback_posts::created_at, feedback_posts::id))
            };
            let end: Option<PostKey> = self.list_rows(Reach::Long, LISTING, end).await?.pop();
            let stride = || posts_until(ahead(), end).filter(matches());
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
fn listed(organization: OrganizationId, filter: &PostFilter, after: Option<PostKey>) -> Posts {
    posts_behind(posts(organization, filter), after)
}

#[auto_type]
fn tag_ids(organization: Id) -> _ {
    feedback_post_tags::table
        .filter(feedback_post_tags::organization_id.eq(organization))
        .filter(feedback_post_tags::feedback_post_id.eq(feedback_posts::id))
        .order(feedback_post_tags::place)
        .select(feedback_post_tags::tag_id)
}

impl Stored for FeedbackPost {
    inserts!(
        slugged feedback_posts,
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
    finds!(
        feedback_posts.id,
        |organization| (FeedbackPostRow::as_select(), array(tag_ids(organization)))
            => Listed<FeedbackPostRow<'static>>,
        listed
    );
}

lists!(
    FeedbackPost.tag_ids in feedback_post_tags.feedback_post_id.tag_id:
    tag, tag_anew
);
