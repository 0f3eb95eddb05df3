//! Feedback posts.

use crate::error::{Undone, store_error};
use crate::post_access::{access, is_selective};
use crate::readers::gives_way;
use crate::sql::instr;
use crate::stored::{Stored, finds, inserts, lists, updates};
use crate::writer::give_way;
use crate::{SqliteStore, merge, moves, post_search, similar, unmerge};
use async_trait::async_trait;
use diesel::dsl::{AsSelect, auto_type};
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::feedback_post::{FeedbackPost, PostDetails, PostFilter, PostSort};
use hearback_domain::id::{BoardId, OrganizationId, PostId};
use hearback_domain::merge::{
    Merge, MergeCase, MergeEffects, MergeRequest, Unmerge, UnmergeEffects,
};
use hearback_ports::feedback_posts::Attached;
use hearback_ports::page::{ByPost, Page, PageRequest};
use hearback_ports::{FeedbackPostRepository, Recorded, StoreError};
use hearback_store_rows::access::{Access, Condition};
use hearback_store_rows::feedback_posts::{
    CountedPost, Place, RankedPost, is_ranked, key_by_rank, key_by_time,
};
use hearback_store_rows::queries::counted_posts;
use hearback_store_rows::rows::{EditedRow, FeedbackPostRow};
use hearback_store_rows::schema::{feedback_post_tags, feedback_posts};
use hearback_store_rows::shown::{ShownSpend, comment_count, vote_count_in_moves};
use hearback_store_rows::sqlite::lists::{
    FirstNumber, Posts, SecondNumber, posts, posts_by, posts_by_rank, posts_in_order, posts_sorted,
    sorted_by_rank,
};
use hearback_store_rows::{Edited, Id, all, counts, ids_beside, merges};
use std::sync::{Arc, OnceLock};

#[async_trait]
impl FeedbackPostRepository for SqliteStore {
    async fn find(
        &self,
        organization: OrganizationId,
        id: PostId,
    ) -> Result<Option<PostDetails>, StoreError> {
        let found = self.readers.read("finding a feedback post", |connection| {
            find(connection, organization, Id::of(id))
        })?;
        Ok(found.map(PostDetails::try_from).transpose()?)
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: PostFilter,
        sort: PostSort,
        page: PageRequest<ByPost>,
    ) -> Result<Page<PostDetails, ByPost>, StoreError> {
        let limit = page.limit;
        let doing = "listing feedback posts";
        if filter.company_id.is_some() {
            // The votes of a merge that is recorded are those of its target.
            while self.move_votes().await? > 0 {}
        }
        // A search walks posts until the page is full, perhaps all posts. So do selective filters,
        // and a list by counts with a status.
        let is_long = filter.search.is_some()
            || is_selective(&filter)
            || (is_ranked(sort) && filter.status_id.is_some());
        let list = move |connection: &mut SqliteConnection| {
            listed(connection, organization, &filter, sort, &page)
        };
        let (found, next) = if is_long {
            self.slow_readers.snapshot(doing, list).await?
        } else {
            self.readers.snapshot(doing, list)?
        };
        let posts = all(found)?;
        if is_ranked(sort) {
            return Ok(Page { items: posts, next });
        }
        Ok(Page::cut(posts, limit, |details| key_by_time(sort, &details.post)))
    }

    async fn candidates(
        &self,
        organization: OrganizationId,
        title: String,
        board: Option<BoardId>,
    ) -> Result<Vec<(PostId, String)>, StoreError> {
        let query = move |connection: &mut SqliteConnection| {
            similar::candidates(connection, organization, &title, board)
        };
        let found = self.slow_readers.snapshot("looking for similar posts", query).await?;
        Ok(found.into_iter().map(|(id, title)| (id.to(), title)).collect())
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
        self.writer.record_many("recording a merge", work).await
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
        self.writer.record_many(UNMERGING, work).await
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
        self.writer.record_many(UNMERGING, work).await.map(|_| found.get().copied())
    }

