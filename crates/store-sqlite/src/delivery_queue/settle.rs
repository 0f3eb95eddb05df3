//! Settlements: the attempts and their outcomes are stored.

use super::keys::KeyColumns;
use crate::webhook_subscriptions;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Integer, Nullable, Text};
use diesel::sqlite::Sqlite;
use hearback_domain::webhook_subscription::{Deactivation, SubscriptionState};
use hearback_ports::delivery_queue::{Queue, SettledDelivery};
use hearback_store_rows::deliveries::{AttemptRow, Stage};
use hearback_store_rows::schema::delivery_attempts;
use hearback_store_rows::{Id, SqlId, SqlStamp};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

pub(super) fn settle(
    connection: &mut SqliteConnection,
    settled: &[SettledDelivery],
) -> QueryResult<Vec<(Queue, Deactivation)>> {
    // The state of each subscription before the settlement, and after the attempts so far.
    let mut states: BTreeMap<Queue, (SubscriptionState, SubscriptionState)> = BTreeMap::new();
    for settled in settled {
        if !keep(connection, settled)? {
            continue;
        }
        let queue = settled.key.queue;
        let (_, state) = match states.entry(queue) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let before = webhook_subscriptions::state(
                    connection,
                    queue.organization,
                    queue.subscription,
                )?;
                entry.insert((before, before))
            }
        };
        *state = state.after(settled.key.event, settled.attempt.response, settled.ended_at);
    }
    let mut deactivated = Vec::new();
    for (queue, (before, state)) in states {
        let Queue { organization, subscription } = queue;
        // The health has seldom changed: most receivers were well and took their deliveries.
        if state.health != before.health {
            webhook_subscriptions::set_health(
                connection,
                organization,
                subscription,
                state.health,
            )?;
        }
        if let Some((reason, at)) = state.deactivation {
            webhook_subscriptions::deactivate(connection, organization, subscription, at)?;
            deactivated.push((queue, reason));
        }
    }
    Ok(deactivated)
}

/// Stores an attempt and its outcome, if the holder still has the lease of the delivery. Returns
/// whether it has.
fn keep(connection: &mut SqliteConnection, settled: &SettledDelivery) -> QueryResult<bool> {
    let attempt = AttemptRow::from(&settled.attempt);
    let key = KeyColumns::of(settled.key);
    let stage = Stage::of(settled.outcome, settled.ended_at);
    let held = Settle { key, holder: Id(settled.holder), attempt: attempt.attempt, stage }
        .execute(connection)?;
    if held == 0 {
        return Ok(false);
    }
    let KeyColumns { organization, subscription, event } = key;
    diesel::insert_into(delivery_attempts::table)
        .values((
            delivery_attempts::organization_id.eq(organization),
            delivery_attempts::event_id.eq(event),
            delivery_attempts::subscription_id.eq(subscription),
            attempt,
        ))
        .execute(connection)?;
    Ok(true)
}

/// Stores the outcome of an attempt in the delivery, if `holder` still has its lease. Diesel's own
/// update would be compiled on every call.
#[derive(QueryId)]
struct Settle {
    key: KeyColumns,
    holder: Id,
    attempt: i32,
    stage: Stage,
}

impl QueryFragment<Sqlite> for Settle {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("UPDATE deliveries SET attempt_count = ");
        out.push_bind_param::<Integer, _>(&self.attempt)?;
        out.push_sql(", state = ");
        out.push_bind_param::<Text, _>(self.stage.state)?;
        out.push_sql(", next_attempt_at = ");
        out.push_bind_param::<Nullable<SqlStamp>, _>(&self.stage.next_attempt_at)?;
        out.push_sql(", ended_at = ");
        out.push_bind_param::<Nullable<SqlStamp>, _>(&self.stage.ended_at)?;
        // Only a pending delivery has a lease.
        out.push_sql(", lease_holder = NULL, leased_until = NULL WHERE ");
        self.key.walk_ast(out.reborrow())?;
        out.push_sql(" AND lease_holder = ");
        out.push_bind_param::<SqlId, _>(&self.holder)
    }
}

impl RunQueryDsl<SqliteConnection> for Settle {}
