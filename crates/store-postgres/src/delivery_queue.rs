//! Events on their way to subscriptions.
//!
//! # Who waits for whom
//!
//! Rows are locked in this order by all that has to do with deliveries:
//!
//! 1. the organization: whoever waits for rows of it holds it, and its deletion has it alone;
//! 2. subscriptions, by id;
//! 3. deliveries, by subscription and event;
//! 4. events, by id.
//!
//! Claims wait for nobody: they leave out what somebody has locked. Nobody waits for an organization to be deleted but requests,
//! since that may take long: what is its goes with it. A recorded event shares the subscriptions that want it. It waits for one
//! that is being deleted, which is gone then, or not active any more.

use crate::deliveries::columns;
use crate::error::BadRow;
use crate::rows::{Origin, timestamp};
use crate::schema::deliveries;
use crate::webhook_subscriptions::{self, HealthRow};
use crate::{PgStore, organizations};
use async_trait::async_trait;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{
    Array, BigInt, Binary, Bool, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::api_key::Sealed;
use hearback_domain::delivery::{DeliveryOutcome, DeliveryState};
use hearback_domain::webhook_subscription::{Deactivation, Standing};
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::delivery_queue::{
    Claim, Claimed, ClaimedDelivery, DeliveryKey, Queue, Settled, Unreadable,
};
use hearback_ports::{DeliveryQueue, StoreError};
use std::collections::{BTreeMap, HashSet};

#[async_trait]
impl DeliveryQueue for PgStore {
    async fn claim(&self, claim: Claim) -> Result<Claimed, StoreError> {
        let Some(take) = Take::new(&claim) else { return Ok(Claimed::default()) };
        let taken = self.dispatcher.write_alone("claiming deliveries", |connection| {
            take.load::<ClaimedRow>(connection).boxed()
        });
        let mut rows = taken.await?.ok_or(StoreError::Busy)?;
        // They come in the order in which they were written.
        rows.sort_unstable_by_key(|row| (row.queue, row.next_attempt_at.0, row.event));
        let reached_limit = rows.len() >= claim.limit;
        let next_after = rows.last().filter(|_| reached_limit).map(|row| row.key().queue);
        let mut claimed = Claimed { next_after, ..Claimed::default() };
        for row in rows {
            let key = row.key();
            match ClaimedDelivery::try_from(row) {
                Ok(delivery) => claimed.deliveries.push(delivery),
                Err(BadRow { column, .. }) => claimed.unreadable.push(Unreadable { key, column }),
            }
        }
        Ok(claimed)
    }

    async fn settle(
        &self,
        mut settled: Vec<Settled>,
    ) -> Result<Vec<(Queue, Deactivation)>, StoreError> {
        let doing = "settling deliveries";
        // Whoever settles one has it no more.
        let mut keys = HashSet::new();
        settled.retain(|settled| keys.insert((settled.key, settled.holder)));
        // Most often all succeeded and all receivers were well: then one statement does it, and subscriptions stay as they are.
        if settled.iter().all(|settled| settled.attempt.response.is_success()) {
            let keep = Keep::new(&settled, Receivers::Well);
            let kept = self
                .dispatcher
                .write_alone(doing, |connection| keep.load::<HeldRow>(connection).boxed());
            let kept = kept.await?.ok_or(StoreError::Busy)?;
            let kept: HashSet<(DeliveryKey, Uuid)> = kept.into_iter().map(HeldRow::held).collect();
            settled.retain(|settled| !kept.contains(&(settled.key, settled.holder)));
        }
        if settled.is_empty() {
            return Ok(Vec::new());
        }
        let deactivated = self.dispatcher.write(doing, move |connection| {
            async move { settle(connection, settled).await }.boxed()
        });
        deactivated.await?.ok_or(StoreError::Busy)
    }

    async fn release(&self, mut deliveries: Vec<(DeliveryKey, Uuid)>) -> Result<(), StoreError> {
        deliveries.sort_unstable();
        let release = Release { held: deliveries.into_iter().collect() };
        let released = self
            .dispatcher
            .write_alone("releasing deliveries", |connection| release.execute(connection).boxed());
        released.await?.ok_or(StoreError::Busy)?;
        Ok(())
    }
}

/// Hands out deliveries that are due.
///
/// It goes from queue to queue by a look-up in the index each, which finds what is due first in the next one. Of those with
/// something due it asks more, and it ends where as many are found as are wanted: rows of a recursive part are made when they
/// are asked for.
///
/// No other plan can be made of it, whatever the planner thinks of the tables: a part with a limit or a lock is looked up for
/// each row of those before it, and so are the rows to change, as the dispatcher's connections join in no other way.
#[derive(QueryId)]
struct Take {
    first: (Uuid, Uuid),
    now: PgTimestamp,
    limit: i64,
    per_queue: i64,
    exceptions: Exceptions,
    holder: Uuid,
    until: PgTimestamp,
}

/// How much room there is in some queues.
#[derive(Default, QueryId)]
struct Exceptions {
    organizations: Vec<Uuid>,
    subscriptions: Vec<Uuid>,
    rooms: Vec<i64>,
}

impl Take {
    /// What a claim takes; `None` behind the last queue that there can be.
    fn new(claim: &Claim) -> Option<Self> {
        let mut exceptions = Exceptions::default();
        for (queue, room) in &claim.exceptions {
            exceptions.organizations.push(queue.organization.0);
            exceptions.subscriptions.push(queue.subscription.0);
            exceptions.rooms.push(count(*room));
        }
        Some(Self {
            first: first_behind(claim.after)?,
            now: timestamp(claim.now),
            limit: count(claim.limit),
            per_queue: count(claim.per_queue),
            exceptions,
            holder: claim.lease.holder,
            until: timestamp(claim.lease.until),
        })
    }
}

/// The first organization and subscription that there can be behind a queue.
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

/// What names the row of a delivery that was `held` above. Before PostgreSQL has analyzed the table for the first time, within a
/// minute, it may be searched for among all to its subscription, too; from then on by its key.
const IS_HELD: &str = "deliveries.organization_id = held.organization_id AND deliveries.event_id = held.event_id \
                       AND deliveries.subscription_id = held.subscription_id";

impl QueryFragment<Pg> for Take {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // $1 is the present.
        out.push_sql(
            "WITH RECURSIVE queue (organization_id, subscription_id, is_due) AS ( \
             (SELECT organization_id, subscription_id, next_attempt_at <= ",
        );
        out.push_bind_param::<Timestamptz, _>(&self.now)?;
        out.push_sql(" FROM deliveries WHERE next_attempt_at IS NOT NULL AND (organization_id, subscription_id) >= (");
        out.push_bind_param::<SqlUuid, _>(&self.first.0)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlUuid, _>(&self.first.1)?;
        out.push_sql(
            ") ORDER BY organization_id, subscription_id, next_attempt_at LIMIT 1) \
             UNION ALL SELECT next.* FROM queue CROSS JOIN LATERAL ( \
             SELECT organization_id, subscription_id, next_attempt_at <= $1 FROM deliveries \
             WHERE next_attempt_at IS NOT NULL \
             AND (organization_id, subscription_id) > (queue.organization_id, queue.subscription_id) \
             ORDER BY organization_id, subscription_id, next_attempt_at LIMIT 1) AS next), \
             held AS (SELECT delivery.*, receiver.* FROM queue \
             CROSS JOIN LATERAL (SELECT id, url, sealed_secret, \
             CASE WHEN previous_until > $1 THEN previous_sealed_secret END AS previous_sealed_secret \
             FROM webhook_subscriptions \
             WHERE organization_id = queue.organization_id AND id = queue.subscription_id \
             AND is_active AND NOT awaits_rotation LIMIT 1) AS receiver \
             CROSS JOIN LATERAL (SELECT organization_id, event_id, subscription_id FROM deliveries \
             WHERE organization_id = queue.organization_id AND subscription_id = receiver.id \
             AND next_attempt_at <= $1 AND (leased_until IS NULL OR leased_until < $1) \
             ORDER BY next_attempt_at, event_id LIMIT coalesce((SELECT room FROM unnest(",
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
        out.push_bind_param::<Timestamptz, _>(&self.until)?;
        out.push_sql(
            ", occurred_at = coalesce(deliveries.occurred_at, $1) FROM held \
             CROSS JOIN LATERAL (SELECT event_type, data FROM events \
             WHERE organization_id = held.organization_id AND id = held.event_id LIMIT 1) AS event WHERE ",
        );
        out.push_sql(IS_HELD);
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
        (Timestamptz, Integer, Integer),
        Timestamptz,
    );
}

#[derive(Queryable)]
struct ClaimedRow {
    queue: (Uuid, Uuid),
    event: Uuid,
    /// `event_type` and `data`.
    happening: (String, String),
    /// `url`, `sealed_secret`, and the one before that where it is still used.
    receiver: (String, Vec<u8>, Option<Vec<u8>>),
    /// `occurred_at`, `attempt_count`, `attempts_before_replay`.
    state: (PgTimestamp, i32, i32),
    next_attempt_at: PgTimestamp,
}

impl ClaimedRow {
    fn key(&self) -> DeliveryKey {
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
            event_type: Origin::new("events", row.event).code("event_type", &event_type)?,
            data,
            url,
            secret: Sealed(secret),
            previous_secret: previous_secret.map(Sealed),
            occurred_at: origin.time("occurred_at", occurred_at)?,
            attempts: count("attempt_count", attempt_count)?,
            attempts_before_replay: count("attempts_before_replay", attempts_before_replay)?,
        })
    }
}

