//! Settlements: the attempts and their outcomes are stored.

use super::keys::{HeldKeys, Only, push_from_held};
use crate::organizations;
use crate::sql::ROWS;
use crate::webhook_subscriptions;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, Binary, Bool, Integer, Nullable, Text, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::Uuid;
use hearback_domain::webhook_subscription::{Deactivation, SubscriptionState};
use hearback_ports::delivery_queue::{Attempt, DeliveryKey, Queue, SettledDelivery};
use hearback_store_rows::deliveries::{AttemptRow, Stage, columns};
use hearback_store_rows::schema::delivery_attempts;
use hearback_store_rows::webhook_subscriptions::HealthRow;
use hearback_store_rows::{Id, Origin, SqlId, SqlStamp, Stamp};
use std::collections::{BTreeMap, HashSet};

/// Settles deliveries that may have failed, or whose receivers may have failed before. Returns the
/// queues of the subscriptions that were deactivated.
pub(super) async fn settle(
    connection: &mut AsyncPgConnection,
    mut settled: Vec<SettledDelivery>,
    only: Only,
) -> QueryResult<Vec<(Queue, Deactivation)>> {
    // The deliveries of an organization that is being deleted go with it.
    let organizations: HashSet<Id> =
        settled.iter().map(|settled| Id::of(settled.key.queue.organization)).collect();
    let held = organizations::try_hold_all(connection, Vec::from_iter(organizations)).await?;
    settled.retain(|settled| held.contains(&Id::of(settled.key.queue.organization)));
    let settled = &settled[..];
    // The subscriptions are locked before the deliveries, in the order of their identifiers: other
    // transactions may settle deliveries to the same subscriptions, or delete one.
    let mut states = states(connection, settled, only).await?;
    let kept = Keep::new(settled, Receivers::Any, only).load::<HeldRow>(connection).await?;
    let kept: HashSet<(DeliveryKey, Uuid)> = kept.into_iter().map(HeldRow::held).collect();
    let kept = || settled.iter().filter(|settled| kept.contains(&(settled.key, settled.holder)));
    if let Only(Some(organization)) = only {
        insert_attempts(
            connection,
            organization,
            kept().map(|settled| (settled.key, &settled.attempt)),
        )
        .await?;
    }
    for settled in kept() {
        // A subscription without a state is well, and none of its deliveries failed.
        if let Some((_, state)) = states.get_mut(&settled.key.queue) {
            *state = state.after(settled.key.event, settled.attempt.response, settled.ended_at);
        }
    }
    let mut deactivated = Vec::new();
    for (queue, (before, state)) in states {
        let Queue { organization, subscription } = queue;
        if state.health != before.health {
            webhook_subscriptions::set_health(connection, organization, subscription, state.health)
                .await?;
        }
        if let Some((reason, at)) = state.deactivation {
            webhook_subscriptions::deactivate(connection, organization, subscription, at).await?;
            deactivated.push((queue, reason));
        }
    }
    Ok(deactivated)
}

/// The states of subscriptions before the settlement, and after it.
type Standings = BTreeMap<Queue, (SubscriptionState, SubscriptionState)>;

/// Locks the subscriptions that may change, and returns their states. These are the subscriptions
/// with a failed delivery in `settled`, and those that had failed before.
async fn states(
    connection: &mut AsyncPgConnection,
    settled: &[SettledDelivery],
    only: Only,
) -> QueryResult<Standings> {
    let mut has_failed: BTreeMap<Queue, bool> = BTreeMap::new();
    for settled in settled {
        *has_failed.entry(settled.key.queue).or_default() |= !settled.attempt.response.is_success();
    }
    let mut lock = LockSubscriptions { only, ..LockSubscriptions::default() };
    for (queue, has_failed) in has_failed {
        lock.organizations.push(queue.organization.0);
        lock.subscriptions.push(queue.subscription.0);
        lock.have_failed.push(has_failed);
    }
    let rows: Vec<((Id, Id), HealthRow, bool)> = lock.load(connection).await?;
    let state = |((organization, subscription), row, is_active): ((Id, Id), HealthRow, bool)| {
        let queue = Queue { organization: organization.to(), subscription: subscription.to() };
        let health = row.health(Origin::new("webhook_subscriptions", subscription))?;
        let before = SubscriptionState::new(health, is_active);
        Ok((queue, (before, before)))
    };
    rows.into_iter().map(state).collect()
}

