//! Webhook subscriptions.

use crate::error::Undone;
use crate::stored::{Stored, finds, inserts, updates};
use crate::{PgStore, deliveries, organizations};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::api_key::Sealed;
use hearback_domain::event::EventType;
use hearback_domain::id::{BoardId, OrganizationId, SubscriptionId};
use hearback_domain::webhook_subscription::{Health, WebhookSubscription};
use hearback_domain::{ClosedSet, Time};
use hearback_ports::instance::{SealedSecret, SecretKind};
use hearback_ports::webhook_subscriptions::SubscriptionDetails;
use hearback_ports::{Recorded, StoreError, WebhookSubscriptionRepository};
use hearback_store_rows::postgres::lists;
use hearback_store_rows::rows::WebhookSubscriptionRow;
use hearback_store_rows::schema::webhook_subscriptions;
use hearback_store_rows::statement::Statement;
use hearback_store_rows::webhook_subscriptions::{
    self as rows, HealthRow, SecretsRow, SubscriptionDetailsRow,
};
use hearback_store_rows::{Id, SqlId, Stamp, all, one};

#[async_trait]
impl WebhookSubscriptionRepository for PgStore {
    async fn list(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<SubscriptionDetails>, StoreError> {
        let rows: Vec<SubscriptionDetailsRow> = self
            .readers
            .rows("listing webhook subscriptions", || {
                webhook_subscriptions::table
                    .filter(webhook_subscriptions::organization_id.eq(Id::of(organization)))
                    .order((webhook_subscriptions::created_at, webhook_subscriptions::id))
                    .select(SubscriptionDetailsRow::as_select())
            })
            .await?;
        Ok(all(rows)?)
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Option<SubscriptionDetails>, StoreError> {
        let row: Option<SubscriptionDetailsRow> = self
            .readers
            .row("finding a webhook subscription", || {
                one!(webhook_subscriptions, organization, Id::of(id))
                    .select(SubscriptionDetailsRow::as_select())
            })
            .await?;
        Ok(row.map(SubscriptionDetails::try_from).transpose()?)
    }

    async fn clear(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Recorded, StoreError> {
        let doing = "clearing a webhook subscription";
        // An interruption leaves an inactive subscription. A second call continues from there.
        let retired = self.dispatcher.record(doing, move |connection| {
            async move { retire(connection, organization, id).await }.boxed()
        });
        if retired.await? != Recorded::Done {
            return Ok(Recorded::Stale);
        }
        loop {
            let part = self.dispatcher.write(doing, move |connection| {
                async move { clear_part(connection, organization, id).await }.boxed()
            });
            match part.await?.flatten() {
                Some(Clearing::Complete) => return Ok(Recorded::Done),
                Some(Clearing::Partial) => {}
                None => return Ok(Recorded::Stale),
            }
        }
    }

    async fn succeeded(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        at: Time,
    ) -> Result<(), StoreError> {
        let earlier = webhook_subscriptions::last_success_at
            .is_null()
            .or(webhook_subscriptions::last_success_at.lt(Stamp::of(at)));
        let noted =
            self.dispatcher.write("noting that a webhook was received", move |connection| {
                async move {
                    let subscription = one!(webhook_subscriptions, organization, Id::of(id));
                    diesel::update(subscription.filter(earlier))
                        .set(webhook_subscriptions::last_success_at.eq(Stamp::of(at)))
                        .execute(connection)
                        .await
                }
                .boxed()
            });
        // `None`: another transaction was faster, and the next success is noted.
        noted.await.map(drop)
    }
}

/// Keeps an organization from being deleted. Fails with [`Undone::Stale`] if the organization is
/// gone or being deleted: a wait would hold a connection that the dispatcher may need.
async fn hold(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
) -> Result<(), Undone> {
    if organizations::try_hold(connection, organization).await? {
        Ok(())
    } else {
        Err(Undone::Stale)
    }
}

/// Deactivates a subscription before its deletion, so that it gets no new deliveries, and no
/// transaction that records an event waits for the deletion. It counts as inactive since it was
/// created, so that none of its deliveries is kept.
async fn retire(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    id: SubscriptionId,
) -> Result<(), Undone> {
    hold(connection, organization).await?;
    diesel::update(one!(webhook_subscriptions, organization, Id::of(id)))
        .filter(webhook_subscriptions::is_active)
        .set((
            webhook_subscriptions::is_active.eq(false),
            webhook_subscriptions::inactive_since.eq(webhook_subscriptions::created_at.nullable()),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// How far a subscription is cleared.
#[derive(Debug, PartialEq, Eq)]
enum Clearing {
    /// Some of its deliveries may be left.
    Partial,
    /// No delivery is left.
    Complete,
}

/// The number of deliveries that one transaction removes. This takes some 10 ms, and a settlement
/// may have to wait for it.
const REMOVED_AT_ONCE: i64 = 500;

/// Removes a part of the deliveries of an inactive subscription. `None` if the subscription is gone.
async fn clear_part(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    id: SubscriptionId,
) -> QueryResult<Option<Clearing>> {
    if !organizations::try_hold(connection, organization).await? {
        return Ok(None);
    }
    let subscription = one!(webhook_subscriptions, organization, Id::of(id));
    // This waits for each transaction that records an event for the subscription and has seen it
    // active. The deliveries of those transactions are seen below.
    let found =
        subscription.select(webhook_subscriptions::id).for_update().execute(connection).await?;
    if found == 0 {
        return Ok(None);
    }
    let some = deliveries::of_subscription(connection, organization, id, REMOVED_AT_ONCE).await?;
    deliveries::remove(connection, organization, &some).await?;
    if i64::try_from(some.len()).is_ok_and(|count| count == REMOVED_AT_ONCE) {
        return Ok(Some(Clearing::Partial));
    }
    Ok(Some(Clearing::Complete))
}

/// Deactivates an active subscription.
pub(crate) async fn deactivate(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    id: SubscriptionId,
    at: Time,
) -> QueryResult<()> {
    diesel::update(one!(webhook_subscriptions, organization, Id::of(id)))
        .set((
            webhook_subscriptions::is_active.eq(false),
            webhook_subscriptions::inactive_since.eq(Stamp::of(at)),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Locks the subscriptions that receive an event, so that none is deleted before the transaction
/// ends. Returns their identifiers.
pub(crate) async fn receivers(
    mut connection: &AsyncPgConnection,
    organization: OrganizationId,
    event_type: EventType,
    board: Option<BoardId>,
) -> QueryResult<Vec<Id>> {
    let receivers = Statement::<SqlId>::new("SELECT id FROM webhook_subscriptions")
        .sql(" WHERE organization_id = ")
        .id(organization)
        .sql(" AND is_active AND NOT awaits_rotation AND (")
        // A subscription without types receives those of the contract.
        .sql(if event_type.is_in_contract() { "event_types = '' OR " } else { "" })
        .text(event_type.code())
        .sql(" = ANY (string_to_array(event_types, ','))) AND (board_ids = '' OR ")
        // No subscription names the empty board.
        .text(&board.map(|board| board.to_string()).unwrap_or_default())
        .sql(" = ANY (string_to_array(board_ids, ','))) FOR KEY SHARE");
    receivers.load(&mut connection).await
}

/// Stores the health of a subscription's receiver.
pub(crate) async fn set_health(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    id: SubscriptionId,
    health: Health,
) -> QueryResult<()> {
    diesel::update(one!(webhook_subscriptions, organization, Id::of(id)))
        .set(HealthRow::from(health))
        .execute(connection)
        .await?;
    Ok(())
}

impl Stored for WebhookSubscription {
    inserts!(webhook_subscriptions, |subscription| (
        WebhookSubscriptionRow::from(subscription),
        webhook_subscriptions::inactive_since
            .eq((!subscription.is_active).then(|| Stamp::of(subscription.created_at))),
        HealthRow::from(Health::Well),
    ));
    updates!(webhook_subscriptions, |subscription| (
        WebhookSubscriptionRow::from(subscription.after),
        subscription.changed(|subscription| subscription.is_active).map(|is_active| {
            let since = (!is_active).then(|| Stamp::of(subscription.at));
            // An activation forgets the failures. A deactivation keeps them.
            let health = is_active.then(|| HealthRow::from(Health::Well));
            (webhook_subscriptions::inactive_since.eq(since), health)
        }),
    ));
    finds!(
        webhook_subscriptions.id,
        WebhookSubscriptionRow::as_select() => WebhookSubscriptionRow<'static>
    );
}

/// The sealed secrets of up to `limit` subscriptions behind `after`, of all organizations, by
/// organization and id. A subscription with two secrets has both in the page.
pub(crate) async fn secrets(
    connection: &mut AsyncPgConnection,
    after: Option<(Id, Id)>,
    limit: i64,
) -> QueryResult<Vec<SealedSecret>> {
    let sealed: Vec<SecretsRow> = lists::subscriptions_with_secrets(after, limit)
        .select(SecretsRow::as_select())
        .load(connection)
        .await?;
    Ok(sealed.into_iter().flat_map(rows::secrets).collect())
}

/// Replaces a sealed secret by `new`, unless it has changed since it was read. Returns the number
/// of secrets that were replaced.
pub(crate) async fn replace_secret(
    connection: &mut AsyncPgConnection,
    secret: &SealedSecret,
    new: &Sealed,
) -> QueryResult<usize> {
    let subscription =
        one!(webhook_subscriptions, secret.place.organization, Id(secret.place.record));
    if secret.place.kind == SecretKind::PreviousSigningSecret {
        diesel::update(
            subscription.filter(webhook_subscriptions::previous_sealed_secret.eq(&secret.sealed.0)),
        )
        .set(webhook_subscriptions::previous_sealed_secret.eq(&new.0))
        .execute(connection)
        .await
    } else {
        diesel::update(
            subscription.filter(webhook_subscriptions::sealed_secret.eq(&secret.sealed.0)),
        )
        .set(webhook_subscriptions::sealed_secret.eq(&new.0))
        .execute(connection)
        .await
    }
}
