//! Webhook subscriptions, the health of their receivers, and their secrets.

use crate::column::{BadRow, Origin};
use crate::rows::WebhookSubscriptionRow;
use crate::schema::webhook_subscriptions;
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::api_key::Sealed;
use hearback_domain::webhook_subscription::{FailedEvents, Health};
use hearback_ports::instance::{SealedSecret, SecretKind, SecretPlace};
use hearback_ports::webhook_subscriptions::SubscriptionDetails;

/// A subscription with its health.
#[derive(Queryable, Selectable)]
#[diesel(table_name = webhook_subscriptions)]
pub struct SubscriptionDetailsRow {
    #[diesel(embed)]
    subscription: WebhookSubscriptionRow<'static>,
    inactive_since: Option<Stamp>,
    #[diesel(embed)]
    health: HealthRow,
    last_success_at: Option<Stamp>,
}

impl TryFrom<SubscriptionDetailsRow> for SubscriptionDetails {
    type Error = BadRow;

    fn try_from(row: SubscriptionDetailsRow) -> Result<Self, BadRow> {
        let origin = Origin::new("webhook_subscriptions", row.subscription.id);
        Ok(Self {
            subscription: row.subscription.try_into()?,
            inactive_since: origin.read::<Option<Time>>("inactive_since", row.inactive_since)?,
            health: row.health.health(origin)?,
            last_success_at: origin.read::<Option<Time>>("last_success_at", row.last_success_at)?,
        })
    }
}

/// The health of a receiver. The count of failed events stops at two.
#[derive(Default, Insertable, AsChangeset, Queryable, Selectable)]
#[diesel(
    table_name = webhook_subscriptions,
    treat_none_as_null = true,
    treat_none_as_default_value = false
)]
pub struct HealthRow {
    failing_since: Option<Stamp>,
    first_failed_event_id: Option<Id>,
    failure_count: i32,
    failed_event_count: i32,
}

impl HealthRow {
    /// Converts the row to a health.
    pub fn health(self, origin: Origin) -> Result<Health, BadRow> {
        let (Some(since), Some(first_event)) = (self.failing_since, self.first_failed_event_id)
        else {
            return Ok(Health::Well);
        };
        Ok(Health::Failing {
            since: origin.read::<Time>("failing_since", since)?,
            first_event: first_event.to(),
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
                failing_since: Some(Stamp::of(since)),
                first_failed_event_id: Some(Id::of(first_event)),
                failure_count: i32::try_from(failures).unwrap_or(i32::MAX),
                failed_event_count: match events {
                    FailedEvents::One => 1,
                    FailedEvents::Several => 2,
                },
            },
        }
    }
}

/// The secrets of a subscription.
#[derive(Queryable, Selectable)]
#[diesel(table_name = webhook_subscriptions)]
pub struct SecretsRow {
    organization_id: Id,
    id: Id,
    sealed_secret: Vec<u8>,
    previous_sealed_secret: Option<Vec<u8>>,
}

/// The sealed secrets of a row: the present one, and the previous one if there is one.
pub fn secrets(row: SecretsRow) -> impl Iterator<Item = SealedSecret> {
    let organization = row.organization_id.to();
    let secret = move |kind, sealed| SealedSecret {
        place: SecretPlace { organization, record: row.id.0, kind },
        sealed: Sealed(sealed),
    };
    let previous = row.previous_sealed_secret;
    let previous = previous.map(|sealed| secret(SecretKind::PreviousSigningSecret, sealed));
    std::iter::once(secret(SecretKind::SigningSecret, row.sealed_secret)).chain(previous)
}
