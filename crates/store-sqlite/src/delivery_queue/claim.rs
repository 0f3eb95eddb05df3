//! Claims: due deliveries are handed out.

use super::keys::KeyColumns;
use diesel::dsl::not;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Binary, Integer};
use diesel::sqlite::Sqlite;
use hearback_domain::Time;
use hearback_domain::api_key::Sealed;
use hearback_domain::event::EventType;
use hearback_ports::Lease;
use hearback_ports::delivery_queue::{Claim, ClaimedDelivery, DeliveryKey, Queue};
use hearback_store_rows::schema::{deliveries, events, webhook_subscriptions as subscriptions};
use hearback_store_rows::{BadRow, Id, Origin, SqlId, SqlStamp, Stamp, one};

/// The deliveries that may be claimed.
pub(super) struct Found {
    pub(super) due: Vec<(Queue, Vec<DueRow>)>,
    pub(super) next_after: Option<Queue>,
}

/// Finds the deliveries that may be claimed. It goes from queue to queue by one look-up in the
/// index each, for queues of any length. It reads more of a queue only if its first delivery is
/// due.
pub(super) fn find(connection: &mut SqliteConnection, claim: &Claim) -> QueryResult<Found> {
    let (mut due, mut left, mut after) = (Vec::new(), claim.limit, claim.after);
    while left > 0 {
        let Some((queue, earliest)) = next_queue(connection, after)? else {
            return Ok(Found { due, next_after: None });
        };
        after = Some(queue);
        let room = claim.room(queue).min(left);
        if room == 0
            || earliest > Stamp::of(claim.now)
            || receiver(connection, queue, claim.now)?.is_none()
        {
            continue;
        }
        let rows = due_of(connection, queue, claim.now, room)?;
        left -= rows.len();
        if !rows.is_empty() {
            due.push((queue, rows));
        }
    }
    Ok(Found { due, next_after: after })
}

/// The first queue behind `after` with a pending delivery, and when the earliest of those is due.
fn next_queue(
    connection: &mut SqliteConnection,
    after: Option<Queue>,
) -> QueryResult<Option<(Queue, Stamp)>> {
    // An empty blob is less than any identifier.
    let (organization, subscription) = after.map_or_else(Default::default, |after| {
        (after.organization.0.as_bytes().to_vec(), after.subscription.0.as_bytes().to_vec())
    });
    let next = NextQueue { organization, subscription }
        .get_result::<(Id, Id, Stamp)>(connection)
        .optional()?;
    Ok(next.map(|(organization, subscription, earliest)| {
        (Queue { organization: organization.to(), subscription: subscription.to() }, earliest)
    }))
}

/// Selects the first delivery of the next queue, in the order of the index. It is a queue of the
/// same organization, or else of the next organization. With one condition on the pair of the two
/// columns, SQLite would walk all of the queue behind which the search begins.
#[derive(QueryId)]
struct NextQueue {
    organization: Vec<u8>,
    subscription: Vec<u8>,
}

impl QueryFragment<Sqlite> for NextQueue {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql(
            "SELECT * FROM (SELECT organization_id, subscription_id, next_attempt_at \
             FROM deliveries INDEXED BY deliveries_pending \
             WHERE next_attempt_at IS NOT NULL AND organization_id = ",
        );
        out.push_bind_param::<Binary, _>(&self.organization)?;
        out.push_sql(" AND subscription_id > ");
        out.push_bind_param::<Binary, _>(&self.subscription)?;
        out.push_sql(
            " ORDER BY subscription_id, next_attempt_at LIMIT 1) \
             UNION ALL SELECT * FROM (SELECT organization_id, subscription_id, next_attempt_at \
             FROM deliveries INDEXED BY deliveries_pending \
             WHERE next_attempt_at IS NOT NULL AND organization_id > ",
        );
        out.push_bind_param::<Binary, _>(&self.organization)?;
        out.push_sql(
            " ORDER BY organization_id, subscription_id, next_attempt_at LIMIT 1) LIMIT 1",
        );
        Ok(())
    }
}

impl Query for NextQueue {
    type SqlType = (SqlId, SqlId, SqlStamp);
}

impl RunQueryDsl<SqliteConnection> for NextQueue {}

/// The receiver of the deliveries of a queue. `None` if its subscription receives nothing now.
fn receiver(
    connection: &mut SqliteConnection,
    queue: Queue,
    now: Time,
) -> QueryResult<Option<Receiver>> {
    let receiver = one!(subscriptions, queue.organization, Id::of(queue.subscription))
        .filter(subscriptions::is_active)
        .filter(not(subscriptions::awaits_rotation))
        .select((
            subscriptions::url,
            subscriptions::sealed_secret,
            subscriptions::previous_sealed_secret,
            subscriptions::previous_until,
        ))
        .first::<(String, Vec<u8>, Option<Vec<u8>>, Option<Stamp>)>(connection)
        .optional()?;
    Ok(receiver.map(|(url, secret, previous, until)| Receiver {
        url,
        secret,
        previous_secret: previous.filter(|_| until.is_some_and(|until| until > Stamp::of(now))),
    }))
}