/// Stores attempts, by a statement of their own.
async fn insert_attempts(
    connection: &mut AsyncPgConnection,
    organization: Uuid,
    attempts: impl Iterator<Item = (DeliveryKey, &Attempt)>,
) -> QueryResult<()> {
    let rows: Vec<_> = attempts
        .map(|(key, attempt)| {
            (
                delivery_attempts::organization_id.eq(Id(organization)),
                delivery_attempts::event_id.eq(Id::of(key.event)),
                delivery_attempts::subscription_id.eq(Id::of(key.queue.subscription)),
                AttemptRow::from(attempt),
            )
        })
        .collect();
    for some in rows.chunks(ROWS) {
        diesel::insert_into(delivery_attempts::table).values(some).execute(connection).await?;
    }
    Ok(())
}

#[derive(Default, QueryId)]
struct LockSubscriptions {
    only: Only,
    organizations: Vec<Uuid>,
    subscriptions: Vec<Uuid>,
    have_failed: Vec<bool>,
}

impl QueryFragment<Pg> for LockSubscriptions {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "SELECT subscription.organization_id, subscription.id, \
             failing_since, first_failed_event_id, failure_count, failed_event_count, is_active FROM unnest(",
        );
        out.push_bind_param::<Array<SqlUuid>, _>(&self.organizations)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.subscriptions)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Bool>, _>(&self.have_failed)?;
        out.push_sql(
            ") AS given (organization_id, id, has_failed) JOIN webhook_subscriptions AS subscription \
             ON subscription.organization_id = given.organization_id AND subscription.id = given.id \
             WHERE (given.has_failed OR failing_since IS NOT NULL)",
        );
        self.only.push(&mut out, "subscription.organization_id")?;
        out.push_sql(
            " ORDER BY subscription.organization_id, subscription.id FOR NO KEY UPDATE OF subscription",
        );
        Ok(())
    }
}

impl Query for LockSubscriptions {
    type SqlType = ((SqlId, SqlId), (Nullable<SqlStamp>, Nullable<SqlId>, Integer, Integer), Bool);
}

/// Stores the attempt and the outcome of each delivery whose lease is still held by its holder.
/// Returns the keys of those deliveries, with the holders.
#[derive(QueryId)]
pub(super) struct Keep {
    held: HeldKeys,
    attempts: Vec<i32>,
    started: Vec<Stamp>,
    statuses: Vec<Option<i32>>,
    error_classes: Vec<Option<&'static str>>,
    durations: Vec<i32>,
    answers: Vec<Vec<u8>>,
    states: Vec<&'static str>,
    next_attempts: Vec<Option<Stamp>>,
    ended: Vec<Option<Stamp>>,
    any_receiver: bool,
}

/// The receivers of the deliveries that are settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Receivers {
    /// All receivers.
    Any,
    /// The receivers that have refused no delivery since they last took one.
    Well,
}

