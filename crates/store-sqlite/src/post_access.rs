//! The choice of an access path for the lists of posts.
//!
//! A list walks an index in its order, until the page is full. A list by counts looks up each post,
//! too. If few posts pass the filter, it is faster to find and sort them. SQLite has no statistics
//! to tell the two cases apart. So the store counts the posts of each condition in its index, up to
//! a limit.

use crate::{post_search, similar};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use hearback_domain::ClosedSet;
use hearback_domain::feedback_post::{Moderation, PostFilter, PostSort};
use hearback_domain::id::OrganizationId;
use hearback_domain::moderation::Audience;
use hearback_store_rows::access::{Access, Condition};
use hearback_store_rows::feedback_posts::is_ranked;
use hearback_store_rows::statement::Statement;

/// The access path for a filter and an order: by the condition that finds the fewest posts, if it
/// finds few.
pub(crate) fn access(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    filter: &PostFilter,
    sort: PostSort,
) -> QueryResult<Access> {
    // The indexes of boards and statuses have the orders by time, and no deleted posts.
    let is_any = filter.include_deleted || !(filter.search.is_some() || is_selective(filter));
    if !is_ranked(sort) && is_any {
        return Ok(Access::Any);
    }
    // These conditions find few posts, by indexes of their own.
    if filter.company_id.is_some()
        || filter.external_id.is_some()
        || filter.merged_into_id.is_some()
    {
        return Ok(Access::Any);
    }
    let mut fewest = None;
    for (condition, found) in found(connection, organization, filter)? {
        let mut count = 0;
        for posts in found {
            let posts = posts.sql(" AND organization_id = ").id(organization);
            let posts = posts.sql(" LIMIT ").number(MOST + 1).sql(")");
            count += posts.get_result::<i64>(connection)?;
        }
        if fewest.is_none_or(|(least, _)| count < least) {
            fewest = Some((count, condition));
        }
    }
    Ok(match fewest {
        None => Access::Any,
        Some((count, condition)) if count <= MOST => Access::Index(condition),
        Some(_) if is_ranked(sort) => Access::Lookup,
        Some(_) => Access::Any,
    })
}

/// Returns whether a filter has a condition beside board, status and text that few posts may meet.
/// Nearly all posts are accepted and not merged, so these conditions of the portal do not count.
pub(crate) fn is_selective(filter: &PostFilter) -> bool {
    let rest = PostFilter {
        audience: Audience::Team,
        is_merged: filter.is_merged.filter(|is_merged| *is_merged),
        ..filter.clone()
    };
    rest.is_narrow()
}

/// The most posts that are sorted. Of 300,000 posts, these take as long as the walk to the end of a
/// page.
const MOST: i64 = 3_000;

