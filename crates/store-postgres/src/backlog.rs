//! The organizations that background steps have work in.

use crate::PgStore;
use async_trait::async_trait;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Nullable, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use futures_util::FutureExt;
use hearback_domain::id::OrganizationId;
use hearback_domain::{Time, Uuid};
use hearback_ports::backlog::{Line, Task, Waiting};
use hearback_ports::deliveries::Ended;
use hearback_ports::{Backlog, StoreError};
use hearback_store_rows::{Origin, SqlStamp, Stamp};

#[async_trait]
impl Backlog for PgStore {
    async fn organizations(
        &self,
        task: Task,
        now: Time,
        after: Option<OrganizationId>,
        limit: i64,
    ) -> Result<Vec<OrganizationId>, StoreError> {
        // The identifiers are walked from the first that may be, since nothing is less than the
        // least of them.
        let from = match after {
            None => Some(0),
            Some(OrganizationId(after)) => after.as_u128().checked_add(1),
        };
        let Some(from) = from.map(Uuid::from_u128) else { return Ok(Vec::new()) };
        // Too slow for the readers where many organizations have something waiting, and not to be
        // starved by what is slower. The step that asks writes next anyway.
        let looking = self.writer.read("looking for work", move |connection| {
            async move {
                let mut found: Vec<Uuid> = Vec::new();
                for queue in queues(task) {
                    found.extend(
                        WaitingOrganizations { queue, from, now: Stamp::of(now), limit }
                            .load::<Uuid>(connection)
                            .await?,
                    );
                }
                Ok(found)
            }
            .boxed()
        });
        let mut organizations = looking.await?;
        organizations.sort_unstable();
        organizations.dedup();
        organizations.truncate(usize::try_from(limit).unwrap_or(0));
        Ok(organizations.into_iter().map(OrganizationId).collect())
    }

    async fn waiting(
        &self,
        line: Line,
        organization: Option<OrganizationId>,
        now: Time,
        limit: i64,
    ) -> Result<Waiting, StoreError> {
        let length =
            Length { line, organization: organization.map(Uuid::from), now: Stamp::of(now), limit };
        // Operators ask, and most of all while much is searched: they do not wait behind that.
        let counting = self.dispatcher.read("counting what waits", move |connection| {
            async move { length.load::<(i64, i64, Option<Stamp>)>(connection).await }.boxed()
        });
        let mut rows = counting.await?;
        let (count, due, due_since) = rows.pop().unwrap_or_default();
        let [count, due] = [count, due].map(|count| u64::try_from(count).unwrap_or_default());
        // It is no row's, but the least of many.
        let origin = Origin::new(line.name(), Uuid::nil());
        Ok(Waiting { count, due, due_since: origin.read::<Option<Time>>("due_at", due_since)? })
    }
}

/// An index that holds what waits for a task, and nothing else, each organization's first one
/// first.
struct Queue {
    table: &'static str,
    /// What the index holds.
    waits: &'static str,
    /// What follows the organization in the index.
    order: &'static str,
    /// Which of it is to be done: that of which this, put before the present, is true. All of it
    /// where nothing is said.
    is_due: Option<&'static str>,
}

fn queues(task: Task) -> &'static [Queue] {
    match task {
        Task::PublishEntries => &[Queue {
            table: "changelog_entries",
            waits: "status_code = 'scheduled' AND is_active",
            order: "scheduled_at",
            is_due: Some("scheduled_at <= "),
        }],
        Task::WriteMails => &[Queue {
            table: "mailings",
            waits: "expanded_at IS NULL",
            order: "changelog_entry_id",
            is_due: None,
        }],
        Task::SendMails => &[
            Queue {
                table: "mails",
                waits: "next_attempt_at IS NOT NULL",
                order: "next_attempt_at",
                is_due: Some("next_attempt_at <= "),
            },
            Queue {
                table: "mails",
                waits: "leased_until IS NOT NULL",
                order: "leased_until",
                is_due: Some("leased_until < "),
            },
        ],
        Task::PruneDeliveries(Ended::Delivered) => &[Queue {
            table: "deliveries",
            waits: "state = 'delivered'",
            order: "ended_at",
            is_due: Some("ended_at < "),
        }],
        Task::PruneDeliveries(Ended::Failed) => &[Queue {
            table: "deliveries",
            waits: "state = 'failed'",
            order: "ended_at",
            is_due: Some("ended_at < "),
        }],
        Task::ExpireDeliveries => &[Queue {
            table: "webhook_subscriptions",
            waits: "inactive_since IS NOT NULL",
            order: "inactive_since",
            is_due: Some("inactive_since < "),
        }],
        Task::PruneReceipts => &[Queue {
            table: "receipts",
            waits: "true",
            order: "created_at",
            is_due: Some("created_at < "),
        }],
    }
}