    async fn move_votes(&self) -> Result<usize, StoreError> {
        if self.readers.read(MOVING, moves::next)?.is_none() {
            return Ok(0);
        }
        let moved = self.writer.write(MOVING, moves::step).await?;
        give_way().await;
        moved.map_err(|error| store_error(MOVING, error))
    }

    async fn index_posts(&self) -> Result<usize, StoreError> {
        let doing = "indexing posts";
        for (is_behind, index_some) in INDEXES {
            if self.readers.read(doing, is_behind)? {
                let indexed = self.writer.write(doing, index_some).await?;
                give_way().await;
                return indexed.map_err(|error| store_error(doing, error));
            }
        }
        Ok(0)
    }
}

/// The indexes of posts that a background step fills: whether posts are missing, and the step.
const INDEXES: [(Question, Step); 2] = [
    (similar::is_incomplete, similar::index_some),
    (post_search::is_behind, post_search::index_some),
];
type Question = fn(&mut SqliteConnection) -> QueryResult<bool>;
type Step = fn(&mut SqliteConnection) -> QueryResult<usize>;

/// The operation that moves the votes of a merge.
const MOVING: &str = "moving the votes of a merge";

/// The operation that ends a merge.
const UNMERGING: &str = "recording the end of a merge";

/// The posts of a page and, in a list by time, the first post behind it. In a list by counts, the
/// key of the last post if another page follows.
pub(crate) fn listed(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    filter: &PostFilter,
    sort: PostSort,
    page: &PageRequest<ByPost>,
) -> QueryResult<(Vec<CountedPost>, Option<ByPost>)> {
    let after = page.after.map(Place::new);
    let access = access(connection, organization, filter, sort)?;
    let mut matching = posts_by(access, organization, filter);
    if let Some(search) = &filter.search {
        matching = matching
            .filter(gives_way())
            .filter(instr(feedback_posts::search_text, search.as_str().to_owned()).gt(0));
        if access == Access::Index(Condition::Text) {
            matching = post_search::that_may_contain(matching, organization, search.as_str());
        }
    }
    // The values that a list shows take longer than the sorting. They are read of the page alone.
    let page_of = |connection: &mut SqliteConnection, sorted: Posts| -> QueryResult<Posts> {
        let sorted = sorted.limit(page.limit.and_one()).select(feedback_posts::id);
        let ids: Vec<Id> = sorted.load(connection)?;
        let all = PostFilter { include_deleted: true, ..PostFilter::default() };
        Ok(posts(organization, &all).filter(feedback_posts::id.eq_any(ids)))
    };
    if is_ranked(sort) {
        let after = after.and_then(Place::rank);
        let mut ranked = posts_by_rank(matching, organization, filter.board_id, sort, after);
        if let Access::Index(_) = access {
            let these = page_of(connection, sorted_by_rank(ranked, sort))?;
            ranked = sorted_by_rank(these, sort);
        }
        let (row, hidden, votes, comments, spend, plans) = counted(organization);
        let (first, second) = (FirstNumber(sort), SecondNumber(sort));
        let ranked: Vec<RankedPost> = ranked
            .limit(page.limit.and_one())
            .select((row, hidden, votes, comments, spend, plans, first, second))
            .load(connection)?;
        let page = Page::cut(ranked, page.limit, |(row, .., first, second)| {
            key_by_rank(sort, (*first, *second, row.id))
        });
        return Ok((page.items.into_iter().map(CountedPost::from).collect(), page.next));
    }
    let after = after.and_then(Place::time);
    let found = match access {
        Access::Index(_) => {
            let these = page_of(connection, posts_sorted(matching, sort, after))?;
            posts_sorted(these, sort, None)
        }
        Access::Any if filter.merged_into_id.is_none() => posts_in_order(matching, sort, after),
        Access::Any | Access::Lookup => posts_sorted(matching, sort, after),
    };
    let found = found.limit(page.limit.and_one()).select(counted(organization)).load(connection)?;
    Ok((found, None))
}

