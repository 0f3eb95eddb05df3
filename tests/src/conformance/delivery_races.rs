//! Events and deliveries that are recorded, sent, replayed and removed at once.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::races::{answers, count, crowded, toggling};
use super::{Stage, delete_organization, ends, inventory};
use crate::build::{Tenant, Votable, at};
use crate::deliveries::{
    Webhooks, attempts, claim, claim_of, delivery, ended, given_up, keys, lease, listed, queue,
    queues, settle, standing, status, take, tell_many,
};
use futures_util::future::join_all;
use hearback_app::votes::{ToggleVote, toggle};
use hearback_app::{Error, Missing};
use hearback_domain::delivery::DeliveryState;
use hearback_domain::event::EventType;
use hearback_domain::id::{EventId, OrganizationId};
use hearback_domain::webhook_subscription::{
    Deactivation, FailedEvents, Health, WebhookSubscription,
};
use hearback_domain::{ClosedSet, Time};
use hearback_ports::Recorded;
use hearback_ports::deliveries::Ended;
use hearback_ports::delivery_queue::{DeliveryKey, Queue};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task::JoinHandle;

/// Claims and settles due deliveries in a task, until `stop` is set and nothing is left to claim.
/// One attempt in four fails and is due again at once. Returns the deliveries in the order of their
/// claims.
fn dispatching(
    stage: &Stage,
    queues: &[Queue],
    stop: &Arc<AtomicBool>,
) -> JoinHandle<Vec<DeliveryKey>> {
    let (stage, stop) = (stage.clone(), stop.clone());
    let rooms: BTreeMap<Queue, usize> = queues.iter().map(|&queue| (queue, 4)).collect();
    tokio::spawn(async move {
        let mut all = Vec::new();
        let mut idle = 0;
        // A claim may be empty merely because of a race with another claim.
        while idle < 30 {
            idle = if stop.load(Ordering::Relaxed) { idle + 1 } else { 0 };
            let mine = lease(Time::MAX);
            let claimed = stage
                .ports
                .delivery_queue
                .claim(claim_of(rooms.clone(), mine, Time::MAX))
                .await
                .unwrap()
                .deliveries;
            if claimed.is_empty() {
                tokio::task::yield_now().await;
                continue;
            }
            idle = 0;
            let settled = claimed.iter().enumerate().map(|(n, delivery)| {
                let response = status(if n % 4 == 3 { 503 } else { 200 });
                ended(delivery, mine, response, Time::MAX)
            });
            settle(&stage, settled.collect()).await;
            all.extend(keys(&claimed));
        }
        all
    })
}

/// The numbers of an organization's events, deliveries and attempts.
async fn event_rows(stage: &Stage, acme: &Tenant) -> [i64; 3] {
    let rows = stage.probe.rows(acme.id()).await;
    ["events", "deliveries", "delivery_attempts"]
        .map(|kind| rows.get(kind).copied().unwrap_or_default())
}

pub async fn every_vote_that_comes_or_goes_is_sent_once_to_each_subscription(stage: Stage) {
    let (mut acme, posts, users) = crowded(4, 16);
    acme.add(acme.subscription());
    acme.add(WebhookSubscription {
        event_types: vec![EventType::VoteDeleted],
        ..acme.subscription()
    });
    let acme = acme.import(&stage.ports).await;
    let stop = Arc::new(AtomicBool::new(false));
    let dispatchers = (0..4).map(|_| dispatching(&stage, &queues(&acme), &stop)).collect();
    let mut toggles = Vec::new();
    for (n, user) in users.iter().enumerate() {
        let input = ToggleVote { voter: user.user_id, target: posts[n % posts.len()].target() };
        toggles.extend((0..8).map(|_| toggling(&stage.ports, acme.caller(), input)));
    }
    let told = answers(toggles).await;
    stop.store(true, Ordering::Relaxed);
    let handed_out = answers(dispatchers).await.concat();

    assert_eq!((count(&told, true), count(&told, false)), (64, 64));
    let events = stage.ports.events.list(acme.id(), None, 1_000).await.unwrap();
    let mut attempts = BTreeMap::new();
    for key in &handed_out {
        *attempts.entry(*key).or_default() += 1;
    }
    for subscription in acme.all::<WebhookSubscription>() {
        let wanted = events.iter().filter(|event| {
            let types = &subscription.event_types;
            types.is_empty() || types.contains(&event.event_type)
        });
        let wanted: BTreeSet<EventId> = wanted.map(|event| event.id).collect();
        assert_eq!(wanted.len(), if subscription.event_types.is_empty() { 128 } else { 64 });
        let sent = listed(&stage, acme.id(), subscription.id).await;
        assert_eq!(sent.iter().map(|delivery| delivery.event).collect::<BTreeSet<_>>(), wanted);
        for delivery in sent {
            let key = DeliveryKey { queue: queue(&acme, &subscription), event: delivery.event };
            assert_eq!(delivery.state, DeliveryState::Delivered);
            assert_eq!(Some(&delivery.attempts), attempts.get(&key), "each hand-out is an attempt");
        }
    }
}

