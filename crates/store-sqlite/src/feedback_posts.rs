//! Feedback posts.

use crate::error::{Undone, store_error};
use crate::readers::gives_way;
use crate::sql::instr;
use crate::stored::{Stored, finds, inserts, lists, updates};
use crate::writer::give_way;
use crate::{SqliteStore, merge, moves, unmerge};
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::feedback_post::{FeedbackPost, PostDetails, PostFilter};
use hearback_domain::id::{OrganizationId, PostId};
use hearback_domain::merge::{
    Merge, MergeCase, MergeEffects, MergeRequest, Unmerge, UnmergeEffects,
};
use hearback_ports::feedback_posts::Attached;
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{FeedbackPostRepository, Recorded, StoreError};
use hearback_store_rows::feedback_posts::CountedPost;
use hearback_store_rows::rows::FeedbackPostRow;
use hearback_store_rows::schema::{feedback_post_tags, feedback_posts};
use hearback_store_rows::shown::{comment_count, is_shown, vote_count_in_moves};
use hearback_store_rows::sqlite::lists::{posts, posts_behind};
use hearback_store_rows::{Id, Stamp, all, merges, one};
use std::sync::{Arc, OnceLock};

#[async_trait]
impl FeedbackPostRepository for SqliteStore {
    async fn find(
        &self,
        organization: OrganizationId,
        id: PostId,
    ) -> Result<Option<PostDetails>, StoreError> {
        let found = self.readers.snapshot("finding a feedback post", |connection| {
            let counted = one!(feedback_posts, organization, Id::of(id))
                .filter(feedback_posts::is_active)
                .select((
                    FeedbackPostRow::as_select(),
                    vote_count_in_moves(Id::of(organization)),
                    comment_count(Id::of(organization)),
                ))
                .first(connection)
                .optional()?;
            counted.map(|counted| with_tags(connection, organization, counted)).transpose()
        })?;
        Ok(found.map(PostDetails::try_from).transpose()?)
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: PostFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<PostDetails, ByTime>, StoreError> {
        let limit = page.limit;
        let doing = "listing feedback posts";
        // A search walks posts until the page is full, perhaps all posts. So do narrow filters.
        let found = if filter.search.is_some() || filter.is_narrow() {
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
        attached: Attached,
    ) -> Result<Recorded, StoreError> {
        // The votes of an earlier merge of these posts move first.
        let posts = [Id::of(merge.source), Id::of(merge.target)];
        while self.readers.read(MOVING, |connection| {
            for post in posts {
                if moves::votes_from(connection, organization, post)?.is_some() {
                    return Ok(true);
                }
            }
            Ok(false)
        })? {
            self.move_votes().await?;
        }
        let work = move |connection: &mut SqliteConnection| {
            merge::record(connection, organization, merge, &attached)
        };
        self.writer.record("recording a merge", work).await
    }

    async fn merge_effects(
        &self,
        organization: OrganizationId,
        source: PostId,
        target: PostId,
    ) -> Result<MergeEffects, StoreError> {
        while self.move_votes().await? > 0 {}
        let (moved, dropped) = self
            .slow_readers
            .read("counting the votes of a merge", move |connection| {
                merges::effects::<()>(organization, Id::of(source), Id::of(target))
                    .get_result::<(i64, i64)>(connection)
            })
            .await?;
        Ok(MergeEffects { moved, dropped })
    }

    async fn unmerge(
        &self,
        organization: OrganizationId,
        unmerge: Unmerge,
        attached: Attached,
    ) -> Result<Recorded, StoreError> {
        while self.move_votes().await? > 0 {}
        let work = move |connection: &mut SqliteConnection| {
            unmerge::record(connection, organization, unmerge)?;
            merge::attach(connection, organization, &attached)
        };
        self.writer.record(UNMERGING, work).await
    }

    async fn unmerge_effects(
        &self,
        organization: OrganizationId,
        unmerge: Unmerge,
    ) -> Result<Option<UnmergeEffects>, StoreError> {
        while self.move_votes().await? > 0 {}
        let found = Arc::new(OnceLock::new());
        let effects = Arc::clone(&found);
        let work = move |connection: &mut SqliteConnection| {
            let done = unmerge::record(connection, organization, unmerge)?;
            effects.get_or_init(|| done);
            // The changes are rolled back.
            Err(Undone::Stale)
        };
        // It is stale in any case.
        self.writer.record(UNMERGING, work).await.map(|_| found.get().copied())
    }

    async fn move_votes(&self) -> Result<usize, StoreError> {
        if self.readers.read(MOVING, moves::next)?.is_none() {
            return Ok(0);
        }
        let moved = self.writer.write(MOVING, moves::step).await?;
        give_way().await;
        moved.map_err(|error| store_error(MOVING, error))
    }
}

/// The operation that moves the votes of a merge.
const MOVING: &str = "moving the votes of a merge";

/// The operation that ends a merge.
const UNMERGING: &str = "recording the end of a merge";

/// The posts of a page and the first post behind it.
fn listed(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    filter: &PostFilter,
    page: &PageRequest<ByTime>,
) -> QueryResult<Vec<CountedPost>> {
    let mut query = posts(organization, filter).limit(page.limit.and_one());
    if let Some(search) = &filter.search {
        query = query
            .filter(gives_way())
            .filter(instr(feedback_posts::search_text, search.as_str().to_owned()).gt(0));
    }
    let after = page.after.map(|ByTime { at, id }| (Stamp::of(at), Id(id)));
    let counted = posts_behind(query, after)
        .select((
            FeedbackPostRow::as_select(),
            vote_count_in_moves(Id::of(organization)),
            comment_count(Id::of(organization)),
        ))
        .load(connection)?;
    counted.into_iter().map(|counted| with_tags(connection, organization, counted)).collect()
}

fn with_tags(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    (row, vote_count, comment_count): (FeedbackPostRow<'static>, i64, i64),
) -> QueryResult<CountedPost> {
    // Each post takes a statement, which is prepared once. One statement for all posts would be
    // prepared on every call.
    let tag_ids = feedback_post_tags::table
        .filter(feedback_post_tags::organization_id.eq(Id::of(organization)))
        .filter(feedback_post_tags::feedback_post_id.eq(row.id))
        .filter(is_shown(Id::of(organization)))
        .order(feedback_post_tags::place)
        .select(feedback_post_tags::tag_id)
        .load(connection)?;
    Ok(CountedPost { row, tag_ids, vote_count, comment_count })
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

lists!(
    FeedbackPost.tag_ids in feedback_post_tags.feedback_post_id.tag_id:
    tag, tag_anew, tagged(FeedbackPostRow<'static>)
);
