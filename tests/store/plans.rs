//! PostgreSQL's plans for lists. They are generic: made for any values.

use super::{open_database, postgres};
use hearback_domain::changelog_entry::{ChangelogEntry, EntryFilter, EntrySort, EntryStatus};
use hearback_domain::comment::CommentFilter;
use hearback_domain::feedback_post::{FeedbackPost, PostFilter, PostSort};
use hearback_domain::help_article::{
    ArticleFilter, ArticleParent, ArticleSort, ArticleStatus, HelpArticle,
};
use hearback_domain::help_category::HelpCategory;
use hearback_domain::id::{CompanyId, HelpCategoryId, HelpCollectionId};
use hearback_domain::merge::Merge;
use hearback_domain::position::Position;
use hearback_domain::roadmap_post::RoadmapFilter;
use hearback_domain::status::{Status, StatusGroup};
use hearback_domain::user::User;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::feedback_posts::Attached;
use hearback_ports::{Limit, PageRequest, Ports, Recorded, VoteFilter};
use hearback_tests::build::{Imported, Tenant, Votable, tick};
use hearback_tests::postgres::Isolation;
use hearback_tests::system::{block_on, fresh};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::sleep;
use tokio_postgres::Client;

/// The number of records of each kind in the large organization.
const MANY: usize = 1_500;

#[test]
fn lists_of_a_large_organization_read_far_less_than_all_of_it_by_plans_for_any_values() {
    block_on(async {
        let database = postgres::create(Isolation::ReadCommitted).await;
        let ports = open_database(&database).await.ports;
        let client = postgres::connect(&database).await;
        // This opens the sessions over which lists are read. The next import invalidates the plans
        // that they make now.
        let (small, asked) = organization(1);
        list(&ports, &small.import(&ports).await, &asked).await;
        let open = sessions(&client).await;

        let (large, asked) = organization(MANY);
        let large = large.import(&ports).await;
        // The import's session reports its reads at its end, which may come after the end of the
        // import.
        while sessions(&client).await > open {
            sleep(Duration::from_millis(10)).await;
        }
        client.batch_execute("SELECT pg_stat_reset()").await.expect("the counters are reset");
        list(&ports, &large, &asked).await;

        let read = entries_read(&client).await;
        // Some thirty lists of 26 records each, which look up the records that these refer to. A
        // list that scanned or sorted all records would read all entries of some index.
        assert!(read.values().all(|entries| *entries < MANY as i64), "{read:?}");
        assert!(read.values().sum::<i64>() > 26 * 10, "{read:?}");
    });
}

#[test]
fn lists_on_citus_are_read_on_the_node_of_their_organization() {
    block_on(async {
        let database = postgres::create(Isolation::ReadCommitted).await;
        let (acme, asked) = organization(3);
        let acme = acme.import(&open_database(&database).await.ports).await;
        // A query of several nodes is an error from here on.
        let strict = format!("{database}?options=-c%20citus.multi_task_query_log_level%3Derror");
        list(&open_database(&strict).await.ports, &acme, &asked).await;
    });
}

/// The planner expects one row of an organization that is small beside another one, or younger than
/// the statistics. It must not find a set of the filter anew for each post of each post.
#[test]
fn lists_of_an_organization_that_the_statistics_do_not_know_are_answered_in_time() {
    block_on(async {
        let database = postgres::create(Isolation::ReadCommitted).await;
        let ports = open_database(&database).await.ports;
        let client = postgres::connect(&database).await;
        organization(MANY).0.import(&ports).await;
        client.batch_execute("ANALYZE").await.expect("the tables are analyzed");

        let mut acme = Tenant::new();
        let company_id = Some(acme.add(acme.company()).id);
        let (member, other) = (acme.add(User { company_id, ..acme.user() }), acme.add(acme.user()));
        let tags = Vec::from_iter((0..60).map(|_| acme.add(acme.tag()).id));
        for _ in 0..60 {
            acme.add(Status { group: StatusGroup::Closed, ..acme.status() });
        }
        for nth in 0..200 {
            // The posts with the most votes have no tag.
            let tag_ids = if nth < 100 { tags.clone() } else { vec![] };
            let post = acme.add(FeedbackPost { tag_ids, ..acme.post() });
            acme.add(acme.vote(&member, &post));
            if nth >= 100 {
                acme.add(acme.vote(&other, &post));
            }
        }
        let acme = acme.import(&ports).await;
        let all = PostFilter::default;
        // A list that takes more than five seconds is an error.
        for (filter, posts) in [
            (PostFilter { company_id, ..all() }, 25),
            (PostFilter { tag_ids: tags, ..all() }, 25),
            (PostFilter { status_group: Some(StatusGroup::Closed), ..all() }, 0),
            (PostFilter { board_ids: Some(vec![acme.board.id]), ..all() }, 25),
        ] {
            for &sort in PostSort::ALL {
                let page = PageRequest { after: None, limit: Limit::DEFAULT };
                let page = ports.feedback_posts.page(acme.id(), filter.clone(), sort, page).await;
                assert_eq!(page.expect("posts").items.len(), posts, "{filter:?}");
            }
        }
    });
}