/// Settles deliveries that may have failed, or whose receivers may have done so before.
async fn settle(
    connection: &mut AsyncPgConnection,
    mut settled: Vec<Settled>,
) -> QueryResult<Vec<(Queue, Deactivation)>> {
    // What belongs to an organization that is being deleted goes with it.
    let organizations: HashSet<Uuid> =
        settled.iter().map(|settled| settled.key.queue.organization.0).collect();
    let held = organizations::try_hold_all(connection, Vec::from_iter(organizations)).await?;
    settled.retain(|settled| held.contains(&settled.key.queue.organization.0));
    let settled = &settled[..];
    // First of all, and in the order of their identifiers: others may settle for the same subscriptions, or delete one.
    let mut standings = standings(connection, settled).await?;
    let kept = Keep::new(settled, Receivers::Any).load::<HeldRow>(connection).await?;
    let kept: HashSet<(DeliveryKey, Uuid)> = kept.into_iter().map(HeldRow::held).collect();
    for settled in settled.iter().filter(|settled| kept.contains(&(settled.key, settled.holder))) {
        // The others are well, and none of theirs failed.
        if let Some((_, standing)) = standings.get_mut(&settled.key.queue) {
            *standing =
                standing.after(settled.key.event, settled.attempt.response, settled.ended_at);
        }
    }
    let mut deactivated = Vec::new();
    for (queue, (before, standing)) in standings {
        let Queue { organization, subscription } = queue;
        if standing.health != before.health {
            webhook_subscriptions::set_health(
                connection,
                organization,
                subscription,
                standing.health,
            )
            .await?;
        }
        if let Some((reason, at)) = standing.deactivation {
            webhook_subscriptions::deactivate(connection, organization, subscription, at).await?;
            deactivated.push((queue, reason));
        }
    }
    Ok(deactivated)
}