/// An active post.
fn find(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: Id,
) -> QueryResult<Option<CountedPost>> {
    counted_posts()
        .filter(feedback_posts::organization_id.eq(Id::of(organization)))
        .filter(feedback_posts::id.eq(id))
        .filter(feedback_posts::is_active)
        .select(counted(organization))
        .first(connection)
        .optional()
}

/// The columns of a [`CountedPost`].
#[auto_type]
fn counted(organization: OrganizationId) -> _ {
    let organization: Id = Id::of(organization);
    let row: AsSelect<FeedbackPostRow<'static>, Sqlite> = FeedbackPostRow::as_select();
    let (hidden, spend, plans): (HiddenTags, ShownSpend, RoadmapPosts) =
        (HiddenTags(organization), ShownSpend(organization), RoadmapPosts(organization));
    let votes: vote_count_in_moves = vote_count_in_moves(organization);
    let comments: comment_count = comment_count();
    (row, hidden, votes, comments, spend, plans)
}

ids_beside! {
    /// The tags that are being removed. Posts do not show them. SQLite finds them once for all posts
    /// of a statement.
    HiddenTags:
    "(SELECT unhex(coalesce(group_concat(hex(id), ''), '')) FROM tags \
     WHERE removal_pending AND organization_id = ",
    ")"
}

ids_beside! {
    /// The active roadmap posts that are linked to a post, in the order of the links. Their sorter
    /// takes longer than a look for links, and most posts have none.
    RoadmapPosts:
    "CASE WHEN EXISTS (SELECT 1 FROM roadmap_links WHERE roadmap_links.feedback_post_id = feedback_posts.id \
     AND roadmap_links.organization_id = feedback_posts.organization_id) \
     THEN (SELECT unhex(coalesce(group_concat(hex(roadmap_post_id), '' ORDER BY created_at, id), '')) \
     FROM roadmap_links WHERE roadmap_links.feedback_post_id = feedback_posts.id \
     AND EXISTS (SELECT 1 FROM roadmap_posts \
     WHERE roadmap_posts.organization_id = roadmap_links.organization_id \
     AND roadmap_posts.id = roadmap_links.roadmap_post_id AND roadmap_posts.is_active) \
     AND roadmap_links.organization_id = ",
    ") ELSE x'' END"
}

impl Stored for FeedbackPost {
    inserts!(
        feedback_posts,
        |post| (
            feedback_posts::slug_key.eq(post.slug.key()),
            feedback_posts::search_text.eq(post.search_text()),
            feedback_posts::similar_id.eq(similar::Next),
            FeedbackPostRow { merged_into_id: None, ..FeedbackPostRow::from(post) },
        ),
        write_elsewhere
    );

    fn link(
        connection: &mut SqliteConnection,
        organization: OrganizationId,
        post: &Self,
    ) -> QueryResult<()> {
        counts::begin::<()>(organization, post.id).execute(connection)?;
        Ok(())
    }

    updates!(
        feedback_posts,
        |post| (
            post.changed(|it| it.slug.key()).map(|key| feedback_posts::slug_key.eq(key)),
            post.changed(|post| post.description.clone())
                .map(|text| feedback_posts::description.eq(text)),
            post.changed(FeedbackPost::search_text)
                .map(|text| feedback_posts::search_text.eq(text)),
            EditedRow::changes(&post),
        ),
        update_elsewhere
    );
    finds!(feedback_posts.id, FeedbackPostRow::as_select() => FeedbackPostRow<'static>);
}

/// Stores the tags of a new post, and the keys of its title.
fn write_elsewhere(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    post: &FeedbackPost,
) -> QueryResult<()> {
    tag(connection, organization, post)?;
    similar::index(connection, organization, post)
}

/// Replaces the tags of a post, the keys of its title, and the values beside its counts, if they
/// change.
fn update_elsewhere(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    post: Edited<'_, FeedbackPost>,
) -> QueryResult<()> {
    similar::reindex(connection, organization, &post)?;
    if post.changed(|post| (post.board_id, post.is_active)).is_some() {
        counts::follow::<()>(organization, post.after.id).execute(connection)?;
    }
    tag_anew(connection, organization, post)
}

lists!(
    FeedbackPost.tag_ids in feedback_post_tags.feedback_post_id.tag_id:
    tag, tag_anew
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Role;
    use crate::tests::plans;
    use hearback_domain::{Time, Uuid};
    use hearback_ports::page::{ByTime, Limit, PostPlace};
    use hearback_ports::{Schema, VoteFilter};
    use hearback_store_rows::sqlite::lists;
    use hearback_store_rows::votes::VoteRow;

    #[tokio::test]
    async fn lists_of_changes_and_of_a_company_begin_in_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("test.db")).unwrap();
        store.migrate().await.unwrap();
        let mut connection = store.database.connect(Role::Writer).unwrap();
        let (acme, id, limit) = (Uuid::nil().into(), Uuid::nil(), Limit::DEFAULT);
        let place = PostPlace::Time(Time::MIN);

