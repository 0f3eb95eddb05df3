//! Webhook subscriptions.

use crate::error::{BadRow, Undone};
use crate::rows::{Origin, all, timestamp};
use crate::schema::webhook_subscriptions;
use crate::stored::{Stored, finds, inserts, updates};
use crate::{PgStore, deliveries, organizations};
use async_trait::async_trait;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::api_key::Sealed;
use hearback_domain::event::EventType;
use hearback_domain::id::{OrganizationId, SubscriptionId};
use hearback_domain::webhook_subscription::{FailedEvents, Health, WebhookSubscription};
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::instance::{SealedSecret, SecretKind, SecretPlace};
use hearback_ports::webhook_subscriptions::{PreviousSecret, SubscriptionDetails};
use hearback_ports::{Recorded, StoreError, WebhookSubscriptionRepository};
use std::borrow::Cow;
use std::slice;

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
                    .filter(webhook_subscriptions::organization_id.eq(organization.0))
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
                webhook_subscriptions::table
                    .filter(webhook_subscriptions::organization_id.eq(organization.0))
                    .filter(webhook_subscriptions::id.eq(id.0))
                    .select(SubscriptionDetailsRow::as_select())
            })
            .await?;
        Ok(row.map(SubscriptionDetails::try_from).transpose()?)
    }

    async fn insert(
        &self,
        organization: OrganizationId,
        subscription: WebhookSubscription,
    ) -> Result<Recorded, StoreError> {
        let record = self.dispatcher.record("adding a webhook subscription", move |connection| {
            async move {
                hold(connection, organization).await?;
                Ok(WebhookSubscription::insert(
                    connection,
                    organization,
                    slice::from_ref(&subscription),
                )
                .await?)
            }
            .boxed()
        });
        record.await
    }

    async fn delete(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Recorded, StoreError> {
        let doing = "deleting a webhook subscription";
        // Whatever ends this early leaves a subscription that is inactive; to delete it again goes on from there.
        let retired = self.dispatcher.record(doing, move |connection| {
            async move { retire(connection, organization, id).await }.boxed()
        });
        if retired.await? != Recorded::Done {
            return Ok(Recorded::Stale);
        }
        loop {
            let part = self.dispatcher.write(doing, move |connection| {
                async move { delete_part(connection, organization, id).await }.boxed()
            });
            match part.await?.flatten() {
                Some(Deletion::Complete) => return Ok(Recorded::Done),
                Some(Deletion::Partial) => {}
                None => return Ok(Recorded::Stale),
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
        let record = self.dispatcher.record("rotating a signing secret", move |connection| {
            async move { rotate(connection, organization, id, &secret, overlap).await }.boxed()
        });
        record.await
    }

    async fn activate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
    ) -> Result<Recorded, StoreError> {
        let record =
            self.dispatcher.record("activating a webhook subscription", move |connection| {
                async move { activate(connection, organization, id).await }.boxed()
            });
        record.await
    }

    async fn deactivate(
        &self,
        organization: OrganizationId,
        id: SubscriptionId,
        now: Time,
    ) -> Result<Recorded, StoreError> {
        let record =
            self.dispatcher.record("deactivating a webhook subscription", move |connection| {
                async move {
                    hold(connection, organization).await?;
                    if is_active(connection, organization, id).await?.ok_or(Undone::Stale)? {
                        deactivate(connection, organization, id, now).await?;
                    }
                    Ok(())
                }
                .boxed()
            });
        record.await
    }
}

/// Keeps an organization from being deleted; stale where it is. Nobody waits for that with a connection that the dispatcher may
/// need.
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

/// Deactivates one that is to be deleted, so that it gets no new deliveries, and nobody who records an event waits for what
/// follows. What it has is to go: that it was inactive from the start lets nothing of it be kept.
async fn retire(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    id: SubscriptionId,
) -> Result<(), Undone> {
    hold(connection, organization).await?;
    diesel::update(webhook_subscriptions::table)
        .filter(webhook_subscriptions::organization_id.eq(organization.0))
        .filter(webhook_subscriptions::id.eq(id.0))
        .filter(webhook_subscriptions::is_active)
        .set((
            webhook_subscriptions::is_active.eq(false),
            webhook_subscriptions::inactive_since.eq(webhook_subscriptions::created_at.nullable()),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// How far a deletion came.
#[derive(Debug, PartialEq, Eq)]
enum Deletion {
    /// There may be deliveries left, and the subscription is.
    Partial,
    /// Nothing is.
    Complete,
}

/// How many deliveries are removed at once. That takes some ten milliseconds, for which a settlement may have to wait.
const REMOVED_AT_ONCE: i64 = 500;

/// Removes some of the deliveries of a subscription that is not active, and the subscription with the last of them; `None`
/// where it is gone.
async fn delete_part(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    id: SubscriptionId,
) -> QueryResult<Option<Deletion>> {
    if !organizations::try_hold(connection, organization).await? {
        return Ok(None);
    }
    let subscription = webhook_subscriptions::table
        .filter(webhook_subscriptions::organization_id.eq(organization.0))
        .filter(webhook_subscriptions::id.eq(id.0));
    // Those who record an event that it wants, from when it was active, are waited for. What they made for it is seen below.
    let found =
        subscription.select(webhook_subscriptions::id).for_update().execute(connection).await?;
    if found == 0 {
        return Ok(None);
    }
    let some = deliveries::of_subscription(connection, organization, id, REMOVED_AT_ONCE).await?;
    deliveries::remove(connection, organization, &some).await?;
    if i64::try_from(some.len()).is_ok_and(|count| count == REMOVED_AT_ONCE) {
        return Ok(Some(Deletion::Partial));
    }
    diesel::delete(subscription).execute(connection).await?;
    Ok(Some(Deletion::Complete))
}

async fn rotate(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    id: SubscriptionId,
    secret: &Sealed,
    overlap: Time,
) -> Result<(), Undone> {
    hold(connection, organization).await?;
    let subscription = webhook_subscriptions::table
        .filter(webhook_subscriptions::organization_id.eq(organization.0))
        .filter(webhook_subscriptions::id.eq(id.0));
    let (awaits_rotation, present) = subscription
        .select((webhook_subscriptions::awaits_rotation, webhook_subscriptions::sealed_secret))
        .for_no_key_update()
        .first::<(bool, Vec<u8>)>(connection)
        .await
        .optional()?
        .ok_or(Undone::Stale)?;
    let previous = (!awaits_rotation).then_some((present, timestamp(overlap)));
    let (previous, previous_until) = previous.unzip();
    diesel::update(subscription)
        .set((
            webhook_subscriptions::awaits_rotation.eq(false),
            webhook_subscriptions::sealed_secret.eq(&secret.0),
            webhook_subscriptions::previous_sealed_secret.eq(previous),
            webhook_subscriptions::previous_until.eq(previous_until),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

async fn activate(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    id: SubscriptionId,
) -> Result<(), Undone> {
    hold(connection, organization).await?;
    if is_active(connection, organization, id).await?.ok_or(Undone::Stale)? {
        return Ok(());
    }
    diesel::update(webhook_subscriptions::table)
        .filter(webhook_subscriptions::organization_id.eq(organization.0))
        .filter(webhook_subscriptions::id.eq(id.0))
        .set((
            webhook_subscriptions::is_active.eq(true),
            webhook_subscriptions::inactive_since.eq(None::<PgTimestamp>),
            HealthRow::from(Health::Well),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Deactivates one that is active.
pub(crate) async fn deactivate(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    id: SubscriptionId,
    at: Time,
) -> QueryResult<()> {
    diesel::update(webhook_subscriptions::table)
        .filter(webhook_subscriptions::organization_id.eq(organization.0))
        .filter(webhook_subscriptions::id.eq(id.0))
        .set((
            webhook_subscriptions::is_active.eq(false),
            webhook_subscriptions::inactive_since.eq(timestamp(at)),
        ))
        .execute(connection)
        .await?;
    Ok(())
}

/// Locks one, and tells whether it is active, if it is there.
async fn is_active(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    id: SubscriptionId,
) -> QueryResult<Option<bool>> {
    webhook_subscriptions::table
        .filter(webhook_subscriptions::organization_id.eq(organization.0))
        .filter(webhook_subscriptions::id.eq(id.0))
        .select(webhook_subscriptions::is_active)
        .for_no_key_update()
        .first(connection)
        .await
        .optional()
}

/// Keeps how one's receiver is doing.
pub(crate) async fn set_health(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    id: SubscriptionId,
    health: Health,
) -> QueryResult<()> {
    diesel::update(webhook_subscriptions::table)
        .filter(webhook_subscriptions::organization_id.eq(organization.0))
        .filter(webhook_subscriptions::id.eq(id.0))
        .set(HealthRow::from(health))
        .execute(connection)
        .await?;
    Ok(())
}

impl Stored for WebhookSubscription {
    inserts!(webhook_subscriptions, |subscription| (
        WebhookSubscriptionRow::from(subscription),
        webhook_subscriptions::inactive_since
            .eq((!subscription.is_active).then(|| timestamp(subscription.created_at))),
        HealthRow::from(Health::Well),
    ));
    updates!(webhook_subscriptions, |subscription| (
        WebhookSubscriptionRow::from(subscription.after),
        subscription.changed(|subscription| subscription.is_active).map(|is_active| {
            let since = (!is_active).then(|| timestamp(subscription.at));
            (webhook_subscriptions::inactive_since.eq(since), HealthRow::from(Health::Well))
        }),
    ));
    finds!(
        webhook_subscriptions.id,
        WebhookSubscriptionRow::as_select() => WebhookSubscriptionRow<'static>
    );
}

/// Those of all organizations behind `after`, by organization and id; of one that has two, both.
pub(crate) async fn secrets(
    connection: &mut AsyncPgConnection,
    after: Option<(Uuid, Uuid)>,
    limit: i64,
) -> QueryResult<Vec<SealedSecret>> {
    let mut query = webhook_subscriptions::table
        .order((webhook_subscriptions::organization_id, webhook_subscriptions::id))
        .limit(limit)
        .select((
            webhook_subscriptions::organization_id,
            webhook_subscriptions::id,
            webhook_subscriptions::sealed_secret,
            webhook_subscriptions::previous_sealed_secret,
        ))
        .into_boxed();
    if let Some((organization, id)) = after {
        let is_behind = webhook_subscriptions::organization_id
            .gt(organization)
            .or(webhook_subscriptions::id.gt(id));
        query =
            query.filter(webhook_subscriptions::organization_id.ge(organization)).filter(is_behind);
    }
    let rows: Vec<SecretsRow> = query.load(connection).await?;
    let secrets = |(organization, id, present, previous): SecretsRow| {
        let secret = move |kind, sealed| SealedSecret {
            place: SecretPlace { organization: organization.into(), record: id, kind },
            sealed: Sealed(sealed),
        };
        let previous = previous.map(|sealed| secret(SecretKind::PreviousSigningSecret, sealed));
        std::iter::once(secret(SecretKind::SigningSecret, present)).chain(previous)
    };
    Ok(rows.into_iter().flat_map(secrets).collect())
}

/// Whose, which subscription, the secret, and the one before.
type SecretsRow = (Uuid, Uuid, Vec<u8>, Option<Vec<u8>>);

/// Keeps a secret sealed in another way, unless it is not as it was read any more. Answers how many there are.
pub(crate) async fn replace_secret(
    connection: &mut AsyncPgConnection,
    secret: &SealedSecret,
    new: &Sealed,
) -> QueryResult<usize> {
    let subscription = webhook_subscriptions::table
        .filter(webhook_subscriptions::organization_id.eq(secret.place.organization.0))
        .filter(webhook_subscriptions::id.eq(secret.place.record));
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

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = webhook_subscriptions,
    check_for_backend(Pg),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct WebhookSubscriptionRow<'a> {
    id: Uuid,
    url: Cow<'a, str>,
    event_types: Cow<'a, str>,
    is_active: bool,
    awaits_rotation: bool,
    sealed_secret: Cow<'a, [u8]>,
    created_at: PgTimestamp,
}

impl<'a> From<&'a WebhookSubscription> for WebhookSubscriptionRow<'a> {
    fn from(subscription: &'a WebhookSubscription) -> Self {
        Self {
            id: subscription.id.0,
            url: Cow::from(&subscription.url),
            event_types: Cow::from(event_types(&subscription.event_types)),
            is_active: subscription.is_active,
            awaits_rotation: subscription.awaits_rotation,
            sealed_secret: Cow::from(&subscription.secret.0),
            created_at: timestamp(subscription.created_at),
        }
    }
}

impl TryFrom<WebhookSubscriptionRow<'_>> for WebhookSubscription {
    type Error = BadRow;

    fn try_from(row: WebhookSubscriptionRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("webhook_subscriptions", row.id);
        Ok(Self {
            id: row.id.into(),
            url: row.url.into_owned(),
            event_types: parse_event_types(&row.event_types)
                .ok_or_else(|| origin.bad("event_types"))?,
            is_active: row.is_active,
            awaits_rotation: row.awaits_rotation,
            secret: Sealed(row.sealed_secret.into_owned()),
            created_at: origin.time("created_at", row.created_at)?,
        })
    }
}

/// A subscription, and how it stands.
#[derive(Queryable, Selectable)]
#[diesel(table_name = webhook_subscriptions, check_for_backend(Pg))]
struct SubscriptionDetailsRow {
    #[diesel(embed)]
    subscription: WebhookSubscriptionRow<'static>,
    inactive_since: Option<PgTimestamp>,
    #[diesel(embed)]
    health: HealthRow,
    previous_sealed_secret: Option<Vec<u8>>,
    previous_until: Option<PgTimestamp>,
}

impl TryFrom<SubscriptionDetailsRow> for SubscriptionDetails {
    type Error = BadRow;

    fn try_from(row: SubscriptionDetailsRow) -> Result<Self, BadRow> {
        let origin = Origin::new("webhook_subscriptions", row.subscription.id);
        let until = origin.optional_time("previous_until", row.previous_until)?;
        let previous_secret = row.previous_sealed_secret.map(Sealed).zip(until);
        Ok(Self {
            subscription: row.subscription.try_into()?,
            inactive_since: origin.optional_time("inactive_since", row.inactive_since)?,
            health: row.health.health(origin)?,
            previous_secret: previous_secret
                .map(|(secret, until)| PreviousSecret { secret, until }),
        })
    }
}

/// How a receiver is doing. Of the events that it failed to take no more than two are counted.
#[derive(Default, Insertable, AsChangeset, Queryable, Selectable)]
#[diesel(
    table_name = webhook_subscriptions,
    check_for_backend(Pg),
    treat_none_as_null = true,
    treat_none_as_default_value = false
)]
pub(crate) struct HealthRow {
    failing_since: Option<PgTimestamp>,
    first_failed_event_id: Option<Uuid>,
    failure_count: i32,
    failed_event_count: i32,
}

impl HealthRow {
    /// What it says.
    pub(crate) fn health(self, origin: Origin) -> Result<Health, BadRow> {
        let (Some(since), Some(first_event)) = (self.failing_since, self.first_failed_event_id)
        else {
            return Ok(Health::Well);
        };
        Ok(Health::Failing {
            since: origin.time("failing_since", since)?,
            first_event: first_event.into(),
            failures: u32::try_from(self.failure_count).map_err(|_| origin.bad("failure_count"))?,
            events: match self.failed_event_count {
                1 => FailedEvents::One,
                2 => FailedEvents::Several,
                _ => return Err(origin.bad("failed_event_count")),
            },
        })
    }
}

impl From<Health> for HealthRow {
    fn from(health: Health) -> Self {
        match health {
            Health::Well => Self::default(),
            Health::Failing { since, first_event, failures, events } => Self {
                failing_since: Some(timestamp(since)),
                first_failed_event_id: Some(first_event.0),
                failure_count: i32::try_from(failures).unwrap_or(i32::MAX),
                failed_event_count: match events {
                    FailedEvents::One => 1,
                    FailedEvents::Several => 2,
                },
            },
        }
    }
}

/// Event types as their column holds them: separated by commas; none stands for all.
fn event_types(types: &[EventType]) -> String {
    types.iter().map(|event_type| event_type.code()).collect::<Vec<_>>().join(",")
}

/// Reads what [`event_types`] made.
fn parse_event_types(text: &str) -> Option<Vec<EventType>> {
    text.split(',').filter(|code| !code.is_empty()).map(EventType::parse).collect()
}
