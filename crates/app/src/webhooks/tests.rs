//! Tests of the commands for webhook subscriptions and their deliveries.

use super::*;
use crate::MasterKey;
use hearback_domain::delivery::{DeliveryState, Response};
use hearback_domain::webhook_subscription::Health;
use hearback_domain::{Time, Uuid};
use hearback_ports::deliveries::{Delivery, DeliveryFilter};
use hearback_ports::event_sink::{Dispatch, MockEventSink, Reply};
use hearback_ports::mock::Mocks;
use hearback_ports::webhook_subscriptions::PreviousSecret;
use std::time::Duration;

const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));
const CALLER: Caller = Caller::background(ACME);
const HOOK: SubscriptionId = SubscriptionId(Uuid::from_u128(2));

fn now() -> Time {
    Time::parse("2026-03-01T09:30:00Z").unwrap()
}

fn vault() -> Vault {
    Vault::new(&MasterKey::parse(&"ab".repeat(32)).unwrap())
}

fn mocks() -> Mocks {
    let mut mocks = Mocks::default();
    mocks.clock.expect_now().return_const(now());
    mocks.clock.expect_elapsed().return_const(Duration::ZERO);
    mocks.ids.expect_fresh().return_const(Uuid::from_u128(7));
    mocks
}

fn details(id: SubscriptionId) -> SubscriptionDetails {
    let secret = vault().seal(ACME, id.0, Purpose::SigningSecret, "whsec_old").unwrap();
    SubscriptionDetails {
        subscription: WebhookSubscription {
            id,
            url: "https://acme.example/hook".to_owned(),
            event_types: vec![],
            is_active: true,
            awaits_rotation: false,
            secret,
            created_at: now(),
        },
        inactive_since: None,
        health: Health::Well,
        previous_secret: None,
    }
}

/// Mocks of a store that has these subscriptions.
fn with(all: Vec<SubscriptionDetails>) -> Mocks {
    let mut mocks = mocks();
    let listed = all.clone();
    mocks.webhook_subscriptions.expect_list().returning(move |_| Ok(listed.clone()));
    mocks.webhook_subscriptions.expect_find().returning(move |_, id| {
        Ok(all.iter().find(|details| details.subscription.id == id).cloned())
    });
    mocks
}

fn inactive(mut details: SubscriptionDetails) -> SubscriptionDetails {
    details.subscription.is_active = false;
    details
}

fn imported(mut details: SubscriptionDetails) -> SubscriptionDetails {
    details.subscription.awaits_rotation = true;
    details
}

#[tokio::test]
async fn a_new_secret_is_whsec_and_32_bytes_and_is_kept_sealed() {
    let mut mocks = mocks();
    let kept = std::sync::Arc::new(std::sync::Mutex::new(None));
    let noted = kept.clone();
    mocks.webhook_subscriptions.expect_insert().once().returning(move |_, subscription| {
        *noted.lock().unwrap() = Some(subscription);
        Ok(Recorded::Done)
    });
    let url = WebhookUrl::parse("https://acme.example/hook").unwrap();
    let (id, secret) =
        add(&mocks.ports(), &vault(), CALLER, url, vec![EventType::VoteCreated]).await.unwrap();
    let bytes = STANDARD.decode(secret.reveal().strip_prefix("whsec_").unwrap()).unwrap();
    assert_eq!(bytes.len(), 32);
    let kept = kept.lock().unwrap().take().unwrap();
    assert_eq!(
        (kept.id, kept.event_types, kept.is_active, kept.awaits_rotation),
        (id, vec![EventType::VoteCreated], true, false)
    );
    assert_eq!(
        *vault().open(ACME, id.0, Purpose::SigningSecret, &kept.secret).unwrap(),
        secret.reveal()
    );
}

#[tokio::test]
async fn a_rotated_secret_overlaps_a_day() {
    let mut mocks = with(vec![details(HOOK)]);
    mocks
        .webhook_subscriptions
        .expect_rotate()
        .once()
        .withf(|_, id, _, overlap| *id == HOOK && overlap.to_string() == "2026-03-02T09:30:00.000Z")
        .returning(|_, _, _, _| Ok(Recorded::Done));
    let secret = rotate_secret(&mocks.ports(), &vault(), CALLER, HOOK).await.unwrap();
    assert_ne!(secret.reveal(), "whsec_old");
}

#[tokio::test]
async fn an_unknown_subscription_is_named() {
    let ports = with(vec![]).ports();
    let none = MockEventSink::new();
    let refusals = [
        remove(&ports, CALLER, HOOK).await.err(),
        activate(&ports, CALLER, HOOK).await.err(),
        deactivate(&ports, CALLER, HOOK).await.err(),
        rotate_secret(&ports, &vault(), CALLER, HOOK).await.err(),
        test(&ports, &vault(), &none, CALLER, HOOK, None).await.err(),
        deliveries(&ports, CALLER, Some(HOOK), DeliveryFilter::default(), 1).await.err(),
        replay(&ports, CALLER, Some(HOOK), Replay::Matching(DeliveryFilter::default())).await.err(),
    ];
    for refusal in refusals {
        assert!(matches!(refusal, Some(WebhookError::Unknown(HOOK))), "{refusal:?}");
    }
}

#[tokio::test]
async fn a_subscription_imported_without_secret_is_neither_tested_nor_activated() {
    let ports = with(vec![imported(details(HOOK))]).ports();
    let tested = test(&ports, &vault(), &MockEventSink::new(), CALLER, HOOK, None).await;
    assert!(matches!(tested, Err(WebhookError::AwaitsRotation(HOOK))));
    assert!(matches!(
        activate(&ports, CALLER, HOOK).await,
        Err(WebhookError::AwaitsRotation(HOOK))
    ));
}

