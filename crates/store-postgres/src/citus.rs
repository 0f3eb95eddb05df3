//! Citus, an extension of PostgreSQL that spreads tables over nodes.
//!
//! A store finds out once, when it is opened, whether its database has the extension. Then each
//! statement names one organization, so that Citus sends it to the node that has the organization.
//! Statements over all organizations join no tables of different organizations. This module has
//! those statements, the spread of the tables, and its examination.
//!
//! `organizations` is spread by `id`, and every other table of organizations by `organization_id`,
//! on the same nodes. So an organization is on one node, with all its rows, foreign keys and locks.
//! The tables in [`ON_COORDINATOR`] are not spread, and refer to no other table.

use crate::connection::Role;
use crate::error::Undone;
use crate::toggle::Posts;
use crate::{counts, events, receipts};
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use hearback_domain::Uuid;
use hearback_domain::counted::Count;
use hearback_domain::id::{OrganizationId, PostId, RoadmapPostId};
use hearback_domain::vote::{Target, VoteChange};
use hearback_ports::Receipt;
use hearback_ports::examination::Finding;
use hearback_store_rows::backlog::Queue;
use hearback_store_rows::schema::{feedback_posts, roadmap_posts, votes};
use hearback_store_rows::statement::{self, Statement};
use hearback_store_rows::votes::VoteRow;
use hearback_store_rows::{Id, SqlId, SqlStamp, Stamp};

/// The tables with rows of organizations that are looked up before the organization is known.
const ON_COORDINATOR: &[&str] = &["api_keys", "organization_slugs"];

/// Returns whether the database has the extension.
pub(crate) async fn is_there(connection: &mut AsyncPgConnection) -> QueryResult<bool> {
    let query = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS is_so";
    Ok(diesel::sql_query(query).get_result::<Answer>(connection).await?.is_so)
}

/// The setting of a new connection. Citus cannot plan a join or a subquery for any organization.
pub(crate) fn setting(role: Role) -> &'static str {
    match role {
        Role::Reader | Role::Dispatcher => "SET plan_cache_mode = auto",
        Role::SlowReader | Role::Writer | Role::Bulk => "",
    }
}

#[derive(QueryableByName)]
struct Answer {
    #[diesel(sql_type = Bool)]
    is_so: bool,
}

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Prepares a transaction for changes of distributed tables. Returns whether the tables are
/// distributed.
pub(crate) async fn begin_changes(connection: &mut AsyncPgConnection) -> QueryResult<bool> {
    // A foreign key cannot be checked on several connections to a node at once.
    connection.batch_execute("SET LOCAL citus.multi_shard_modify_mode = 'sequential'").await?;
    let query = "SELECT EXISTS (SELECT FROM pg_dist_partition \
                 WHERE logicalrelid = to_regclass('organizations')) AS is_so";
    Ok(diesel::sql_query(query).get_result::<Answer>(connection).await?.is_so)
}

/// The tables that are to be spread and are not, `organizations` first. The parameter is
/// [`ON_COORDINATOR`].
const LOCAL_TABLES: &str = "
    SELECT relname::text AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
        AND (relname = 'organizations' OR EXISTS (SELECT FROM pg_attribute
            WHERE attrelid = pg_class.oid AND attname = 'organization_id'))
        AND relname <> ALL ($1) AND pg_class.oid NOT IN (SELECT logicalrelid FROM pg_dist_partition)
    ORDER BY relname <> 'organizations', relname";

async fn local_tables(connection: &mut AsyncPgConnection) -> QueryResult<Vec<String>> {
    let tables: Vec<Name> = diesel::sql_query(LOCAL_TABLES)
        .bind::<Array<Text>, _>(ON_COORDINATOR)
        .load(connection)
        .await?;
    Ok(tables.into_iter().map(|table| table.name).collect())
}

#[derive(QueryableByName)]
struct ForeignKey {
    #[diesel(sql_type = Text)]
    table: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    definition: String,
}