impl Keep {
    pub(super) fn new(settled: &[SettledDelivery], receivers: Receivers, only: Only) -> Self {
        fn each<'a, T>(
            settled: &[&'a SettledDelivery],
            value: impl Fn(&'a SettledDelivery) -> T,
        ) -> Vec<T> {
            settled.iter().map(|settled| value(settled)).collect()
        }
        let stage = |settled: &SettledDelivery| Stage::of(settled.outcome, settled.ended_at);
        let mut settled: Vec<&SettledDelivery> = settled.iter().collect();
        settled.sort_unstable_by_key(|settled| settled.key);
        let settled = &settled;
        Self {
            held: HeldKeys {
                only,
                ..settled.iter().map(|settled| (settled.key, settled.holder)).collect()
            },
            attempts: each(settled, |settled| number(settled.attempt.number)),
            started: each(settled, |settled| Stamp::of(settled.attempt.started_at)),
            statuses: each(settled, |settled| columns(settled.attempt.response).0),
            error_classes: each(settled, |settled| columns(settled.attempt.response).1),
            durations: each(settled, |settled| number(settled.attempt.duration_ms)),
            answers: each(settled, |settled| settled.attempt.answer.clone()),
            states: each(settled, |settled| stage(settled).state),
            next_attempts: each(settled, |settled| stage(settled).next_attempt_at),
            ended: each(settled, |settled| stage(settled).ended_at),
            any_receiver: receivers == Receivers::Any,
        }
    }
}

/// Converts a number to an `integer`. A larger number becomes the greatest `integer`.
fn number(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

impl QueryFragment<Pg> for Keep {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // The deliveries to receivers that are not well are left out before any row is locked.
        out.push_sql("WITH given AS MATERIALIZED (SELECT * FROM unnest(");
        self.held.walk_ast(out.reborrow())?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Integer>, _>(&self.attempts)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<SqlStamp>, _>(&self.started)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Nullable<Integer>>, _>(&self.statuses)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Nullable<Text>>, _>(&self.error_classes)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Integer>, _>(&self.durations)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Binary>, _>(&self.answers)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Text>, _>(&self.states)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Nullable<SqlStamp>>, _>(&self.next_attempts)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Nullable<SqlStamp>>, _>(&self.ended)?;
        out.push_sql(
            ") AS given (organization_id, event_id, subscription_id, holder, \
             attempt, started_at, status, error_class, duration_ms, answer, state, next_attempt_at, ended_at) \
             WHERE (",
        );
        out.push_bind_param::<Bool, _>(&self.any_receiver)?;
        out.push_sql(" OR subscription_id <> ALL (ARRAY(SELECT id FROM webhook_subscriptions WHERE organization_id = ANY (");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.held.organizations)?;
        out.push_sql(") AND id = ANY (");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.held.subscriptions)?;
        out.push_sql(")");
        self.held.only.push(&mut out, "organization_id")?;
        out.push_sql(" AND failing_since IS NOT NULL))) AND organization_id ");
        self.held.push_is_of_organization_that_stays(out.reborrow())?;
        out.push_sql(
            "), settled AS (UPDATE deliveries SET state = held.state, attempt_count = held.attempt, \
             next_attempt_at = held.next_attempt_at, lease_holder = NULL, leased_until = NULL, ended_at = held.ended_at",
        );
        push_from_held(&mut out, &self.held)?;
        out.push_sql(" RETURNING held.*)");
        // Citus sends no statement with an insertion behind an update to one node.
        if self.held.only.0.is_none() {
            out.push_sql(
                ", attempted AS (INSERT INTO delivery_attempts (organization_id, event_id, subscription_id, \
                 attempt, started_at, status, error_class, duration_ms, answer) \
                 SELECT organization_id, event_id, subscription_id, \
                 attempt, started_at, status, error_class, duration_ms, answer FROM settled)",
            );
        }
        out.push_sql(" SELECT organization_id, subscription_id, event_id, holder FROM settled");
        Ok(())
    }
}

impl Query for Keep {
    type SqlType = (SqlUuid, SqlUuid, SqlUuid, SqlUuid);
}

#[derive(Queryable)]
pub(super) struct HeldRow {
    organization: Uuid,
    subscription: Uuid,
    event: Uuid,
    holder: Uuid,
}

impl HeldRow {
    /// The delivery, and the holder that had its lease.
    pub(super) fn held(self) -> (DeliveryKey, Uuid) {
        let queue = Queue {
            organization: self.organization.into(),
            subscription: self.subscription.into(),
        };
        (DeliveryKey { queue, event: self.event.into() }, self.holder)
    }
}