/// Sends a test, which must be as expected.
async fn tested(
    details: SubscriptionDetails,
    event_type: Option<EventType>,
    is_expected: impl Fn(&Dispatch) -> bool + Send + 'static,
) {
    let mut sink = MockEventSink::new();
    sink.expect_send().once().withf(is_expected).returning(|_| Reply {
        response: Response::Status { code: 204, cut: None },
        retry_after: None,
        answer: vec![],
    });
    let ports = with(vec![details]).ports();
    let tested = test(&ports, &vault(), &sink, CALLER, HOOK, event_type).await.unwrap();
    assert!(tested.reply.response.is_success());
}

#[tokio::test]
async fn a_test_is_a_ping_or_an_example_and_goes_to_inactive_subscriptions_too() {
    for (event_type, name, data) in [
        (None, "ping", HOOK.to_string()),
        (Some(EventType::PostTagAdded), "post.tag_added", r#""tag_name":"design""#.to_owned()),
    ] {
        tested(inactive(details(HOOK)), event_type, move |dispatch| {
            dispatch.event == name
                && dispatch.data.contains(&data)
                && dispatch.secrets.current.reveal() == "whsec_old"
        })
        .await;
    }
}

#[tokio::test]
async fn a_test_is_signed_with_the_previous_secret_too_while_it_is_valid() {
    for (until, expected) in [(now(), None), (now().plus_millis(1), Some("whsec_older"))] {
        let secret = vault().seal(ACME, HOOK.0, Purpose::SigningSecret, "whsec_older").unwrap();
        let previous_secret = Some(PreviousSecret { secret, until });
        let rotated = SubscriptionDetails { previous_secret, ..details(HOOK) };
        tested(rotated, None, move |dispatch| {
            dispatch.secrets.previous.as_ref().map(SigningSecret::reveal) == expected
        })
        .await;
    }
}

fn delivery(subscription: SubscriptionId, number: u128) -> Delivery {
    Delivery {
        subscription,
        event: Uuid::from_u128(number).into(),
        event_type: EventType::VoteCreated,
        state: DeliveryState::Failed,
        attempts: 10,
        last_response: None,
        created_at: now().plus_millis(i64::try_from(number).unwrap()),
        occurred_at: None,
        next_attempt_at: None,
        ended_at: None,
    }
}

/// Mocks of a store with these subscriptions and with deliveries numbered from 0 to `count - 1`. A
/// subscription has the deliveries whose number has the parity of its identifier.
fn with_deliveries(all: Vec<SubscriptionDetails>, count: u128) -> Mocks {
    let mut mocks = with(all);
    mocks.deliveries.expect_page().returning(move |_, subscription, _, after, limit| {
        let of_this = (0..count).rev().filter(|number| number % 2 == subscription.0.as_u128() % 2);
        let rest = of_this.map(|number| delivery(subscription, number)).filter(|delivery| {
            after.is_none_or(|after| (delivery.created_at, delivery.event) < after)
        });
        Ok(rest.take(limit.try_into().unwrap()).collect())
    });
    mocks
}

const OTHER: SubscriptionId = SubscriptionId(Uuid::from_u128(3));

#[tokio::test]
async fn the_newest_deliveries_of_all_subscriptions_come_first() {
    let ports = with_deliveries(vec![details(HOOK), details(OTHER)], 3_000).ports();
    let listed = deliveries(&ports, CALLER, None, DeliveryFilter::default(), 1_200).await.unwrap();
    let numbers: Vec<u128> = listed.iter().map(|delivery| delivery.event.0.as_u128()).collect();
    assert_eq!(numbers, (1_800..3_000).rev().collect::<Vec<_>>());
    let of_one =
        deliveries(&ports, CALLER, Some(OTHER), DeliveryFilter::default(), 2).await.unwrap();
    assert_eq!(of_one, [delivery(OTHER, 2_999), delivery(OTHER, 2_997)]);
}

#[tokio::test]
async fn all_failed_deliveries_to_active_subscriptions_are_replayed() {
    let mut mocks = with_deliveries(vec![details(HOOK), inactive(details(OTHER))], 3_000);
    mocks
        .deliveries
        .expect_replay()
        .once()
        .withf(|_, subscription, _, at| *subscription == HOOK && *at == now())
        .returning(|_, _, events, _| Ok(events.len()));
    assert_eq!(
        replay(&mocks.ports(), CALLER, None, Replay::Matching(DeliveryFilter::default()))
            .await
            .unwrap(),
        1_500
    );
}

#[tokio::test]
async fn chosen_deliveries_are_replayed_all_or_none() {
    let ids = |numbers: &[(SubscriptionId, u128)]| {
        Replay::Deliveries(
            numbers
                .iter()
                .map(|(subscription, number)| delivery(*subscription, *number).id())
                .collect(),
        )
    };
    let mut mocks = with_deliveries(vec![details(HOOK), details(OTHER)], 3_000);
    mocks.deliveries.expect_replay().times(2).returning(|_, _, events, _| Ok(events.len()));
    let chosen = ids(&[(HOOK, 2), (OTHER, 2_999), (HOOK, 2_998)]);
    assert_eq!(replay(&mocks.ports(), CALLER, None, chosen).await.unwrap(), 3);

    let ports = with_deliveries(vec![details(HOOK), inactive(details(OTHER))], 10).ports();
    let missing = replay(&ports, CALLER, None, ids(&[(HOOK, 2), (HOOK, 12)])).await;
    assert!(matches!(missing, Err(WebhookError::NotFailed(id)) if id == delivery(HOOK, 12).id()));
    let to_inactive = replay(&ports, CALLER, None, ids(&[(HOOK, 2), (OTHER, 3)])).await;
    assert!(matches!(to_inactive, Err(WebhookError::Inactive(OTHER))));
}