/// The planner expects one vote of a post if nothing is known of the table. It must not compare each
/// vote of one post with each vote of the other.
#[test]
fn a_merge_without_statistics_reads_each_vote_a_few_times() {
    block_on(async {
        let database = postgres::create(Isolation::ReadCommitted).await;
        let client = postgres::connect(&database).await;
        let mut acme = Tenant::new();
        let (source, target) = (acme.add(acme.post()), acme.add(acme.post()));
        for _ in 0..MANY {
            let voter = acme.add(acme.user());
            acme.add(acme.vote(&voter, &source));
            acme.add(acme.vote(&voter, &target));
        }
        let acme = acme.import(&open_database(&database).await.ports).await;
        entries_read(&client).await;
        let forgotten =
            "DELETE FROM pg_statistic WHERE starelid = 'votes'::regclass; SELECT pg_stat_reset()";
        client.batch_execute(forgotten).await.expect("the statistics are forgotten");

        let posts = open_database(&database).await.ports.feedback_posts;
        let id = acme.id();
        let effects = posts.merge_effects(id, source.id, target.id).await.expect("the effects");
        assert_eq!((effects.moved, effects.dropped), (0, MANY as i64));
        let (merger, at) = (acme.author.user_id, tick());
        let merge = Merge { id: fresh(), source: source.id, target: target.id, merger, at };
        let recorded = posts.merge(id, merge, Attached::default()).await.expect("a merge");
        assert_eq!(recorded, Recorded::Done);
        let read = entries_read(&client).await;
        assert!(read.values().all(|entries| *entries < 20 * MANY as i64), "{read:?}");
    });
}

/// The parents of the lists that show the children of one record, and a company with one vote.
struct Asked {
    company: CompanyId,
    collection: HelpCollectionId,
    category: HelpCategoryId,
    commented: FeedbackPost,
    voted: FeedbackPost,
}

/// An organization with `many` records of each kind that has pages. A record with `many` children
/// is on no page that counts children.
fn organization(many: usize) -> (Tenant, Asked) {
    let mut acme = Tenant::new();
    let users: Vec<User> = (0..many).map(|_| acme.add(acme.user())).collect();
    // The newest records come first.
    let (commented, voted) = (acme.add(acme.post()), acme.add(acme.post()));
    for user in &users {
        acme.add(acme.post());
        acme.add(acme.comment(&commented));
        acme.add(acme.vote(user, &voted));
        acme.add(ChangelogEntry {
            status: EntryStatus::Published,
            published_at: Some(commented.created_at),
            ..acme.entry()
        });
        acme.add(acme.help_collection());
        acme.add(acme.roadmap_post());
    }
    // The last record of a position comes last.
    let collection_id = acme.add(acme.help_collection()).id;
    for _ in 0..many {
        let category = acme.add(HelpCategory { collection_id, ..acme.help_category() });
        acme.add(HelpArticle { parent: ArticleParent::Category(category.id), ..acme.article() });
    }
    let category = acme.add(HelpCategory { collection_id, ..acme.help_category() }).id;
    for _ in 0..many {
        acme.add(HelpArticle {
            parent: ArticleParent::Category(category),
            status: ArticleStatus::Published,
            published_at: Some(commented.created_at),
            ..acme.article()
        });
    }
    let company = acme.add(acme.company()).id;
    let user = acme.add(User { company_id: Some(company), ..acme.user() });
    acme.add(acme.vote(&user, &commented));
    (acme, Asked { company, collection: collection_id, category, commented, voted })
}

