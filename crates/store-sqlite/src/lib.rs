//! The embedded SQLite adapter of Hearback's ports.
//!
//! The store is one file with a write-ahead log. A read returns the state of the last commit, and
//! waits for no write. All writes run on the one thread of `writer`. Several processes may have the
//! file open at once. A write that waits too long for another process fails with
//! [`StoreError::Busy`].
//!
//! The crate has the same files as the PostgreSQL adapter, with the same functions and statements
//! in the same order. Only `backup` has no counterpart there.
//!
//! **Architecture invariant:** the crate depends on `ports`, `domain` and `store-rows` alone. No
//! type of SQLite or Diesel is public.

mod article_search;
mod audit;
mod backlog;
mod backup;
mod changelog_entries;
mod comments;
mod companies;
mod connection;
mod counts;
mod deliveries;
mod delivery_queue;
mod error;
mod events;
mod examination;
mod export;
mod feedback_posts;
mod filed_articles;
mod follow_ups;
mod help_articles;
mod help_categories;
mod help_collections;
mod help_redirects;
mod images;
mod import;
mod instance;
mod keys;
mod labels;
mod mail_queue;
mod merge;
mod moderation;
mod moves;
mod notices;
mod oidc;
mod organizations;
mod passwords;
mod positions;
mod post_access;
mod post_search;
mod readers;
mod receipts;
mod records;
mod roadmap_posts;
mod saved_views;
mod second_factors;
mod sessions;
mod similar;
mod sql;
mod sso_secrets;
mod stored;
mod subscriptions;
mod unmerge;
mod users;
mod votes;
mod webhook_subscriptions;
mod whole_lists;
mod writer;

pub use crate::backup::{BackupError, ReplaceError, Replacement, UnfitCopy, is_backup, take_copy};

use crate::connection::{Database, Role, begin_immediate};
use crate::error::{Harm, store_error};
use crate::readers::{Readers, SlowReaders};
use crate::writer::Writer;
use async_trait::async_trait;
use diesel::connection::{AnsiTransactionManager, SimpleConnection, TransactionManager};
use diesel::migration::MigrationSource;
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use hearback_ports::error::Source;
use hearback_ports::health::{PoolUse, ReplicaReads};
use hearback_ports::schema::SchemaState;
use hearback_ports::{Alarm, Clock, Ids, Ports, Schema, StoreError, StoreHealth};
use hearback_store_rows::schema::{
    __diesel_schema_migrations, instance as instance_table, sqlite_schema,
};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The store in a database file. Dropping it blocks the thread until the queued writes have run.
/// [`SqliteStore::close`] does not block.
pub struct SqliteStore {
    database: Arc<Database>,
    readers: Readers,
    slow_readers: SlowReaders,
    /// The readers of the dispatcher, which looks at all queues and must not wait for a search.
    queue_readers: SlowReaders,
    writer: Arc<Writer>,
}

impl SqliteStore {
    /// Opens the file at `path`. If there is no file, creates an empty one for its owner alone
    /// (mode 0600).
    ///
    /// [`Schema::migrate`] creates the tables.
    pub fn open(path: &Path) -> Result<Arc<Self>, StoreError> {
        Self::over(Database::open(path)?)
    }

    /// Opens the existing file at `path` for an examination, and leaves it as it is. SQLite creates
    /// and removes its own files beside it.
    pub fn open_existing(path: &Path) -> Result<Arc<Self>, StoreError> {
        Self::over(Database::existing(path)?)
    }

    fn over(database: Database) -> Result<Arc<Self>, StoreError> {
        let database = Arc::new(database);
        Ok(Arc::new(Self {
            readers: Readers::new(Arc::clone(&database)),
            slow_readers: SlowReaders::new(Arc::clone(&database)),
            queue_readers: SlowReaders::new(Arc::clone(&database)),
            writer: Arc::new(Writer::start(Arc::clone(&database))?),
            database,
        }))
    }

