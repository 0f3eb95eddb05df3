//! `WebhookSubscriptionRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, delete_organization, ends};
use crate::build::{Tenant, at, event, subscription};
use crate::deliveries::{
    Webhooks, claim, delivery, ended, given_up, keys, lease, ledger, listed, listening, nothing,
    other_ledgers, pending, queue, settle, standing, status, take, tell,
};
use crate::system::fresh;
use hearback_domain::api_key::Sealed;
use hearback_domain::delivery::DeliveryState;
use hearback_domain::event::{Event, EventType};
use hearback_domain::id::{EventId, OrganizationId, SubscriptionId};
use hearback_domain::webhook_subscription::{FailedEvents, Health, WebhookSubscription};
use hearback_domain::{ClosedSet, Time};
use hearback_ports::delivery_queue::DeliveryKey;
use hearback_ports::webhook_subscriptions::SubscriptionDetails;
use hearback_ports::{Recorded, StoreError};
use std::collections::BTreeSet;
use std::slice;

/// The event of a new vote.
fn vote() -> Event {
    event(EventType::VoteCreated, at(0))
}

/// The state of a subscription right after its creation.
fn new(subscription: &WebhookSubscription) -> SubscriptionDetails {
    let subscription = subscription.clone();
    let inactive_since = (!subscription.is_active).then_some(subscription.created_at);
    SubscriptionDetails {
        subscription,
        inactive_since,
        health: Health::Well,
        last_success_at: None,
    }
}

async fn list(stage: &Stage, organization: OrganizationId) -> Vec<SubscriptionDetails> {
    stage.ports.webhook_subscriptions.list(organization).await.unwrap()
}

async fn find(
    stage: &Stage,
    organization: OrganizationId,
    id: SubscriptionId,
) -> Option<SubscriptionDetails> {
    stage.ports.webhook_subscriptions.find(organization, id).await.unwrap()
}

async fn insert(
    stage: &Stage,
    organization: OrganizationId,
    subscription: &WebhookSubscription,
    expected: Recorded,
) {
    ends(expected, async || {
        Webhooks(&stage.ports).insert(organization, subscription.clone()).await
    })
    .await;
}

async fn rotate(
    stage: &Stage,
    organization: OrganizationId,
    id: SubscriptionId,
    secret: &Sealed,
    overlap: Time,
) {
    let rotate =
        async || Webhooks(&stage.ports).rotate(organization, id, secret.clone(), overlap).await;
    ends(Recorded::Done, rotate).await;
}

async fn activate(stage: &Stage, organization: OrganizationId, id: SubscriptionId) {
    ends(Recorded::Done, async || Webhooks(&stage.ports).activate(organization, id).await).await;
}

async fn deactivate(stage: &Stage, organization: OrganizationId, id: SubscriptionId, now: Time) {
    ends(Recorded::Done, async || Webhooks(&stage.ports).deactivate(organization, id, now).await)
        .await;
}

async fn delete(stage: &Stage, organization: OrganizationId, id: SubscriptionId) {
    ends(Recorded::Done, async || Webhooks(&stage.ports).delete(organization, id).await).await;
}

pub async fn the_latest_success_of_a_receiver_is_noted(stage: Stage) {
    let all = [subscription(), subscription()];
    let acme = listening(&stage, &all).await;
    let others = other_ledgers(&stage, &acme).await;
    for (noted, latest) in [(at(5), at(5)), (at(9), at(9)), (at(7), at(9))] {
        let subscriptions = &stage.ports.webhook_subscriptions;
        subscriptions.succeeded(acme.id(), all[0].id, noted).await.unwrap();
        let expected = SubscriptionDetails { last_success_at: Some(latest), ..new(&all[0]) };
        assert_eq!(list(&stage, acme.id()).await, [expected, new(&all[1])]);
    }
    stage.ports.webhook_subscriptions.succeeded(acme.id(), fresh(), at(9)).await.unwrap();
    assert_eq!(other_ledgers(&stage, &acme).await, others);
}

