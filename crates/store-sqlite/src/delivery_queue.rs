//! Events on their way to subscriptions.

use crate::deliveries::AttemptRow;
use crate::error::{BadRow, store_error};
use crate::rows::{Id, Origin};
use crate::schema::{
    deliveries, delivery_attempts, events, webhook_subscriptions as subscriptions,
};
use crate::{SqliteStore, webhook_subscriptions};
use async_trait::async_trait;
use diesel::dsl::not;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Binary, Integer, Nullable, Text};
use diesel::sqlite::Sqlite;
use hearback_domain::api_key::Sealed;
use hearback_domain::delivery::{DeliveryOutcome, DeliveryState};
use hearback_domain::webhook_subscription::{Deactivation, Standing};
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::delivery_queue::{
    Claim, Claimed, ClaimedDelivery, DeliveryKey, Queue, Settled, Unreadable,
};
use hearback_ports::{DeliveryQueue, Lease, StoreError};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

#[async_trait]
impl DeliveryQueue for SqliteStore {
    async fn claim(&self, claim: Claim) -> Result<Claimed, StoreError> {
        let doing = "claiming deliveries";
        // Looked for first, and by a reader: most often there is nothing, and the writer has other things to do. It then takes
        // what is still there.
        let (lease, now) = (claim.lease, claim.now);
        let find = move |connection: &mut SqliteConnection| find(connection, &claim);
        let Found { due, next_after } = self.queue_readers.snapshot(doing, find).await?;
        let mut claimed = Claimed { next_after, ..Claimed::default() };
        if due.is_empty() {
            return Ok(claimed);
        }
        let work = move |connection: &mut SqliteConnection| take(connection, due, lease, now);
        for row in
            self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))?
        {
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
        settled: Vec<Settled>,
    ) -> Result<Vec<(Queue, Deactivation)>, StoreError> {
        let doing = "settling deliveries";
        let work = move |connection: &mut SqliteConnection| settle(connection, &settled);
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))
    }

    async fn release(&self, deliveries: Vec<(DeliveryKey, Uuid)>) -> Result<(), StoreError> {
        let doing = "releasing deliveries";
        let work = move |connection: &mut SqliteConnection| release(connection, &deliveries);
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))
    }
}

/// What may be claimed.
struct Found {
    due: Vec<(Queue, Vec<DueRow>)>,
    next_after: Option<Queue>,
}

