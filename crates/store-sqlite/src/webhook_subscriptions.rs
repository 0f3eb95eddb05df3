//! Webhook subscriptions.

use crate::SqliteStore;
use crate::deliveries::{self, REMOVED_AT_ONCE};
use crate::error::Undone;
use crate::stored::{Stored, finds, inserts, updates};
use crate::writer::give_way;
use async_trait::async_trait;
use diesel::dsl::not;
use diesel::prelude::*;
use hearback_domain::api_key::Sealed;
use hearback_domain::event::EventType;
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

    async fn insert(
        &self,
        organization: OrganizationId,
        subscription: WebhookSubscription,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            WebhookSubscription::insert(connection, organization, &subscription)
                .map_err(Undone::inserting)
        };
        self.writer.record("adding a webhook subscription", work).await
    }

    async fn delete(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Recorded, StoreError> {
        let doing = "deleting a webhook subscription";
        // The deletion runs in parts, between which other writes run. An interruption leaves an
        // inactive subscription. A second deletion continues from there.
        loop {
            let work =
                move |connection: &mut SqliteConnection| delete_part(connection, organization, id);
            match self.writer.write(doing, work).await? {
                Ok(Deletion::Complete) => return Ok(Recorded::Done),
                Ok(Deletion::Partial) => give_way().await,
                Err(undone) => return undone.recorded(doing),
            }
        }
    }

    async fn rotate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        secret: Sealed,
        overlap: Time,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            rotate(connection, organization, id, &secret, overlap)
        };
        self.writer.record("rotating a signing secret", work).await
    }

    async fn activate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| activate(connection, organization, id);
        self.writer.record("activating a webhook subscription", work).await
    }

    async fn deactivate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        now: Time,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            if is_active(connection, organization, id)?.ok_or(Undone::Stale)? {
                deactivate(connection, organization, id, now)?;
            }
            Ok(())
        };
        self.writer.record("deactivating a webhook subscription", work).await
    }
}

/// The progress of a deletion.
#[derive(Debug, PartialEq, Eq)]
enum Deletion {
    /// The subscription and some of its deliveries are left.
    Partial,
    /// Nothing is left.
    Complete,
}

/// Removes some of a subscription's deliveries, and the subscription with the last of them.
fn delete_part(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: SubscriptionId,
) -> Result<Deletion, Undone> {
    let is_active = is_active(connection, organization, id)?.ok_or(Undone::Stale)?;
    let some = deliveries::of_subscription(connection, organization, id, REMOVED_AT_ONCE)?;
    deliveries::remove(connection, organization, &some)?;
    let subscription = one!(webhook_subscriptions, organization, Id::of(id));
    if i64::try_from(some.len()).is_ok_and(|count| count < REMOVED_AT_ONCE) {
        diesel::delete(subscription).execute(connection)?;
        return Ok(Deletion::Complete);
    }
    if is_active {
        // An inactive subscription gets no new deliveries meanwhile. It counts as inactive since it
        // was created, so that none of its deliveries is kept.
        let inactive_since =
            webhook_subscriptions::inactive_since.eq(webhook_subscriptions::created_at.nullable());
        diesel::update(subscription)
            .set((webhook_subscriptions::is_active.eq(false), inactive_since))
            .execute(connection)?;
    }
    Ok(Deletion::Partial)
}

fn rotate(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: SubscriptionId,
    secret: &Sealed,
    overlap: Time,
) -> Result<(), Undone> {
    let subscription = one!(webhook_subscriptions, organization, Id::of(id));
    let (awaits_rotation, present) = subscription
        .select((webhook_subscriptions::awaits_rotation, webhook_subscriptions::sealed_secret))
        .first::<(bool, Vec<u8>)>(connection)
        .optional()?
        .ok_or(Undone::Stale)?;
    let previous = (!awaits_rotation).then_some((present, Stamp::of(overlap)));
    let (previous, previous_until) = previous.unzip();
    diesel::update(subscription)
        .set((
            webhook_subscriptions::awaits_rotation.eq(false),
            webhook_subscriptions::sealed_secret.eq(&secret.0),
            webhook_subscriptions::previous_sealed_secret.eq(previous),
            webhook_subscriptions::previous_until.eq(previous_until),
        ))
        .execute(connection)?;
    Ok(())
}

fn activate(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: SubscriptionId,
) -> Result<(), Undone> {
    if is_active(connection, organization, id)?.ok_or(Undone::Stale)? {
        return Ok(());
    }
    diesel::update(one!(webhook_subscriptions, organization, Id::of(id)))
        .set((
            webhook_subscriptions::is_active.eq(true),
            webhook_subscriptions::inactive_since.eq(None::<Stamp>),
            HealthRow::from(Health::Well),
        ))
        .execute(connection)?;
    Ok(())
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

/// The subscriptions that receive events of a type.
pub(crate) fn receivers(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    event_type: EventType,
) -> QueryResult<Vec<Id>> {
    let active = webhook_subscriptions::table
        .filter(webhook_subscriptions::organization_id.eq(Id::of(organization)))
        .filter(webhook_subscriptions::is_active)
        .filter(not(webhook_subscriptions::awaits_rotation))
        .select((webhook_subscriptions::id, webhook_subscriptions::event_types))
        .load::<(Id, String)>(connection)?;
    let wants = |types: &str| match types {
        "" => event_type.is_in_contract(),
        types => types.split(',').any(|code| code == event_type.code()),
    };
    Ok(active.into_iter().filter(|(_, types)| wants(types)).map(|(id, _)| id).collect())
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
            (webhook_subscriptions::inactive_since.eq(since), HealthRow::from(Health::Well))
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
    async fn a_subscription_is_deleted_in_parts_and_gets_no_new_deliveries_meanwhile() {
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

        assert_eq!(delete_part(&mut connection, ACME, gone).unwrap(), Deletion::Partial);
        record(&mut connection, [1000]);
        // The deliveries to the other subscription and their events remain.
        assert_eq!(count(&mut connection), ([20, REMOVED_AT_ONCE], REMOVED_AT_ONCE + 20));
        let details = store.find(ACME, gone).await.unwrap().unwrap();
        assert_eq!(
            (details.subscription.is_active, details.inactive_since),
            (false, Some(Time::MIN))
        );

        assert_eq!(store.delete(ACME, gone).await.unwrap(), Recorded::Done);
        assert_eq!(count(&mut connection), ([0, REMOVED_AT_ONCE], REMOVED_AT_ONCE));
        assert_eq!(store.delete(ACME, gone).await.unwrap(), Recorded::Stale);
        assert_eq!(store.delete(ACME, stays).await.unwrap(), Recorded::Done);
        assert_eq!(count(&mut connection), ([0, 0], 0));
    }
}