    /// All ports: those of the store, the clock, the source of identifiers, and the alarm that
    /// wakes the dispatcher.
    pub fn ports(
        self: Arc<Self>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        alarm: Arc<dyn Alarm>,
    ) -> Ports {
        Ports::new(self, clock, ids, alarm)
    }

    /// Runs the queued writes, then closes the connections. Later writes fail. A later read opens a
    /// connection again.
    pub async fn close(&self) {
        let writer = Arc::clone(&self.writer);
        // The task cannot fail: it is not aborted, and a panic of the writer does not leave
        // `close`.
        let _ = tokio::task::spawn_blocking(move || writer.close()).await;
        self.readers.close();
        self.slow_readers.close();
        self.queue_readers.close();
    }
}

#[async_trait]
impl StoreHealth for SqliteStore {
    async fn ping(&self) -> Result<(), StoreError> {
        let query = |connection: &mut SqliteConnection| {
            instance_table::table
                .select(instance_table::name)
                .first::<String>(connection)
                .optional()
        };
        let doing = "asking the database for an answer";
        self.readers.read(doing, query)?;
        match self.database.harm() {
            None => Ok(()),
            Some(Harm::Damaged) => Err(StoreError::Backend { doing, source: Damaged.into() }),
            Some(Harm::Full) => {
                let doing = "writing to the disk";
                if self.database.room().is_some_and(|bytes| bytes < LEAST_ROOM) {
                    return Err(StoreError::Full { doing, source: NoRoom.into() });
                }
                // A page is written, to find out whether there is room again.
                let work = |connection: &mut SqliteConnection| {
                    diesel::update(instance_table::table)
                        .set(instance_table::value.eq(instance_table::value))
                        .execute(connection)
                };
                let written = self.writer.write(doing, work).await?;
                written.map(|_| ()).map_err(|error| store_error(doing, error))
            }
        }
    }

    /// The readers are no pool: a query runs on the thread of its caller.
    fn pools(&self) -> Vec<PoolUse> {
        vec![
            self.writer.in_use("writer"),
            self.queue_readers.in_use("dispatcher"),
            self.slow_readers.in_use("slow_reader"),
        ]
    }

    fn replica_reads(&self) -> ReplicaReads {
        ReplicaReads::default()
    }
}

/// The room on the disk below which no write is tried after the disk was full. A small write may
/// still find room in the log, and the next one may not.
const LEAST_ROOM: u64 = 1 << 20;

/// The disk is still full.
#[derive(Debug, thiserror::Error)]
#[error("the disk has less than 1 MiB left")]
struct NoRoom;

/// A query met damaged pages since the store was opened.
#[derive(Debug, thiserror::Error)]
#[error("the database is damaged: restore the newest backup")]
struct Damaged;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

/// The most time that a migration waits for the write lock: as long as another process may take for
/// the same migration. The full-text index takes half a minute for 100,000 articles.
const MIGRATION_WAIT: Duration = Duration::from_mins(5);

#[async_trait]
impl Schema for SqliteStore {
    async fn state(&self) -> Result<SchemaState, StoreError> {
        let doing = "reading the schema's version";
        let known = known_versions().map_err(|source| StoreError::Backend { doing, source })?;
        let applied = self.readers.read(doing, applied_versions)?;
        if !applied.is_subset(&known) {
            return Ok(SchemaState::Newer);
        }
        Ok(if applied.len() < known.len() { SchemaState::Old } else { SchemaState::Current })
    }

