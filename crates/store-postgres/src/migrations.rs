//! The schema: its migrations, and its spread over the nodes of a Citus cluster.

use crate::connection::Role;
use crate::error::write_error;
use crate::{PgStore, citus};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use hearback_ports::schema::SchemaState;
use hearback_ports::{Schema, StoreError};
use hearback_store_rows::schema::__diesel_schema_migrations as applied;
use std::collections::HashSet;

macro_rules! migrations {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../../migrations/postgres/", $name, "/up.sql")))),+]
    };
}

/// The names of the migrations, oldest first, each with its statements.
const MIGRATIONS: &[(&str, &str)] = migrations![
    "2026-11-21-000000_initial",
    "2026-11-21-040000_mailings_without_leases",
    "2026-11-21-050000_users_who_receive_mail",
    "2026-11-21-060000_article_search",
    "2026-11-21-070000_deliveries",
    "2026-11-21-080000_cheaper_deliveries",
    "2026-11-23-000000_records",
    "2026-11-24-000000_deleted_tags",
    "2026-11-24-060000_slugs_apart",
    "2026-11-24-220000_deleted_organizations",
    "2026-11-25-000000_moving_votes",
    "2026-11-25-010000_external_ids",
    "2026-11-25-050000_feedback_members",
    "2026-11-25-060000_stored_counts",
    "2026-11-25-070000_people",
    "2026-11-25-080000_similar_posts",
    "2026-11-25-090000_listed_votes",
    "2026-11-25-091000_audit_and_moderation",
    "2026-11-25-100000_unmerge",
    "2026-11-25-110000_events_of_people",
    "2026-11-25-120000_changes",
    "2026-11-25-130000_mailings_of_posts",
    "2026-11-25-140000_erasures",
    "2026-11-25-150000_spend_of_posts",
    "2026-11-25-160000_lean_posts",
    "2026-11-25-220000_changelog",
    "2026-11-25-230000_help_external_ids",
    "2026-11-25-233000_erased_articles",
    "2026-11-26-010000_webhooks",
    "2026-11-26-040000_help_article_versions",
    "2026-11-26-050000_help_redirects",
    "2026-11-26-060000_sessions",
    "2026-11-26-070000_portal_settings",
    "2026-11-26-080000_sso_secrets",
    "2026-11-26-130000_passwords",
    "2026-11-26-131000_oidc",
    "2026-11-26-140000_guests",
    "2026-11-26-150000_images",
    "2026-11-26-160000_notifications",
    "2026-11-26-170000_article_neighbours",
    "2026-11-27-000000_second_factors",
    "2026-11-27-020000_daily_counts",
    "2026-11-27-030000_saved_views",
    "2026-11-27-050000_missed_searches",
    "2026-11-27-200000_external_ids_of_all_users",
    "2026-11-28-000000_post_search",
    "2026-11-28-010000_posts_of_a_category",
    "2026-11-28-020000_posts_of_an_owner",
];

#[async_trait]
impl Schema for PgStore {
    async fn state(&self) -> Result<SchemaState, StoreError> {
        let known: HashSet<String> = MIGRATIONS.iter().map(|(name, _)| version(name)).collect();
        let applied = self.applied_versions("reading the schema's version").await?;
        if !applied.is_subset(&known) {
            return Ok(SchemaState::Newer);
        }
        Ok(if applied.len() < known.len() { SchemaState::Old } else { SchemaState::Current })
    }

    async fn migrate(&self) -> Result<(), StoreError> {
        // The state is read first, so that nothing waits for a lock if no migration is pending.
        if self.state().await? != SchemaState::Old {
            return Ok(());
        }
        let doing = "migrating the schema";
        let mut connection = self.connect(doing, Role::Bulk).await?;
        // If several processes create the table at once, all but one may fail. The table exists by
        // then, so the second try succeeds.
        if connection.batch_execute(TABLE).await.is_err() {
            let created = connection.batch_execute(TABLE).await;
            created.map_err(|error| write_error(doing, error))?;
        }
        let migrated = connection.transaction(async |connection| {
            apply_pending(connection, self.connector.is_citus()).await
        });
        migrated.await.map_err(|error| write_error(doing, error))
    }
}