/// How a subscription stood before, and stands after what is settled.
type Standings = BTreeMap<Queue, (Standing, Standing)>;

/// Locks the subscriptions that may change, and tells how they stand: those of whose deliveries one failed, or that had failed
/// before.
async fn standings(
    connection: &mut AsyncPgConnection,
    settled: &[Settled],
) -> QueryResult<Standings> {
    let mut has_failed: BTreeMap<Queue, bool> = BTreeMap::new();
    for settled in settled {
        *has_failed.entry(settled.key.queue).or_default() |= !settled.attempt.response.is_success();
    }
    let mut lock = LockSubscriptions::default();
    for (queue, has_failed) in has_failed {
        lock.organizations.push(queue.organization.0);
        lock.subscriptions.push(queue.subscription.0);
        lock.have_failed.push(has_failed);
    }
    let rows: Vec<((Uuid, Uuid), HealthRow, bool)> = lock.load(connection).await?;
    let standing =
        |((organization, subscription), row, is_active): ((Uuid, Uuid), HealthRow, bool)| {
            let queue =
                Queue { organization: organization.into(), subscription: subscription.into() };
            let health = row.health(Origin::new("webhook_subscriptions", subscription))?;
            let before = Standing::new(health, is_active);
            Ok((queue, (before, before)))
        };
    rows.into_iter().map(standing).collect()
}