pub async fn a_delivery_that_is_claimed_while_it_is_settled_ends_once(stage: Stage) {
    let (acme, _, _) = crowded(0, 0);
    let acme = acme.import(&stage.ports).await;
    for round in 0..6 {
        let now = at(1_000 * round);
        tell_many(&stage, &acme, 32, EventType::VoteCreated, now).await;
        let (early, late) = (lease(now), lease(now.plus_millis(100)));
        let first = take(&stage, claim(&acme, early, now), 32).await;
        let settling = first.chunks(4).map(|some| {
            let settled: Vec<_> =
                some.iter().map(|delivery| ended(delivery, early, status(200), now)).collect();
            let stage = stage.clone();
            tokio::spawn(async move { assert_eq!(settle(&stage, settled).await, []) })
        });
        let claiming = (0..4).map(|_| {
            let delivery_queue = stage.ports.delivery_queue.clone();
            let rooms = queues(&acme).into_iter().map(|queue| (queue, 3)).collect();
            let claim = claim_of(rooms, late, now.plus_millis(1));
            tokio::spawn(async move { delivery_queue.claim(claim).await.unwrap().deliveries })
        });
        let (claiming, settling): (Vec<_>, Vec<_>) = (claiming.collect(), settling.collect());
        let again = answers(claiming).await.concat();
        answers(settling).await;
        let settled =
            again.iter().map(|delivery| ended(delivery, late, status(201), now.plus_millis(2)));
        assert_eq!(settle(&stage, settled.collect()).await, []);

        let again: BTreeSet<DeliveryKey> = keys(&again).into_iter().collect();
        for key in keys(&first) {
            let found: Vec<_> =
                attempts(&stage, key).await.into_iter().map(|attempt| attempt.response).collect();
            assert_eq!(found, [status(if again.contains(&key) { 201 } else { 200 })]);
            let found = delivery(&stage, key).await.unwrap();
            assert_eq!((found.state, found.attempts), (DeliveryState::Delivered, 1));
        }
    }
}

pub async fn failures_that_are_settled_at_once_all_count(stage: Stage) {
    const HOLDERS: usize = 8;
    const EACH: usize = 3;
    let (mut acme, _, _) = crowded(0, 0);
    for _ in 0..5 {
        acme.add(acme.subscription());
    }
    let acme = acme.import(&stage.ports).await;
    let all = queues(&acme);
    tell_many(&stage, &acme, HOLDERS * EACH, EventType::VoteCreated, at(0)).await;
    let mut failures = 0;
    for (code, now) in [(500, at(10)), (410, at(20))] {
        let mut tasks = Vec::new();
        for holder in 0..HOLDERS {
            let mine = lease(at(100));
            let rooms = all.iter().map(|&queue| (queue, EACH)).collect();
            let claimed = take(&stage, claim_of(rooms, mine, now), all.len() * EACH).await;
            let mut settled: Vec<_> =
                claimed.iter().map(|delivery| ended(delivery, mine, status(code), now)).collect();
            // Each holder has another order of subscriptions. Adapters must not deadlock.
            settled.rotate_left(holder % all.len() * EACH);
            if holder % 2 == 1 {
                settled.reverse();
            }
            let stage = stage.clone();
            tasks.push(async move { settle(&stage, settled).await });
        }
        let mut deactivated = answers(tasks.into_iter().map(tokio::spawn).collect()).await.concat();
        deactivated.sort_by_key(|(queue, _)| *queue);
        let expected: Vec<_> = all.iter().map(|&queue| (queue, Deactivation::Gone)).collect();
        assert_eq!(deactivated, if code == 410 { expected } else { vec![] }, "each once");
        failures += (HOLDERS * EACH) as u32;
        for &queue in &all {
            match standing(&stage, queue).await.health {
                Health::Failing {
                    since, failures: count, events: FailedEvents::Several, ..
                } => {
                    assert_eq!((since, count), (at(10), failures));
                }
                other => panic!("{other:?}"),
            }
            let deliveries = listed(&stage, acme.id(), queue.subscription).await;
            assert!(
                deliveries
                    .iter()
                    .all(|delivery| delivery.attempts == failures / (HOLDERS * EACH) as u32)
            );
        }
    }
}

