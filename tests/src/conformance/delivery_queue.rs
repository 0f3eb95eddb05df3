//! `DeliveryQueue`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, ends};
use crate::build::{at, event, subscription};
use crate::deliveries::{
    SILENCE, Webhooks, claim, claim_of, claimed, counts, ended, events, given_up, keys, lease,
    ledger, listed, listening, nothing, other_ledgers, queue, queues, release, settle, status,
    take, tell, tell_many,
};
use crate::property::for_all;
use crate::system::fresh;
use futures_util::future::join_all;
use hearback_domain::api_key::Sealed;
use hearback_domain::delivery::DeliveryOutcome;
use hearback_domain::event::EventType;
use hearback_domain::id::{EventId, SubscriptionId};
use hearback_domain::webhook_subscription::{Deactivation, WebhookSubscription};
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::deliveries::Ended;
use hearback_ports::delivery_queue::{Claim, ClaimedDelivery, DeliveryKey, Queue, SettledDelivery};
use hearback_ports::events::StoredEvent;
use hearback_ports::{Lease, Recorded};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::slice;

/// Subscriptions to all events, in the order of their queues.
pub(super) fn subscriptions(count: usize) -> Vec<WebhookSubscription> {
    let mut subscriptions: Vec<_> = (0..count).map(|_| subscription()).collect();
    subscriptions.sort_by_key(|subscription| subscription.id);
    subscriptions
}

pub async fn an_event_is_handed_out_once_for_each_subscription_that_receives_it(stage: Stage) {
    let types = prop::sample::subsequence(EventType::ALL.to_vec(), 0..=EventType::ALL.len());
    let flags = (prop::bool::weighted(0.8), prop::bool::weighted(0.1));
    let wanted = prop::collection::vec((types, flags), 0..5);
    let told = prop::collection::vec(prop::sample::select(EventType::ALL.to_vec()), 1..5);
    for_all(12, (wanted, told), async |(wanted, told)| {
        let made = |(event_types, (is_active, awaits_rotation))| WebhookSubscription {
            event_types,
            is_active,
            awaits_rotation,
            ..subscription()
        };
        let subscriptions: Vec<_> = wanted.into_iter().map(made).collect();
        let acme = listening(&stage, &subscriptions).await;
        let mut expected = BTreeSet::new();
        for event_type in told {
            let told = event(event_type, at(0));
            let receivers =
                subscriptions.iter().filter(|subscription| subscription.receives(&told.what));
            let event = tell(&stage, &acme, told.clone()).await;
            expected.extend(
                receivers
                    .map(|subscription| DeliveryKey { queue: queue(&acme, subscription), event }),
            );
        }
        let claimed = take(&stage, claim(&acme, lease(at(100)), at(0)), expected.len()).await;
        assert_eq!(keys(&claimed).into_iter().collect::<BTreeSet<_>>(), expected);
        nothing(&stage, claim(&acme, lease(at(100)), at(0))).await;
    });
}

pub async fn a_delivery_is_handed_out_with_all_that_is_sent(stage: Stage) {
    let url = "https://example.com/hook?token=ü😀&a=%00#x".to_owned();
    let event_types = EventType::ALL.to_vec();
    let secret = Sealed(vec![0, 255, 7]);
    let hook = WebhookSubscription { url, event_types, secret, ..subscription() };
    let acme = listening(&stage, slice::from_ref(&hook)).await;
    let mut expected = Vec::new();
    for (n, &event_type) in (0..).zip(EventType::ALL) {
        let event = event(event_type, at(n));
        expected.push(ClaimedDelivery {
            key: DeliveryKey { queue: queue(&acme, &hook), event: event.id },
            event_type,
            data: StoredEvent::from(&event).data,
            url: hook.url.clone(),
            secret: hook.secret.clone(),
            previous_secret: None,
            occurred_at: at(50),
            attempts: 0,
            attempts_before_replay: 0,
        });
        tell(&stage, &acme, event).await;
    }
    assert_eq!(take(&stage, claim(&acme, lease(at(100)), at(50)), expected.len()).await, expected);
}