#[derive(Default, QueryId)]
struct LockSubscriptions {
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
             WHERE given.has_failed OR failing_since IS NOT NULL \
             ORDER BY subscription.organization_id, subscription.id FOR NO KEY UPDATE OF subscription",
        );
        Ok(())
    }
}

impl Query for LockSubscriptions {
    type SqlType =
        ((SqlUuid, SqlUuid), (Nullable<Timestamptz>, Nullable<SqlUuid>, Integer, Integer), Bool);
}

/// Keeps attempts and what follows, of deliveries that are still their holders'; answers which those are.
#[derive(QueryId)]
struct Keep {
    held: HeldKeys,
    attempts: Vec<i32>,
    started: Vec<PgTimestamp>,
    statuses: Vec<Option<i32>>,
    error_classes: Vec<Option<&'static str>>,
    durations: Vec<i32>,
    answers: Vec<Vec<u8>>,
    states: Vec<&'static str>,
    next_attempts: Vec<Option<PgTimestamp>>,
    ended: Vec<Option<PgTimestamp>>,
    any_receiver: bool,
}

/// Of whose deliveries attempts are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Receivers {
    /// Of all.
    Any,
    /// Of those that have refused nothing since they last took something.
    Well,
}

impl Keep {
    fn new(settled: &[Settled], receivers: Receivers) -> Self {
        fn each<'a, T>(settled: &[&'a Settled], value: impl Fn(&'a Settled) -> T) -> Vec<T> {
            settled.iter().map(|settled| value(settled)).collect()
        }
        let stage = |settled: &Settled| Stage::of(settled.outcome, settled.ended_at);
        let mut settled: Vec<&Settled> = settled.iter().collect();
        settled.sort_unstable_by_key(|settled| settled.key);
        let settled = &settled;
        Self {
            held: settled.iter().map(|settled| (settled.key, settled.holder)).collect(),
            attempts: each(settled, |settled| number(settled.attempt.number)),
            started: each(settled, |settled| timestamp(settled.attempt.started_at)),
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

/// A number as an `integer` holds it.
fn number(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

impl QueryFragment<Pg> for Keep {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // Those of receivers that are not well are left out before anything is locked.
        out.push_sql("WITH given AS MATERIALIZED (SELECT * FROM unnest(");
        self.held.walk_ast(out.reborrow())?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Integer>, _>(&self.attempts)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Timestamptz>, _>(&self.started)?;
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
        out.push_bind_param::<Array<Nullable<Timestamptz>>, _>(&self.next_attempts)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Nullable<Timestamptz>>, _>(&self.ended)?;
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
        out.push_sql(") AND failing_since IS NOT NULL))) AND organization_id ");
        self.held.push_is_of_organization_that_stays(out.reborrow())?;
        out.push_sql(
            "), settled AS (UPDATE deliveries SET state = held.state, attempt_count = held.attempt, \
             next_attempt_at = held.next_attempt_at, lease_holder = NULL, leased_until = NULL, ended_at = held.ended_at",
        );
        push_from_held(&mut out);
        out.push_sql(
            " RETURNING held.*), attempted AS (INSERT INTO delivery_attempts (organization_id, event_id, subscription_id, \
             attempt, started_at, status, error_class, duration_ms, answer) \
             SELECT organization_id, event_id, subscription_id, \
             attempt, started_at, status, error_class, duration_ms, answer FROM settled) \
             SELECT organization_id, subscription_id, event_id, holder FROM settled",
        );
        Ok(())
    }
}

impl Query for Keep {
    type SqlType = (SqlUuid, SqlUuid, SqlUuid, SqlUuid);
}

#[derive(Queryable)]
struct HeldRow {
    organization: Uuid,
    subscription: Uuid,
    event: Uuid,
    holder: Uuid,
}

impl HeldRow {
    /// A delivery and who had it.
    fn held(self) -> (DeliveryKey, Uuid) {
        let queue = Queue {
            organization: self.organization.into(),
            subscription: self.subscription.into(),
        };
        (DeliveryKey { queue, event: self.event.into() }, self.holder)
    }
}

/// Gives deliveries back that are still their holders'.
#[derive(QueryId)]
struct Release {
    held: HeldKeys,
}

impl QueryFragment<Pg> for Release {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH given AS MATERIALIZED (SELECT * FROM unnest(");
        self.held.walk_ast(out.reborrow())?;
        out.push_sql(") AS given (organization_id, event_id, subscription_id, holder) WHERE organization_id ");
        self.held.push_is_of_organization_that_stays(out.reborrow())?;
        out.push_sql(") UPDATE deliveries SET lease_holder = NULL, leased_until = NULL");
        push_from_held(&mut out);
        Ok(())
    }
}

/// Changes those `given` that are still their holders', one after the other. Only a pending one has a holder.
///
/// It waits for whoever has one locked: that may be a claim which found the delivery free before it was handed to its holder,
/// and leaves it alone now.
fn push_from_held(out: &mut AstPass<'_, '_, Pg>) {
    out.push_sql(" FROM given AS held WHERE ");
    out.push_sql(IS_HELD);
    out.push_sql(" AND deliveries.lease_holder = held.holder");
}

/// Deliveries and who is said to have them, as columns: in the order in which they are locked.
#[derive(Default)]
struct HeldKeys {
    organizations: Vec<Uuid>,
    events: Vec<Uuid>,
    subscriptions: Vec<Uuid>,
    holders: Vec<Uuid>,
}

impl HeldKeys {
    /// Whether an organization is one that nobody is deleting: what belongs to another goes with it. They are held, each once.
    fn push_is_of_organization_that_stays<'b>(
        &'b self,
        mut out: AstPass<'_, 'b, Pg>,
    ) -> QueryResult<()> {
        out.push_sql("= ANY (ARRAY(SELECT id FROM organizations WHERE id = ANY (");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.organizations)?;
        out.push_sql(") FOR KEY SHARE SKIP LOCKED))");
        Ok(())
    }
}

impl FromIterator<(DeliveryKey, Uuid)> for HeldKeys {
    fn from_iter<I: IntoIterator<Item = (DeliveryKey, Uuid)>>(held: I) -> Self {
        let mut keys = Self::default();
        for (DeliveryKey { queue, event }, holder) in held {
            keys.organizations.push(queue.organization.0);
            keys.events.push(event.0);
            keys.subscriptions.push(queue.subscription.0);
            keys.holders.push(holder);
        }
        keys
    }
}

impl QueryFragment<Pg> for HeldKeys {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_bind_param::<Array<SqlUuid>, _>(&self.organizations)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.events)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.subscriptions)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.holders)
    }
}