pub async fn subscriptions_that_are_deleted_while_events_come_and_go_leave_nothing(stage: Stage) {
    for stays in [0, 1] {
        // All votes are on one post, so that the toggles wait for each other.
        let (mut acme, posts, users) = crowded(1, 8);
        for _ in 0..5 {
            acme.add(acme.subscription());
        }
        let gone: Vec<WebhookSubscription> = acme.all();
        let stays: Vec<WebhookSubscription> =
            (0..stays).map(|_| acme.add(acme.subscription())).collect();
        let acme = acme.import(&stage.ports).await;
        let stop = Arc::new(AtomicBool::new(false));
        let dispatchers: Vec<_> =
            (0..4).map(|_| dispatching(&stage, &queues(&acme), &stop)).collect();
        let toggles = users.iter().map(|user| {
            let (ports, caller) = (stage.ports.clone(), acme.caller());
            let input = ToggleVote { voter: user.user_id, target: posts[0].target() };
            tokio::spawn(async move {
                for _ in 0..25 {
                    toggling(&ports, caller, input).await.unwrap();
                }
            })
        });
        let toggles: Vec<_> = toggles.collect();
        while event_rows(&stage, &acme).await[2] < 5 {
            tokio::task::yield_now().await;
        }
        for subscription in &gone {
            let delete = async || Webhooks(&stage.ports).delete(acme.id(), subscription.id).await;
            ends(Recorded::Done, delete).await;
        }
        answers(toggles).await;
        stop.store(true, Ordering::Relaxed);
        answers(dispatchers).await;

        let left = stage.ports.webhook_subscriptions.list(acme.id()).await.unwrap();
        assert_eq!(
            left.iter().map(|standing| standing.subscription.id).collect::<Vec<_>>(),
            stays.iter().map(|one| one.id).collect::<Vec<_>>()
        );
        let [events, deliveries, attempts] = event_rows(&stage, &acme).await;
        match stays.first() {
            None => assert_eq!([events, deliveries, attempts], [0; 3]),
            Some(stays) => {
                assert_eq!((events, deliveries), (200, 200), "each event has its delivery");
                let sent = listed(&stage, acme.id(), stays.id).await;
                assert_eq!(sent.len(), 200);
                assert_eq!(
                    sent.iter().map(|delivery| i64::from(delivery.attempts)).sum::<i64>(),
                    attempts
                );
                assert!(sent.iter().all(|delivery| delivery.state == DeliveryState::Delivered));
            }
        }
    }
}

pub async fn two_subscriptions_that_are_deleted_at_once_leave_no_event_of_both(stage: Stage) {
    let (mut acme, _, _) = crowded(0, 0);
    let pairs: Vec<(EventType, [WebhookSubscription; 2])> = EventType::ALL
        .iter()
        .map(|&event_type| {
            let one =
                |_| WebhookSubscription { event_types: vec![event_type], ..acme.subscription() };
            (event_type, [0, 1].map(one))
        })
        .collect();
    for subscription in pairs.iter().flat_map(|(_, pair)| pair) {
        acme.add(subscription.clone());
    }
    let all = acme.all::<WebhookSubscription>().remove(0);
    let acme = acme.import(&stage.ports).await;
    ends(Recorded::Done, async || Webhooks(&stage.ports).delete(acme.id(), all.id).await).await;
    // In each pair, both removals may find that the other still needs the event.
    for (event_type, pair) in pairs {
        tell_many(&stage, &acme, 10, event_type, at(0)).await;
        assert_eq!(event_rows(&stage, &acme).await, [10, 20, 0]);
        let deletions = pair.iter().map(async |subscription| {
            let delete = async || Webhooks(&stage.ports).delete(acme.id(), subscription.id).await;
            ends(Recorded::Done, delete).await;
        });
        join_all(deletions).await;
        assert_eq!(event_rows(&stage, &acme).await, [0; 3], "{event_type:?}");
    }
}

/// Removes deliveries in a task, a few at a time, until there are none. The task returns their
/// number.
fn pruning(stage: &Stage, organization: OrganizationId, ended: Ended) -> JoinHandle<usize> {
    let ports = stage.ports.clone();
    tokio::spawn(async move {
        let (mut removed, mut idle) = (0, 0);
        while idle < 30 {
            let some = ports.deliveries.prune(organization, ended, Time::MAX, 7).await.unwrap();
            assert!(some <= 7);
            removed += some;
            idle = if some == 0 { idle + 1 } else { 0 };
            tokio::task::yield_now().await;
        }
        removed
    })
}