/// Subscriptions of every kind.
fn all_kinds() -> Vec<WebhookSubscription> {
    vec![
        WebhookSubscription {
            url: "https://example.com/ü?token=😀#x".to_owned(),
            ..subscription()
        },
        WebhookSubscription {
            event_types: vec![EventType::VoteDeleted, EventType::PostCreated],
            ..subscription()
        },
        WebhookSubscription {
            event_types: EventType::ALL.to_vec(),
            secret: Sealed(vec![]),
            ..subscription()
        },
        WebhookSubscription { is_active: false, ..subscription() },
        WebhookSubscription { awaits_rotation: true, ..subscription() },
        WebhookSubscription {
            is_active: false,
            awaits_rotation: true,
            secret: Sealed(vec![0; 300]),
            ..subscription()
        },
    ]
}

pub async fn a_subscription_is_found_and_listed_as_it_was_written(stage: Stage) {
    let all = all_kinds();
    let acme = listening(&stage, &all).await;
    let expected: Vec<SubscriptionDetails> = all.iter().map(new).collect();
    assert_eq!(list(&stage, acme.id()).await, expected);
    for expected in expected {
        assert_eq!(find(&stage, acme.id(), expected.subscription.id).await, Some(expected));
    }
    assert_eq!(find(&stage, acme.id(), fresh()).await, None);
}

pub async fn subscriptions_are_listed_by_time_of_creation_then_by_id(stage: Stage) {
    let times = [Time::MIN, at(0), at(0), at(0), at(1), Time::MAX];
    let mut all: Vec<_> =
        times.map(|created_at| WebhookSubscription { created_at, ..subscription() }).into();
    // The earliest subscription has the greatest identifier, and the latest has the least.
    let mut ids: Vec<SubscriptionId> = all.iter().map(|subscription| subscription.id).collect();
    ids.swap(0, 5);
    for (subscription, id) in all.iter_mut().zip(ids) {
        subscription.id = id;
    }
    let acme = listening(&stage, &all).await;
    all.sort_by_key(|subscription| (subscription.created_at, subscription.id));
    assert_eq!(list(&stage, acme.id()).await, all.iter().map(new).collect::<Vec<_>>());
    assert_eq!(list(&stage, fresh()).await, []);
}

pub async fn a_new_subscription_is_listed_and_receives_later_events(stage: Stage) {
    let acme = listening(&stage, &[]).await;
    tell(&stage, &acme, vote()).await;
    let others = other_ledgers(&stage, &acme).await;
    let url = "https://example.com/ü?token=😀#x".to_owned();
    let hook = WebhookSubscription {
        url,
        event_types: vec![EventType::VoteDeleted, EventType::VoteCreated],
        ..subscription()
    };
    insert(&stage, acme.id(), &hook, Recorded::Done).await;
    assert_eq!(list(&stage, acme.id()).await, [new(&hook)]);
    assert_eq!(other_ledgers(&stage, &acme).await, others);
    let told = tell(&stage, &acme, vote()).await;
    tell(&stage, &acme, event(EventType::PostCreated, at(0))).await;
    assert_eq!(pending(&stage, acme.id()).await, [(told, hook.id)]);
}

pub async fn a_new_subscription_is_stale_if_the_organization_is_gone(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    delete_organization(&stage.ports, acme.id()).await;
    for organization in [acme.id(), fresh()] {
        insert(&stage, organization, &subscription(), Recorded::Stale).await;
        assert_eq!(list(&stage, organization).await, []);
    }
}