pub async fn a_delivery_is_handed_out_once_it_is_due(stage: Stage) {
    let acme = listening(&stage, &[subscription()]).await;
    let told = tell(&stage, &acme, event(EventType::VoteCreated, at(10))).await;
    nothing(&stage, claim(&acme, lease(at(100)), at(9))).await;
    let mut now = at(10);
    for attempts in 0..4 {
        let mine = lease(now.plus_millis(50));
        let claimed = take(&stage, claim(&acme, mine, now), 1).await;
        assert_eq!((events(&claimed), claimed[0].attempts), (vec![told], attempts));
        let due = now.plus_millis(1_000);
        let retry = SettledDelivery {
            outcome: DeliveryOutcome::Retry { at: due },
            ..ended(&claimed[0], mine, status(500), now)
        };
        assert_eq!(settle(&stage, vec![retry]).await, []);
        nothing(&stage, claim(&acme, mine, due.plus_millis(-1))).await;
        now = due;
    }
}

pub async fn the_deliveries_of_a_queue_are_handed_out_by_when_they_are_due_then_by_event(
    stage: Stage,
) {
    let acme = listening(&stage, &[subscription()]).await;
    let mut told = Vec::new();
    for millis in [3, 1, 2, 1, 0, 2, 1] {
        told.push(event(EventType::VoteCreated, at(millis)));
    }
    // The younger the event, the earlier it is recorded.
    for event in told.iter().rev() {
        tell(&stage, &acme, event.clone()).await;
    }
    told.sort_by_key(|event| (event.at, event.id));
    let expected: Vec<EventId> = told.into_iter().map(|event| event.id).collect();
    let claimed = take(&stage, claim(&acme, lease(at(50)), at(40)), 7).await;
    assert_eq!(events(&claimed), expected);
    let mut one_by_one = Vec::new();
    for _ in 0..7 {
        let some = claim_of(BTreeMap::from([(claimed[0].key.queue, 1)]), lease(at(500)), at(60));
        one_by_one.extend(events(&take(&stage, some, 1).await));
    }
    assert_eq!(one_by_one, expected);
}

pub async fn queues_are_walked_by_organization_then_by_subscription(stage: Stage) {
    let acme = listening(&stage, &subscriptions(3)).await;
    for tenant in [acme.twin(), &acme] {
        for _ in 0..2 {
            tell(&stage, tenant, event(EventType::VoteCreated, at(0))).await;
        }
    }
    let all = [queues(&acme), queues(acme.twin())].concat();
    assert!(all.is_sorted());
    let mine = lease(at(100));
    let claim = Claim {
        exceptions: all.iter().map(|&queue| (queue, 9)).collect(),
        ..claim(&acme, mine, at(0))
    };
    let walked = async |after: Option<Queue>, behind: &[Queue]| {
        let claimed = claimed(&stage, Claim { after, ..claim.clone() }, 2 * behind.len()).await;
        let queues: Vec<Queue> =
            claimed.deliveries.iter().map(|delivery| delivery.key.queue).collect();
        let twice: Vec<Queue> = behind.iter().flat_map(|&queue| [queue, queue]).collect();
        assert_eq!(queues, twice, "after {after:?}");
        assert_eq!(claimed.next_after, None);
        release(&stage, mine, &claimed.deliveries).await;
    };
    walked(None, &all).await;
    for (n, &queue) in all.iter().enumerate() {
        walked(Some(queue), &all[n + 1..]).await;
        // A walk may also begin after a place without queue.
        let before = SubscriptionId(Uuid::from_u128(queue.subscription.0.as_u128() - 1));
        walked(Some(Queue { subscription: before, ..queue }), &all[n..]).await;
    }
    let before = Queue { organization: acme.id(), subscription: Uuid::nil().into() };
    walked(Some(before), &all).await;
    walked(Some(Queue { organization: acme.id(), subscription: Uuid::max().into() }), &all[3..])
        .await;
}