/// Goes from queue to queue by a look-up in the index each, however long they are. Of those with something due it asks more.
fn find(connection: &mut SqliteConnection, claim: &Claim) -> QueryResult<Found> {
    let (mut due, mut left, mut after) = (Vec::new(), claim.limit, claim.after);
    while left > 0 {
        let Some((queue, earliest)) = next_queue(connection, after)? else {
            return Ok(Found { due, next_after: None });
        };
        after = Some(queue);
        let room = claim.room(queue).min(left);
        if room == 0
            || earliest > claim.now.unix_millis()
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

/// The first queue behind `after` with something pending, and when the earliest of that is due.
fn next_queue(
    connection: &mut SqliteConnection,
    after: Option<Queue>,
) -> QueryResult<Option<(Queue, i64)>> {
    // No bytes at all are less than any identifier.
    let (organization, subscription) = after.map_or_else(Default::default, |after| {
        (after.organization.0.as_bytes().to_vec(), after.subscription.0.as_bytes().to_vec())
    });
    let next = NextQueue { organization, subscription }
        .get_result::<(Id, Id, i64)>(connection)
        .optional()?;
    Ok(next.map(|(organization, subscription, earliest)| {
        (Queue { organization: organization.to(), subscription: subscription.to() }, earliest)
    }))
}

/// The first delivery of the first queue behind one, in the order of the index: of the same organization, or else of the next one.
/// Asked for by the pair of them, SQLite would walk through all of the queue behind which it is to begin.
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
    type SqlType = (Binary, Binary, BigInt);
}

impl RunQueryDsl<SqliteConnection> for NextQueue {}

/// Where deliveries of a queue are sent; `None` where nothing is sent.
fn receiver(
    connection: &mut SqliteConnection,
    queue: Queue,
    now: Time,
) -> QueryResult<Option<Receiver>> {
    let receiver = subscriptions::table
        .filter(subscriptions::organization_id.eq(Id::of(queue.organization)))
        .filter(subscriptions::id.eq(Id::of(queue.subscription)))
        .filter(subscriptions::is_active)
        .filter(not(subscriptions::awaits_rotation))
        .select((
            subscriptions::url,
            subscriptions::sealed_secret,
            subscriptions::previous_sealed_secret,
            subscriptions::previous_until,
        ))
        .first::<(String, Vec<u8>, Option<Vec<u8>>, Option<i64>)>(connection)
        .optional()?;
    Ok(receiver.map(|(url, secret, previous, until)| Receiver {
        url,
        secret,
        previous_secret: previous.filter(|_| until.is_some_and(|until| until > now.unix_millis())),
    }))
}

#[derive(Clone)]
struct Receiver {
    url: String,
    secret: Vec<u8>,
    previous_secret: Option<Vec<u8>>,
}

/// Up to `limit` deliveries of a queue that are due and that nobody has, those due first first.
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
        .filter(deliveries::next_attempt_at.le(now.unix_millis()))
        .filter(
            deliveries::leased_until.is_null().or(deliveries::leased_until.lt(now.unix_millis())),
        )
        .order((deliveries::next_attempt_at, deliveries::event_id))
        .limit(i64::try_from(limit).unwrap_or(i64::MAX))
        .select((events::id, events::event_type, events::data))
        .load(connection)
}

/// A delivery that is due, with what its event says for ever.
#[derive(Queryable)]
struct DueRow {
    event: Id,
    event_type: String,
    data: String,
}

/// Hands out those of them that are still due, that still nobody has, and whose subscription still wants them.
fn take(
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

/// Hands out a delivery that is due and that nobody has, and tells how it stands. Diesel's own update would take another
/// statement for that.
#[derive(QueryId)]
struct Take {
    key: KeyColumns,
    holder: Id,
    until: i64,
    now: i64,
}

impl Take {
    fn new(queue: Queue, event: Id, lease: Lease, now: Time) -> Self {
        Self {
            key: KeyColumns::of(DeliveryKey { queue, event: event.to() }),
            holder: Id(lease.holder),
            until: lease.until.unix_millis(),
            now: now.unix_millis(),
        }
    }
}

impl QueryFragment<Sqlite> for Take {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("UPDATE deliveries SET lease_holder = ");
        out.push_bind_param::<Binary, _>(&self.holder)?;
        out.push_sql(", leased_until = ");
        out.push_bind_param::<BigInt, _>(&self.until)?;
        out.push_sql(", occurred_at = coalesce(occurred_at, ");
        out.push_bind_param::<BigInt, _>(&self.now)?;
        out.push_sql(") WHERE ");
        self.key.walk_ast(out.reborrow())?;
        out.push_sql(" AND next_attempt_at <= ");
        out.push_bind_param::<BigInt, _>(&self.now)?;
        out.push_sql(" AND (leased_until IS NULL OR leased_until < ");
        out.push_bind_param::<BigInt, _>(&self.now)?;
        out.push_sql(") RETURNING occurred_at, attempt_count, attempts_before_replay");
        Ok(())
    }
}

impl Query for Take {
    type SqlType = (BigInt, Integer, Integer);
}

impl RunQueryDsl<SqliteConnection> for Take {}

/// Names one delivery.
#[derive(Clone, Copy, QueryId)]
struct KeyColumns {
    organization: Id,
    subscription: Id,
    event: Id,
}

impl KeyColumns {
    fn of(key: DeliveryKey) -> Self {
        let DeliveryKey { queue: Queue { organization, subscription }, event } = key;
        Self {
            organization: Id::of(organization),
            subscription: Id::of(subscription),
            event: Id::of(event),
        }
    }
}

