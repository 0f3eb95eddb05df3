//! Tests of the use cases of webhook subscriptions and their deliveries.

use super::*;
use crate::MasterKey;
use hearback_domain::delivery::{DeliveryState, Response};
use hearback_domain::event::EventType;
use hearback_domain::id::EventId;
use hearback_domain::record::{Known, OfKind};
use hearback_domain::webhook_subscription::Health;
use hearback_domain::{Time, Uuid};
use hearback_ports::deliveries::{Delivery, DeliveryFilter, Ended};
use hearback_ports::event_sink::{Dispatch, MockEventSink, Reply};
use hearback_ports::mock::Mocks;
use hearback_ports::page::ByDelivery;
use hearback_ports::receipts::StoredReceipt;
use hearback_ports::{Change, IdempotencyKey, Limit};
use std::sync::{Arc, Mutex};
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
            board_ids: vec![],
            description: None,
            is_active: true,
            awaits_rotation: false,
            secret,
            previous_secret: None,
            previous_until: None,
            created_at: now(),
        },
        inactive_since: None,
        health: Health::Well,
        last_success_at: None,
    }
}

/// Mocks of a store that has these subscriptions.
fn with(all: Vec<SubscriptionDetails>) -> Mocks {
    let mut mocks = mocks();
    let listed = all.clone();
    let records: Vec<_> = all.iter().map(|it| it.subscription.clone().into_record()).collect();
    mocks.records.expect_load().returning(move |_, keys| {
        Ok(Known::new(records.clone().into_iter().filter(|it| keys.contains(&it.key()))))
    });
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

/// A sink that admits every URL but one.
fn sink() -> MockEventSink {
    let mut sink = MockEventSink::new();
    sink.expect_admits().returning(|url| url != "https://10.0.0.1/");
    sink
}

fn draft(url: &str) -> SubscriptionDraft {
    SubscriptionDraft::to(WebUrl::parse(url).unwrap(), vec![EventType::VoteCreated])
}

/// Notes the change that is applied.
fn noting(mocks: &mut Mocks) -> Arc<Mutex<Option<Change>>> {
    let noted = Arc::new(Mutex::new(None));
    let kept = noted.clone();
    mocks.records.expect_apply().once().returning(move |_, change| {
        *kept.lock().unwrap() = Some(change);
        Ok(Recorded::Done)
    });
    noted
}

/// The subscription that a change writes.
fn written(noted: &Mutex<Option<Change>>) -> WebhookSubscription {
    let change = noted.lock().unwrap().take().unwrap();
    WebhookSubscription::of_record(change.steps[0].after().unwrap()).cloned().unwrap()
}

fn opened(sealed: &Sealed) -> String {
    let id = Uuid::from_u128(7);
    vault().open(ACME, id, Purpose::SigningSecret, sealed).unwrap().to_string()
}

#[tokio::test]
async fn a_new_secret_is_whsec_and_32_bytes_and_is_kept_sealed() {
    let mut mocks = mocks();
    let noted = noting(&mut mocks);
    let draft = draft("https://acme.example/hook");
    let added = add(&mocks.ports(), &vault(), &sink(), CALLER, draft, None).await.unwrap();
    let bytes = STANDARD.decode(added.secret.reveal().strip_prefix("whsec_").unwrap()).unwrap();
    assert_eq!((bytes.len(), added.is_replay), (32, false));
    let kept = written(&noted);
    assert_eq!(
        (kept.id, &kept.event_types[..], kept.is_active, kept.awaits_rotation),
        (added.id, &[EventType::VoteCreated][..], true, false)
    );
    assert_eq!(opened(&kept.secret), added.secret.reveal());
}

#[tokio::test]
async fn a_receipt_keeps_the_secret_sealed_and_a_repeat_gets_it() {
    let key = IdempotencyKey::parse("a").unwrap();
    let repeat = Some(Repeat { path: "/webhooks/create", key, body: [7; 32] });
    let mut first = mocks();
    first.receipts.expect_find().once().returning(|_, _, _, _| Ok(None));
    let noted = noting(&mut first);
    let url = "https://acme.example/hook";
    let (ports, again) = (first.ports(), repeat.clone());
    let added = add(&ports, &vault(), &sink(), CALLER, draft(url), again).await.unwrap();
    let receipt = noted.lock().unwrap().take().unwrap().receipt.unwrap();
    let WriteResult::Secret { sealed, .. } = &receipt.answer else { panic!("{receipt:?}") };
    assert_eq!(opened(sealed), added.secret.reveal());
    assert!(!receipt.answer.encode().contains("whsec_"));

    let mut second = mocks();
    second.receipts.expect_find().once().returning(move |_, _, _, _| {
        Ok(Some(StoredReceipt { body: [7; 32], answer: receipt.answer.clone() }))
    });
    let again = add(&second.ports(), &vault(), &sink(), CALLER, draft(url), repeat).await.unwrap();
    assert_eq!(again, Disclosed { is_replay: true, ..added });
}

#[tokio::test]
async fn a_url_that_the_sink_refuses_is_neither_added_nor_set() {
    let refused = |error: Error| matches!(error, Error::Refused(Precondition::UrlNotAllowed));
    let ports = with(vec![details(HOOK)]).ports();
    let draft = draft("https://10.0.0.1/");
    let patch = SubscriptionPatch { url: Some(draft.url.clone()), ..Default::default() };
    assert!(refused(add(&ports, &vault(), &sink(), CALLER, draft, None).await.unwrap_err()));
    let changed = update(&ports, &sink(), CALLER, Update::new(HOOK, patch), None).await;
    assert!(refused(changed.unwrap_err()));
}

#[tokio::test]
async fn a_rotated_secret_overlaps_as_long_as_asked() {
    let mut mocks = with(vec![details(HOOK)]);
    let noted = noting(&mut mocks);
    let rotated = rotate_secret(&mocks.ports(), &vault(), CALLER, (HOOK, 90), None).await.unwrap();
    let kept = written(&noted);
    assert_ne!(kept.secret, details(HOOK).subscription.secret);
    assert_ne!(rotated.secret.reveal(), "whsec_old");
    assert_eq!(kept.previous_until, Some(now().plus_millis(90_000)));
}

#[tokio::test]
async fn an_unknown_subscription_is_not_found() {
    let ports = with(vec![]).ports();
    let none = MockEventSink::new();
    let patch = Update::new(HOOK, SubscriptionPatch::default());
    let matching = Replay::Matching(DeliveryFilter::default());
    let refusals = [
        find(&ports, CALLER, HOOK).await.err(),
        remove(&ports, CALLER, HOOK, None).await.err(),
        update(&ports, &none, CALLER, patch, None).await.err(),
        rotate_secret(&ports, &vault(), CALLER, (HOOK, 0), None).await.err(),
        test(&ports, &vault(), &none, CALLER, HOOK, None).await.err(),
        deliveries(&ports, CALLER, Some(HOOK), DeliveryFilter::default(), 1).await.err(),
        replay(&ports, CALLER, (Some(HOOK), matching), None).await.err(),
    ];
    for refusal in refusals {
        let missing = Missing::Record(Kind::WebhookSubscription);
        assert!(matches!(refusal, Some(Error::NotFound(it)) if it == missing), "{refusal:?}");
    }
}

#[tokio::test]
async fn a_subscription_imported_without_secret_is_neither_tested_nor_activated() {
    let ports = with(vec![imported(details(HOOK))]).ports();
    let tested = test(&ports, &vault(), &MockEventSink::new(), CALLER, HOOK, None).await;
    assert!(matches!(tested, Err(Error::Refused(Precondition::AwaitsRotation))));
    let patch = SubscriptionPatch { is_active: Some(true), ..Default::default() };
    let activated = update(&ports, &sink(), CALLER, Update::new(HOOK, patch), None).await;
    assert!(matches!(activated, Err(Error::Refused(Precondition::AwaitsRotation))));
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
async fn a_test_is_an_example_or_names_the_subscription_and_goes_to_inactive_subscriptions_too() {
    for (event_type, name, data) in [
        (None, "webhook.test", HOOK.to_string()),
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
        let mut rotated = details(HOOK);
        rotated.subscription.previous_secret = Some(secret);
        rotated.subscription.previous_until = Some(until);
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
async fn deliveries_of_all_subscriptions_are_walked_page_by_page() {
    let ports = with_deliveries(vec![details(HOOK), details(OTHER)], 60).ports();
    let limit = Limit::new(7).unwrap();
    let (mut after, mut walked) = (None, Vec::new());
    loop {
        let everything = (None, DeliveryFilter::default());
        let page = PageRequest { after, limit };
        let page = page_of_deliveries(&ports, CALLER, everything, page).await.unwrap();
        walked.extend(page.items.iter().map(|delivery| delivery.event.0.as_u128()));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(walked, (0..60).rev().collect::<Vec<_>>());
    let unknown = (Some(SubscriptionId(Uuid::from_u128(9))), DeliveryFilter::default());
    let page = PageRequest { after: None, limit };
    let page = page_of_deliveries(&ports, CALLER, unknown, page).await.unwrap();
    assert_eq!((page.items, page.next), (vec![], None));
}

#[test]
fn the_deliveries_of_one_event_are_behind_each_other_by_subscription() {
    let event = EventId(Uuid::from_u128(5));
    let key = ByDelivery { at: now(), event, subscription: OTHER };
    // Newest first, the delivery to the lesser subscription follows.
    assert_eq!(key.within(HOOK), (now(), EventId(Uuid::from_u128(6))));
    assert_eq!(key.within(OTHER), (now(), event));
}

async fn replayed(
    mocks: Mocks,
    subscription: Option<SubscriptionId>,
    replays: Replay,
) -> Result<WriteResult, Error> {
    replay(&mocks.ports(), CALLER, (subscription, replays), None).await.map(Outcome::answer)
}

#[tokio::test]
async fn all_failed_deliveries_to_active_subscriptions_or_those_to_one_are_replayed() {
    for (chosen, expected) in [(None, HOOK), (Some(OTHER), OTHER)] {
        let mut mocks = with_deliveries(vec![details(HOOK), inactive(details(OTHER))], 3_000);
        let replay = mocks.deliveries.expect_replay().once();
        replay
            .withf(move |_, subscription, ended, _, at| {
                (*subscription, *ended, *at) == (expected, Ended::Failed, now())
            })
            .returning(|_, _, _, events, _| Ok(events.len()));
        let matching = Replay::Matching(DeliveryFilter::default());
        let replayed = replayed(mocks, chosen, matching).await.unwrap();
        assert_eq!(replayed, WriteResult::Replayed(1_500));
    }
}

#[tokio::test]
async fn one_delivery_is_replayed_unless_it_is_pending() {
    for (state, ended) in [
        (DeliveryState::Pending, None),
        (DeliveryState::Delivered, Some(Ended::Delivered)),
        (DeliveryState::Failed, Some(Ended::Failed)),
    ] {
        let mut mocks = mocks();
        let found = Delivery { state, ..delivery(HOOK, 2) };
        mocks
            .deliveries
            .expect_find()
            .returning(move |_, id| Ok(Some(found.clone()).filter(|delivery| delivery.id() == id)));
        if let Some(ended) = ended {
            let replay = mocks.deliveries.expect_replay().once();
            replay.withf(move |_, _, it, _, _| *it == ended).returning(|_, _, _, _, _| Ok(1));
        }
        let one = Replay::One(delivery(HOOK, 2).id(), DeliveryFilter::default());
        let expected = WriteResult::Replayed(u64::from(ended.is_some()));
        assert_eq!(replayed(mocks, None, one).await.unwrap(), expected);
    }
    let mut mocks = mocks();
    mocks.deliveries.expect_find().returning(|_, _| Ok(None));
    let unknown = delivery(HOOK, 2).id();
    let refused = replayed(mocks, None, Replay::One(unknown, DeliveryFilter::default())).await;
    assert!(matches!(refused, Err(Error::NotFound(Missing::Delivery(id))) if id == unknown));
}

#[tokio::test]
async fn chosen_deliveries_are_replayed_all_or_none() {
    let ids = |numbers: &[(SubscriptionId, u128)]| {
        let ids =
            numbers.iter().map(|(subscription, number)| delivery(*subscription, *number).id());
        Replay::Failed(ids.collect())
    };
    let mut mocks = with_deliveries(vec![details(HOOK), inactive(details(OTHER))], 3_000);
    mocks.deliveries.expect_replay().times(2).returning(|_, _, _, events, _| Ok(events.len()));
    let chosen = ids(&[(HOOK, 2), (OTHER, 2_999), (HOOK, 2_998)]);
    assert_eq!(replayed(mocks, None, chosen).await.unwrap(), WriteResult::Replayed(3));

    let mocks = with_deliveries(vec![details(HOOK), details(OTHER)], 10);
    let missing = replayed(mocks, None, ids(&[(HOOK, 2), (HOOK, 12)])).await;
    let unknown = delivery(HOOK, 12).id();
    assert!(matches!(missing, Err(Error::NotFound(Missing::Delivery(id))) if id == unknown));
}
