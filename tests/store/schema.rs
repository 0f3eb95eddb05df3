//! Schemas that are out of date or too new. Each test has a database of its own.

use super::probes::{PostgresProbe, SqliteProbe};
use super::{fresh_file, open_database, open_file, postgres};
use futures_util::future::join_all;
use hearback_domain::fold::Folded;
use hearback_domain::help_article::{ArticleFilter, ArticleSort, HelpArticle};
use hearback_domain::position::Position;
use hearback_domain::record::{Kind, Record};
use hearback_ports::schema::SchemaState;
use hearback_ports::webhook_subscriptions::SubscriptionDetails;
use hearback_ports::{Limit, PageRequest, Schema};
use hearback_store_postgres::{PgOptions, PgStore};
use hearback_store_sqlite::SqliteStore;
use hearback_tests::build::{Imported, Tenant};
use hearback_tests::conformance::{Stage, export_all};
use hearback_tests::postgres::Isolation;
use hearback_tests::system::block_on;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The schema of a later release with one more migration.
const NEWER: &str = "INSERT INTO __diesel_schema_migrations (version) VALUES ('99991231235959')";

/// Asserts that the schema of an empty store is old, and that several processes can migrate it at
/// once.
async fn becomes_current(stores: &[Arc<dyn Schema>]) {
    for store in stores {
        assert_eq!(store.state().await.expect("the state is read"), SchemaState::Old);
    }
    for migrated in join_all(stores.iter().map(|store| store.migrate())).await {
        migrated.expect("the schema is made");
    }
    for store in stores {
        assert_eq!(store.state().await.expect("the state is read"), SchemaState::Current);
    }
}

/// Asserts that the schema of a later release is reported as newer and stays unchanged.
async fn is_newer(store: &dyn Schema) {
    assert_eq!(store.state().await.expect("the state is read"), SchemaState::Newer);
    store.migrate().await.expect("there is nothing to do");
    assert_eq!(store.state().await.expect("the state is read"), SchemaState::Newer);
}

#[test]
fn several_processes_may_migrate_a_new_file_at_once_and_a_newer_schema_is_reported() {
    block_on(async {
        let path = fresh_file("schema");
        let store = || -> Arc<dyn Schema> { SqliteStore::open(&path).expect("the file is opened") };
        let stores: Vec<_> = (0..4).map(|_| store()).collect();
        becomes_current(&stores).await;
        SqliteProbe::new(&path).execute(NEWER);
        is_newer(&*stores[0]).await;
    });
}

#[test]
fn several_processes_may_migrate_a_new_database_at_once_and_a_newer_schema_is_reported() {
    block_on(async {
        for isolation in [Isolation::ReadCommitted, Isolation::Serializable] {
            let url = postgres::create(isolation).await;
            let mut stores: Vec<Arc<dyn Schema>> = Vec::new();
            for _ in 0..4 {
                stores.push(
                    PgStore::open(PgOptions::new(&url)).await.expect("the database is reached"),
                );
            }
            becomes_current(&stores).await;
            PostgresProbe::new(&url).execute(NEWER).await;
            is_newer(&*stores[0]).await;
        }
    });
}

/// The ways down of the migrations of a store, newest first, each with the migration's name.
fn downs(store: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let entries =
        fs::read_dir(root.join("migrations").join(store)).expect("the folder of the migrations");
    let mut folders: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    folders.sort();
    let down = |folder: &PathBuf| {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read_to_string(folder.join("down.sql")).expect("a way down"))
    };
    folders.iter().rev().map(down).collect()
}

/// The statements that take the newest schema back to the first one.
fn way_down(store: &str) -> String {
    let mut downs = downs(store);
    downs.pop();
    let forget = "DELETE FROM __diesel_schema_migrations \
                  WHERE version <> (SELECT min(version) FROM __diesel_schema_migrations);";
    let downs: Vec<String> = downs.into_iter().map(|(_, down)| down).collect();
    downs.join("\n") + forget
}

/// An organization with records of every kind of the first schema, and with articles to search for.
async fn filled(stage: &Stage) -> Imported {
    let mut acme = Tenant::full();
    let later = [
        Kind::Company,
        Kind::RoadmapLink,
        Kind::EntryLink,
        Kind::Subscription,
        Kind::DroppedVote,
        Kind::HelpArticleVersion,
        Kind::HelpRedirect,
    ];
    acme.retain(|record| !later.contains(&record.kind()));
    let mut acme = acme.map(|_, record| {
        if let Record::User(user) = record {
            user.company_id = None;
        }
        // The migration makes a first version of each article.
        if let Record::HelpArticle(article) = record {
            (article.version, article.versioned_at) = (1, article.created_at);
        }
        // The migration gives each roadmap post of a board a position.
        if let Record::RoadmapPost(post) = record {
            post.seq_number = Position::of_place(1);
        }
    });
    for _ in 0..3 {
        acme.add(HelpArticle { title: "A needle".to_owned(), ..acme.article() });
    }
    acme.import(&stage.ports).await
}