/// Reads the first page of each list whose query ends with its page.
async fn list(ports: &Ports, acme: &Imported, asked: &Asked) {
    let (id, limit) = (acme.id(), Limit::DEFAULT);
    let [all, on_board, of_status] = [
        PostFilter::default(),
        PostFilter { board_id: Some(acme.board.id), ..PostFilter::default() },
        PostFilter { status_id: Some(acme.status.id), ..PostFilter::default() },
    ];
    for &sort in PostSort::ALL {
        // A list by counts with a status is planned for its values.
        let of_status = (!matches!(sort, PostSort::Votes | PostSort::Trending | PostSort::Spend))
            .then_some(of_status.clone());
        for filter in [all.clone(), on_board.clone()].into_iter().chain(of_status) {
            ports
                .feedback_posts
                .page(id, filter, sort, PageRequest { after: None, limit })
                .await
                .expect("posts");
        }
    }
    let company_id = Some(asked.company);
    let updated_after = Some(asked.commented.updated_at);
    let board_ids = Some(vec![acme.board.id]);
    for (filter, sort) in [
        (PostFilter { board_ids, ..PostFilter::default() }, PostSort::Newest),
        (PostFilter { updated_after, ..PostFilter::default() }, PostSort::Changes),
        (
            PostFilter { updated_after, include_deleted: true, ..PostFilter::default() },
            PostSort::Changes,
        ),
        (PostFilter { company_id, ..PostFilter::default() }, PostSort::Newest),
        (
            PostFilter { merged_into_id: Some(asked.commented.id), ..PostFilter::default() },
            PostSort::Newest,
        ),
    ] {
        let page = PageRequest { after: None, limit };
        ports.feedback_posts.page(id, filter, sort, page).await.expect("posts");
    }
    for updated_after in [None, updated_after] {
        let filter = RoadmapFilter { updated_after, ..RoadmapFilter::default() };
        let page = PageRequest { after: None, limit };
        ports.roadmap_posts.page(id, filter, page).await.expect("roadmap posts");
    }
    for company_id in [None, company_id] {
        let filter = VoteFilter { company_id, ..VoteFilter::default() };
        ports.votes.page(id, filter, PageRequest { after: None, limit }).await.expect("votes");
    }
    let feedback_post_id = Some(asked.commented.id);
    let comments = CommentFilter { feedback_post_id, ..CommentFilter::default() };
    ports.comments.page(id, comments, PageRequest { after: None, limit }).await.expect("comments");
    let target = asked.voted.target();
    ports.votes.voters(id, target, PageRequest { after: None, limit }).await.expect("voters");
    let targets = vec![asked.commented.target(), asked.voted.target()];
    ports.votes.voted(id, acme.author.user_id, targets).await.expect("votes");
    let public = EntryFilter { is_public: true, ..EntryFilter::default() };
    let all = EntrySort::ALL.iter().map(|sort| (EntryFilter::default(), *sort));
    for (filter, sort) in all.chain([(public, EntrySort::Published)]) {
        let page = PageRequest { after: None, limit };
        ports.changelog_entries.page(id, filter, sort, 0, page).await.expect("entries");
    }
    ports.help_collections.page(id, PageRequest { after: None, limit }).await.expect("collections");
    for collection in [None, Some(asked.collection)] {
        ports
            .help_categories
            .page(id, collection, PageRequest { after: None, limit })
            .await
            .expect("categories");
    }
    for &sort in ArticleSort::ALL {
        let page = PageRequest { after: None, limit };
        ports.help_articles.page(id, ArticleFilter::default(), sort, page).await.expect("articles");
    }
    let of_category =
        ArticleFilter { category_id: Some(asked.category), ..ArticleFilter::default() };
    let page = PageRequest { after: None, limit };
    ports.help_articles.page(id, of_category, ArticleSort::Updated, page).await.expect("articles");
    let parent = ArticleParent::Category(asked.category);
    let beside = ports.help_articles.around(id, parent, Position::LAST, Uuid::max().into());
    assert!(beside.await.expect("articles").iter().any(Option::is_some));
}

/// The number of sessions of the database.
async fn sessions(client: &Client) -> i64 {
    let sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'";
    client.query_one(sessions, &[]).await.expect("the sessions are seen").get(0)
}

/// The number of entries read from each index, and of rows read by sequential scans of tables. Ends
/// all other sessions, since a session counts its reads at its end.
async fn entries_read(client: &Client) -> BTreeMap<String, i64> {
    let end = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity \
               WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()";
    for ended in client.query(end, &[]).await.expect("the sessions are ended") {
        assert!(ended.get::<_, bool>(0), "a session does not end");
    }
    let read = "SELECT indexrelname::text, idx_tup_read FROM pg_stat_user_indexes WHERE idx_tup_read > 0 \
                UNION ALL SELECT relname::text, seq_tup_read FROM pg_stat_user_tables WHERE seq_tup_read > 0";
    client
        .query(read, &[])
        .await
        .expect("statistics")
        .iter()
        .map(|row| (row.get(0), row.get(1)))
        .collect()
}
