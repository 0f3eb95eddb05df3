//! Claims: due deliveries are handed out.

use super::keys::IS_HELD;
use crate::citus;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Binary, Integer, Nullable, Text, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::api_key::Sealed;
use hearback_domain::event::EventType;
use hearback_domain::{Time, Uuid};
use hearback_ports::delivery_queue::{Claim, ClaimedDelivery, DeliveryKey, Queue};
use hearback_store_rows::backlog;
use hearback_store_rows::{BadRow, Origin, SqlStamp, Stamp};

/// Hands out due deliveries.
///
/// The statement goes from queue to queue by one look-up in the index each, which finds the first
/// pending delivery of the next queue. It reads more of a queue only if that delivery is due. It
/// ends when it has found `limit` deliveries: PostgreSQL computes the rows of a recursive part when
/// they are needed.
///
/// The planner has only one plan for it, with any estimates of the tables. A subquery with a
/// limit or a lock is run for each row of the parts before it. The rows to update are looked up in
/// the same way, because the dispatcher's connections use no other joins.
#[derive(Clone, QueryId)]
pub(super) struct Take {
    /// Whether the statement hands out the deliveries of the first organization alone. Each table
    /// then has a condition with the organization, so that Citus knows the node of the rows.
    is_of_one: bool,
    first: (Uuid, Uuid),
    now: Stamp,
    limit: i64,
    per_queue: i64,
    exceptions: Exceptions,
    holder: Uuid,
    until: Stamp,
}

/// The most deliveries of each queue in [`Claim::exceptions`], as columns.
#[derive(Clone, Default, QueryId)]
struct Exceptions {
    organizations: Vec<Uuid>,
    subscriptions: Vec<Uuid>,
    rooms: Vec<i64>,
}

impl Take {
    /// The statement of a claim. `None` if no queue can be behind `after`.
    pub(super) fn new(claim: &Claim) -> Option<Self> {
        let mut exceptions = Exceptions::default();
        for (queue, room) in &claim.exceptions {
            exceptions.organizations.push(queue.organization.0);
            exceptions.subscriptions.push(queue.subscription.0);
            exceptions.rooms.push(count(*room));
        }
        Some(Self {
            is_of_one: false,
            first: first_behind(claim.after)?,
            now: Stamp::of(claim.now),
            limit: count(claim.limit),
            per_queue: count(claim.per_queue),
            exceptions,
            holder: claim.lease.holder,
            until: Stamp::of(claim.lease.until),
        })
    }
}

/// [`Take`] on Citus, by a statement for each organization with due deliveries. Each statement is a
/// transaction by itself. If one fails, the deliveries that were handed out before it are returned.
pub(super) async fn take_by_organization(
    connection: &mut AsyncPgConnection,
    mut take: Take,
) -> QueryResult<Vec<ClaimedRow>> {
    let mut rows: Vec<ClaimedRow> = Vec::new();
    take.is_of_one = true;
    for organization in citus::waiting(connection, &DUE, take.first.0, take.now, i64::MAX).await? {
        if organization != take.first.0 {
            take.first = (organization, Uuid::nil());
        }
        match take.clone().load::<ClaimedRow>(connection).await {
            Ok(some) => {
                take.limit = take.limit.saturating_sub_unsigned(some.len() as u64);
                rows.extend(some);
            }
            Err(error) if rows.is_empty() => return Err(error),
            Err(_) => break,
        }
        if take.limit == 0 {
            break;
        }
    }
    Ok(rows)
}

/// The deliveries that a claim hands out.
const DUE: backlog::Queue = backlog::Queue {
    table: "deliveries",
    index: "deliveries_pending",
    waits: "next_attempt_at IS NOT NULL",
    order: "subscription_id",
    // $2 is the present.
    is_due: Some("(leased_until IS NULL OR leased_until < $2) AND next_attempt_at <= "),
};