/// Asserts that records written with the first schema exist with the newest one, that searches find
/// them, and that inactive subscriptions have the time of their deactivation.
async fn comes_along(stage: &Stage, acme: &Imported) {
    assert_eq!(stage.schema.state().await.expect("the state is read"), SchemaState::Current);
    assert_eq!(export_all(&stage.ports, acme.id()).await, acme.exported());
    for query in ["needle", "ee"] {
        let filter = ArticleFilter { search: Some(Folded::new(query)), ..ArticleFilter::default() };
        let request = PageRequest { after: None, limit: Limit::DEFAULT };
        let page = stage
            .ports
            .help_articles
            .page(acme.id(), filter, ArticleSort::Updated, request)
            .await
            .expect("a page");
        assert_eq!(page.items.len(), 3, "{query}");
    }
    let feedback_posts = &stage.ports.feedback_posts;
    while feedback_posts.index_posts().await.expect("posts are indexed") > 0 {}
    let standings = stage
        .ports
        .webhook_subscriptions
        .list(acme.id())
        .await
        .expect("the subscriptions are listed");
    assert!(standings.iter().any(|standing| standing.inactive_since.is_some()));
    for SubscriptionDetails { subscription, inactive_since, .. } in standings {
        assert_eq!(inactive_since, (!subscription.is_active).then_some(subscription.created_at));
    }
}

#[test]
fn records_of_the_first_schema_of_a_file_survive_its_migrations() {
    block_on(async {
        let path = fresh_file("old");
        let acme = filled(&open_file(&path).await).await;
        SqliteProbe::new(&path).execute(&way_down("sqlite"));
        let old = SqliteStore::open(&path).expect("the file is opened");
        assert_eq!(old.state().await.expect("the state is read"), SchemaState::Old);
        comes_along(&open_file(&path).await, &acme).await;
    });
}

#[test]
fn records_of_the_first_schema_of_a_database_survive_its_migrations() {
    block_on(async {
        let url = postgres::create(Isolation::ReadCommitted).await;
        let acme = filled(&open_database(&url).await).await;
        PostgresProbe::new(&url).execute(&way_down("postgres")).await;
        let old = PgStore::open(PgOptions::new(&url)).await.expect("the database is reached");
        assert_eq!(old.state().await.expect("the state is read"), SchemaState::Old);
        comes_along(&open_database(&url).await, &acme).await;
    });
}

#[test]
fn tables_with_records_are_spread_on_citus_and_later_migrations_run_on_them() {
    /// The migrations that are taken back, newest first. They change tables and create one.
    const LATER: [&str; 2] = ["2026-11-24-000000_deleted_tags", "2026-11-23-000000_records"];
    block_on(async {
        let url = postgres::create(Isolation::ReadCommitted).await;
        let store = PgStore::open(PgOptions::new(&url)).await.expect("the database is reached");
        store.migrate().await.expect("the schema is made");
        let stage = super::stage_of(store.clone(), &url);
        let acme = filled(&stage).await;
        let spread = async || {
            let findings = stage.examination.examine().await.expect("the database is examined");
            let limits = "the wait for a lock has no limit";
            assert!(!findings.iter().any(|finding| finding.what.contains(limits)));
            let spread = findings.into_iter().find(|finding| finding.what.contains("Citus"));
            spread.expect("a finding about Citus").what
        };
        assert!(spread().await.contains("not distributed: organizations, categories, "));

        for _ in 0..2 {
            assert!(store.distribute().await.expect("the tables are distributed"));
            assert!(!spread().await.contains("not distributed"));
            comes_along(&stage, &acme).await;
        }

        let probe = PostgresProbe::new(&url);
        for later in LATER {
            let downs = downs("postgres").into_iter();
            let down = downs.filter(|(name, _)| name == later).map(|(_, down)| down).next();
            for statement in down.expect("a migration").split(";\n") {
                probe.execute(statement).await;
            }
            let version = later.split('_').next().unwrap_or_default().replace('-', "");
            let forget = "DELETE FROM __diesel_schema_migrations WHERE version";
            probe.execute(&format!("{forget} = '{version}'")).await;
        }
        assert_eq!(store.state().await.expect("the state is read"), SchemaState::Old);
        store.migrate().await.expect("the schema is brought up to date");
        assert!(!spread().await.contains("not distributed"));
        comes_along(&stage, &acme).await;
    });
}