#[derive(Clone)]
struct Receiver {
    url: String,
    secret: Vec<u8>,
    previous_secret: Option<Vec<u8>>,
}

/// Up to `limit` due deliveries of a queue that are not leased. The delivery that fell due first
/// comes first.
fn due_of(
    connection: &mut SqliteConnection,
    queue: Queue,
    now: Time,
    limit: usize,
) -> QueryResult<Vec<DueRow>> {
    let its_event = events::organization_id
        .eq(deliveries::organization_id)
        .and(events::id.eq(deliveries::event_id));
    deliveries::table
        .inner_join(events::table.on(its_event))
        .filter(deliveries::organization_id.eq(Id::of(queue.organization)))
        .filter(deliveries::subscription_id.eq(Id::of(queue.subscription)))
        .filter(deliveries::next_attempt_at.le(Stamp::of(now)))
        .filter(deliveries::leased_until.is_null().or(deliveries::leased_until.lt(Stamp::of(now))))
        .order((deliveries::next_attempt_at, deliveries::event_id))
        .limit(i64::try_from(limit).unwrap_or(i64::MAX))
        .select((events::id, events::event_type, events::data))
        .load(connection)
}

/// A due delivery, with the values of its event, which never change.
#[derive(Queryable)]
pub(super) struct DueRow {
    event: Id,
    event_type: String,
    data: String,
}

/// Hands out each delivery that is still due and still not leased, if its subscription still
/// receives deliveries.
pub(super) fn take(
    connection: &mut SqliteConnection,
    due: Vec<(Queue, Vec<DueRow>)>,
    lease: Lease,
    now: Time,
) -> QueryResult<Vec<ClaimedRow>> {
    let mut taken = Vec::new();
    for (queue, rows) in due {
        let Some(receiver) = receiver(connection, queue, now)? else { continue };
        for due in rows {
            let state = Take::new(queue, due.event, lease, now)
                .get_result::<TakenRow>(connection)
                .optional()?;
            if let Some(state) = state {
                taken.push(ClaimedRow { queue, due, receiver: receiver.clone(), state });
            }
        }
    }
    Ok(taken)
}

/// Hands out a due delivery that is not leased, and returns its state. Diesel's own update would
/// need a second statement to return it.
#[derive(QueryId)]
struct Take {
    key: KeyColumns,
    holder: Id,
    until: Stamp,
    now: Stamp,
}

impl Take {
    fn new(queue: Queue, event: Id, lease: Lease, now: Time) -> Self {
        Self {
            key: KeyColumns::of(DeliveryKey { queue, event: event.to() }),
            holder: Id(lease.holder),
            until: Stamp::of(lease.until),
            now: Stamp::of(now),
        }
    }
}

impl QueryFragment<Sqlite> for Take {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("UPDATE deliveries SET lease_holder = ");
        out.push_bind_param::<SqlId, _>(&self.holder)?;
        out.push_sql(", leased_until = ");
        out.push_bind_param::<SqlStamp, _>(&self.until)?;
        out.push_sql(", occurred_at = coalesce(occurred_at, ");
        out.push_bind_param::<SqlStamp, _>(&self.now)?;
        out.push_sql(") WHERE ");
        self.key.walk_ast(out.reborrow())?;
        out.push_sql(" AND next_attempt_at <= ");
        out.push_bind_param::<SqlStamp, _>(&self.now)?;
        out.push_sql(" AND (leased_until IS NULL OR leased_until < ");
        out.push_bind_param::<SqlStamp, _>(&self.now)?;
        out.push_sql(") RETURNING occurred_at, attempt_count, attempts_before_replay");
        Ok(())
    }
}

impl Query for Take {
    type SqlType = (SqlStamp, Integer, Integer);
}

impl RunQueryDsl<SqliteConnection> for Take {}

#[derive(Queryable)]
struct TakenRow {
    occurred_at: Stamp,
    attempt_count: i32,
    attempts_before_replay: i32,
}

/// A delivery that was handed out.
pub(super) struct ClaimedRow {
    queue: Queue,
    due: DueRow,
    receiver: Receiver,
    state: TakenRow,
}

impl ClaimedRow {
    pub(super) fn key(&self) -> DeliveryKey {
        DeliveryKey { queue: self.queue, event: self.due.event.to() }
    }
}

impl TryFrom<ClaimedRow> for ClaimedDelivery {
    type Error = BadRow;

    fn try_from(row: ClaimedRow) -> Result<Self, BadRow> {
        let key = row.key();
        let ClaimedRow { due, receiver, state, .. } = row;
        let origin = Origin::new("deliveries", due.event);
        let count = |column, count| u32::try_from(count).map_err(|_| origin.bad(column));
        Ok(Self {
            key,
            event_type: Origin::new("events", due.event)
                .read::<EventType>("event_type", due.event_type.into())?,
            data: due.data,
            url: receiver.url,
            secret: Sealed(receiver.secret),
            previous_secret: receiver.previous_secret.map(Sealed),
            occurred_at: origin.read::<Time>("occurred_at", state.occurred_at)?,
            attempts: count("attempt_count", state.attempt_count)?,
            attempts_before_replay: count("attempts_before_replay", state.attempts_before_replay)?,
        })
    }
}