/// The first possible queue behind a queue, by organization and subscription.
fn first_behind(queue: Option<Queue>) -> Option<(Uuid, Uuid)> {
    let next = |id: Uuid| id.as_u128().checked_add(1).map(Uuid::from_u128);
    let Some(Queue { organization, subscription }) = queue else {
        return Some((Uuid::nil(), Uuid::nil()));
    };
    match next(subscription.0) {
        Some(subscription) => Some((organization.0, subscription)),
        None => Some((next(organization.0)?, Uuid::nil())),
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl QueryFragment<Pg> for Take {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // $1 is the present, $2 the first organization.
        let of_one = |sql| if self.is_of_one { sql } else { "" };
        out.push_sql(
            "WITH RECURSIVE queue (organization_id, subscription_id, is_due) AS ( \
             (SELECT organization_id, subscription_id, next_attempt_at <= ",
        );
        out.push_bind_param::<SqlStamp, _>(&self.now)?;
        out.push_sql(" FROM deliveries WHERE next_attempt_at IS NOT NULL AND (organization_id, subscription_id) >= (");
        out.push_bind_param::<SqlUuid, _>(&self.first.0)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlUuid, _>(&self.first.1)?;
        out.push_sql(")");
        out.push_sql(of_one(" AND organization_id = $2"));
        out.push_sql(
            " ORDER BY organization_id, subscription_id, next_attempt_at LIMIT 1) \
             UNION ALL SELECT next.* FROM queue CROSS JOIN LATERAL ( \
             SELECT organization_id, subscription_id, next_attempt_at <= $1 FROM deliveries \
             WHERE next_attempt_at IS NOT NULL \
             AND (organization_id, subscription_id) > (queue.organization_id, queue.subscription_id)",
        );
        out.push_sql(of_one(" AND organization_id = $2"));
        out.push_sql(
            " ORDER BY organization_id, subscription_id, next_attempt_at LIMIT 1) AS next), \
             held AS (SELECT delivery.*, receiver.* FROM queue \
             CROSS JOIN LATERAL (SELECT id, url, sealed_secret, \
             CASE WHEN previous_until > $1 THEN previous_sealed_secret END AS previous_sealed_secret \
             FROM webhook_subscriptions \
             WHERE organization_id = queue.organization_id AND id = queue.subscription_id \
             AND is_active AND NOT awaits_rotation",
        );
        out.push_sql(of_one(" AND organization_id = $2"));
        out.push_sql(
            " LIMIT 1) AS receiver \
             CROSS JOIN LATERAL (SELECT organization_id, event_id, subscription_id FROM deliveries \
             WHERE organization_id = queue.organization_id AND subscription_id = receiver.id \
             AND next_attempt_at <= $1 AND (leased_until IS NULL OR leased_until < $1)",
        );
        out.push_sql(of_one(" AND organization_id = $2"));
        out.push_sql(
            " ORDER BY next_attempt_at, event_id LIMIT coalesce((SELECT room FROM unnest(",
        );
        out.push_bind_param::<Array<SqlUuid>, _>(&self.exceptions.organizations)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.exceptions.subscriptions)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<BigInt>, _>(&self.exceptions.rooms)?;
        out.push_sql(
            ") AS exception (organization_id, subscription_id, room) \
             WHERE exception.organization_id = queue.organization_id \
             AND exception.subscription_id = queue.subscription_id), ",
        );
        out.push_bind_param::<BigInt, _>(&self.per_queue)?;
        out.push_sql(") FOR NO KEY UPDATE SKIP LOCKED) AS delivery WHERE queue.is_due LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        out.push_sql(") UPDATE deliveries SET lease_holder = ");
        out.push_bind_param::<SqlUuid, _>(&self.holder)?;
        out.push_sql(", leased_until = ");
        out.push_bind_param::<SqlStamp, _>(&self.until)?;
        out.push_sql(
            ", occurred_at = coalesce(deliveries.occurred_at, $1) FROM held \
             CROSS JOIN LATERAL (SELECT event_type, data FROM events \
             WHERE organization_id = held.organization_id AND id = held.event_id",
        );
        out.push_sql(of_one(" AND organization_id = $2"));
        out.push_sql(" LIMIT 1) AS event WHERE ");
        out.push_sql(IS_HELD);
        out.push_sql(of_one(" AND deliveries.organization_id = $2"));
        out.push_sql(
            " RETURNING held.organization_id, held.subscription_id, held.event_id, event_type, data, url, sealed_secret, \
             previous_sealed_secret, occurred_at, attempt_count, attempts_before_replay, next_attempt_at",
        );
        Ok(())
    }
}

impl Query for Take {
    type SqlType = (
        (SqlUuid, SqlUuid),
        SqlUuid,
        (Text, Text),
        (Text, Binary, Nullable<Binary>),
        (SqlStamp, Integer, Integer),
        SqlStamp,
    );
}

#[derive(Queryable)]
pub(super) struct ClaimedRow {
    pub(super) queue: (Uuid, Uuid),
    pub(super) event: Uuid,
    /// `event_type` and `data`.
    pub(super) happening: (String, String),
    /// `url`, `sealed_secret`, and `previous_sealed_secret` if it is still valid.
    pub(super) receiver: (String, Vec<u8>, Option<Vec<u8>>),
    /// `occurred_at`, `attempt_count`, `attempts_before_replay`.
    pub(super) state: (Stamp, i32, i32),
    pub(super) next_attempt_at: Stamp,
}

impl ClaimedRow {
    pub(super) fn key(&self) -> DeliveryKey {
        let (organization, subscription) = self.queue;
        let queue = Queue { organization: organization.into(), subscription: subscription.into() };
        DeliveryKey { queue, event: self.event.into() }
    }
}

impl TryFrom<ClaimedRow> for ClaimedDelivery {
    type Error = BadRow;

    fn try_from(row: ClaimedRow) -> Result<Self, BadRow> {
        let key = row.key();
        let (event_type, data) = row.happening;
        let (url, secret, previous_secret) = row.receiver;
        let (occurred_at, attempt_count, attempts_before_replay) = row.state;
        let origin = Origin::new("deliveries", row.event);
        let count = |column, count| u32::try_from(count).map_err(|_| origin.bad(column));
        Ok(Self {
            key,
            event_type: Origin::new("events", row.event)
                .read::<EventType>("event_type", event_type.into())?,
            data,
            url,
            secret: Sealed(secret),
            previous_secret: previous_secret.map(Sealed),
            occurred_at: origin.read::<Time>("occurred_at", occurred_at)?,
            attempts: count("attempt_count", attempt_count)?,
            attempts_before_replay: count("attempts_before_replay", attempts_before_replay)?,
        })
    }
}