pub async fn each_queue_hands_out_no_more_than_its_room(stage: Stage) {
    let acme = listening(&stage, &subscriptions(3)).await;
    for _ in 0..7 {
        tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    }
    let all = queues(&acme);
    let counts = |claimed: &[ClaimedDelivery]| {
        all.iter()
            .map(|queue| claimed.iter().filter(|delivery| delivery.key.queue == *queue).count())
            .collect::<Vec<_>>()
    };
    let rooms = all.iter().copied().zip([0, 2, 9]).collect();
    let first = take(&stage, claim_of(rooms, lease(at(100)), at(0)), 9).await;
    assert_eq!(counts(&first), [0, 2, 7]);
    // A queue that is not listed has the usual room. The limits are reached before the queues of
    // other cases.
    let before = Queue { organization: acme.id(), subscription: Uuid::nil().into() };
    let usual = Claim {
        after: Some(before),
        per_queue: 2,
        ..claim_of(BTreeMap::new(), lease(at(100)), at(0))
    };
    let mut found = keys(&first);
    for (room, expected) in
        [(Some(3), [3, 2, 0]), (Some(1), [1, 2, 0]), (Some(0), [0, 1, 0]), (None, [2, 0, 0])]
    {
        let exceptions = room.into_iter().map(|room| (all[0], room)).collect();
        let limit = expected.iter().sum();
        let claimed = take(&stage, Claim { limit, exceptions, ..usual.clone() }, limit).await;
        assert_eq!(counts(&claimed), expected);
        found.extend(keys(&claimed));
    }
    assert_eq!(
        found.iter().collect::<BTreeSet<_>>().len(),
        found.len(),
        "no delivery is handed out twice"
    );
}

pub async fn a_claim_goes_on_behind_the_queue_at_which_its_limit_was_reached(stage: Stage) {
    let acme = listening(&stage, &subscriptions(3)).await;
    for _ in 0..4 {
        tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    }
    let all = queues(&acme);
    let claim = claim(&acme, lease(at(100)), at(0));
    let walk = async |after, limit, counts: [usize; 3]| {
        let claimed =
            claimed(&stage, Claim { after, limit, ..claim.clone() }, counts.iter().sum()).await;
        let of = |queue: &Queue| {
            claimed.deliveries.iter().filter(|delivery| delivery.key.queue == *queue).count()
        };
        assert_eq!(all.iter().map(of).collect::<Vec<_>>(), counts, "after {after:?}, {limit}");
        claimed.next_after
    };
    // A walk ends in the middle of a queue, at the end of one, and at the end of all.
    assert_eq!(walk(None, 5, [4, 1, 0]).await, Some(all[1]));
    assert_eq!(walk(Some(all[1]), 3, [0, 0, 3]).await, Some(all[2]));
    assert_eq!(walk(Some(all[2]), 3, [0, 0, 0]).await, None);
    assert_eq!(walk(None, 3, [0, 3, 0]).await, Some(all[1]));
    assert_eq!(walk(Some(all[1]), 3, [0, 0, 1]).await, None);
    assert_eq!(walk(None, 3, [0, 0, 0]).await, None);
}

pub async fn a_long_queue_hides_neither_its_own_end_nor_the_others(stage: Stage) {
    const LONG: usize = 300;
    let [long, short] = [EventType::PostCreated, EventType::VoteCreated].map(|wanted| vec![wanted]);
    let mut all = subscriptions(2);
    (all[0].event_types, all[1].event_types) = (long, short);
    let acme = listening(&stage, &all).await;
    let told: BTreeSet<EventId> =
        tell_many(&stage, &acme, LONG, EventType::PostCreated, at(0)).await.into_iter().collect();
    let late = tell(&stage, &acme, event(EventType::VoteCreated, at(5))).await;
    let [long, short] = [0, 1].map(|n| queue(&acme, &all[n]));
    let claim = |room, lease| Claim {
        limit: 20,
        ..claim_of(BTreeMap::from([(long, room), (short, 8)]), lease, at(5))
    };

    let mine = lease(at(100));
    let first = take(&stage, claim(8, mine), 9).await;
    assert_eq!(events(&first).last(), Some(&late));
    release(&stage, mine, &first[8..]).await;
    // These deliveries follow the leased ones of the same queue.
    let mut found: BTreeSet<EventId> = events(&first[..8]).into_iter().collect();
    let second = take(&stage, claim(12, mine), 13).await;
    found.extend(events(&second[..12]));
    assert_eq!((found.len(), found.is_subset(&told)), (20, true));
    release(&stage, mine, &second[12..]).await;
    // The first queue has no room.
    let third = take(&stage, claim(0, mine), 1).await;
    assert_eq!(events(&third), [late]);
    release(&stage, mine, &third).await;
    while found.len() < LONG {
        let rest = LONG - found.len();
        found.extend(events(
            &take(&stage, claim_of(BTreeMap::from([(long, rest)]), mine, at(5)), rest).await,
        ));
    }
    assert_eq!(found, told);
    assert_eq!(events(&take(&stage, claim(8, mine), 1).await), [late]);
}