impl PgStore {
    /// Spreads the tables of organizations over the nodes of a Citus cluster, with their rows.
    /// Returns `false` if the database has no Citus. Tables that are spread stay as they are.
    ///
    /// The schema must be up to date. No other process may use the tables meanwhile.
    pub async fn distribute(&self) -> Result<bool, StoreError> {
        if !self.connector.is_citus() {
            return Ok(false);
        }
        let doing = "distributing the tables";
        let mut connection = self.connect(doing, Role::Bulk).await?;
        let distributing = connection.transaction(async |connection| {
            lock(connection).await?;
            citus::begin_changes(connection).await?;
            citus::distribute(connection).await?;
            citus::limit_waits(connection).await
        });
        distributing.await.map_err(|error: diesel::result::Error| write_error(doing, error))?;
        Ok(true)
    }

    async fn applied_versions(&self, doing: &'static str) -> Result<HashSet<String>, StoreError> {
        let query = || {
            diesel::sql_query(
                "SELECT to_regclass('__diesel_schema_migrations') IS NOT NULL AS is_there",
            )
        };
        let table: Option<Table> = self.readers.row(doing, query).await?;
        if table.is_none_or(|table| !table.is_there) {
            return Ok(HashSet::new());
        }
        let versions: Vec<String> =
            self.readers.rows(doing, || applied::table.select(applied::version)).await?;
        Ok(versions.into_iter().collect())
    }
}

#[derive(QueryableByName)]
struct Table {
    #[diesel(sql_type = Bool)]
    is_there: bool,
}

/// The version of a migration: the digits at the beginning of its name.
fn version(name: &str) -> String {
    name.chars().take_while(|c| *c != '_').filter(char::is_ascii_digit).collect()
}

/// Lets one process at a time change the schema, until the transaction ends.
async fn lock(connection: &mut AsyncPgConnection) -> QueryResult<()> {
    // The lock does not conflict with readers of the table. A process that waited for it finds no
    // pending migration.
    connection
        .batch_execute(
            "SET LOCAL lock_timeout = '30s'; \
             LOCK TABLE __diesel_schema_migrations IN SHARE ROW EXCLUSIVE MODE",
        )
        .await
}

/// The table of migrations, as Diesel makes it.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS __diesel_schema_migrations \
                     (version varchar(50) PRIMARY KEY, \
                     run_on timestamp NOT NULL DEFAULT current_timestamp)";

/// Applies the pending migrations in a transaction.
async fn apply_pending(connection: &mut AsyncPgConnection, is_citus: bool) -> QueryResult<()> {
    lock(connection).await?;
    let versions: Vec<String> = applied::table.select(applied::version).load(connection).await?;
    let is_distributed = is_citus && citus::begin_changes(connection).await?;
    for (name, statements) in MIGRATIONS {
        let version = version(name);
        if versions.contains(&version) {
            continue;
        }
        for statement in each(statements) {
            connection.batch_execute(&statement).await?;
            if is_distributed && statement.starts_with("CREATE TABLE") {
                citus::distribute(connection).await?;
            }
        }
        diesel::sql_query("INSERT INTO __diesel_schema_migrations (version) VALUES ($1)")
            .bind::<Text, _>(version)
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// The statements of a migration, without its comments and empty lines. Citus takes one statement at
/// a time.
fn each(statements: &str) -> Vec<String> {
    let mut each = vec![String::new()];
    for line in statements.lines() {
        if line.is_empty() || line.trim_start().starts_with("--") {
            continue;
        }
        if let Some(statement) = each.last_mut() {
            statement.push_str(line);
            statement.push('\n');
        }
        if line.ends_with(';') {
            each.push(String::new());
        }
    }
    each.retain(|statement| !statement.is_empty());
    each
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_migration_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/postgres");
        let mut names: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, MIGRATIONS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    }
}
