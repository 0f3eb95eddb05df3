//! The organizations with work for background steps, and the lengths of their queues.

use crate::SqliteStore;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Nullable};
use hearback_domain::id::OrganizationId;
use hearback_domain::{Time, Uuid};
use hearback_ports::backlog::{Line, Task, Waiting};
use hearback_ports::{Backlog, StoreError};
use hearback_store_rows::backlog::{Queue, queues};
use hearback_store_rows::{Id, Origin, SqlId, SqlStamp, Stamp};

#[async_trait]
impl Backlog for SqliteStore {
    async fn organizations(
        &self,
        task: Task,
        now: Time,
        after: Option<OrganizationId>,
        limit: i64,
    ) -> Result<Vec<OrganizationId>, StoreError> {
        let mut organizations = self.readers.read("looking for work", |connection| {
            let mut found = Vec::new();
            for queue in queues(task) {
                found.extend(organizations(connection, queue, now, after, limit)?);
            }
            QueryResult::Ok(found)
        })?;
        organizations.sort_unstable();
        organizations.dedup();
        organizations.truncate(usize::try_from(limit).unwrap_or(0));
        Ok(organizations.into_iter().map(|row| row.organization_id.to()).collect())
    }

    async fn waiting(
        &self,
        line: Line,
        organization: Option<OrganizationId>,
        now: Time,
        limit: i64,
    ) -> Result<Waiting, StoreError> {
        let query = move |connection: &mut SqliteConnection| {
            length(connection, line, organization, now, limit)
        };
        // Operators ask for this, most of all during many searches. The `queue_readers` do not wait
        // for searches.
        let Length { count, due, due_since } =
            self.queue_readers.read("counting waiting records", query).await?;
        let [count, due] = [count, due].map(|count| u64::try_from(count).unwrap_or_default());
        // The time is the least of many rows, so the error names no row.
        let origin = Origin::new(line.name(), Id(Uuid::nil()));
        Ok(Waiting { count, due, due_since: origin.read::<Option<Time>>("due_at", due_since)? })
    }
}

/// Up to `limit` organizations behind `after` with a due record in a queue, by id.
///
/// This statement looks at all organizations. It goes from one organization to the next by a
/// look-up in the index, past all waiting records of an organization, and checks whether the first
/// record of each is due. So an organization without a waiting record costs nothing, and the length
/// of a queue costs nothing either. The statement has no ORDER BY, since each step begins where the
/// last one ended. So it reads nothing behind the last organization of the result.
fn organizations(
    connection: &mut SqliteConnection,
    queue: &Queue,
    now: Time,
    after: Option<OrganizationId>,
    limit: i64,
) -> QueryResult<Vec<WaitingOrganization>> {
    let Queue { table, index, waits, is_due, .. } = queue;
    let is_due = is_due.map_or_else(|| "true".to_owned(), |is_due| format!("{is_due}?2"));
    let next = |after: &str| {
        format!(
            "(SELECT organization_id FROM {table} INDEXED BY {index} \
             WHERE {waits} AND organization_id > {after} ORDER BY organization_id LIMIT 1)"
        )
    };
    let (first, following) = (next("?1"), next("waiting.organization_id"));
    diesel::sql_query(format!(
        "WITH RECURSIVE waiting (organization_id) AS ( \
             SELECT {first} \
             UNION ALL \
             SELECT {following} FROM waiting WHERE waiting.organization_id IS NOT NULL \
         ) \
         SELECT organization_id FROM waiting \
         WHERE organization_id IS NOT NULL AND EXISTS ( \
             SELECT 1 FROM {table} AS due INDEXED BY {index} \
             WHERE due.organization_id = waiting.organization_id AND {waits} AND {is_due} \
         ) \
         LIMIT ?3"
    ))
    // An empty blob is less than any identifier.
    .bind::<Binary, _>(after.map(|after| after.0.as_bytes().to_vec()).unwrap_or_default())
    .bind::<SqlStamp, _>(Stamp::of(now))
    .bind::<BigInt, _>(limit)
    .load(connection)
}

#[derive(PartialEq, Eq, PartialOrd, Ord, QueryableByName)]
struct WaitingOrganization {
    #[diesel(sql_type = SqlId)]
    organization_id: Id,
}

/// The query of the records that wait in a queue: when each is due, and the end of its lease. The
/// caller appends the comparison with the organization.
fn waits(line: Line) -> &'static str {
    match line {
        // A subscription that receives nothing now may have many waiting deliveries. So the query
        // goes through the subscriptions that receive deliveries, and looks up those of each.
        Line::Deliveries => {
            "SELECT next_attempt_at AS due_at, leased_until AS held_until \
             FROM webhook_subscriptions CROSS JOIN deliveries INDEXED BY deliveries_pending \
             ON deliveries.organization_id = webhook_subscriptions.organization_id \
             AND deliveries.subscription_id = webhook_subscriptions.id AND next_attempt_at IS NOT NULL \
             WHERE is_active AND NOT awaits_rotation AND webhook_subscriptions.organization_id"
        }
        Line::Entries => {
            "SELECT scheduled_at AS due_at, NULL AS held_until FROM changelog_entries INDEXED BY changelog_entries_scheduled \
             WHERE status_code = 'scheduled' AND is_active AND organization_id"
        }
        Line::Mails => {
            "SELECT next_attempt_at AS due_at, NULL AS held_until FROM mails INDEXED BY mails_pending \
             WHERE next_attempt_at IS NOT NULL AND organization_id"
        }
    }
}

fn length(
    connection: &mut SqliteConnection,
    line: Line,
    organization: Option<OrganizationId>,
    now: Time,
    limit: i64,
) -> QueryResult<Length> {
    let waits = waits(line);
    // An empty blob is less than any identifier.
    let (these, organization) = match organization {
        None => (">", Vec::new()),
        Some(organization) => ("=", organization.0.as_bytes().to_vec()),
    };
    diesel::sql_query(format!(
        "SELECT count(*) AS count, count(*) FILTER (WHERE is_due) AS due, min(due_at) FILTER (WHERE is_due) AS due_since \
         FROM (SELECT due_at, due_at <= ?1 AND (held_until IS NULL OR held_until < ?1) AS is_due \
         FROM ({waits} {these} ?2 LIMIT ?3))"
    ))
    .bind::<SqlStamp, _>(Stamp::of(now))
    .bind::<Binary, _>(organization)
    .bind::<BigInt, _>(limit)
    .get_result(connection)
}

#[derive(QueryableByName)]
struct Length {
    #[diesel(sql_type = BigInt)]
    count: i64,
    #[diesel(sql_type = BigInt)]
    due: i64,
    #[diesel(sql_type = Nullable<SqlStamp>)]
    due_since: Option<Stamp>,
}