pub async fn a_new_secret_replaces_the_old_one_which_is_kept_for_a_while(stage: Stage) {
    let all = [subscription(), subscription()];
    let acme = listening(&stage, &all).await;
    let others = other_ledgers(&stage, &acme).await;
    let secrets = [Sealed(vec![2]), Sealed(vec![3, 0, 255])];
    let mut before = all[0].secret.clone();
    for (secret, overlap) in secrets.iter().zip([at(100), at(50)]) {
        rotate(&stage, acme.id(), all[0].id, secret, overlap).await;
        let rotated = WebhookSubscription {
            secret: secret.clone(),
            previous_secret: Some(before.clone()),
            previous_until: Some(overlap),
            ..all[0].clone()
        };
        assert_eq!(list(&stage, acme.id()).await, [new(&rotated), new(&all[1])]);
        // The later of two rotations decides: the secret that the first one replaced is handed out
        // no more.
        tell(&stage, &acme, vote()).await;
        let claimed = take(&stage, claim(&acme, lease(at(1_000)), at(0)), 2).await;
        let own =
            claimed.iter().find(|delivery| delivery.key.queue.subscription == all[0].id).unwrap();
        assert_eq!((&own.secret, &own.previous_secret), (secret, &Some(before)));
        before = secret.clone();
    }
    assert_eq!(other_ledgers(&stage, &acme).await, others);
}

pub async fn the_rotation_that_a_subscription_awaits_leaves_no_previous_secret(stage: Stage) {
    let hook = WebhookSubscription { awaits_rotation: true, ..subscription() };
    let acme = listening(&stage, slice::from_ref(&hook)).await;
    tell(&stage, &acme, vote()).await;
    nothing(&stage, claim(&acme, lease(Time::MAX), at(10))).await;
    let secret = Sealed(vec![2]);
    rotate(&stage, acme.id(), hook.id, &secret, at(100)).await;
    let rotated =
        WebhookSubscription { secret: secret.clone(), awaits_rotation: false, ..hook.clone() };
    assert_eq!(list(&stage, acme.id()).await, [new(&rotated)]);
    let told = tell(&stage, &acme, vote()).await;
    let claimed = take(&stage, claim(&acme, lease(Time::MAX), at(10)), 1).await;
    assert_eq!(keys(&claimed), [DeliveryKey { queue: queue(&acme, &hook), event: told }]);
    assert_eq!((&claimed[0].secret, &claimed[0].previous_secret), (&secret, &None));
    // The next rotation keeps the previous secret, as for any other subscription.
    rotate(&stage, acme.id(), hook.id, &Sealed(vec![3]), at(200)).await;
    let rotated = standing(&stage, queue(&acme, &hook)).await.subscription;
    assert_eq!((rotated.previous_secret, rotated.previous_until), (Some(secret), Some(at(200))));
}

pub async fn a_rotation_changes_neither_activity_nor_health(stage: Stage) {
    let hook = subscription();
    let acme = listening(&stage, slice::from_ref(&hook)).await;
    let failing = fail(&stage, &acme, &hook).await;
    deactivate(&stage, acme.id(), hook.id, at(70)).await;
    rotate(&stage, acme.id(), hook.id, &Sealed(vec![2]), at(100)).await;
    let stands = standing(&stage, queue(&acme, &hook)).await;
    assert_eq!((stands.health, stands.inactive_since), (failing, Some(at(70))));
    assert!(!stands.subscription.is_active);
}

/// Records two failures of a receiver. Returns its health afterwards.
async fn fail(stage: &Stage, acme: &Tenant, hook: &WebhookSubscription) -> Health {
    let told: [EventId; 2] = [tell(stage, acme, vote()).await, tell(stage, acme, vote()).await];
    let mine = lease(at(60));
    let claimed = take(stage, claim(acme, mine, at(0)), 2).await;
    let first = claimed[0].key.event;
    assert!(told.contains(&first));
    let settled = claimed
        .iter()
        .zip([50, 51])
        .map(|(delivery, millis)| ended(delivery, mine, status(500), at(millis)));
    settle(stage, settled.collect()).await;
    let failing = Health::Failing {
        since: at(50),
        first_event: first,
        failures: 2,
        events: FailedEvents::Several,
    };
    assert_eq!(standing(stage, queue(acme, hook)).await.health, failing);
    failing
}