/// The conditions of a filter, each with the counts of the posts that its index has. The caller
/// appends the comparison with the organization.
fn found(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    filter: &PostFilter,
) -> QueryResult<Vec<(Condition, Vec<Statement<BigInt>>)>> {
    let count = Statement::new;
    let mut found = Vec::new();
    if let Some(text) = &filter.search
        && let Some(posts) = post_search::count(organization, text.as_str())
        && !similar::is_incomplete(connection)?
    {
        found.push((Condition::Text, vec![posts]));
    }
    if filter.status_id.is_some() || filter.status_group.is_some() {
        let mut posts = count("SELECT count(*) FROM (SELECT 1 FROM feedback_posts WHERE is_active");
        if let Some(board) = filter.board_id {
            posts = posts.sql(" AND board_id = ").id(board);
        }
        if let Some(status) = filter.status_id {
            posts = posts.sql(" AND status_id = ").id(status);
        }
        if let Some(group) = filter.status_group {
            posts = posts
                .sql(" AND status_id IN (SELECT id FROM statuses WHERE organization_id = ")
                .id(organization)
                .sql(" AND status_group_code = ")
                .text(group.code())
                .sql(")");
        }
        found.push((Condition::Status, vec![posts]));
    }
    if let Some(category) = filter.category_id {
        let posts = count(
            "SELECT count(*) FROM (SELECT 1 FROM feedback_posts WHERE is_active AND category_id = ",
        );
        found.push((Condition::Category, vec![posts.id(category)]));
    }
    if let Some(author) = filter.author_id {
        let posts = count("SELECT count(*) FROM (SELECT 1 FROM feedback_posts WHERE author_id = ");
        found.push((Condition::Author, vec![posts.id(author)]));
    }
    if let Some(owner) = filter.owner_id {
        let posts = count("SELECT count(*) FROM (SELECT 1 FROM feedback_posts WHERE owner_id = ");
        found.push((Condition::Owner, vec![posts.id(owner)]));
    }
    if let Some(state) = filter.moderation
        && state != Moderation::Accepted
    {
        let posts = count(
            "SELECT count(*) FROM (SELECT 1 FROM feedback_posts WHERE is_active \
             AND moderation_status_code <> 'accepted' AND moderation_status_code = ",
        );
        found.push((Condition::Moderation, vec![posts.text(state.code())]));
    }
    if !filter.tag_ids.is_empty() {
        let tagged = |tag| {
            count("SELECT count(*) FROM (SELECT 1 FROM feedback_post_tags WHERE tag_id = ").id(tag)
        };
        found.push((Condition::Tags, filter.tag_ids.iter().copied().map(tagged).collect()));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqliteStore;
    use crate::connection::Role;
    use crate::feedback_posts::listed;
    use crate::tests::plans;
    use diesel::connection::SimpleConnection;
    use hearback_domain::fold::Folded;
    use hearback_domain::status::StatusGroup;
    use hearback_domain::{Time, Uuid};
    use hearback_ports::Schema;
    use hearback_ports::page::{ByPost, Limit, PageRequest, PostPlace};
    use hearback_store_rows::feedback_posts::CountedPost;
    use std::cmp::Reverse;

    /// The number of posts. Every hundredth has the second status, the category and a needle, every
    /// tenth an owner. One of a thousand is on the second board.
    const POSTS: u128 = 4_000;

    /// An organization 1 with the boards 2 and 8, the statuses 3 and 4, a tag 5, an owner 6 and a
    /// category 7.
    const POSTS_OF_ACME: &str = "
        PRAGMA foreign_keys = OFF;
        CREATE TEMP TABLE numbers AS
            WITH RECURSIVE number (n) AS (
                SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 4000
            )
            SELECT n, unhex(printf('%032x', n)) AS id FROM number;
        CREATE TEMP VIEW one AS SELECT unhex(printf('%032x', 1)) AS acme,
            unhex(printf('%032x', 2)) AS board, unhex(printf('%032x', 3)) AS often,
            unhex(printf('%032x', 4)) AS seldom, unhex(printf('%032x', 5)) AS tag,
            unhex(printf('%032x', 6)) AS owner, unhex(printf('%032x', 7)) AS category,
            unhex(printf('%032x', 8)) AS other_board;
        INSERT INTO statuses
            SELECT acme, s.id, '', s.n, '', iif(s.n = 4, 'closed', 'open'), false, true,
                true, true, 0, 0, NULL FROM one, numbers AS s WHERE s.n IN (3, 4);
        INSERT INTO tags (organization_id, id, name, color, show_on_feedback, show_on_roadmap,
            is_active, created_at) SELECT acme, tag, '', '', true, true, true, 0 FROM one;
        INSERT INTO categories (organization_id, id, name, code, color, show_on_feedback,
            show_on_roadmap, is_active, created_at)
            SELECT acme, category, '', '', '', true, true, true, 0 FROM one;
        INSERT INTO feedback_boards (organization_id, id, name, slug, slug_key, is_voting_enabled,
            is_commenting_enabled, show_post_dates, is_active, seq_number, created_at)
            SELECT acme, other_board, '', '', '', true, true, true, true, 0, 0 FROM one;
        INSERT INTO feedback_posts (organization_id, id, title, description, slug, slug_key,
            board_id, author_id, owner_id, status_id, category_id, moderation_status_code,
            is_active, search_text, similar_id, created_at, updated_at)
            SELECT acme, id, '', '', n, n, iif(n % 1000 = 1, other_board, board), owner,
                iif(n % 10 = 0, owner, NULL), iif(n % 100 = 0, seldom, often),
                iif(n % 100 = 0, category, NULL), 'accepted', true,
                iif(n % 100 = 0, 'a needle in the hay', 'the hay'), n, 0, 0
            FROM one, numbers;
        INSERT INTO feedback_post_counts (organization_id, feedback_post_id, board_id, is_active,
            vote_count, comment_count, recent_vote_count, monthly_spend, trend_vote_count)
            SELECT acme, id, iif(n % 1000 = 1, other_board, board), true, n % 7, 0, n % 5, n % 3, n % 7 FROM one, numbers;
        INSERT INTO feedback_post_tags SELECT acme, id, tag, 0 FROM one, numbers;
    ";

    #[tokio::test]
    async fn few_posts_are_sorted_many_are_walked_and_both_have_the_same_order() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("test.db")).unwrap();
        store.migrate().await.unwrap();
        let mut connection = store.database.connect(Role::Writer).unwrap();
        connection.batch_execute(POSTS_OF_ACME).unwrap();
        while post_search::is_behind(&mut connection).unwrap() {
            assert_eq!(post_search::index_some(&mut connection).unwrap(), 100);
        }
        let id = Uuid::from_u128;
        let acme = id(1).into();
        let epoch = Time::parse("1970-01-01").unwrap();

        let often = PostFilter { status_id: Some(id(3).into()), ..PostFilter::default() };
        let seldom = PostFilter { status_id: Some(id(4).into()), ..PostFilter::default() };
        let tagged = PostFilter { tag_ids: vec![id(5).into()], ..PostFilter::default() };
        let owned = PostFilter { owner_id: Some(id(6).into()), ..often.clone() };
        let of_portal = PostFilter {
            audience: Audience::Visitor(None),
            is_merged: Some(false),
            ..seldom.clone()
        };
        assert!(!is_selective(&of_portal) && is_selective(&owned));
        let pending = PostFilter { moderation: Some(Moderation::Pending), ..often.clone() };
        let text = |text| PostFilter { search: Some(Folded::new(text)), ..PostFilter::default() };
        let tagged_needles = PostFilter { search: text("needle").search, ..tagged.clone() };
        let of_group = |group| PostFilter { status_group: Some(group), ..PostFilter::default() };
        let filed = PostFilter { category_id: Some(id(7).into()), ..PostFilter::default() };
        let elsewhere = PostFilter { board_id: Some(id(8).into()), ..often.clone() };
        type Passes = fn(u128) -> bool;
        let cases: [(PostFilter, Access, Passes); 16] = [
            (PostFilter::default(), Access::Any, |_| true),
            (often, Access::Lookup, |n| n % 100 != 0),
            (tagged, Access::Lookup, |_| true),
            (seldom, Access::Index(Condition::Status), |n| n % 100 == 0),
            (of_portal, Access::Index(Condition::Status), |n| n % 100 == 0),
            (elsewhere, Access::Index(Condition::Status), |n| n % 1000 == 1),
            (of_group(StatusGroup::Closed), Access::Index(Condition::Status), |n| n % 100 == 0),
            (of_group(StatusGroup::Open), Access::Lookup, |n| n % 100 != 0),
            (filed, Access::Index(Condition::Category), |n| n % 100 == 0),
            (owned, Access::Index(Condition::Owner), |n| n % 10 == 0 && n % 100 != 0),
            (pending, Access::Index(Condition::Moderation), |_| false),
            (text("needle"), Access::Index(Condition::Text), |n| n % 100 == 0),
            (tagged_needles, Access::Index(Condition::Text), |n| n % 100 == 0),
            (text("pin"), Access::Index(Condition::Text), |_| false),
            (text("hay"), Access::Lookup, |_| true),
            // A shorter text has no trigram.
            (text("ee"), Access::Any, |n| n % 100 == 0),
        ];
        for (filter, expected, passes) in cases {
            for &sort in PostSort::ALL {
                let path = access(&mut connection, acme, &filter, sort).unwrap();
                match expected {
                    Access::Lookup if !is_ranked(sort) => assert_eq!(path, Access::Any),
                    Access::Index(condition)
                        if !is_ranked(sort)
                            && condition != Condition::Text
                            && !is_selective(&filter) =>
                    {
                        assert_eq!(path, Access::Any);
                    }
                    _ => assert_eq!(path, expected, "{filter:?} {sort:?}"),
                }
                // All posts are of one time.
                let rank = |n: u128| match sort {
                    PostSort::Oldest | PostSort::Changes => (0, 0, u128::MAX - n),
                    PostSort::Newest | PostSort::Updated => (0, 0, n),
                    PostSort::Trending => (n % 5, n % 7, n),
                    PostSort::Spend => (0, n % 3, n),
                    PostSort::Votes => (0, n % 7, n),
                };
                let mut all: Vec<u128> = (1..=POSTS).filter(|n| passes(*n)).collect();
                all.sort_by_key(|n| Reverse(rank(*n)));
                let (mut ids, mut after) = (Vec::new(), None);
                for _ in 0..2 {
                    let page = PageRequest { after, limit: Limit::DEFAULT };
                    let (mut posts, next) =
                        listed(&mut connection, acme, &filter, sort, &page).unwrap();
                    posts.truncate(page.limit.get());
                    ids.extend(posts.iter().map(|post| post.row.id.0.as_u128()));
                    if posts.len() < page.limit.get() {
                        break;
                    }
                    after = next.or_else(|| {
                        let id = posts.last()?.row.id.0;
                        Some(ByPost { place: PostPlace::Time(epoch), id })
                    });
                }
                let pages = 2 * Limit::DEFAULT.get();
                assert_eq!(ids, &all[..pages.min(all.len())], "{filter:?} {sort:?}");
            }
        }

        // The full-text index follows the text of a post.
        for (edit, expected) in [
            ("search_text = 'a pin' WHERE similar_id = 7", vec![7]),
            ("similar_id = 4001 WHERE similar_id = 7", vec![7]),
            ("similar_id = 7 WHERE similar_id = 4001", vec![7]),
            ("search_text = 'the hay' WHERE similar_id = 7", vec![]),
        ] {
            connection.batch_execute(&format!("UPDATE feedback_posts SET {edit}")).unwrap();
            let page = PageRequest { after: None, limit: Limit::DEFAULT };
            let (posts, _) =
                listed(&mut connection, acme, &text("pin"), PostSort::Newest, &page).unwrap();
            let ids = |posts: &[CountedPost]| -> Vec<u128> {
                posts.iter().map(|post| post.row.id.0.as_u128()).collect()
            };
            assert_eq!(ids(&posts), expected, "{edit}");
            // The marked post is found by the index, too.
            assert!(!post_search::is_behind(&mut connection).unwrap());
            post_search::index_some(&mut connection).unwrap();
            let (posts, _) =
                listed(&mut connection, acme, &text("pin"), PostSort::Newest, &page).unwrap();
            assert_eq!(ids(&posts), expected, "{edit}");
        }

        // The index of board and status would find all their posts for each row of the counts.
        let filter = PostFilter {
            board_id: Some(id(2).into()),
            status_id: Some(id(3).into()),
            ..PostFilter::default()
        };
        let page = PageRequest { after: None, limit: Limit::DEFAULT };
        let mut plans = |filter: &PostFilter| {
            plans(&mut connection, |connection| {
                listed(connection, acme, filter, PostSort::Votes, &page)
            })
        };
        let plans_of_many = plans(&filter);
        let plan = plans_of_many.last().unwrap();
        let by_id = "SEARCH feedback_posts USING INDEX sqlite_autoindex_feedback_posts_1 \
                     (organization_id=? AND id=?)";
        assert!(plan.contains(by_id) && plan.contains("_by_board_and_votes"), "{plan}");
        // Few posts are found by the index of their condition, and those of an owner by it alone.
        let status = PostFilter { board_id: Some(id(8).into()), ..filter };
        let category = PostFilter { category_id: Some(id(7).into()), ..PostFilter::default() };
        let owner = PostFilter { owner_id: Some(id(6).into()), ..PostFilter::default() };
        for (few, path) in [
            (
                status,
                "INDEX feedback_posts_by_board_and_status \
                 (organization_id=? AND board_id=? AND status_id=?)",
            ),
            (category, "INDEX feedback_posts_by_category (organization_id=? AND category_id=?)"),
            (owner, "COVERING INDEX feedback_posts_by_owner (organization_id=? AND owner_id=?)"),
        ] {
            let plans = plans(&few);
            let path = format!("SEARCH feedback_posts USING {path}");
            assert!(plans[plans.len() - 2].contains(&path), "{path}: {plans:#?}");
        }
    }
}