        for include_deleted in [false, true] {
            let updated_after = Some(Time::MIN);
            let filter = PostFilter { updated_after, include_deleted, ..PostFilter::default() };
            for after in [None, Some(ByPost { place, id })] {
                let page = PageRequest { after, limit };
                let plan = plans(&mut connection, |connection| {
                    listed(connection, acme, &filter, PostSort::Changes, &page)
                });
                let step = "SEARCH feedback_posts USING INDEX feedback_posts_by_change \
                            (organization_id=? AND updated_at>?); SEARCH feedback_post_counts";
                assert!(plan[0].starts_with(step), "{plan:?}");
                assert!(!plan[0].contains("FOR ORDER BY"), "{plan:?}");
            }
        }

        let board_id = Some(id.into());
        for (sort, index) in
            [(PostSort::Votes, "votes"), (PostSort::Trending, "trend"), (PostSort::Spend, "spend")]
        {
            let place = match sort {
                PostSort::Trending => PostPlace::Trend { recent: 0, votes: 0 },
                PostSort::Spend => PostPlace::Spend(0),
                _ => PostPlace::Votes(0),
            };
            for (board_id, on_board) in [(None, ""), (board_id, "board_and_")] {
                let filter = PostFilter { board_id, ..PostFilter::default() };
                for after in [None, Some(ByPost { place, id })] {
                    let page = PageRequest { after, limit };
                    let plan = plans(&mut connection, |connection| {
                        listed(connection, acme, &filter, sort, &page)
                    });
                    let step = format!(
                        "SEARCH feedback_post_counts USING INDEX feedback_post_counts_by_{on_board}{index} \
                         (organization_id=?"
                    );
                    assert!(plan[0].contains(&step), "{plan:?}");
                    assert!(!plan[0].contains("B-TREE FOR ORDER BY"), "{plan:?}");
                }
            }
        }

        let company_id = Some(id.into());
        let filter = PostFilter { company_id, ..PostFilter::default() };
        for sort in [PostSort::Newest, PostSort::Updated, PostSort::Votes] {
            let page = PageRequest { after: None, limit };
            let plan =
                plans(&mut connection, |connection| listed(connection, acme, &filter, sort, &page));
            let steps = "SEARCH users USING INDEX users_by_company (organization_id=? AND company_id=?); \
                         SEARCH votes USING COVERING INDEX sqlite_autoindex_votes_2 \
                         (organization_id=? AND user_id=? AND feedback_post_id>?)";
            assert!(plan[0].contains(steps), "{plan:?}");
        }
        for after in [None, Some(ByTime { at: Time::MIN, id })] {
            let (filter, page) =
                (VoteFilter { company_id, ..VoteFilter::default() }, PageRequest { after, limit });
            let plan = plans(&mut connection, |connection| {
                let votes = lists::votes(acme, filter, &page).select(VoteRow::as_select());
                votes.load::<VoteRow>(connection)
            });
            let step = "SEARCH votes USING INDEX sqlite_autoindex_votes_2 (organization_id=? AND user_id=?";
            assert!(plan[0].contains(step), "{plan:?}");
        }
    }
}