/// The organizations from `from` on with something due in a queue, by id.
///
/// The one statement that looks at all organizations. It goes from one to the next by a look-up in
/// the index, which finds the first that the next one has waiting: neither organizations with
/// nothing in the queue nor the length of another's queue cost anything. It ends where as many are
/// found as are wanted.
struct WaitingOrganizations {
    queue: &'static Queue,
    from: Uuid,
    now: Stamp,
    limit: i64,
}

impl WaitingOrganizations {
    /// The first that waits, and whether it is due, of the first organization that this lets
    /// through.
    fn first<'b>(
        &'b self,
        out: &mut AstPass<'_, 'b, Pg>,
        organization: impl FnOnce(&mut AstPass<'_, 'b, Pg>) -> QueryResult<()>,
    ) -> QueryResult<()> {
        let Queue { table, waits, order, is_due } = self.queue;
        out.push_sql("(SELECT organization_id, ");
        match is_due {
            Some(is_due) => {
                out.push_sql(is_due);
                out.push_bind_param::<SqlStamp, _>(&self.now)?;
            }
            None => out.push_sql("true"),
        }
        for part in [" AS is_due FROM ", table, " WHERE ", waits, " AND organization_id "] {
            out.push_sql(part);
        }
        organization(out)?;
        for part in [" ORDER BY organization_id, ", order, " LIMIT 1)"] {
            out.push_sql(part);
        }
        Ok(())
    }
}

impl QueryFragment<Pg> for WaitingOrganizations {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "WITH RECURSIVE waiting (organization_id, is_due, found) AS ( \
             SELECT organization_id, is_due, is_due::integer FROM ",
        );
        self.first(&mut out, |out| {
            out.push_sql(">= ");
            out.push_bind_param::<SqlUuid, _>(&self.from)
        })?;
        out.push_sql(
            " AS first UNION ALL \
             SELECT next.organization_id, next.is_due, waiting.found + next.is_due::integer FROM waiting CROSS JOIN LATERAL ",
        );
        self.first(&mut out, |out| {
            out.push_sql("> waiting.organization_id");
            Ok(())
        })?;
        out.push_sql(" AS next WHERE waiting.found < ");
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        out.push_sql(") SELECT organization_id FROM waiting WHERE is_due ORDER BY organization_id");
        Ok(())
    }
}

/// There is a text for each queue, so that the text is what it is prepared by.
impl QueryId for WaitingOrganizations {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for WaitingOrganizations {
    type SqlType = SqlUuid;
}

/// How much waits in a line.
struct Length {
    line: Line,
    organization: Option<Uuid>,
    now: Stamp,
    limit: i64,
}

impl Length {
    /// What waits: when each is due, and until when somebody has it.
    fn waits<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        match self.line {
            // Those who are sent nothing may have much waiting: receivers are gone through, and
            // each one's looked up.
            Line::Deliveries => {
                out.push_sql(
                    "SELECT due_at, held_until FROM webhook_subscriptions CROSS JOIN LATERAL ( \
                     SELECT next_attempt_at AS due_at, leased_until AS held_until FROM deliveries \
                     WHERE deliveries.organization_id = webhook_subscriptions.organization_id \
                     AND deliveries.subscription_id = webhook_subscriptions.id AND next_attempt_at IS NOT NULL \
                     ORDER BY next_attempt_at LIMIT ",
                );
                out.push_bind_param::<BigInt, _>(&self.limit)?;
                out.push_sql(") AS delivery WHERE is_active AND NOT awaits_rotation");
            }
            Line::Entries => out.push_sql(
                "SELECT scheduled_at AS due_at, NULL::timestamptz AS held_until FROM changelog_entries \
                 WHERE status_code = 'scheduled' AND is_active",
            ),
            Line::Mails => out.push_sql(
                "SELECT next_attempt_at AS due_at, NULL::timestamptz AS held_until FROM mails WHERE next_attempt_at IS NOT NULL",
            ),
        }
        if let Some(organization) = &self.organization {
            out.push_sql(" AND organization_id = ");
            out.push_bind_param::<SqlUuid, _>(organization)?;
        }
        out.push_sql(" LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)
    }
}

impl QueryFragment<Pg> for Length {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "SELECT count(*), count(*) FILTER (WHERE is_due), min(due_at) FILTER (WHERE is_due) FROM (SELECT due_at, due_at <= ",
        );
        out.push_bind_param::<SqlStamp, _>(&self.now)?;
        out.push_sql(" AND (held_until IS NULL OR held_until < ");
        out.push_bind_param::<SqlStamp, _>(&self.now)?;
        out.push_sql(") AS is_due FROM (");
        self.waits(&mut out)?;
        out.push_sql(") AS waits) AS waiting");
        Ok(())
    }
}

/// There is a text for each line, so that the text is what it is prepared by.
impl QueryId for Length {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Length {
    type SqlType = (BigInt, BigInt, Nullable<SqlStamp>);
}