pub async fn nothing_is_handed_out_to_a_subscription_while_it_is_not_active(stage: Stage) {
    let all = subscriptions(3);
    let acme = listening(&stage, &all).await;
    let first = tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    let (off, organization) = (all[1].id, acme.id());
    let subscriptions = Webhooks(&stage.ports);
    ends(Recorded::Done, async || subscriptions.deactivate(organization, off, at(1)).await).await;
    let second = tell(&stage, &acme, event(EventType::VoteCreated, at(2))).await;
    let others = take(&stage, claim(&acme, lease(at(100)), at(50)), 4).await;
    assert_eq!(events(&others), [first, second, first, second]);
    assert!(others.iter().all(|delivery| delivery.key.queue.subscription != off));
    nothing(&stage, claim(&acme, lease(at(100)), at(50))).await;
    // Its earlier deliveries wait. Events of the meantime have no delivery to it.
    ends(Recorded::Done, async || subscriptions.activate(organization, off).await).await;
    let own = take(&stage, claim(&acme, lease(at(100)), at(50)), 1).await;
    assert_eq!(keys(&own), [DeliveryKey { queue: queue(&acme, &all[1]), event: first }]);
}

pub async fn a_delivery_has_one_holder_until_its_lease_has_run_out(stage: Stage) {
    let all = subscriptions(2);
    let acme = listening(&stage, &all).await;
    tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    let first = take(&stage, claim(&acme, lease(at(100)), at(0)), 2).await;
    for now in [at(1), at(99), at(100)] {
        nothing(&stage, claim(&acme, lease(at(200)), now)).await;
    }
    assert_eq!(
        take(&stage, claim(&acme, lease(at(200)), at(101)), 2).await,
        first,
        "as it was handed out before"
    );
    nothing(&stage, claim(&acme, lease(at(300)), at(101))).await;
    // A claim does not hand out deliveries to an inactive subscription.
    let off = all[0].id;
    ends(Recorded::Done, async || Webhooks(&stage.ports).deactivate(acme.id(), off, at(150)).await)
        .await;
    assert_eq!(take(&stage, claim(&acme, lease(at(300)), at(201)), 1).await, first[1..]);
}

pub async fn the_first_dispatch_is_kept_for_all_attempts(stage: Stage) {
    let all = subscriptions(2);
    let acme = listening(&stage, &all).await;
    let told = tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    // Each delivery of an event has a first dispatch of its own.
    let [first, second] = [0, 1].map(|n| queue(&acme, &all[n]));
    let only = |queue, lease, now| claim_of(BTreeMap::from([(queue, 1)]), lease, now);
    assert_eq!(take(&stage, only(first, lease(at(19)), at(10)), 1).await[0].occurred_at, at(10));
    assert_eq!(take(&stage, only(second, lease(at(19)), at(15)), 1).await[0].occurred_at, at(15));
    for (queue, occurred_at) in [(first, at(10)), (second, at(15))] {
        // It is kept after an expired lease, a release, a retry, and the replay of a failure.
        let mine = lease(at(1_000));
        let claimed = take(&stage, only(queue, mine, at(20)), 1).await;
        assert_eq!(claimed[0].occurred_at, occurred_at);
        release(&stage, mine, &claimed).await;
        let claimed = take(&stage, only(queue, mine, at(30)), 1).await;
        assert_eq!(claimed[0].occurred_at, occurred_at);
        settle(&stage, vec![ended(&claimed[0], mine, status(500), at(31))]).await;
        let claimed = take(&stage, only(queue, mine, at(40)), 1).await;
        assert_eq!(claimed[0].occurred_at, occurred_at);
        settle(&stage, vec![given_up(&claimed[0], mine, at(41))]).await;
        let (organization, subscription) = (acme.id(), queue.subscription);
        counts(1, async || {
            stage
                .ports
                .deliveries
                .replay(organization, subscription, Ended::Failed, vec![told], at(50))
                .await
        })
        .await;
        let claimed = take(&stage, only(queue, mine, at(50)), 1).await;
        assert_eq!(claimed[0].occurred_at, occurred_at);
    }
}

