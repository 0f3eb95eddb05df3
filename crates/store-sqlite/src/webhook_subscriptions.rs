//! Webhook subscriptions.

use crate::SqliteStore;
use crate::deliveries::{self, REMOVED_AT_ONCE};
use crate::error::{Undone, store_error};
use crate::stored::{Stored, finds, inserts, updates};
use crate::writer::give_way;
use async_trait::async_trait;
use diesel::dsl::not;
use diesel::prelude::*;
use hearback_domain::api_key::Sealed;
use hearback_domain::event::Happening;
use hearback_domain::id::{OrganizationId, SubscriptionId};
use hearback_domain::webhook_subscription::{Health, SubscriptionState, WebhookSubscription};
use hearback_domain::{ClosedSet, Time};
use hearback_ports::instance::{SealedSecret, SecretKind};
use hearback_ports::webhook_subscriptions::SubscriptionDetails;
use hearback_ports::{Recorded, StoreError, WebhookSubscriptionRepository};
use hearback_store_rows::rows::{EditedRow, WebhookSubscriptionRow};
use hearback_store_rows::schema::webhook_subscriptions;
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::webhook_subscriptions::{
    self as rows, HealthRow, SecretsRow, SubscriptionDetailsRow,
};
use hearback_store_rows::{Id, Origin, Stamp, all, one};