    async fn migrate(&self) -> Result<(), StoreError> {
        // The state is read first, so that nothing waits for the write lock of an import if no
        // migration is pending.
        if self.state().await? != SchemaState::Old {
            return Ok(());
        }
        let doing = "migrating the schema";
        let database = Arc::clone(&self.database);
        let migrating = tokio::task::spawn_blocking(move || {
            let mut connection = database.connect(Role::Bulk)?;
            let begun = begin_immediate(&mut connection, Instant::now() + MIGRATION_WAIT);
            begun.map_err(|error| store_error(doing, error))?;
            // The pending migrations are read under the write lock, because another process may
            // have run them meanwhile. An error closes the connection, which rolls back all of
            // them.
            connection
                .run_pending_migrations(MIGRATIONS)
                .map_err(|source| StoreError::Backend { doing, source })?;
            connection.batch_execute(STATISTICS).map_err(|error| store_error(doing, error))?;
            AnsiTransactionManager::commit_transaction(&mut connection)
                .map_err(|error| StoreError::Lost { doing, source: Box::new(error) })
        });
        migrating.await.map_err(|error| StoreError::Backend { doing, source: Box::new(error) })?
    }
}

/// The statistics of every index for SQLite's planner: of a million rows, an organization has
/// 100,000, and each further column of an index narrows them down. Without statistics, the planner
/// assumes that the organization alone is almost unique, and walks all votes of an organization
/// instead of looking up those of a post. The statistics do not depend on the content of the file,
/// so that the plans are the same for every file.
const STATISTICS: &str = "
    ANALYZE sqlite_schema;
    DELETE FROM sqlite_stat1;
    INSERT INTO sqlite_stat1 (tbl, idx, stat)
        SELECT all_tables.name, its_indexes.name, '1000000 100000 500 50 5 1'
        FROM sqlite_schema AS all_tables, pragma_index_list(all_tables.name) AS its_indexes
        WHERE all_tables.type = 'table';
";

fn known_versions() -> Result<HashSet<String>, Source> {
    let migrations = MigrationSource::<Sqlite>::migrations(&MIGRATIONS)?;
    Ok(migrations.iter().map(|migration| migration.name().version().to_string()).collect())
}