pub async fn a_subscription_is_deactivated_once_and_activated_with_a_clean_record(stage: Stage) {
    let hook = subscription();
    let acme = listening(&stage, slice::from_ref(&hook)).await;
    let others = other_ledgers(&stage, &acme).await;
    let failing = fail(&stage, &acme, &hook).await;
    let stands = async |health, inactive_since: Option<Time>| {
        let subscription =
            WebhookSubscription { is_active: inactive_since.is_none(), ..hook.clone() };
        let expected = SubscriptionDetails { health, inactive_since, ..new(&subscription) };
        assert_eq!(list(&stage, acme.id()).await, [expected]);
    };
    // An active subscription is not changed by its activation.
    activate(&stage, acme.id(), hook.id).await;
    stands(failing, None).await;
    for now in [at(70), at(80), at(60)] {
        deactivate(&stage, acme.id(), hook.id, now).await;
        stands(failing, Some(at(70))).await;
    }
    let unheard = tell(&stage, &acme, vote()).await;
    for _ in 0..2 {
        activate(&stage, acme.id(), hook.id).await;
        stands(Health::Well, None).await;
    }
    let waiting = take(&stage, claim(&acme, lease(at(500)), at(100)), 2).await;
    assert!(keys(&waiting).iter().all(|key| key.event != unheard));
    deactivate(&stage, acme.id(), hook.id, at(90)).await;
    stands(Health::Well, Some(at(90))).await;
    assert_eq!(other_ledgers(&stage, &acme).await, others);
}

pub async fn a_deactivated_subscription_keeps_its_deliveries(stage: Stage) {
    let hook = subscription();
    let acme = listening(&stage, slice::from_ref(&hook)).await;
    for _ in 0..3 {
        tell(&stage, &acme, vote()).await;
    }
    let mine = lease(at(100));
    let claimed = take(&stage, claim(&acme, mine, at(0)), 3).await;
    settle(
        &stage,
        vec![ended(&claimed[0], mine, status(200), at(1)), given_up(&claimed[1], mine, at(2))],
    )
    .await;
    let before = listed(&stage, acme.id(), hook.id).await;
    deactivate(&stage, acme.id(), hook.id, at(10)).await;
    assert_eq!(listed(&stage, acme.id(), hook.id).await, before);
    // A delivery that was claimed before the deactivation may still succeed.
    settle(&stage, vec![ended(&claimed[2], mine, status(200), at(20))]).await;
    assert_eq!(delivery(&stage, claimed[2].key).await.unwrap().state, DeliveryState::Delivered);
    assert!(!standing(&stage, queue(&acme, &hook)).await.subscription.is_active);
}

