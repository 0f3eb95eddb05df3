//! Where background steps have something to do.

use crate::SqliteStore;
use crate::rows::Id;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use hearback_domain::Time;
use hearback_domain::id::OrganizationId;
use hearback_ports::backlog::Task;
use hearback_ports::deliveries::Ended;
use hearback_ports::{Backlog, StoreError};

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
                found.extend(waiting(connection, queue, now, after, limit)?);
            }
            QueryResult::Ok(found)
        })?;
        organizations.sort_unstable();
        organizations.dedup();
        organizations.truncate(usize::try_from(limit).unwrap_or(0));
        Ok(organizations.into_iter().map(|row| row.organization_id.to()).collect())
    }
}

/// An index that holds what waits for a task, and nothing else.
struct Queue {
    table: &'static str,
    index: &'static str,
    /// What the index holds.
    waits: &'static str,
    /// Which of it is to be done at `?2`.
    is_due: &'static str,
}

fn queues(task: Task) -> &'static [Queue] {
    match task {
        Task::PublishEntries => &[Queue {
            table: "changelog_entries",
            index: "changelog_entries_scheduled",
            waits: "status_code = 'scheduled' AND is_active",
            is_due: "scheduled_at <= ?2",
        }],
        Task::WriteMails => {
            &[Queue { table: "mailings", index: "mailings_unexpanded", waits: "expanded_at IS NULL", is_due: "true" }]
        }
        Task::SendMails => &[
            Queue {
                table: "mails",
                index: "mails_pending",
                waits: "next_attempt_at IS NOT NULL",
                is_due: "next_attempt_at <= ?2",
            },
            Queue { table: "mails", index: "mails_sending", waits: "leased_until IS NOT NULL", is_due: "leased_until < ?2" },
        ],
        Task::PruneDeliveries(Ended::Delivered) => {
            &[Queue { table: "deliveries", index: "deliveries_delivered", waits: "state = 'delivered'", is_due: "ended_at < ?2" }]
        }
        Task::PruneDeliveries(Ended::Failed) => {
            &[Queue { table: "deliveries", index: "deliveries_failed", waits: "state = 'failed'", is_due: "ended_at < ?2" }]
        }
        Task::ExpireDeliveries => &[Queue {
            table: "webhook_subscriptions",
            index: "webhook_subscriptions_inactive",
            waits: "inactive_since IS NOT NULL",
            is_due: "inactive_since < ?2",
        }],
        Task::PruneReceipts => &[Queue { table: "receipts", index: "receipts_by_age", waits: "true", is_due: "created_at < ?2" }],
    }
}

/// The organizations behind `after` with something due in a queue, by id.
///
/// The one statement that looks at all organizations. It goes from one to the next by a look-up in the index, past all that an
/// organization has waiting, and asks of each whether its first is due: neither organizations with nothing in the queue nor the
/// length of another's queue cost anything. No order is asked for, since each step begins where the one before it ended; so
/// nothing behind the last one that is wanted is looked at.
fn waiting(
    connection: &mut SqliteConnection,
    queue: &Queue,
    now: Time,
    after: Option<OrganizationId>,
    limit: i64,
) -> QueryResult<Vec<Waiting>> {
    let Queue { table, index, waits, is_due } = queue;
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
    // No bytes at all are less than any identifier.
    .bind::<Binary, _>(after.map(|after| after.0.as_bytes().to_vec()).unwrap_or_default())
    .bind::<BigInt, _>(now.unix_millis())
    .bind::<BigInt, _>(limit)
    .load(connection)
}

#[derive(PartialEq, Eq, PartialOrd, Ord, QueryableByName)]
struct Waiting {
    #[diesel(sql_type = Binary)]
    organization_id: Id,
}