/// Spreads the tables that are to be spread and are not, with their rows.
pub(crate) async fn distribute(connection: &mut AsyncPgConnection) -> QueryResult<()> {
    let tables = local_tables(connection).await?;
    // With its foreign keys, a table could only be spread before those that refer to it, and after
    // them.
    let keys: Vec<ForeignKey> = diesel::sql_query(
        "SELECT relname::text AS \"table\", conname::text AS name, \
         pg_get_constraintdef(pg_constraint.oid) AS definition \
         FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid \
         WHERE contype = 'f' AND relnamespace = current_schema()::regnamespace \
         AND conrelid NOT IN (SELECT logicalrelid FROM pg_dist_partition)",
    )
    .load(connection)
    .await?;
    for ForeignKey { table, name, .. } in &keys {
        connection
            .batch_execute(&format!("ALTER TABLE {table} DROP CONSTRAINT \"{name}\""))
            .await?;
    }
    for table in tables {
        let by = match &*table {
            "organizations" => "'id'",
            _ => "'organization_id', colocate_with => 'organizations'",
        };
        // The rows that were here stay behind, hidden.
        for spread in [
            format!("SELECT create_distributed_table('{table}', {by})"),
            format!("SELECT truncate_local_data_after_distributing_table('{table}')"),
        ] {
            connection.batch_execute(&spread).await?;
        }
    }
    for ForeignKey { table, name, definition } in &keys {
        if !ON_COORDINATOR.contains(&&**table) {
            let add = format!("ALTER TABLE {table} ADD CONSTRAINT \"{name}\" {definition}");
            connection.batch_execute(&add).await?;
        }
    }
    Ok(())
}

/// Gives the sessions of this role on the workers the limit of a wait for a lock. The coordinator
/// waits for the worker, not for the lock, so the limit of its session does not apply. Citus passes
/// the setting on to the workers.
pub(crate) async fn limit_waits(connection: &mut AsyncPgConnection) -> QueryResult<()> {
    connection
        .batch_execute(
            "DO $$ BEGIN EXECUTE format('ALTER ROLE %I IN DATABASE %I SET lock_timeout = ''2s''', \
             current_user, current_database()); END $$",
        )
        .await
}

/// Begins the snapshot of a transaction on every node: a node's snapshot is that of the first read
/// there. All reads of a node then use one connection.
pub(crate) async fn begin_snapshot(connection: &mut AsyncPgConnection) -> QueryResult<()> {
    connection.batch_execute("SET LOCAL citus.max_adaptive_executor_pool_size = 1").await?;
    diesel::sql_query("SELECT count(id) FROM organizations").execute(connection).await?;
    Ok(())
}

#[derive(QueryableByName)]
struct Facts {
    #[diesel(sql_type = Text)]
    version: String,
    #[diesel(sql_type = BigInt)]
    workers: i64,
    #[diesel(sql_type = BigInt)]
    tables: i64,
    #[diesel(sql_type = BigInt)]
    shards: i64,
    #[diesel(sql_type = BigInt)]
    unlimited: i64,
}

/// The findings about the spread of the tables.
pub(crate) async fn examine(connection: &mut AsyncPgConnection) -> QueryResult<Vec<Finding>> {
    let facts: Facts = diesel::sql_query(
        "SELECT (SELECT extversion FROM pg_extension WHERE extname = 'citus') AS version, \
         (SELECT count(*) FROM pg_dist_node WHERE isactive AND shouldhaveshards AND noderole = 'primary') AS workers, \
         (SELECT count(*) FROM pg_dist_partition WHERE partmethod = 'h') AS tables, \
         (SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = to_regclass('organizations')) AS shards, \
         (SELECT count(*) FROM run_command_on_workers('SHOW lock_timeout') WHERE NOT success OR result = '0') AS unlimited",
    )
    .get_result(connection)
    .await?;
    let local = local_tables(connection).await?;
    Ok(findings(&facts, &local))
}

fn findings(facts: &Facts, local: &[String]) -> Vec<Finding> {
    let Facts { version, workers, tables, shards, unlimited } = facts;
    let spread = format!(
        "the database has Citus {version} with {workers} nodes for data: {tables} tables are distributed, over {shards} shards"
    );
    let mut findings = vec![match local {
        [] => Finding::good(spread),
        local => Finding::warning(
            format!("{spread}; not distributed: {}", local.join(", ")),
            "stop all servers, and run `hearback migrate --distribute`",
        ),
    }];
    if *unlimited > 0 && *tables > 0 {
        findings.push(Finding::warning(
            format!("on {unlimited} nodes, the wait for a lock has no limit: a write may wait for 5 seconds instead of 2"),
            "on the coordinator, set it for the servers' role, as `hearback migrate --distribute` does for its own: \
             ALTER ROLE … SET lock_timeout = '2s'",
        ));
    }
    findings
}

