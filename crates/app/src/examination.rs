//! The state of stored secrets, counts and webhooks, for the operator.

use crate::vault::{Purpose, Vault};
use hearback_domain::Time;
use hearback_domain::delivery::DeliveryState;
use hearback_domain::id::OrganizationId;
use hearback_domain::millis::{DAY, MINUTE};
use hearback_domain::slug::Slug;
use hearback_ports::backlog::Line;
use hearback_ports::deliveries::DeliveryFilter;
use hearback_ports::webhook_subscriptions::SubscriptionDetails;
use hearback_ports::{Ports, StoreError};

/// The state of an organization's keys and webhooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrganizationReport {
    /// The slug of the organization.
    pub slug: Slug,
    /// The number of its secrets: its API key and its signing secrets.
    pub secrets: usize,
    /// The number of secrets that do not open.
    pub unopened: usize,
    /// The number of records with wrong counts.
    pub miscounted: usize,
    /// The number of active subscriptions that have their secret.
    pub active: usize,
    /// The number of inactive subscriptions.
    pub inactive: usize,
    /// The number of subscriptions that await rotation.
    pub awaiting_rotation: usize,
    /// The number of deliveries that have been due for more than a minute, up to 1000.
    pub overdue: usize,
    /// The number of deliveries given up in the last 24 hours, among the newest 1000 failed ones of
    /// each subscription.
    pub failed: usize,
}

/// Reports on all organizations, by slug. Without a vault no secret is opened, and `unopened` is 0.
pub async fn reports(
    ports: &Ports,
    vault: Option<&Vault>,
) -> Result<Vec<OrganizationReport>, StoreError> {
    let mut reports = Vec::new();
    for organization in ports.organizations.list().await? {
        let mut report = OrganizationReport::of(organization.slug);
        let id = organization.id;
        if let Some(key) = ports.keys.active(id).await? {
            report.count_secret(vault, |vault| {
                vault.open(id, key.id.0, Purpose::ApiKey, &key.sealed).is_ok()
            });
        }
        for subscription in ports.webhook_subscriptions.list(id).await? {
            report.count_secrets_of(vault, id, &subscription);
            report.count(ports, id, &subscription).await?;
        }
        let late = ports.clock.now().plus_millis(-LATE);
        let due = ports.backlog.waiting(Line::Deliveries, Some(id), late, MOST).await?.due;
        report.overdue = usize::try_from(due).unwrap_or(usize::MAX);
        let miscounted = ports.counts.miscounted(id).await?;
        report.miscounted = usize::try_from(miscounted).unwrap_or(usize::MAX);
        reports.push(report);
    }
    Ok(reports)
}

/// The time after which a due delivery is overdue, in milliseconds.
const LATE: i64 = MINUTE;

/// The most deliveries that are counted: overdue ones of an organization, and failed ones of a
/// subscription.
const MOST: i64 = 1000;

impl OrganizationReport {
    fn of(slug: Slug) -> Self {
        Self {
            slug,
            secrets: 0,
            unopened: 0,
            miscounted: 0,
            active: 0,
            inactive: 0,
            awaiting_rotation: 0,
            overdue: 0,
            failed: 0,
        }
    }

    fn count_secret(&mut self, vault: Option<&Vault>, opens: impl FnOnce(&Vault) -> bool) {
        self.secrets += 1;
        self.unopened += usize::from(vault.is_some_and(|vault| !opens(vault)));
    }

    fn count_secrets_of(
        &mut self,
        vault: Option<&Vault>,
        organization: OrganizationId,
        details: &SubscriptionDetails,
    ) {
        let subscription = &details.subscription;
        // A subscription that awaits rotation has a random secret that was never shown.
        let current = Some(&subscription.secret).filter(|_| !subscription.awaits_rotation);
        let previous = details.subscription.previous_secret.as_ref();
        for secret in current.into_iter().chain(previous) {
            let record = subscription.id.0;
            self.count_secret(vault, |vault| {
                vault.open(organization, record, Purpose::SigningSecret, secret).is_ok()
            });
        }
    }