impl QueryFragment<Sqlite> for KeyColumns {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("organization_id = ");
        out.push_bind_param::<Binary, _>(&self.organization)?;
        out.push_sql(" AND event_id = ");
        out.push_bind_param::<Binary, _>(&self.event)?;
        out.push_sql(" AND subscription_id = ");
        out.push_bind_param::<Binary, _>(&self.subscription)
    }
}

#[derive(Queryable)]
struct TakenRow {
    occurred_at: i64,
    attempt_count: i32,
    attempts_before_replay: i32,
}

/// A delivery that was handed out.
struct ClaimedRow {
    queue: Queue,
    due: DueRow,
    receiver: Receiver,
    state: TakenRow,
}

impl ClaimedRow {
    fn key(&self) -> DeliveryKey {
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
            event_type: Origin::new("events", due.event).code("event_type", &due.event_type)?,
            data: due.data,
            url: receiver.url,
            secret: Sealed(receiver.secret),
            previous_secret: receiver.previous_secret.map(Sealed),
            occurred_at: origin.time("occurred_at", state.occurred_at)?,
            attempts: count("attempt_count", state.attempt_count)?,
            attempts_before_replay: count("attempts_before_replay", state.attempts_before_replay)?,
        })
    }
}

fn settle(
    connection: &mut SqliteConnection,
    settled: &[Settled],
) -> QueryResult<Vec<(Queue, Deactivation)>> {
    // How the subscriptions stood before, and stand after what is settled.
    let mut standings: BTreeMap<Queue, (Standing, Standing)> = BTreeMap::new();
    for settled in settled {
        if !keep(connection, settled)? {
            continue;
        }
        let queue = settled.key.queue;
        let (_, standing) = match standings.entry(queue) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let before = webhook_subscriptions::standing(
                    connection,
                    queue.organization,
                    queue.subscription,
                )?;
                entry.insert((before, before))
            }
        };
        *standing = standing.after(settled.key.event, settled.attempt.response, settled.ended_at);
    }
    let mut deactivated = Vec::new();
    for (queue, (before, standing)) in standings {
        let Queue { organization, subscription } = queue;
        // Most often nothing changed: a receiver that was well took what it was sent.
        if standing.health != before.health {
            webhook_subscriptions::set_health(
                connection,
                organization,
                subscription,
                standing.health,
            )?;
        }
        if let Some((reason, at)) = standing.deactivation {
            webhook_subscriptions::deactivate(connection, organization, subscription, at)?;
            deactivated.push((queue, reason));
        }
    }
    Ok(deactivated)
}

/// Keeps an attempt and what follows, if the delivery is still its holder's; answers whether it was.
fn keep(connection: &mut SqliteConnection, settled: &Settled) -> QueryResult<bool> {
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

/// Moves a delivery on that is still its holder's. Diesel's own update would be compiled anew each time.
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
        out.push_bind_param::<Nullable<BigInt>, _>(&self.stage.next_attempt_at)?;
        out.push_sql(", ended_at = ");
        out.push_bind_param::<Nullable<BigInt>, _>(&self.stage.ended_at)?;
        // Only a pending one has a holder.
        out.push_sql(", lease_holder = NULL, leased_until = NULL WHERE ");
        self.key.walk_ast(out.reborrow())?;
        out.push_sql(" AND lease_holder = ");
        out.push_bind_param::<Binary, _>(&self.holder)
    }
}

impl RunQueryDsl<SqliteConnection> for Settle {}

fn release(
    connection: &mut SqliteConnection,
    deliveries: &[(DeliveryKey, Uuid)],
) -> QueryResult<()> {
    for (key, holder) in deliveries {
        diesel::update(deliveries::table)
            .filter(deliveries::organization_id.eq(Id::of(key.queue.organization)))
            .filter(deliveries::event_id.eq(Id::of(key.event)))
            .filter(deliveries::subscription_id.eq(Id::of(key.queue.subscription)))
            .filter(deliveries::lease_holder.eq(Id(*holder)))
            .set((
                deliveries::lease_holder.eq(None::<Id>),
                deliveries::leased_until.eq(None::<i64>),
            ))
            .execute(connection)?;
    }
    Ok(())
}

