//! Webhook subscriptions.

use crate::error::BadRow;
use crate::rows::{Id, Origin};
use crate::schema::webhook_subscriptions;
use diesel::dsl::not;
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::ClosedSet;
use hearback_domain::api_key::Sealed;
use hearback_domain::event::EventType;
use hearback_domain::id::OrganizationId;
use hearback_domain::webhook_subscription::WebhookSubscription;
use std::borrow::Cow;

/// The subscriptions that an event of a type is sent to.
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
    let wants = |types: &str| types.is_empty() || types.split(',').any(|code| code == event_type.code());
    Ok(active.into_iter().filter(|(_, types)| wants(types)).map(|(id, _)| id).collect())
}

/// Writes one as it is.
pub(crate) fn insert(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    subscription: &WebhookSubscription,
) -> QueryResult<()> {
    diesel::insert_into(webhook_subscriptions::table)
        .values((
            webhook_subscriptions::organization_id.eq(Id::of(organization)),
            webhook_subscriptions::failure_count.eq(0),
            webhook_subscriptions::failed_event_count.eq(0),
            WebhookSubscriptionRow::from(subscription),
        ))
        .execute(connection)?;
    Ok(())
}

/// Those behind `after`, by id.
pub(crate) fn export(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    after: Option<Id>,
    limit: i64,
) -> QueryResult<Vec<WebhookSubscriptionRow<'static>>> {
    let mut query = webhook_subscriptions::table
        .filter(webhook_subscriptions::organization_id.eq(Id::of(organization)))
        .order(webhook_subscriptions::id)
        .limit(limit)
        .select(WebhookSubscriptionRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(webhook_subscriptions::id.gt(after));
    }
    query.load(connection)
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_subscriptions, check_for_backend(Sqlite), treat_none_as_default_value = false)]
pub(crate) struct WebhookSubscriptionRow<'a> {
    id: Id,
    url: Cow<'a, str>,
    event_types: Cow<'a, str>,
    is_active: bool,
    awaits_rotation: bool,
    sealed_secret: Cow<'a, [u8]>,
    created_at: i64,
}

impl<'a> From<&'a WebhookSubscription> for WebhookSubscriptionRow<'a> {
    fn from(subscription: &'a WebhookSubscription) -> Self {
        Self {
            id: Id::of(subscription.id),
            url: Cow::from(&subscription.url),
            event_types: Cow::from(event_types(&subscription.event_types)),
            is_active: subscription.is_active,
            awaits_rotation: subscription.awaits_rotation,
            sealed_secret: Cow::from(&subscription.secret.0),
            created_at: subscription.created_at.unix_millis(),
        }
    }
}

impl TryFrom<WebhookSubscriptionRow<'_>> for WebhookSubscription {
    type Error = BadRow;

    fn try_from(row: WebhookSubscriptionRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("webhook_subscriptions", row.id);
        Ok(Self {
            id: row.id.to(),
            url: row.url.into_owned(),
            event_types: parse_event_types(&row.event_types).ok_or_else(|| origin.bad("event_types"))?,
            is_active: row.is_active,
            awaits_rotation: row.awaits_rotation,
            secret: Sealed(row.sealed_secret.into_owned()),
            created_at: origin.time("created_at", row.created_at)?,
        })
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