    async fn count(
        &mut self,
        ports: &Ports,
        organization: OrganizationId,
        details: &SubscriptionDetails,
    ) -> Result<(), StoreError> {
        let now = ports.clock.now();
        let subscription = &details.subscription;
        if subscription.awaits_rotation {
            self.awaiting_rotation += 1;
        } else if subscription.is_active {
            self.active += 1;
        } else {
            self.inactive += 1;
        }
        let is_recent =
            |ended: Option<Time>| ended.is_some_and(|ended| ended > now.plus_millis(-DAY));
        let filter =
            DeliveryFilter { state: Some(DeliveryState::Failed), ..DeliveryFilter::default() };
        let failed =
            ports.deliveries.page(organization, subscription.id, filter, None, MOST).await?;
        self.failed += failed.iter().filter(|delivery| is_recent(delivery.ended_at)).count();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::{MasterKey, digest};
    use hearback_domain::Uuid;
    use hearback_domain::api_key::{ApiKey, Sealed};
    use hearback_domain::event::EventType;
    use hearback_domain::id::{EventId, SubscriptionId};
    use hearback_domain::organization::{HelpCenter, Organization};
    use hearback_domain::portal::PortalSettings;
    use hearback_domain::webhook_subscription::{Health, WebhookSubscription};
    use hearback_ports::backlog::Waiting;
    use hearback_ports::deliveries::Delivery;
    use hearback_ports::mock::Mocks;

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));

    fn now() -> Time {
        Time::parse("2026-03-01T09:30:00Z").unwrap()
    }

    fn vault(byte: &str) -> Vault {
        Vault::new(&MasterKey::parse(&byte.repeat(32)).unwrap())
    }

    fn sealed(record: u128, purpose: Purpose) -> Sealed {
        vault("ab").seal(ACME, Uuid::from_u128(record), purpose, "secret").unwrap()
    }

    fn subscription(id: u128, is_active: bool, awaits_rotation: bool) -> SubscriptionDetails {
        let secret =
            if awaits_rotation { Sealed(Vec::new()) } else { sealed(id, Purpose::SigningSecret) };
        SubscriptionDetails {
            subscription: WebhookSubscription {
                id: Uuid::from_u128(id).into(),
                url: "https://acme.example/hook".to_owned(),
                event_types: vec![],
                board_ids: vec![],
                description: None,
                is_active,
                awaits_rotation,
                secret,
                previous_secret: None,
                previous_until: None,
                created_at: Time::MIN,
            },
            inactive_since: None,
            health: Health::Well,
            last_success_at: None,
        }
    }

    fn failed(subscription: SubscriptionId, ended: i64) -> Delivery {
        Delivery {
            subscription,
            event: EventId(Uuid::from_u128(9)),
            event_type: EventType::VoteCreated,
            state: DeliveryState::Failed,
            attempts: 0,
            last_response: None,
            created_at: Time::MIN,
            occurred_at: None,
            next_attempt_at: None,
            ended_at: Some(now().plus_millis(-ended)),
        }
    }

    fn ports() -> Ports {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().returning(now);
        mocks.organizations.expect_list().returning(|| {
            let slug = Slug::parse("acme").unwrap();
            let (name, help_center) = ("Acme".to_owned(), HelpCenter::Enabled);
            Ok(vec![Organization {
                id: ACME,
                name,
                slug,
                help_center,
                events_ledger: false,
                portal: PortalSettings::default(),
                created_at: Time::MIN,
            }])
        });
        mocks.keys.expect_active().returning(|_| {
            let (id, sealed) = (Uuid::from_u128(2).into(), sealed(2, Purpose::ApiKey));
            Ok(Some(ApiKey { id, digest: digest("secret"), sealed, created_at: Time::MIN }))
        });
        mocks.webhook_subscriptions.expect_list().returning(|_| {
            let mut rotated = subscription(3, true, false);
            // This secret was sealed for another record.
            rotated.subscription.previous_secret = Some(sealed(4, Purpose::SigningSecret));
            Ok(vec![rotated, subscription(5, false, false), subscription(6, true, true)])
        });
        mocks.deliveries.expect_page().returning(|_, subscription, filter, _, _| {
            assert_eq!(filter.state, Some(DeliveryState::Failed));
            Ok([0, DAY - 1, DAY].map(|ago| failed(subscription, ago)).to_vec())
        });
        mocks.backlog.expect_waiting().returning(|line, organization, at, _| {
            assert_eq!(
                (line, organization, at),
                (Line::Deliveries, Some(ACME), now().plus_millis(-LATE))
            );
            Ok(Waiting { count: 5, due: 2, due_since: None })
        });
        mocks.counts.expect_miscounted().returning(|_| Ok(7));
        mocks.ports()
    }

    #[tokio::test]
    async fn unopened_secrets_and_stuck_deliveries_are_counted() {
        let slug = Slug::parse("acme").unwrap();
        let report = OrganizationReport {
            slug,
            secrets: 4,
            unopened: 1,
            miscounted: 7,
            active: 1,
            inactive: 1,
            awaiting_rotation: 1,
            overdue: 2,
            failed: 6,
        };
        for (vault, unopened) in [(Some(vault("ab")), 1), (Some(vault("cd")), 4), (None, 0)] {
            let expected = OrganizationReport { unopened, ..report.clone() };
            assert_eq!(reports(&ports(), vault.as_ref()).await.unwrap(), [expected]);
        }
    }
}