#[async_trait]
impl WebhookSubscriptionRepository for SqliteStore {
    async fn list(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<SubscriptionDetails>, StoreError> {
        let rows: Vec<SubscriptionDetailsRow> =
            self.readers.read("listing webhook subscriptions", |connection| {
                webhook_subscriptions::table
                    .filter(webhook_subscriptions::organization_id.eq(Id::of(organization)))
                    .order((webhook_subscriptions::created_at, webhook_subscriptions::id))
                    .select(SubscriptionDetailsRow::as_select())
                    .load(connection)
            })?;
        Ok(all(rows)?)
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Option<SubscriptionDetails>, StoreError> {
        let row: Option<SubscriptionDetailsRow> =
            self.readers.read("finding a webhook subscription", |connection| {
                one!(webhook_subscriptions, organization, Id::of(id))
                    .select(SubscriptionDetailsRow::as_select())
                    .first(connection)
                    .optional()
            })?;
        Ok(row.map(SubscriptionDetails::try_from).transpose()?)
    }

    async fn clear(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Recorded, StoreError> {
        let doing = "clearing a webhook subscription";
        // The deliveries go in parts, between which other writes run. An interruption leaves an
        // inactive subscription. A second call continues from there.
        loop {
            let work =
                move |connection: &mut SqliteConnection| clear_part(connection, organization, id);
            match self.writer.write(doing, work).await? {
                Ok(Clearing::Complete) => return Ok(Recorded::Done),
                Ok(Clearing::Partial) => give_way().await,
                Err(undone) => return undone.recorded(doing),
            }
        }
    }

    async fn succeeded(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        at: Time,
    ) -> Result<(), StoreError> {
        let doing = "noting that a webhook was received";
        let earlier = webhook_subscriptions::last_success_at
            .is_null()
            .or(webhook_subscriptions::last_success_at.lt(Stamp::of(at)));
        let work = move |connection: &mut SqliteConnection| {
            diesel::update(one!(webhook_subscriptions, organization, Id::of(id)).filter(earlier))
                .set(webhook_subscriptions::last_success_at.eq(Stamp::of(at)))
                .execute(connection)
        };
        let noted = self.writer.write(doing, work).await?;
        noted.map(drop).map_err(|error| store_error(doing, error))
    }
}

/// How far a subscription is cleared.
#[derive(Debug, PartialEq, Eq)]
enum Clearing {
    /// Some of its deliveries are left.
    Partial,
    /// No delivery is left.
    Complete,
}

/// Deactivates a subscription, and removes some of its deliveries.
fn clear_part(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: SubscriptionId,
) -> Result<Clearing, Undone> {
    let is_active = is_active(connection, organization, id)?.ok_or(Undone::Stale)?;
    let some = deliveries::of_subscription(connection, organization, id, REMOVED_AT_ONCE)?;
    deliveries::remove(connection, organization, &some)?;
    if is_active {
        // An inactive subscription gets no new deliveries meanwhile. It counts as inactive since it
        // was created, so that none of its deliveries is kept.
        let inactive_since =
            webhook_subscriptions::inactive_since.eq(webhook_subscriptions::created_at.nullable());
        diesel::update(one!(webhook_subscriptions, organization, Id::of(id)))
            .set((webhook_subscriptions::is_active.eq(false), inactive_since))
            .execute(connection)?;
    }
    if i64::try_from(some.len()).is_ok_and(|count| count < REMOVED_AT_ONCE) {
        Ok(Clearing::Complete)
    } else {
        Ok(Clearing::Partial)
    }
}

/// Deactivates an active subscription.
pub(crate) fn deactivate(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: SubscriptionId,
    at: Time,
) -> QueryResult<()> {
    diesel::update(one!(webhook_subscriptions, organization, Id::of(id)))
        .set((
            webhook_subscriptions::is_active.eq(false),
            webhook_subscriptions::inactive_since.eq(Stamp::of(at)),
        ))
        .execute(connection)?;
    Ok(())
}

/// Returns whether a subscription is active. Returns `None` if it does not exist.
fn is_active(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: SubscriptionId,
) -> QueryResult<Option<bool>> {
    one!(webhook_subscriptions, organization, Id::of(id))
        .select(webhook_subscriptions::is_active)
        .first(connection)
        .optional()
}

/// The state of a subscription.
pub(crate) fn state(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: SubscriptionId,
) -> QueryResult<SubscriptionState> {
    let (row, is_active) = one!(webhook_subscriptions, organization, Id::of(id))
        .select((HealthRow::as_select(), webhook_subscriptions::is_active))
        .first::<(HealthRow, bool)>(connection)?;
    Ok(SubscriptionState::new(
        row.health(Origin::new("webhook_subscriptions", Id::of(id)))?,
        is_active,
    ))
}

/// Stores the health of a subscription's receiver.
pub(crate) fn set_health(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: SubscriptionId,
    health: Health,
) -> QueryResult<()> {
    diesel::update(one!(webhook_subscriptions, organization, Id::of(id)))
        .set(HealthRow::from(health))
        .execute(connection)?;
    Ok(())
}

/// The subscriptions that receive an event.
pub(crate) fn receivers(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    what: &Happening,
) -> QueryResult<Vec<Id>> {
    let (event_type, board) = (what.event_type(), what.board().map(|board| board.to_string()));
    let active = webhook_subscriptions::table
        .filter(webhook_subscriptions::organization_id.eq(Id::of(organization)))
        .filter(webhook_subscriptions::is_active)
        .filter(not(webhook_subscriptions::awaits_rotation))
        .select((
            webhook_subscriptions::id,
            webhook_subscriptions::event_types,
            webhook_subscriptions::board_ids,
        ))
        .load::<(Id, String, String)>(connection)?;
    let wants = |(_, types, boards): &(Id, String, String)| {
        let of_type = match &types[..] {
            "" => event_type.is_in_contract(),
            types => types.split(',').any(|code| code == event_type.code()),
        };
        of_type && (boards.is_empty() || boards.split(',').any(|id| Some(id) == board.as_deref()))
    };
    Ok(active.into_iter().filter(wants).map(|(id, ..)| id).collect())
}

impl Stored for WebhookSubscription {
    inserts!(webhook_subscriptions, |subscription| (
        WebhookSubscriptionRow::from(subscription),
        webhook_subscriptions::inactive_since
            .eq((!subscription.is_active).then(|| Stamp::of(subscription.created_at))),
        HealthRow::from(Health::Well),
    ));
    updates!(webhook_subscriptions, |subscription| (
        EditedRow::changes(&subscription),
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
pub(crate) fn secrets(
    connection: &mut SqliteConnection,
    after: Option<(Id, Id)>,
    limit: i64,
) -> QueryResult<Vec<SealedSecret>> {
    let sealed: Vec<SecretsRow> = lists::subscriptions_with_secrets(after, limit)
        .select(SecretsRow::as_select())
        .load(connection)?;
    Ok(sealed.into_iter().flat_map(rows::secrets).collect())
}

/// Replaces a sealed secret by `new`, unless it has changed since it was read. Returns the number
/// of secrets that were replaced.
pub(crate) fn replace_secret(
    connection: &mut SqliteConnection,
    secret: &SealedSecret,
    new: &Sealed,
) -> QueryResult<usize> {
    let subscription =
        one!(webhook_subscriptions, secret.place.organization, Id::of(secret.place.record));
    if secret.place.kind == SecretKind::PreviousSigningSecret {
        diesel::update(
            subscription.filter(webhook_subscriptions::previous_sealed_secret.eq(&secret.sealed.0)),
        )
        .set(webhook_subscriptions::previous_sealed_secret.eq(&new.0))
        .execute(connection)
    } else {
        diesel::update(
            subscription.filter(webhook_subscriptions::sealed_secret.eq(&secret.sealed.0)),
        )
        .set(webhook_subscriptions::sealed_secret.eq(&new.0))
        .execute(connection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery_queue::tests::{ACME, record, store, subscription};
    use hearback_store_rows::schema::{deliveries as all_deliveries, events};

    #[tokio::test]
    async fn a_subscription_is_cleared_in_parts_and_gets_no_new_deliveries_meanwhile() {
        let (store, mut connection, _folder) = store(&[1, 2]).await;
        let (gone, stays) = (subscription(1).id, subscription(2).id);
        let events_at_once = u128::try_from(REMOVED_AT_ONCE).unwrap();
        record(&mut connection, 1..=events_at_once);
        deactivate(&mut connection, ACME, stays, Time::MAX).unwrap();
        record(&mut connection, events_at_once + 1..=events_at_once + 20);
        let count = |connection: &mut SqliteConnection| {
            let of = |id: SubscriptionId| {
                all_deliveries::table.filter(all_deliveries::subscription_id.eq(Id::of(id))).count()
            };
            let deliveries = [gone, stays].map(|id| of(id).get_result::<i64>(connection).unwrap());
            (deliveries, events::table.count().get_result::<i64>(connection).unwrap())
        };
        assert_eq!(
            count(&mut connection),
            ([REMOVED_AT_ONCE + 20, REMOVED_AT_ONCE], REMOVED_AT_ONCE + 20)
        );

        assert_eq!(clear_part(&mut connection, ACME, gone).unwrap(), Clearing::Partial);
        record(&mut connection, [1000]);
        // The deliveries to the other subscription and their events remain.
        assert_eq!(count(&mut connection), ([20, REMOVED_AT_ONCE], REMOVED_AT_ONCE + 20));
        let details = store.find(ACME, gone).await.unwrap().unwrap();
        assert_eq!(
            (details.subscription.is_active, details.inactive_since),
            (false, Some(Time::MIN))
        );

        assert_eq!(store.clear(ACME, gone).await.unwrap(), Recorded::Done);
        assert_eq!(count(&mut connection), ([0, REMOVED_AT_ONCE], REMOVED_AT_ONCE));
        assert_eq!(store.clear(ACME, gone).await.unwrap(), Recorded::Done);
        assert_eq!(store.clear(ACME, stays).await.unwrap(), Recorded::Done);
        assert_eq!(count(&mut connection), ([0, 0], 0));
    }
}