pub async fn deliveries_that_are_removed_by_several_at_once_are_removed_once_with_their_events(
    stage: Stage,
) {
    const COUNT: usize = 30;
    let (mut acme, _, _) = crowded(0, 0);
    acme.add(acme.subscription());
    let acme = acme.import(&stage.ports).await;
    // In each round, both removals may find that the other still needs the event.
    for round in 0..8 {
        let now = at(1_000 * round);
        tell_many(&stage, &acme, COUNT, EventType::VoteCreated, now).await;
        let mine = lease(now);
        let claimed = take(&stage, claim(&acme, mine, now), 2 * COUNT).await;
        // One delivery of each event succeeded and one failed. Both kinds are removed in the same
        // order.
        let (some, others) = claimed.split_at(COUNT);
        let some = some.iter().map(|delivery| ended(delivery, mine, status(200), now));
        let others = others.iter().map(|delivery| given_up(delivery, mine, now));
        settle(&stage, some.chain(others).collect()).await;
        let removing =
            |n: usize| pruning(&stage, acme.id(), [Ended::Delivered, Ended::Failed][n % 2]);
        assert_eq!(
            answers((0..4).map(removing).collect()).await.into_iter().sum::<usize>(),
            2 * COUNT
        );
        assert_eq!(event_rows(&stage, &acme).await, [0; 3]);
    }
}

pub async fn a_delivery_that_is_replayed_while_it_is_removed_is_pending_or_gone(stage: Stage) {
    const COUNT: usize = 60;
    let (acme, _, _) = crowded(0, 0);
    let acme = acme.import(&stage.ports).await;
    let subscription = acme.all::<WebhookSubscription>().remove(0).id;
    tell_many(&stage, &acme, COUNT, EventType::VoteCreated, at(0)).await;
    let mine = lease(at(100));
    let claimed = take(&stage, claim(&acme, mine, at(0)), COUNT).await;
    settle(&stage, claimed.iter().map(|delivery| given_up(delivery, mine, at(1))).collect()).await;
    let prunes: Vec<_> = (0..3).map(|_| pruning(&stage, acme.id(), Ended::Failed)).collect();
    // The replay begins with the deliveries that the removal reaches last.
    let mut events: Vec<EventId> = claimed.iter().map(|delivery| delivery.key.event).collect();
    events.reverse();
    let replays = events.chunks(4).map(|some| {
        let (ports, organization, some) = (stage.ports.clone(), acme.id(), some.to_vec());
        tokio::spawn(async move {
            ports
                .deliveries
                .replay(organization, subscription, Ended::Failed, some, at(10))
                .await
                .unwrap()
        })
    });
    let replays = replays.collect();
    let replayed: usize = answers(replays).await.into_iter().sum();
    let removed: usize = answers(prunes).await.into_iter().sum();
    assert_eq!(replayed + removed, COUNT);
    let left = listed(&stage, acme.id(), subscription).await;
    assert_eq!(left.len(), replayed);
    assert!(
        left.iter()
            .all(|delivery| delivery.state == DeliveryState::Pending && delivery.attempts == 1)
    );
    assert_eq!(event_rows(&stage, &acme).await, [replayed as i64; 3]);
}

pub async fn an_organization_that_is_deleted_while_its_events_are_sent_leaves_nothing(
    stage: Stage,
) {
    let (mut acme, posts, users) = crowded(4, 8);
    acme.add(acme.subscription());
    let acme = acme.import(&stage.ports).await;
    let stop = Arc::new(AtomicBool::new(false));
    let dispatchers: Vec<_> = (0..4).map(|_| dispatching(&stage, &queues(&acme), &stop)).collect();
    let voting = users.iter().enumerate().map(|(n, user)| {
        let (ports, caller) = (stage.ports.clone(), acme.caller());
        let input = ToggleVote { voter: user.user_id, target: posts[n % posts.len()].target() };
        tokio::spawn(async move {
            // The toggle succeeds as long as the post is there, and then returns `NotFound`.
            loop {
                match toggle(&ports, caller, input, None).await {
                    Ok(_) => tokio::task::yield_now().await,
                    Err(error) => return error,
                }
            }
        })
    });
    let voting: Vec<_> = voting.collect();
    while event_rows(&stage, &acme).await[2] < 20 {
        tokio::task::yield_now().await;
    }
    let prunes: Vec<_> = (0..2).map(|_| pruning(&stage, acme.id(), Ended::Delivered)).collect();
    delete_organization(&stage.ports, acme.id()).await;
    for error in answers(voting).await {
        assert!(matches!(error, Error::NotFound(Missing::VoteTarget)), "{error:?}");
    }
    stop.store(true, Ordering::Relaxed);
    answers(dispatchers).await;
    answers(prunes).await;
    assert!(inventory(&stage, acme.id()).await.is_empty());
}
