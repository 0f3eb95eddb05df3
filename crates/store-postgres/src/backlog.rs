//! The organizations with work for background steps, and the lengths of their queues.

use crate::{PgStore, citus};
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
use hearback_ports::{Backlog, StoreError};
use hearback_store_rows::backlog::{Queue, queues};
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
        // The first identifier of the walk is inclusive. An exclusive one could not include the
        // least identifier, since no identifier is less than that.
        let from = match after {
            None => Some(0),
            Some(OrganizationId(after)) => after.as_u128().checked_add(1),
        };
        let Some(from) = from.map(Uuid::from_u128) else { return Ok(Vec::new()) };
        // If many organizations have a waiting record, the query is too slow for the readers. It
        // must not be starved by slower queries either. So it runs on the writer: the background
        // step writes next anyway.
        let is_citus = self.connector.is_citus();
        let looking = self.writer.read("looking for work", move |connection| {
            async move {
                let (now, mut found) = (Stamp::of(now), Vec::<Uuid>::new());
                for queue in queues(task) {
                    found.extend(if is_citus {
                        citus::waiting(connection, queue, from, now, limit).await?
                    } else {
                        WaitingOrganizations { queue, from, now, limit }.load(connection).await?
                    });
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
        let organization = organization.map(Uuid::from);
        let is_citus = self.connector.is_citus();
        let length = Length { line, organization, now: Stamp::of(now), limit, is_citus };
        // Operators ask for this, most of all during many searches. The dispatcher's connections do
        // not wait for searches.
        let counting = self.dispatcher.read("counting waiting records", move |connection| {
            async move { length.load::<(i64, i64, Option<Stamp>)>(connection).await }.boxed()
        });
        let mut rows = counting.await?;
        let (count, due, due_since) = rows.pop().unwrap_or_default();
        let [count, due] = [count, due].map(|count| u64::try_from(count).unwrap_or_default());
        // The time is the least of many rows, so the error names no row.
        let origin = Origin::new(line.name(), Uuid::nil());
        Ok(Waiting { count, due, due_since: origin.read::<Option<Time>>("due_at", due_since)? })
    }
}

/// Up to `limit` organizations from `from` on with a due record in a queue, by id.
///
/// This statement looks at all organizations. It goes from one organization to the next by a
/// look-up in the index, which finds the first waiting record of the next one. So an organization
/// without a waiting record costs nothing, and the length of a queue costs nothing either. The
/// statement ends when it has found `limit` organizations.
struct WaitingOrganizations {
    queue: &'static Queue,
    from: Uuid,
    now: Stamp,
    limit: i64,
}

impl WaitingOrganizations {
    /// Selects the first waiting record of the first organization that meets the condition
    /// `organization`, and whether the record is due.
    fn first<'b>(
        &'b self,
        out: &mut AstPass<'_, 'b, Pg>,
        organization: impl FnOnce(&mut AstPass<'_, 'b, Pg>) -> QueryResult<()>,
    ) -> QueryResult<()> {
        let Queue { table, waits, order, is_due, .. } = self.queue;
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

/// Each queue has a text of its own, so the statement is prepared by its text.
impl QueryId for WaitingOrganizations {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for WaitingOrganizations {
    type SqlType = SqlUuid;
}

/// The query for the length of a queue.
struct Length {
    line: Line,
    organization: Option<Uuid>,
    now: Stamp,
    limit: i64,
    is_citus: bool,
}

impl Length {
    /// Selects the waiting records: when each is due, and when its lease runs out.
    fn waits<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        match self.line {
            // A subscription that receives nothing now may have many waiting deliveries. So the
            // query goes through the subscriptions that receive deliveries, and looks up those of
            // each.
            Line::Deliveries if self.is_citus => out.push_sql(citus::WAITING_DELIVERIES),
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

/// Each queue has a text of its own, so the statement is prepared by its text.
impl QueryId for Length {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Length {
    type SqlType = (BigInt, BigInt, Nullable<SqlStamp>);
}
