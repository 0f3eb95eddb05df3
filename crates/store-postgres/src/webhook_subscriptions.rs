//! Webhook subscriptions.

use crate::error::BadRow;
use crate::import::ROWS;
use crate::rows::{Origin, timestamp};
use crate::schema::webhook_subscriptions;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::api_key::Sealed;
use hearback_domain::event::EventType;
use hearback_domain::id::OrganizationId;
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_domain::{ClosedSet, Uuid};
use std::borrow::Cow;

/// Writes them as they are.
pub(crate) async fn insert(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    all: &[WebhookSubscription],
) -> QueryResult<()> {
    for some in all.chunks(ROWS) {
        let rows: Vec<_> = some
            .iter()
            .map(|subscription| {
                (
                    webhook_subscriptions::organization_id.eq(organization.0),
                    webhook_subscriptions::failure_count.eq(0),
                    webhook_subscriptions::failed_event_count.eq(0),
                    WebhookSubscriptionRow::from(subscription),
                )
            })
            .collect();
        diesel::insert_into(webhook_subscriptions::table).values(rows).execute(connection).await?;
    }
    Ok(())
}

/// Those behind `after`, by id.
pub(crate) async fn export(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    after: Option<Uuid>,
    limit: i64,
) -> QueryResult<Vec<WebhookSubscriptionRow<'static>>> {
    let mut query = webhook_subscriptions::table
        .filter(webhook_subscriptions::organization_id.eq(organization.0))
        .order(webhook_subscriptions::id)
        .limit(limit)
        .select(WebhookSubscriptionRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(webhook_subscriptions::id.gt(after));
    }
    query.load(connection).await
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = webhook_subscriptions, check_for_backend(Pg), treat_none_as_default_value = false)]
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
