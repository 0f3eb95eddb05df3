//! Schemas that are not up to date: each of these tests has a database of its own.

use super::probes::{PostgresProbe, SqliteProbe};
use super::{fresh_file, postgres};
use futures_util::future::join_all;
use hearback_ports::Schema;
use hearback_ports::schema::SchemaState;
use hearback_store_postgres::{PgOptions, PgStore};
use hearback_store_sqlite::SqliteStore;
use hearback_tests::postgres::Isolation;
use hearback_tests::system::block_on;
use std::sync::Arc;

/// As a release would leave it that knows one migration more.
const NEWER: &str = "INSERT INTO __diesel_schema_migrations (version) VALUES ('99991231235959')";

/// An empty store is old. Several processes bring it up to date at once.
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

/// A store of a newer release is told, and is left as it is.
async fn is_newer(store: &dyn Schema) {
    assert_eq!(store.state().await.expect("the state is read"), SchemaState::Newer);
    store.migrate().await.expect("there is nothing to do");
    assert_eq!(store.state().await.expect("the state is read"), SchemaState::Newer);
}

#[test]
fn several_processes_may_migrate_a_new_file_at_once_and_a_newer_one_is_told() {
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
fn several_processes_may_migrate_a_new_database_at_once_and_a_newer_one_is_told() {
    block_on(async {
        for isolation in [Isolation::ReadCommitted, Isolation::Serializable] {
            let url = postgres::create(isolation).await;
            let mut stores: Vec<Arc<dyn Schema>> = Vec::new();
            for _ in 0..4 {
                stores.push(PgStore::open(PgOptions::new(&url)).await.expect("the database is reached"));
            }
            becomes_current(&stores).await;
            PostgresProbe::new(&url).execute(NEWER).await;
            is_newer(&*stores[0]).await;
        }
    });
}