pub async fn the_previous_secret_is_handed_out_until_its_time_has_run_out(stage: Stage) {
    let hook = subscription();
    let acme = listening(&stage, slice::from_ref(&hook)).await;
    tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    let secret = Sealed(vec![9, 9]);
    let rotated =
        async || Webhooks(&stage.ports).rotate(acme.id(), hook.id, secret.clone(), at(100)).await;
    ends(Recorded::Done, rotated).await;
    let mine = lease(at(5_000));
    for (now, previous) in [(at(0), true), (at(99), true), (at(100), false), (at(101), false)] {
        let claimed = take(&stage, claim(&acme, mine, now), 1).await;
        assert_eq!(claimed[0].secret, secret);
        assert_eq!(claimed[0].previous_secret, previous.then(|| hook.secret.clone()), "at {now}");
        release(&stage, mine, &claimed).await;
    }
}

pub async fn a_released_delivery_is_handed_out_again_at_once(stage: Stage) {
    let acme = listening(&stage, &subscriptions(2)).await;
    for _ in 0..3 {
        tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    }
    let (mine, yours) = (lease(at(100)), lease(at(100)));
    let half = queues(&acme).into_iter().zip([2, 1]).collect();
    let ours = take(&stage, claim_of(half, mine, at(0)), 3).await;
    let theirs = take(&stage, claim(&acme, yours, at(0)), 3).await;
    // Only the holder of its lease can release a delivery.
    release(&stage, yours, &ours).await;
    release(&stage, mine, &theirs).await;
    release(&stage, lease(at(0)), &ours).await;
    nothing(&stage, claim(&acme, lease(at(100)), at(1))).await;
    release(&stage, mine, &[ours.clone(), theirs.clone()].concat()).await;
    assert_eq!(
        take(&stage, claim(&acme, yours, at(1)), 3).await,
        ours,
        "as it was handed out before"
    );
    // The former holder can neither settle nor release the delivery again.
    let settled = ours.iter().map(|delivery| ended(delivery, mine, status(410), at(2))).collect();
    assert_eq!(settle(&stage, settled).await, []);
    release(&stage, mine, &ours).await;
    nothing(&stage, claim(&acme, mine, at(3))).await;
    assert_eq!(listed(&stage, acme.id(), queues(&acme)[0].subscription).await.len(), 3);
    // A delivery that has ended or never existed cannot be released.
    settle(
        &stage,
        theirs.iter().map(|delivery| ended(delivery, yours, status(200), at(4))).collect(),
    )
    .await;
    let nowhere = DeliveryKey { event: fresh(), ..ours[0].key };
    release(
        &stage,
        yours,
        &[theirs, vec![ClaimedDelivery { key: nowhere, ..ours[0].clone() }]].concat(),
    )
    .await;
    nothing(&stage, claim(&acme, yours, at(5))).await;
    release(&stage, yours, &[]).await;
}