/// Where a delivery is on its way: all of its row that changes when nobody has it any more, but for the number of attempts.
#[derive(Default, AsChangeset)]
#[diesel(
    table_name = deliveries,
    treat_none_as_null = true
)]
pub(crate) struct Stage {
    state: &'static str,
    next_attempt_at: Option<PgTimestamp>,
    lease_holder: Option<Uuid>,
    leased_until: Option<PgTimestamp>,
    ended_at: Option<PgTimestamp>,
}

impl Stage {
    /// It is attempted then.
    pub(crate) fn pending(at: Time) -> Self {
        Self {
            state: DeliveryState::Pending.code(),
            next_attempt_at: Some(timestamp(at)),
            ..Self::default()
        }
    }

    /// It was given up then.
    pub(crate) fn failed(at: Time) -> Self {
        Self {
            state: DeliveryState::Failed.code(),
            ended_at: Some(timestamp(at)),
            ..Self::default()
        }
    }

    fn delivered(at: Time) -> Self {
        Self {
            state: DeliveryState::Delivered.code(),
            ended_at: Some(timestamp(at)),
            ..Self::default()
        }
    }

    fn of(outcome: DeliveryOutcome, ended_at: Time) -> Self {
        match outcome {
            DeliveryOutcome::Delivered => Self::delivered(ended_at),
            DeliveryOutcome::Retry { at } => Self::pending(at),
            DeliveryOutcome::Failed => Self::failed(ended_at),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::connection::Role;
    use crate::tests::{Database, Plans, store};
    use hearback_domain::delivery::Response;
    use hearback_domain::id::{EventId, OrganizationId, SubscriptionId};
    use hearback_ports::deliveries::DeliveryFilter;
    use hearback_ports::delivery_queue::Attempt;
    use hearback_ports::{DeliveryRepository, Lease};
    use std::ops::RangeInclusive;
    use std::pin::pin;
    use tokio_postgres::Client;

    pub(crate) const ACME: u128 = 1;
    const OTHER: u128 = 2;
    const NOW: i64 = 1_000_000;

    pub(crate) fn at(millis: i64) -> Time {
        Time::from_unix_millis(millis).unwrap()
    }

    pub(crate) fn queue(organization: u128, subscription: u128) -> Queue {
        Queue {
            organization: OrganizationId(Uuid::from_u128(organization)),
            subscription: SubscriptionId(Uuid::from_u128(subscription)),
        }
    }

    fn key(organization: u128, subscription: u128, event: u128) -> DeliveryKey {
        DeliveryKey {
            queue: queue(organization, subscription),
            event: EventId(Uuid::from_u128(event)),
        }
    }

    const HOLDER: Uuid = Uuid::from_u128(9);

    fn claim() -> Claim {
        let lease = Lease { holder: HOLDER, until: at(NOW + 60_000) };
        Claim {
            lease,
            now: at(NOW),
            after: None,
            limit: 100,
            per_queue: 10,
            exceptions: BTreeMap::new(),
        }
    }

    fn settled(key: DeliveryKey, code: u16) -> Settled {
        let response = Response::Status { code, cut: None };
        let attempt =
            Attempt { number: 1, started_at: at(NOW), duration_ms: 1, response, answer: vec![] };
        let outcome = if response.is_success() {
            DeliveryOutcome::Delivered
        } else {
            DeliveryOutcome::Failed
        };
        Settled { key, holder: HOLDER, attempt, outcome, ended_at: at(NOW + 1) }
    }

    /// Adds deliveries of events of these numbers to a subscription, due at a time.
    pub(crate) async fn fill(
        database: &Database,
        Queue { organization, subscription }: Queue,
        events: RangeInclusive<u32>,
        due: Time,
    ) {
        let (first, last, due) = (events.start(), events.end(), due.unix_millis());
        let statements = format!(
            "INSERT INTO organizations VALUES ('{organization}', '', '{organization}', '{organization}', true, 'epoch') \
             ON CONFLICT DO NOTHING; \
             INSERT INTO webhook_subscriptions (organization_id, id, url, event_types, is_active, awaits_rotation, \
             sealed_secret, failure_count, failed_event_count, created_at) \
             VALUES ('{organization}', '{subscription}', '', '', true, false, '', 0, 0, 'epoch') ON CONFLICT DO NOTHING; \
             CREATE TEMPORARY TABLE new AS SELECT lpad(to_hex(number), 32, '0')::uuid AS id \
             FROM generate_series({first}, {last}) AS number; \
             INSERT INTO events SELECT '{organization}', id, 'vote.created', '{{}}', 'epoch' FROM new ON CONFLICT DO NOTHING; \
             INSERT INTO deliveries (organization_id, event_id, subscription_id, state, attempt_count, next_attempt_at, \
             created_at, attempts_before_replay) \
             SELECT '{organization}', id, '{subscription}', 'pending', 0, to_timestamp({due} / 1000.0), 'epoch', 0 FROM new"
        );
        database.run(&statements).await;
    }

    async fn take(connection: &mut AsyncPgConnection, claim: &Claim) -> Vec<DeliveryKey> {
        let rows = Take::new(claim).unwrap().load::<ClaimedRow>(connection).await.unwrap();
        rows.into_iter().map(|row| ClaimedDelivery::try_from(row).unwrap().key).collect()
    }

    /// That rows were read by these indexes, and of each no more than so many.
    pub(crate) fn assert_read(plans: &Plans, indexes: &[&str], rows: u64) {
        let read = plans.rows_by_index();
        assert_eq!(read.keys().map(String::as_str).collect::<Vec<_>>(), indexes);
        assert!(read.values().all(|read| *read <= rows), "{read:?}");
    }

    const CLAIMING: [&str; 4] =
        ["deliveries_pending", "deliveries_pkey", "events_pkey", "webhook_subscriptions_pkey"];
    const SETTLING: [&str; 3] =
        ["deliveries_pkey", "organizations_pkey", "webhook_subscriptions_pkey"];

    #[tokio::test]
    async fn a_claim_reads_the_first_of_each_queue_and_what_it_hands_out() {
        let (_store, database) = store().await;
        let (full, inactive) = (queue(ACME, 14), queue(ACME, 13));
        for (subscription, due) in [(11, NOW), (12, NOW + 1), (13, NOW), (14, NOW), (15, NOW)] {
            fill(&database, queue(ACME, subscription), 1..=500, at(due)).await;
        }
        database.run("ANALYZE").await;
        let deactivate = "UPDATE webhook_subscriptions SET is_active = false, inactive_since = 'epoch' WHERE id = ";
        database.run(&format!("{deactivate} '{}'", inactive.subscription)).await;

        let (mut connection, plans) = database.explained(Role::Dispatcher).await;
        let taken =
            take(&mut connection, &Claim { exceptions: BTreeMap::from([(full, 0)]), ..claim() })
                .await;
        assert_eq!(taken.len(), 20);
        assert!(taken.iter().all(|key| [queue(ACME, 11), queue(ACME, 15)].contains(&key.queue)));
        assert_read(&plans, &CLAIMING, 30);
        // Those that are behind the one where the limit is reached are not looked at.
        let taken = take(&mut connection, &Claim { limit: 5, ..claim() }).await;
        assert_eq!(taken.len(), 5);
        assert!(taken.iter().all(|key| key.queue == queue(ACME, 11)));
        assert_read(&plans, &CLAIMING, 20);
    }

    #[tokio::test]
    async fn plans_that_were_made_for_small_tables_are_right_for_large_ones() {
        let (_store, database) = store().await;
        let (mut connection, plans) = database.explained(Role::Dispatcher).await;
        for (events, analyze) in [(1..=30, "VACUUM ANALYZE"), (31..=1_000, "")] {
            for subscription in [11, 12] {
                fill(&database, queue(ACME, subscription), events.clone(), at(NOW)).await;
            }
            database.run(analyze).await;
            let taken = take(&mut connection, &Claim { per_queue: 3, ..claim() }).await;
            assert_eq!(taken.len(), 6);
            assert_read(&plans, &CLAIMING, 20);
            let release = Release { held: [(taken[0], HOLDER)].into_iter().collect() };
            assert_eq!(release.execute(&mut connection).await.unwrap(), 1);
            assert_read(&plans, &SETTLING[..2], 20);
            let codes = [200, 500].into_iter().cycle();
            let ended =
                taken.iter().zip(codes).skip(1).map(|(key, code)| settled(*key, code)).collect();
            assert_eq!(settle(&mut connection, ended).await.unwrap(), []);
            assert_read(&plans, &SETTLING, 20);
        }
    }

    #[tokio::test]
    async fn deliveries_that_arrive_write_nothing_to_subscriptions_that_are_well() {
        let (store, database) = store().await;
        for subscription in [11, 12] {
            fill(&database, queue(ACME, subscription), 1..=2, at(NOW)).await;
        }
        let client = database.connect().await;
        let changed = async || {
            let row =
                client.query_one("SELECT string_agg(concat(id, xmin, xmax), ' ' ORDER BY id) FROM webhook_subscriptions", &[]);
            row.await.unwrap().get::<_, String>(0)
        };
        store.claim(claim()).await.unwrap();
        let before = changed().await;
        let both = vec![settled(key(ACME, 11, 1), 200), settled(key(ACME, 12, 1), 200)];
        assert_eq!(store.settle(both).await.unwrap(), []);
        assert_eq!(changed().await, before);
        assert_eq!(store.settle(vec![settled(key(ACME, 11, 2), 500)]).await.unwrap(), []);
        assert_ne!(changed().await, before);
    }

    #[tokio::test]
    async fn one_that_cannot_be_read_is_named_and_the_others_are_handed_out() {
        let (store, database) = store().await;
        fill(&database, queue(ACME, 11), 1..=3, at(NOW)).await;
        let second = key(ACME, 11, 2);
        let spoil = "UPDATE deliveries SET occurred_at = 'infinity' WHERE event_id = ";
        database.run(&format!("{spoil} '{}'", second.event)).await;
        let claimed = store.claim(claim()).await.unwrap();
        let keys: Vec<DeliveryKey> =
            claimed.deliveries.iter().map(|delivery| delivery.key).collect();
        assert_eq!(keys, [key(ACME, 11, 1), key(ACME, 11, 3)]);
        assert_eq!(claimed.unreadable, [Unreadable { key: second, column: "occurred_at" }]);
        // Its lease has to run out.
        assert_eq!(store.claim(claim()).await.unwrap(), Claimed::default());
    }

    /// Does what is to wait for a lock that `holder` has, and is let through.
    pub(crate) async fn waits_for<T>(
        holder: &Client,
        observer: &Client,
        work: impl Future<Output = T>,
    ) -> T {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let somebody_waits = async {
            while observer.query_one(waiting, &[]).await.unwrap().get::<_, i64>(0) == 0 {}
        };
        let mut work = pin!(work);
        tokio::select! {
            _ = &mut work => panic!("it did not wait"),
            () = somebody_waits => {}
        }
        holder.batch_execute("COMMIT").await.unwrap();
        work.await
    }

    #[tokio::test]
    async fn what_a_claim_came_too_late_for_is_settled_and_given_back_when_it_lets_go() {
        let (store, database) = store().await;
        fill(&database, queue(ACME, 11), 1..=2, at(NOW)).await;
        let claimed = store.claim(claim()).await.unwrap().deliveries;
        let (late, observer) = (database.connect().await, database.connect().await);
        // A claim locks what it finds before it sees that somebody else has it by now.
        let lock = "BEGIN; SELECT FROM deliveries FOR NO KEY UPDATE";
        late.batch_execute(lock).await.unwrap();
        let settling = store.settle(vec![settled(claimed[0].key, 200)]);
        assert_eq!(waits_for(&late, &observer, settling).await.unwrap(), []);
        late.batch_execute(lock).await.unwrap();
        waits_for(&late, &observer, store.release(vec![(claimed[1].key, HOLDER)])).await.unwrap();
        let again = store.claim(claim()).await.unwrap().deliveries;
        assert_eq!(again.iter().map(|delivery| delivery.key).collect::<Vec<_>>(), [claimed[1].key]);
    }

    #[tokio::test]
    async fn what_is_of_an_organization_that_is_being_deleted_holds_nothing_else_up() {
        let (store, database) = store().await;
        for organization in [ACME, OTHER] {
            fill(&database, queue(organization, 11), 1..=3, at(NOW)).await;
        }
        store.claim(claim()).await.unwrap();
        let deletion = database.connect().await;
        let acme = queue(ACME, 11).organization;
        let lock = format!(
            "BEGIN; SELECT FROM organizations WHERE id = '{acme}' FOR UPDATE; \
             SELECT FROM deliveries WHERE organization_id = '{acme}' FOR UPDATE; \
             SELECT FROM webhook_subscriptions WHERE organization_id = '{acme}' FOR UPDATE"
        );
        deletion.batch_execute(&lock).await.unwrap();
        for (event, code) in [(1, 200), (2, 410)] {
            let both =
                vec![settled(key(ACME, 11, event), code), settled(key(OTHER, 11, event), code)];
            store.settle(both).await.unwrap();
        }
        store.release(vec![(key(ACME, 11, 3), HOLDER), (key(OTHER, 11, 3), HOLDER)]).await.unwrap();
        deletion.batch_execute("ROLLBACK").await.unwrap();
        let attempts = async |organization| {
            let Queue { organization, subscription } = queue(organization, 11);
            let page = store
                .page(organization, subscription, DeliveryFilter::default(), None, 10)
                .await
                .unwrap();
            page.iter().map(|delivery| delivery.attempts).collect::<Vec<_>>()
        };
        assert_eq!((attempts(ACME).await, attempts(OTHER).await), (vec![0, 0, 0], vec![0, 1, 1]));
    }
}