pub async fn a_subscription_is_deleted_with_everything_that_is_its_alone(stage: Stage) {
    let hook = subscription();
    let other = WebhookSubscription { event_types: vec![EventType::VoteCreated], ..subscription() };
    let acme = listening(&stage, &[hook.clone(), other.clone()]).await;
    let mut shared: Vec<EventId> = Vec::new();
    let mut alone = Vec::new();
    for _ in 0..3 {
        shared.push(tell(&stage, &acme, vote()).await);
        alone.push(tell(&stage, &acme, event(EventType::PostEdited, at(0))).await);
    }
    for &id in shared.iter().chain(&alone) {
        tell(&stage, acme.twin(), Event { id, ..vote() }).await;
    }
    // The deliveries have every state, and some are leased.
    let mine = lease(at(100));
    let claimed = take(&stage, claim(&acme, mine, at(0)), 9).await;
    let settled = claimed.iter().enumerate().filter_map(|(n, delivery)| match n % 3 {
        0 => Some(ended(delivery, mine, status(200), at(1))),
        1 => Some(given_up(delivery, mine, at(1))),
        _ => None,
    });
    settle(&stage, settled.collect()).await;
    let others = other_ledgers(&stage, &acme).await;
    let before = ledger(&stage, acme.id()).await;

    delete(&stage, acme.id(), hook.id).await;
    let after = ledger(&stage, acme.id()).await;
    let is_kept = |subscription: SubscriptionId| subscription == other.id;
    let expected: Vec<_> =
        before.standings.into_iter().filter(|standing| is_kept(standing.subscription.id)).collect();
    assert_eq!(after.standings, expected);
    let expected: Vec<_> = before
        .deliveries
        .into_iter()
        .filter(|(delivery, _)| is_kept(delivery.subscription))
        .collect();
    assert_eq!(after.deliveries, expected);
    let expected: Vec<_> =
        before.events.into_iter().filter(|event| shared.contains(&event.id)).collect();
    assert_eq!(after.events, expected);
    let attempts: usize = after.deliveries.iter().map(|(_, attempts)| attempts.len()).sum();
    assert_eq!(after.rows["delivery_attempts"], attempts as i64);
    assert_eq!(after.rows["deliveries"], 3);
    assert_eq!(other_ledgers(&stage, &acme).await, others);
    assert_eq!(find(&stage, acme.id(), hook.id).await, None);

    // The deleted subscription gets no further delivery. The deletion of the other one removes the
    // last events.
    tell(&stage, &acme, event(EventType::PostEdited, at(0))).await;
    let told = tell(&stage, &acme, vote()).await;
    let sent: BTreeSet<_> = pending(&stage, acme.id()).await.into_iter().collect();
    assert!(
        sent.contains(&(told, other.id))
            && sent.iter().all(|(_, subscription)| is_kept(*subscription))
    );
    delete(&stage, acme.id(), other.id).await;
    let left = ledger(&stage, acme.id()).await;
    assert_eq!((left.standings.len(), left.deliveries.len(), left.events.len()), (0, 0, 0));
    for kind in ["webhook_subscriptions", "deliveries", "delivery_attempts", "events"] {
        assert_eq!(left.rows.get(kind).copied().unwrap_or_default(), 0, "{kind}");
    }
}

pub async fn a_change_of_a_missing_subscription_is_stale(stage: Stage) {
    let hook = subscription();
    let acme = listening(&stage, slice::from_ref(&hook)).await;
    let globex = listening(&stage, &[subscription()]).await;
    let other = globex.all::<WebhookSubscription>().remove(0);
    delete(&stage, acme.id(), hook.id).await;
    let before = [ledger(&stage, acme.id()).await, ledger(&stage, globex.id()).await];
    let others = other_ledgers(&stage, &acme).await;
    let subscriptions = Webhooks(&stage.ports);
    for (organization, id) in
        [(acme.id(), hook.id), (acme.id(), other.id), (acme.id(), fresh()), (fresh(), other.id)]
    {
        let recorded: [Result<Recorded, StoreError>; 4] = [
            subscriptions.delete(organization, id).await,
            subscriptions.rotate(organization, id, Sealed(vec![2]), at(100)).await,
            subscriptions.activate(organization, id).await,
            subscriptions.deactivate(organization, id, at(0)).await,
        ];
        assert!(recorded.into_iter().all(|recorded| recorded.unwrap() == Recorded::Stale));
    }
    assert_eq!([ledger(&stage, acme.id()).await, ledger(&stage, globex.id()).await], before);
    assert_eq!(other_ledgers(&stage, &acme).await, others);
}

pub async fn another_organizations_subscriptions_are_as_unknown_ones(stage: Stage) {
    let all = all_kinds();
    let acme = listening(&stage, &all).await;
    let opposite = |subscription: &WebhookSubscription| {
        new(&WebhookSubscription { is_active: !subscription.is_active, ..subscription.clone() })
    };
    for (organization, expected) in [
        (acme.twin().id(), all.iter().map(new).collect()),
        (acme.opposite().id(), all.iter().map(opposite).collect()),
        (fresh(), vec![]),
    ] {
        assert_eq!(list(&stage, organization).await, expected);
        for subscription in &all {
            let found = expected
                .iter()
                .find(|standing| standing.subscription.id == subscription.id)
                .cloned();
            assert_eq!(find(&stage, organization, subscription.id).await, found);
        }
    }
}