fn applied_versions(connection: &mut SqliteConnection) -> QueryResult<HashSet<String>> {
    let tables =
        sqlite_schema::table.filter(sqlite_schema::name.eq("__diesel_schema_migrations")).count();
    if tables.get_result::<i64>(connection)? == 0 {
        return Ok(HashSet::new());
    }
    let versions = __diesel_schema_migrations::table
        .select(__diesel_schema_migrations::version)
        .load(connection)?;
    Ok(versions.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use diesel::connection::InstrumentationEvent;
    use diesel::sql_types::Text;
    use hearback_domain::user::UserSelector;
    use hearback_ports::WholeLists;
    use hearback_store_rows::Id;
    use hearback_store_rows::schema::users;
    use hearback_store_rows::sqlite::lists;
    use std::sync::Mutex;

    #[derive(QueryableByName)]
    struct Step {
        #[diesel(sql_type = Text)]
        detail: String,
    }

    #[tokio::test]
    async fn the_bundled_sqlite_has_the_compile_options_of_the_cargo_settings() {
        #[derive(QueryableByName)]
        struct CompileOption {
            #[diesel(sql_type = Text)]
            compile_options: String,
        }
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("test.db")).unwrap();
        let mut connection = store.database.connect(Role::Reader).unwrap();
        let options = diesel::sql_query("PRAGMA compile_options")
            .load::<CompileOption>(&mut connection)
            .unwrap();
        let options: Vec<&str> =
            options.iter().map(|option| option.compile_options.as_str()).collect();
        for option in ["STMTJRNL_SPILL=131071", "ENABLE_QPSG", "THREADSAFE=2"] {
            assert!(options.contains(&option), "{options:?}");
        }
        for option in ["ENABLE_API_ARMOR", "ENABLE_MEMORY_MANAGEMENT", "ENABLE_STAT4"] {
            assert!(!options.contains(&option), "{options:?}");
        }
    }

    #[tokio::test]
    async fn while_the_disk_is_full_writes_fail_reads_succeed_and_a_later_write_ends_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("test.db")).unwrap();
        store.migrate().await.unwrap();
        let keep = |bytes: usize| {
            let row = (instance_table::name.eq("large"), instance_table::value.eq(vec![0; bytes]));
            move |connection: &mut SqliteConnection| -> QueryResult<usize> {
                diesel::insert_into(instance_table::table).values(row).execute(connection)
            }
        };
        let full = store.writer.write("filling the disk", move |connection| {
            // SQLite reports a file that may not become longer as it reports a full disk.
            connection.batch_execute("PRAGMA max_page_count = 1")?;
            keep(1 << 20)(connection)
        });
        let full = full.await.map(|written| written.map_err(|error| store_error("filling", error)));
        assert!(matches!(full, Err(StoreError::Full { .. }) | Ok(Err(StoreError::Full { .. }))));
        assert_eq!(store.database.harm(), Some(Harm::Full));
        let names: Vec<String> = store
            .readers
            .read("", |connection| {
                instance_table::table.select(instance_table::name).load(connection)
            })
            .unwrap();
        assert!(!names.contains(&"large".to_owned()));
        // The probe writes a page, on a connection without the limit.
        store.ping().await.unwrap();
        assert_eq!(store.database.harm(), None);
        store.writer.write("writing", keep(1 << 20)).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_store_is_not_ready_once_a_query_met_damage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = SqliteStore::open(&path).unwrap();
        store.migrate().await.unwrap();
        let roots = diesel::sql_query(
            "SELECT rootpage AS value FROM sqlite_schema WHERE tbl_name = 'tags' AND rootpage > 0",
        );
        let roots: Vec<Number> =
            store.readers.read("", |connection| roots.load(connection)).unwrap();
        store.close().await;
        drop(store);
        let mut bytes = std::fs::read(&path).unwrap();
        for Number { value } in roots {
            bytes.chunks_mut(4096).nth(value as usize - 1).unwrap().fill(0xff);
        }
        std::fs::write(&path, bytes).unwrap();
        let store = SqliteStore::open(&path).unwrap();
        store.ping().await.unwrap();
        for _ in 0..2 {
            assert!(store.tags(hearback_domain::Uuid::nil().into()).await.is_err());
            let StoreError::Backend { source, .. } = store.ping().await.unwrap_err() else {
                panic!()
            };
            assert!(source.is::<Damaged>());
        }
    }

    #[derive(QueryableByName)]
    struct Number {
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        value: i64,
    }

    #[tokio::test]
    async fn a_savepoint_can_undo_more_than_is_kept_in_memory() {
        #[derive(Debug, PartialEq, QueryableByName)]
        struct Sum {
            #[diesel(sql_type = diesel::sql_types::BigInt)]
            sum: i64,
        }
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("test.db")).unwrap();
        let mut connection = store.database.connect(Role::Writer).unwrap();
        let fill = "CREATE TABLE large (n integer, filler blob); WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL \
                    SELECT n + 1 FROM numbers WHERE n < 4000) INSERT INTO large SELECT n, zeroblob(3000) FROM numbers";
        connection.batch_execute(fill).unwrap();
        connection
            .batch_execute(
                "BEGIN; SAVEPOINT job; UPDATE large SET n = n + 1; ROLLBACK TO job; COMMIT",
            )
            .unwrap();
        let sum =
            diesel::sql_query("SELECT sum(n) AS sum FROM large").get_result::<Sum>(&mut connection);
        assert_eq!(sum, Ok(Sum { sum: 4000 * 4001 / 2 }));
    }

    fn plan(connection: &mut SqliteConnection, statement: &str) -> Vec<String> {
        let steps = diesel::sql_query(format!("EXPLAIN QUERY PLAN {statement}"))
            .load::<Step>(connection)
            .unwrap();
        steps.into_iter().map(|step| step.detail).collect()
    }

    /// The query plan of each SELECT, UPDATE and DELETE that `work` runs.
    pub(crate) fn plans<T>(
        connection: &mut SqliteConnection,
        work: impl FnOnce(&mut SqliteConnection) -> QueryResult<T>,
    ) -> Vec<String> {
        let statements: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = Arc::clone(&statements);
        connection.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if let InstrumentationEvent::StartQuery { query, .. } = event {
                seen.lock().unwrap().push(query.to_string());
            }
        });
        work(connection).unwrap();
        connection.set_instrumentation(|_: InstrumentationEvent<'_>| {});
        let statements = std::mem::take(&mut *statements.lock().unwrap());
        let is_planned = |statement: &&String| {
            ["SELECT", "UPDATE", "DELETE"].iter().any(|verb| statement.starts_with(verb))
        };
        statements
            .iter()
            .filter(is_planned)
            .map(|statement| plan(connection, statement).join("; "))
            .collect()
    }

    #[tokio::test]
    async fn votes_of_a_post_and_due_entries_are_looked_up_in_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("test.db")).unwrap();
        store.migrate().await.unwrap();
        for (statement, step) in [
            (
                "DELETE FROM votes WHERE organization_id = ? AND feedback_post_id = ?",
                "SEARCH votes USING INDEX votes_by_feedback_post (organization_id=? AND feedback_post_id=?)",
            ),
            (
                "SELECT user_id FROM votes WHERE organization_id = ? AND roadmap_post_id = ?",
                "SEARCH votes USING COVERING INDEX votes_one_per_roadmap_post (organization_id=? AND roadmap_post_id=?)",
            ),
            (
                "SELECT id FROM changelog_entries WHERE organization_id = ? AND status_code = 'scheduled' AND is_active \
                 AND scheduled_at <= ? ORDER BY scheduled_at, id LIMIT 100",
                "SEARCH changelog_entries USING INDEX changelog_entries_scheduled \
                 (organization_id=? AND scheduled_at<?)",
            ),
        ] {
            let plan = store
                .readers
                .read("explaining", |connection| Ok(plan(connection, statement)))
                .unwrap();
            assert_eq!(plan[0], step, "{statement}");
        }
    }

    #[tokio::test]
    async fn a_selected_user_and_the_votes_to_move_are_looked_up_in_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("test.db")).unwrap();
        store.migrate().await.unwrap();
        let mut connection = store.database.connect(Role::Reader).unwrap();
        let id = hearback_domain::Uuid::nil();
        for (selector, column) in [
            (UserSelector::Id(id.into()), "user_id=?"),
            (UserSelector::Email("ann@acme.example".into()), "email=?"),
            (UserSelector::AnyCase("ann@acme.example".into()), "<expr>=?"),
            (UserSelector::ExternalId("crm-7".into()), "external_id=?"),
        ] {
            let plan = plans(&mut connection, |connection| {
                let query = lists::selected_user(id.into(), &selector);
                query.select(users::id).load::<Id>(connection)
            });
            assert!(plan[0].contains(&format!("(organization_id=? AND {column})")), "{plan:?}");
        }
        let plan = plans(&mut connection, moves::next);
        let step = "SCAN feedback_posts USING INDEX feedback_posts_with_moving_votes";
        assert_eq!(plan, [step]);
    }

    #[tokio::test]
    async fn concurrent_migrations_run_once_and_all_find_the_schema_current() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let migrating = (0..4).map(|_| {
            let store = SqliteStore::open(&path).unwrap();
            tokio::spawn(async move {
                store.migrate().await.unwrap();
                store.state().await.unwrap()
            })
        });
        for migrated in migrating.collect::<Vec<_>>() {
            assert_eq!(migrated.await.unwrap(), SchemaState::Current);
        }
    }

    #[tokio::test]
    async fn a_schema_with_an_unknown_migration_is_newer() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("test.db")).unwrap();
        assert_eq!(store.state().await.unwrap(), SchemaState::Old);
        store.migrate().await.unwrap();
        let add = |connection: &mut SqliteConnection| {
            let version = __diesel_schema_migrations::version.eq("99991231000000");
            diesel::insert_into(__diesel_schema_migrations::table)
                .values(version)
                .execute(connection)
        };
        store.writer.write("adding a migration", add).await.unwrap().unwrap();
        assert_eq!(store.state().await.unwrap(), SchemaState::Newer);
    }
}