/// Up to `limit` organizations from `from` on with a due record in a queue, by id.
///
/// Each node looks for the first due record of each of its organizations, or goes through the
/// waiting records if these are fewer.
pub(crate) async fn waiting(
    connection: &mut AsyncPgConnection,
    queue: &Queue,
    from: Uuid,
    now: Stamp,
    limit: i64,
) -> QueryResult<Vec<Uuid>> {
    let Queue { table, waits, is_due, .. } = queue;
    let due = is_due
        .map_or_else(|| "$2::timestamptz IS NOT NULL".to_owned(), |is_due| format!("{is_due} $2"));
    let found: Vec<Found> = diesel::sql_query(format!(
        "SELECT organizations.id FROM organizations WHERE organizations.id >= $1 AND EXISTS (SELECT 1 FROM {table} \
         WHERE {table}.organization_id = organizations.id AND {waits} AND {due}) \
         ORDER BY organizations.id LIMIT $3"
    ))
    .bind::<SqlId, _>(Id(from))
    .bind::<SqlStamp, _>(now)
    .bind::<BigInt, _>(limit)
    .load(connection)
    .await?;
    Ok(found.into_iter().map(|found| found.id.0).collect())
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = SqlId)]
    id: Id,
}

/// Selects the waiting deliveries of all organizations, with the columns of a queue's length. A
/// lateral join would join rows of any organizations.
pub(crate) const WAITING_DELIVERIES: &str = "SELECT next_attempt_at AS due_at, leased_until AS held_until FROM deliveries \
     JOIN webhook_subscriptions USING (organization_id) \
     WHERE deliveries.subscription_id = webhook_subscriptions.id AND next_attempt_at IS NOT NULL \
     AND is_active AND NOT awaits_rotation";

/// Records a toggle with its event and receipt in a transaction, by a statement for each table.
pub(crate) async fn record_vote(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    change: &VoteChange,
    receipt: Option<&Receipt>,
) -> Result<(), Undone> {
    let (VoteChange::Cast { event, .. } | VoteChange::Withdraw { event, .. }) = change;
    let target = match change {
        VoteChange::Cast { vote, .. } => vote.target,
        VoteChange::Withdraw { target, .. } => *target,
    };
    let changed = match target {
        Target::Feedback(PostId(post)) => {
            vote_on::<feedback_posts::table>(connection, organization, post, change).await?
        }
        Target::Roadmap(RoadmapPostId(post)) => {
            vote_on::<roadmap_posts::table>(connection, organization, post, change).await?
        }
    };
    if changed == 0 {
        return Err(Undone::Stale);
    }
    events::record(connection, organization, event).await?;
    receipts::insert(connection, organization, receipt).await?;
    let by = if change.voted() { 1 } else { -1 };
    Ok(counts::add(connection, organization, [(Count::votes(target), by)]).await?)
}

/// Casts or withdraws a vote on an open post. Returns the number of votes that changed: 0 or 1.
async fn vote_on<P: Posts>(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    post: Uuid,
    change: &VoteChange,
) -> QueryResult<usize> {
    let open = if change.voted() { P::OPEN } else { P::HAS_VOTES };
    let lock = Statement::<SqlId>::new("SELECT id FROM ").sql(P::TABLE);
    let lock = lock.sql(" WHERE organization_id = ").id(organization).sql(" AND id = ").id(post);
    if lock.sql(" AND ").sql(open).sql(" FOR NO KEY UPDATE").execute(connection).await? == 0 {
        return Ok(0);
    }
    match change {
        VoteChange::Cast { vote, .. } => {
            let row = (votes::organization_id.eq(Id::of(organization)), VoteRow::from(vote));
            let cast = diesel::insert_into(votes::table).values(row).on_conflict_do_nothing();
            cast.execute(connection).await
        }
        VoteChange::Withdraw { vote, .. } => {
            let withdraw = statement::remove::<()>("votes", organization, vote.0);
            withdraw.sql(" AND ").sql(P::VOTED_ON).sql(" = ").id(post).execute(connection).await
        }
    }
}