pub async fn a_delivery_is_its_organizations_alone(stage: Stage) {
    // In the opposite organization, the other subscription is active.
    let mut all = subscriptions(2);
    all[1].is_active = false;
    let acme = listening(&stage, &all).await;
    let told = event(EventType::VoteCreated, at(0));
    for tenant in [&*acme, acme.twin(), acme.opposite()] {
        tell(&stage, tenant, told.clone()).await;
    }
    let before = other_ledgers(&stage, &acme).await;
    let mine = lease(at(100));
    let claimed = take(&stage, claim(&acme, mine, at(0)), 1).await;
    assert_eq!(keys(&claimed), [DeliveryKey { queue: queue(&acme, &all[0]), event: told.id }]);
    assert_eq!(settle(&stage, vec![ended(&claimed[0], mine, status(500), at(5))]).await, []);
    let again = take(&stage, claim(&acme, mine, at(5)), 1).await;
    release(&stage, mine, &again).await;
    let again = take(&stage, claim(&acme, mine, at(5)), 1).await;
    let gone = [(queue(&acme, &all[0]), Deactivation::Gone)];
    assert_eq!(settle(&stage, vec![ended(&again[0], mine, status(410), at(6))]).await, gone);
    assert_eq!(other_ledgers(&stage, &acme).await, before);

    // The other organizations still have their deliveries.
    let claimed = take(&stage, claim(acme.opposite(), mine, at(10)), 1).await;
    assert_eq!(
        keys(&claimed),
        [DeliveryKey { queue: queue(acme.opposite(), &all[1]), event: told.id }]
    );

    // A holder of two deliveries that differ in the organization only settles and releases each for
    // itself.
    ends(Recorded::Done, async || Webhooks(&stage.ports).activate(acme.id(), all[0].id).await)
        .await;
    let both = [queue(&acme, &all[0]), queue(acme.twin(), &all[0])];
    for (n, which) in [(0, 1), (1, 0)] {
        let now = at(100 + n);
        let mine = lease(now);
        let rooms = both.map(|queue| (queue, 1));
        let claimed = take(&stage, claim_of(rooms.into(), mine, now), 2).await;
        assert_eq!(claimed.iter().map(|delivery| delivery.key.queue).collect::<Vec<_>>(), both);
        release(&stage, mine, &claimed[which..=which]).await;
        let again = take(&stage, claim_of(rooms.into(), mine, now), 1).await;
        assert_eq!(keys(&again), [claimed[which].key]);
        let before = ledger(&stage, both[1 - which].organization).await;
        let settled = SettledDelivery {
            outcome: DeliveryOutcome::Retry { at: now },
            ..ended(&claimed[which], mine, SILENCE, now)
        };
        assert_eq!(settle(&stage, vec![settled]).await, []);
        assert_eq!(ledger(&stage, both[1 - which].organization).await, before);
    }
}

pub async fn eight_claimers_at_once_are_handed_each_delivery_once(stage: Stage) {
    const EVENTS: usize = 20;
    const ROOM: usize = 3;
    let all = subscriptions(12);
    let acme = listening(&stage, &all).await;
    let told = tell_many(&stage, &acme, EVENTS, EventType::VoteCreated, at(0)).await;
    let rooms: BTreeMap<Queue, usize> =
        queues(&acme).into_iter().map(|queue| (queue, ROOM)).collect();
    let claimer = |n: usize| {
        let (delivery_queue, rooms) = (stage.ports.delivery_queue.clone(), rooms.clone());
        tokio::spawn(async move {
            let mut mine = Vec::new();
            let (mut idle, mut after) = (0, None);
            // A claim may be empty merely because of a race with another claim.
            while idle < 30 {
                let lease = Lease { holder: fresh(), until: at(100) };
                let claim = Claim { after, limit: 4 + n, ..claim_of(rooms.clone(), lease, at(0)) };
                let claimed = delivery_queue.claim(claim).await.unwrap();
                let mut counts: BTreeMap<Queue, usize> = BTreeMap::new();
                for delivery in &claimed.deliveries {
                    *counts.entry(delivery.key.queue).or_default() += 1;
                }
                assert!(
                    claimed.deliveries.len() <= 4 + n
                        && counts.into_values().all(|count| count <= ROOM)
                );
                after = claimed.next_after;
                idle = if claimed.deliveries.is_empty() { idle + 1 } else { 0 };
                mine.extend(keys(&claimed.deliveries));
                tokio::task::yield_now().await;
            }
            mine
        })
    };
    let claimed: Vec<_> =
        join_all((0..8).map(claimer)).await.into_iter().flat_map(Result::unwrap).collect();
    assert_eq!(claimed.len(), all.len() * EVENTS);
    let expected: BTreeSet<DeliveryKey> = rooms
        .into_keys()
        .flat_map(|queue| told.iter().map(move |&event| DeliveryKey { queue, event }))
        .collect();
    assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>(), expected);
}