/// Where a delivery is on its way: all of its row that changes when nobody has it any more, but for the number of attempts.
#[derive(Default, AsChangeset)]
#[diesel(
    table_name = deliveries,
    treat_none_as_null = true
)]
pub(crate) struct Stage {
    state: &'static str,
    next_attempt_at: Option<i64>,
    lease_holder: Option<Id>,
    leased_until: Option<i64>,
    ended_at: Option<i64>,
}

impl Stage {
    /// It is attempted then.
    pub(crate) fn pending(at: Time) -> Self {
        Self {
            state: DeliveryState::Pending.code(),
            next_attempt_at: Some(at.unix_millis()),
            ..Self::default()
        }
    }

    /// It was given up then.
    pub(crate) fn failed(at: Time) -> Self {
        Self {
            state: DeliveryState::Failed.code(),
            ended_at: Some(at.unix_millis()),
            ..Self::default()
        }
    }

    fn delivered(at: Time) -> Self {
        Self {
            state: DeliveryState::Delivered.code(),
            ended_at: Some(at.unix_millis()),
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
    use crate::connection::{Role, begin_immediate};
    use crate::tests::plans;
    use crate::{events as recorded, organizations};
    use hearback_domain::delivery::Response;
    use hearback_domain::event::{Event, Happening, VoteFacts};
    use hearback_domain::id::{EventId, OrganizationId, SubscriptionId};
    use hearback_domain::organization::{HelpCenter, Organization};
    use hearback_domain::slug::Slug;
    use hearback_domain::webhook_subscription::WebhookSubscription;
    use hearback_ports::Schema;
    use hearback_ports::delivery_queue::Attempt;
    use std::sync::Arc;
    use std::time::{Duration, Instant};
    use tempfile::TempDir;

    pub(crate) const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));

    /// A store with an organization that has subscriptions of these identifiers; and the folder that goes when the test ends.
    pub(crate) async fn store(
        subscriptions: &[u128],
    ) -> (Arc<SqliteStore>, SqliteConnection, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("test.db")).unwrap();
        store.migrate().await.unwrap();
        let mut connection = store.database.connect(Role::Bulk).unwrap();
        let (slug, help_center) = (Slug::parse("acme").unwrap(), HelpCenter::from_flag(true));
        let acme = Organization {
            id: ACME,
            name: String::new(),
            slug,
            help_center,
            created_at: Time::MIN,
        };
        organizations::insert(&mut connection, &acme).unwrap();
        for &number in subscriptions {
            webhook_subscriptions::insert(&mut connection, ACME, &subscription(number)).unwrap();
        }
        (store, connection, folder)
    }

    pub(crate) fn subscription(number: u128) -> WebhookSubscription {
        WebhookSubscription {
            id: Uuid::from_u128(number).into(),
            url: format!("https://{number}.example/"),
            event_types: vec![],
            is_active: true,
            awaits_rotation: false,
            secret: Sealed(vec![1]),
            created_at: Time::MIN,
        }
    }

    /// Records events of these identifiers, a millisecond from each to the next.
    pub(crate) fn record(
        connection: &mut SqliteConnection,
        events: impl IntoIterator<Item = u128>,
    ) {
        for number in events {
            let vote = VoteFacts {
                id: Uuid::nil().into(),
                post_id: Uuid::nil().into(),
                post_title: String::new(),
                board_id: Uuid::nil().into(),
            };
            let at = at(i64::try_from(number).unwrap());
            recorded::record(
                connection,
                ACME,
                &Event { id: event(number), at, what: Happening::VoteCreated(vote) },
            )
            .unwrap();
        }
    }

    pub(crate) fn event(number: u128) -> EventId {
        Uuid::from_u128(number).into()
    }

    pub(crate) fn at(millis: i64) -> Time {
        Time::from_unix_millis(millis).unwrap()
    }

    const NOW: i64 = 1_000_000;

    pub(crate) fn claim(holder: u128) -> Claim {
        let lease = Lease { holder: Uuid::from_u128(holder), until: at(NOW + 60_000) };
        Claim {
            lease,
            now: at(NOW),
            after: None,
            limit: 100,
            per_queue: 100,
            exceptions: BTreeMap::new(),
        }
    }

    pub(crate) fn settled(
        delivery: &ClaimedDelivery,
        holder: u128,
        code: u16,
        outcome: DeliveryOutcome,
    ) -> Settled {
        let response = Response::Status { code, cut: None };
        let (number, started_at) = (delivery.attempts + 1, at(NOW));
        let attempt = Attempt { number, started_at, duration_ms: 1, response, answer: vec![] };
        Settled {
            key: delivery.key,
            holder: Uuid::from_u128(holder),
            attempt,
            outcome,
            ended_at: at(NOW + 1),
        }
    }

    #[tokio::test]
    async fn queues_what_is_due_in_them_and_what_was_handed_out_are_looked_up() {
        let (store, mut connection, _folder) = store(&[1]).await;
        record(&mut connection, [1]);
        let (first, second) = (claim(1), claim(2));
        let queue = "COMPOUND QUERY; LEFT-MOST SUBQUERY; CO-ROUTINE (subquery-1); \
                     SEARCH deliveries USING COVERING INDEX deliveries_pending (organization_id=? AND subscription_id>?); \
                     SCAN (subquery-1); UNION ALL; CO-ROUTINE (subquery-3); \
                     SEARCH deliveries USING COVERING INDEX deliveries_pending (organization_id>?); SCAN (subquery-3)";
        let subscription = "SEARCH webhook_subscriptions USING INDEX sqlite_autoindex_webhook_subscriptions_1 \
                            (organization_id=? AND id=?)";
        let due = "SEARCH deliveries USING INDEX deliveries_pending \
                   (organization_id=? AND subscription_id=? AND next_attempt_at<?); \
                   SEARCH events USING INDEX sqlite_autoindex_events_1 (organization_id=? AND id=?)";
        let delivery = "SEARCH deliveries USING PRIMARY KEY (organization_id=? AND event_id=? AND subscription_id=?)";

        let plan = plans(&mut connection, |connection| find(connection, &first));
        assert_eq!(plan, [queue, subscription, due, queue]);
        let found = find(&mut connection, &first).unwrap();
        let plan = plans(&mut connection, |connection| {
            take(connection, found.due, first.lease, first.now)
        });
        assert_eq!(plan, [subscription, delivery]);
        let key = DeliveryKey {
            queue: Queue { organization: ACME, subscription: SubscriptionId(Uuid::from_u128(1)) },
            event: event(1),
        };
        let plan =
            plans(&mut connection, |connection| release(connection, &[(key, first.lease.holder)]));
        assert_eq!(plan, [delivery]);
        let delivered = store.claim(second).await.unwrap().deliveries.remove(0);
        let failed = settled(&delivered, 2, 410, DeliveryOutcome::Failed);
        let plan = plans(&mut connection, |connection| settle(connection, &[failed]));
        assert_eq!(plan, [delivery, subscription, subscription, subscription]);
    }

    #[tokio::test]
    async fn a_claim_that_finds_nothing_does_without_the_writer() {
        let (store, mut connection, _folder) = store(&[1, 2]).await;
        record(&mut connection, [1]);
        webhook_subscriptions::deactivate(&mut connection, ACME, subscription(1).id, at(2))
            .unwrap();
        assert_eq!(store.claim(claim(1)).await.unwrap().deliveries.len(), 1);

        begin_immediate(&mut connection, Instant::now() + Duration::from_secs(2)).unwrap();
        assert_eq!(store.claim(claim(2)).await.unwrap(), Claimed::default());
    }

    #[tokio::test]
    async fn one_that_cannot_be_read_is_named_and_the_others_are_handed_out() {
        let (store, mut connection, _folder) = store(&[1]).await;
        record(&mut connection, 1..=3);
        let second = deliveries::table.filter(deliveries::event_id.eq(Id::of(event(2))));
        diesel::update(second)
            .set(deliveries::occurred_at.eq(i64::MAX))
            .execute(&mut connection)
            .unwrap();
        let claimed = store.claim(claim(1)).await.unwrap();
        let events: Vec<EventId> =
            claimed.deliveries.iter().map(|delivery| delivery.key.event).collect();
        assert_eq!(events, [event(1), event(3)]);
        let queue = claimed.deliveries[0].key.queue;
        let unreadable =
            Unreadable { key: DeliveryKey { queue, event: event(2) }, column: "occurred_at" };
        assert_eq!(claimed.unreadable, [unreadable]);
        // Its lease has to run out.
        assert_eq!(store.claim(claim(2)).await.unwrap(), Claimed::default());
    }

    #[tokio::test]
    async fn what_changed_since_it_was_found_is_not_handed_out() {
        let (store, mut connection, _folder) = store(&[1]).await;
        record(&mut connection, [1]);
        let second = claim(2);
        let find_it = |connection: &mut SqliteConnection, claim: &Claim| {
            let found = find(connection, claim).unwrap();
            assert_eq!(found.due.len(), 1);
            found.due
        };

        // Somebody else has it.
        let found = find_it(&mut connection, &second);
        let delivery = store.claim(claim(1)).await.unwrap().deliveries.remove(0);
        assert_eq!(take(&mut connection, found, second.lease, second.now).unwrap().len(), 0);
        store.release(vec![(delivery.key, Uuid::from_u128(1))]).await.unwrap();

        // It is not due yet.
        let found = find_it(&mut connection, &second);
        let delivery = store.claim(claim(1)).await.unwrap().deliveries.remove(0);
        let later = DeliveryOutcome::Retry { at: at(NOW + 1) };
        assert_eq!(store.settle(vec![settled(&delivery, 1, 500, later)]).await.unwrap(), []);
        assert_eq!(take(&mut connection, found, second.lease, second.now).unwrap().len(), 0);

        // Nothing is sent to its subscription any more.
        let third = Claim { now: at(NOW + 1), ..claim(3) };
        let found = find_it(&mut connection, &third);
        webhook_subscriptions::deactivate(
            &mut connection,
            ACME,
            delivery.key.queue.subscription,
            at(NOW),
        )
        .unwrap();
        assert_eq!(take(&mut connection, found, third.lease, third.now).unwrap().len(), 0);
    }

    #[tokio::test]
    async fn a_delivery_that_arrives_writes_two_rows_and_a_batch_of_failures_one_more() {
        #[derive(QueryableByName)]
        struct Changes {
            #[diesel(sql_type = BigInt)]
            rows: i64,
        }
        fn changes(connection: &mut SqliteConnection) -> i64 {
            diesel::sql_query("SELECT total_changes() AS rows")
                .get_result::<Changes>(connection)
                .unwrap()
                .rows
        }
        let (store, mut connection, _folder) = store(&[1]).await;
        record(&mut connection, 1..=8);
        let claimed = store.claim(claim(1)).await.unwrap().deliveries;
        let mut rows = |settled: Vec<Settled>| {
            let before = changes(&mut connection);
            assert_eq!(settle(&mut connection, &settled).unwrap(), []);
            changes(&mut connection) - before
        };
        let (arrived, refused) = claimed.split_at(4);
        assert_eq!(
            rows(
                arrived
                    .iter()
                    .map(|delivery| settled(delivery, 1, 200, DeliveryOutcome::Delivered))
                    .collect()
            ),
            8
        );
        assert_eq!(
            rows(
                refused
                    .iter()
                    .map(|delivery| settled(delivery, 1, 500, DeliveryOutcome::Failed))
                    .collect()
            ),
            9
        );
    }
}
