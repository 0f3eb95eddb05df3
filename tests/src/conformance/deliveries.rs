//! `DeliveryRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, ends};
use crate::build::{Imported, at, event, subscription};
use crate::deliveries::{
    SILENCE, Webhooks, attempts, claim, claim_of, counts, delivery, ended, events, given_up, keys,
    lease, ledger, listed, listening, nothing, other_ledgers, queue, release, settle, standing,
    status, take, tell, tell_many,
};
use crate::system::fresh;
use hearback_domain::delivery::{DeliveryOutcome, DeliveryState};
use hearback_domain::event::{Event, EventType};
use hearback_domain::id::{EventId, OrganizationId};
use hearback_domain::webhook_subscription::{Deactivation, Health};
use hearback_domain::{Time, Uuid};
use hearback_ports::deliveries::{Delivery, DeliveryFilter, Ended};
use hearback_ports::delivery_queue::{ClaimedDelivery, DeliveryKey, Queue, SettledDelivery};
use hearback_ports::{Lease, Recorded};
use std::collections::BTreeSet;
use std::slice;

/// A vote at a time.
fn vote(millis: i64) -> Event {
    event(EventType::VoteCreated, at(millis))
}

/// A page of deliveries to a subscription: at most `limit` that the filter admits, after a place.
async fn page(
    stage: &Stage,
    queue: Queue,
    filter: DeliveryFilter,
    after: Option<(Time, EventId)>,
    limit: usize,
) -> Vec<Delivery> {
    let Queue { organization, subscription } = queue;
    stage
        .ports
        .deliveries
        .page(organization, subscription, filter, after, limit as i64)
        .await
        .unwrap()
}

async fn replay(stage: &Stage, queue: Queue, events: &[EventId], now: Time, expected: usize) {
    let Queue { organization, subscription } = queue;
    counts(expected, async || {
        stage
            .ports
            .deliveries
            .replay(organization, subscription, Ended::Failed, events.to_vec(), now)
            .await
    })
    .await;
}

async fn prune(
    stage: &Stage,
    organization: OrganizationId,
    ended: Ended,
    before: Time,
    limit: i64,
    expected: usize,
) {
    counts(expected, async || {
        stage.ports.deliveries.prune(organization, ended, before, limit).await
    })
    .await;
}

async fn expire(
    stage: &Stage,
    organization: OrganizationId,
    before: Time,
    now: Time,
    limit: i64,
    expected: usize,
) {
    counts(expected, async || {
        stage.ports.deliveries.expire(organization, before, now, limit).await
    })
    .await;
}

/// Claims all deliveries to some subscriptions that are due at a time. Expects exactly `count` of
/// them.
async fn take_of(
    stage: &Stage,
    queues: &[Queue],
    now: Time,
    count: usize,
) -> (Vec<ClaimedDelivery>, Lease) {
    let mine = lease(now.plus_millis(50));
    let rooms = queues.iter().map(|&queue| (queue, count.max(1))).collect();
    (take(stage, claim_of(rooms, mine, now), count).await, mine)
}

/// Ends deliveries to a subscription that are due. `ends` has the outcome and the time for each
/// event.
async fn end(stage: &Stage, queue: Queue, ends: &[(EventId, Ended, Time)]) {
    let (claimed, mine) = take_of(stage, &[queue], at(1_000), ends.len()).await;
    let settled = claimed.iter().map(|delivery| {
        let &(_, ended_as, ended_at) =
            ends.iter().find(|(event, ..)| *event == delivery.key.event).unwrap();
        match ended_as {
            Ended::Delivered => ended(delivery, mine, status(200), ended_at),
            Ended::Failed => given_up(delivery, mine, ended_at),
        }
    });
    settle(stage, settled.collect()).await;
}

/// The number of an organization's rows of a kind.
async fn rows(stage: &Stage, organization: OrganizationId, kind: &str) -> i64 {
    stage.probe.rows(organization).await.get(kind).copied().unwrap_or_default()
}

/// The events of an organization.
async fn kept(stage: &Stage, organization: OrganizationId) -> BTreeSet<EventId> {
    let events = stage.ports.events.list(organization, None, 1_000).await.unwrap();
    events.into_iter().map(|event| event.id).collect()
}

pub async fn a_delivery_is_found_by_its_identifier(stage: Stage) {
    let all = [subscription(), subscription()];
    let acme = listening(&stage, &all).await;
    for _ in 0..3 {
        tell(&stage, &acme, event(EventType::VoteCreated, at(5))).await;
    }
    let find =
        async |organization, id| stage.ports.deliveries.find(organization, id).await.unwrap();
    for subscription in &all {
        for delivery in listed(&stage, acme.id(), subscription.id).await {
            assert_eq!(find(acme.id(), delivery.id()).await, Some(delivery.clone()));
            assert_eq!(find(acme.twin().id(), delivery.id()).await, None);
            assert_eq!(find(fresh(), delivery.id()).await, None);
        }
    }
    assert_eq!(find(acme.id(), fresh()).await, None);
}

pub async fn a_delivered_delivery_is_replayed_if_that_is_asked_for(stage: Stage) {
    let hook = subscription();
    let acme = listening(&stage, slice::from_ref(&hook)).await;
    let told = tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    let queue = queue(&acme, &hook);
    end(&stage, queue, &[(told, Ended::Delivered, at(1_010))]).await;
    let before = listed(&stage, acme.id(), hook.id).await;
    replay(&stage, queue, &[told], at(2_000), 0).await;
    assert_eq!(listed(&stage, acme.id(), hook.id).await, before);
    counts(1, async || {
        let (deliveries, ended) = (&stage.ports.deliveries, Ended::Delivered);
        deliveries.replay(acme.id(), hook.id, ended, vec![told], at(2_000)).await
    })
    .await;
    let pending = listed(&stage, acme.id(), hook.id).await.remove(0);
    assert_eq!((pending.state, pending.ended_at), (DeliveryState::Pending, None));
    take_of(&stage, &[queue], at(2_000), 1).await;
}

pub async fn a_delivery_is_listed_in_its_present_state(stage: Stage) {
    let hook = subscription();
    let acme = listening(&stage, slice::from_ref(&hook)).await;
    let told = tell(&stage, &acme, event(EventType::CommentEdited, at(5))).await;
    let queue = queue(&acme, &hook);
    let is_listed = async |expected: &Delivery| {
        assert_eq!(listed(&stage, acme.id(), hook.id).await, slice::from_ref(expected));
    };
    let mut expected = Delivery {
        subscription: hook.id,
        event: told,
        event_type: EventType::CommentEdited,
        state: DeliveryState::Pending,
        attempts: 0,
        last_response: None,
        created_at: at(5),
        occurred_at: None,
        next_attempt_at: Some(at(5)),
        ended_at: None,
    };
    is_listed(&expected).await;

    let (claimed, mine) = take_of(&stage, &[queue], at(10), 1).await;
    expected.occurred_at = Some(at(10));
    is_listed(&expected).await;

    let first = SettledDelivery {
        outcome: DeliveryOutcome::Retry { at: at(70) },
        ..ended(&claimed[0], mine, SILENCE, at(20))
    };
    settle(&stage, vec![first]).await;
    (expected.attempts, expected.last_response, expected.next_attempt_at) =
        (1, Some(SILENCE), Some(at(70)));
    is_listed(&expected).await;

    let (claimed, mine) = take_of(&stage, &[queue], at(80), 1).await;
    is_listed(&expected).await;
    settle(&stage, vec![given_up(&claimed[0], mine, at(90))]).await;
    (expected.attempts, expected.last_response) = (2, Some(status(500)));
    (expected.state, expected.next_attempt_at, expected.ended_at) =
        (DeliveryState::Failed, None, Some(at(90)));
    is_listed(&expected).await;

    replay(&stage, queue, &[told], at(100), 1).await;
    (expected.state, expected.next_attempt_at, expected.ended_at) =
        (DeliveryState::Pending, Some(at(100)), None);
    is_listed(&expected).await;

    let (claimed, mine) = take_of(&stage, &[queue], at(110), 1).await;
    settle(&stage, vec![ended(&claimed[0], mine, status(202), at(120))]).await;
    (expected.attempts, expected.last_response) = (3, Some(status(202)));
    (expected.state, expected.next_attempt_at, expected.ended_at) =
        (DeliveryState::Delivered, None, Some(at(120)));
    is_listed(&expected).await;
}

pub async fn deliveries_are_listed_newest_first_and_of_one_time_by_event_descending(stage: Stage) {
    let all = [subscription(), subscription()];
    let acme = listening(&stage, &all).await;
    let mut told: Vec<Event> =
        [Time::MIN, at(0), at(0), at(0), at(1), Time::MAX].map(|at| Event { at, ..vote(0) }).into();
    for event in told.iter().rev() {
        tell(&stage, &acme, event.clone()).await;
    }
    told.sort_by_key(|event| (event.at, event.id));
    told.reverse();
    let places: Vec<(Time, EventId)> = told.iter().map(|event| (event.at, event.id)).collect();
    for subscription in &all {
        let queue = queue(&acme, subscription);
        let found = async |after, limit| {
            let page = page(&stage, queue, DeliveryFilter::default(), after, limit).await;
            assert!(page.iter().all(|delivery| delivery.subscription == subscription.id));
            page.into_iter()
                .map(|delivery| (delivery.created_at, delivery.event))
                .collect::<Vec<_>>()
        };
        assert_eq!(found(None, 100).await, places);
        for limit in 1..=places.len() {
            let mut walked: Vec<(Time, EventId)> = Vec::new();
            while walked.len() < places.len() {
                let some = found(walked.last().copied(), limit).await;
                assert_eq!(some.len(), limit.min(places.len() - walked.len()));
                walked.extend(some);
            }
            assert_eq!(walked, places, "by {limit}");
            assert_eq!(found(walked.last().copied(), limit).await, []);
        }
        // The page begins after a place without delivery.
        for (after, left) in [
            ((at(2), EventId(Uuid::nil())), 5),
            ((at(0), EventId(Uuid::max())), 4),
            ((at(0), EventId(Uuid::from_u128(places[2].1.0.as_u128() - 1))), 3),
            ((at(0), EventId(Uuid::nil())), 1),
            ((Time::MIN, EventId(Uuid::nil())), 0),
        ] {
            assert_eq!(
                found(Some(after), 100).await,
                places[places.len() - left..],
                "after {after:?}"
            );
        }
    }
    let nowhere = Queue { organization: acme.id(), subscription: fresh() };
    assert_eq!(page(&stage, nowhere, DeliveryFilter::default(), None, 10).await, []);
}

pub async fn a_list_of_deliveries_is_of_a_state_a_type_a_time_or_all_of_these(stage: Stage) {
    let hook = subscription();
    let acme = listening(&stage, slice::from_ref(&hook)).await;
    let queue = queue(&acme, &hook);
    let mut told = Vec::new();
    for n in 0..18 {
        let event_type = if n % 2 == 0 { EventType::VoteCreated } else { EventType::PostDeleted };
        told.push((tell(&stage, &acme, event(event_type, at(n / 6))).await, n % 3));
    }
    let (claimed, mine) = take_of(&stage, &[queue], at(50), 18).await;
    let settled = claimed.iter().filter_map(|delivery| {
        match told.iter().find(|(event, _)| *event == delivery.key.event)? {
            (_, 0) => Some(ended(delivery, mine, status(200), at(60))),
            (_, 1) => Some(given_up(delivery, mine, at(60))),
            _ => None,
        }
    });
    settle(&stage, settled.collect()).await;
    let all = listed(&stage, acme.id(), hook.id).await;
    assert_eq!(all.len(), 18);
    let states = [
        None,
        Some(DeliveryState::Pending),
        Some(DeliveryState::Delivered),
        Some(DeliveryState::Failed),
    ];
    let types = [
        None,
        Some(EventType::VoteCreated),
        Some(EventType::PostDeleted),
        Some(EventType::VoteDeleted),
    ];
    let times = [None, Some(Time::MIN), Some(at(0)), Some(at(1)), Some(at(2)), Some(Time::MAX)];
    for state in states {
        for event_type in types {
            for since in times {
                for until in times {
                    let filter = DeliveryFilter { state, event_type, since, until };
                    let is_meant = |delivery: &&Delivery| {
                        state.is_none_or(|state| delivery.state == state)
                            && event_type.is_none_or(|event_type| delivery.event_type == event_type)
                            && since.is_none_or(|since| delivery.created_at >= since)
                            && until.is_none_or(|until| delivery.created_at < until)
                    };
                    let expected: Vec<Delivery> = all.iter().filter(is_meant).cloned().collect();
                    assert_eq!(
                        page(&stage, queue, filter, None, 100).await,
                        expected,
                        "{filter:?}"
                    );
                    // The next page of a list has the same filter.
                    let place =
                        expected.first().map(|delivery| (delivery.created_at, delivery.event));
                    if let Some(place) = place {
                        assert_eq!(
                            page(&stage, queue, filter, Some(place), 2).await,
                            expected[1..expected.len().min(3)]
                        );
                    }
                }
            }
        }
    }
}

pub async fn the_attempts_of_a_delivery_are_listed_by_number(stage: Stage) {
    let all = [subscription(), subscription()];
    let acme = listening(&stage, &all).await;
    let told = tell(&stage, &acme, vote(0)).await;
    let tries = queue(&acme, &all[0]);
    let mut expected = Vec::new();
    for n in 0..12 {
        let (claimed, mine) = take_of(&stage, &[tries], at(n * 100), 1).await;
        let settled = ended(&claimed[0], mine, status(500 + n as u16), at(n * 100));
        expected.push(settled.attempt.clone());
        settle(&stage, vec![settled]).await;
    }
    let key = DeliveryKey { queue: tries, event: told };
    assert_eq!(attempts(&stage, key).await, expected);
    assert!((1..=12).eq(expected.iter().map(|attempt| attempt.number)));
    assert_eq!(delivery(&stage, key).await.unwrap().last_response, Some(status(511)));
    let unattempted = DeliveryKey { queue: queue(&acme, &all[1]), event: told };
    let nowhere = [
        DeliveryKey { event: fresh(), ..key },
        DeliveryKey { queue: Queue { subscription: fresh(), ..tries }, ..key },
        DeliveryKey { queue: Queue { organization: acme.twin().id(), ..tries }, ..key },
    ];
    for key in [unattempted].into_iter().chain(nowhere) {
        assert_eq!(attempts(&stage, key).await, []);
    }
}

/// Two subscriptions. The first event was delivered to each, the second failed, and the third is
/// pending.
async fn of_every_state(stage: &Stage) -> (Imported, [Queue; 2], [EventId; 3]) {
    let all = [subscription(), subscription()];
    let acme = listening(stage, &all).await;
    let mut told = [vote(0), vote(0), vote(0)];
    told.sort_by_key(|event| event.id);
    for event in &told {
        tell(stage, &acme, event.clone()).await;
    }
    let told = told.map(|event| event.id);
    let queues = [0, 1].map(|n| queue(&acme, &all[n]));
    let (claimed, mine) = take_of(stage, &queues, at(10), 6).await;
    let settled = claimed.iter().filter_map(|delivery| match delivery.key.event {
        event if event == told[0] => Some(ended(delivery, mine, status(200), at(20))),
        event if event == told[1] => Some(given_up(delivery, mine, at(20))),
        _ => None,
    });
    settle(stage, settled.collect()).await;
    release(stage, mine, &claimed).await;
    (acme, queues, told)
}

pub async fn a_failed_delivery_that_is_replayed_is_sent_again_unchanged(stage: Stage) {
    let (acme, [hook, other], told) = of_every_state(&stage).await;
    let others = other_ledgers(&stage, &acme).await;
    let key = DeliveryKey { queue: hook, event: told[1] };
    let failed = delivery(&stage, key).await.unwrap();
    let untouched = listed(&stage, acme.id(), other.subscription).await;
    let first = attempts(&stage, key).await;
    replay(&stage, hook, &told[1..2], at(1_000), 1).await;
    let pending = Delivery {
        state: DeliveryState::Pending,
        next_attempt_at: Some(at(1_000)),
        ended_at: None,
        ..failed
    };
    assert_eq!(delivery(&stage, key).await, Some(pending));
    assert_eq!(attempts(&stage, key).await, first);
    assert_eq!(listed(&stage, acme.id(), other.subscription).await, untouched);

    // Only the delivery that was never attempted is due earlier.
    let (claimed, mine) = take_of(&stage, &[hook], at(999), 1).await;
    assert_eq!(events(&claimed), told[2..]);
    release(&stage, mine, &claimed).await;
    let event = stage.ports.events.list(acme.id(), None, 10).await.unwrap().remove(1);
    for number in [2, 3] {
        let (claimed, mine) = take_of(&stage, &[hook], at(1_000 * i64::from(number)), 2).await;
        let again = claimed.iter().find(|delivery| delivery.key == key).unwrap();
        assert_eq!(
            (&again.data, again.event_type, again.occurred_at),
            (&event.data, event.event_type, at(10))
        );
        // The attempts are counted on, and the schedule starts anew.
        assert_eq!((again.attempts, again.attempts_before_replay), (number - 1, 1));
        settle(&stage, vec![ended(again, mine, status(503), at(1_010))]).await;
        release(&stage, mine, &claimed).await;
    }
    assert!(attempts(&stage, key).await.iter().map(|attempt| attempt.number).eq(1..=3));
    // The delivery can fail and be replayed once more.
    let (claimed, mine) = take_of(&stage, &[hook], at(5_000), 2).await;
    settle(&stage, claimed.iter().map(|delivery| given_up(delivery, mine, at(5_001))).collect())
        .await;
    replay(&stage, hook, &told, at(6_000), 2).await;
    let (claimed, _) = take_of(&stage, &[hook], at(6_000), 2).await;
    let counts: BTreeSet<_> = claimed
        .iter()
        .map(|delivery| (delivery.attempts, delivery.attempts_before_replay))
        .collect();
    assert_eq!(counts, BTreeSet::from([(1, 1), (4, 4)]));
    assert_eq!(other_ledgers(&stage, &acme).await, others);
}

pub async fn only_failed_deliveries_are_replayed(stage: Stage) {
    let (acme, [hook, other], told) = of_every_state(&stage).await;
    let before = ledger(&stage, acme.id()).await;
    let untold = [told[0], told[2], fresh()];
    for queue in
        [hook, Queue { subscription: fresh(), ..hook }, Queue { organization: fresh(), ..hook }]
    {
        replay(&stage, queue, &untold, at(1_000), 0).await;
    }
    for queue in
        [Queue { organization: acme.twin().id(), ..hook }, Queue { subscription: fresh(), ..hook }]
    {
        replay(&stage, queue, &told, at(1_000), 0).await;
    }
    replay(&stage, hook, &[], at(1_000), 0).await;
    assert_eq!(ledger(&stage, acme.id()).await, before);
    // A replay does not take a leased delivery from its holder.
    let (claimed, mine) = take_of(&stage, &[hook], at(1_000), 1).await;
    replay(&stage, hook, &[told[2], told[1], told[1]], at(1_010), 1).await;
    settle(&stage, vec![ended(&claimed[0], mine, status(200), at(1_020))]).await;
    assert_eq!(delivery(&stage, claimed[0].key).await.unwrap().state, DeliveryState::Delivered);
    replay(&stage, hook, &told, at(1_030), 0).await;
    replay(&stage, other, &told, at(1_030), 1).await;
}

pub async fn a_replayed_delivery_to_an_inactive_subscription_waits(stage: Stage) {
    let (acme, [hook, _], told) = of_every_state(&stage).await;
    let subscriptions = Webhooks(&stage.ports);
    ends(Recorded::Done, async || {
        subscriptions.deactivate(acme.id(), hook.subscription, at(100)).await
    })
    .await;
    replay(&stage, hook, &told, at(1_000), 1).await;
    take_of(&stage, &[hook], at(1_000), 0).await;
    ends(Recorded::Done, async || subscriptions.activate(acme.id(), hook.subscription).await).await;
    take_of(&stage, &[hook], at(1_000), 2).await;
}

pub async fn deliveries_that_ended_before_a_time_are_removed_earliest_first(stage: Stage) {
    for (which, other) in [(Ended::Delivered, Ended::Failed), (Ended::Failed, Ended::Delivered)] {
        let hook = subscription();
        let acme = listening(&stage, slice::from_ref(&hook)).await;
        let queue = queue(&acme, &hook);
        let mut told = Vec::new();
        for n in [4, 2, 3, 0, 1] {
            told.push((tell(&stage, &acme, vote(n)).await, which, at(2_000 + n)));
        }
        told.push((tell(&stage, &acme, vote(0)).await, other, at(1_500)));
        end(&stage, queue, &told).await;
        let pending = tell(&stage, &acme, vote(0)).await;
        let others = other_ledgers(&stage, &acme).await;
        let mut left: Vec<(EventId, Time)> =
            told.iter().filter(|one| one.1 == which).map(|one| (one.0, one.2)).collect();
        left.sort_by_key(|&(_, ended_at)| ended_at);
        let is_left = async |left: &[(EventId, Time)]| {
            let expected: BTreeSet<EventId> =
                left.iter().map(|&(event, _)| event).chain([told[5].0, pending]).collect();
            let deliveries = listed(&stage, acme.id(), hook.id).await;
            assert_eq!(
                deliveries.iter().map(|delivery| delivery.event).collect::<BTreeSet<_>>(),
                expected
            );
            assert_eq!(kept(&stage, acme.id()).await, expected);
            assert_eq!(rows(&stage, acme.id(), "delivery_attempts").await, left.len() as i64 + 1);
        };
        prune(&stage, acme.id(), which, at(2_000), 10, 0).await;
        is_left(&left).await;
        prune(&stage, acme.id(), which, at(2_003), 2, 2).await;
        is_left(&left[2..]).await;
        prune(&stage, acme.id(), which, at(2_003), 10, 1).await;
        prune(&stage, acme.id(), which, at(2_003), 10, 0).await;
        is_left(&left[3..]).await;
        prune(&stage, acme.id(), which, Time::MAX, 10, 2).await;
        is_left(&[]).await;
        assert_eq!(other_ledgers(&stage, &acme).await, others);
        // The last delivery of an event is removed together with the event.
        prune(&stage, acme.id(), other, Time::MAX, 10, 1).await;
        assert_eq!(kept(&stage, acme.id()).await, BTreeSet::from([pending]));
        let (claimed, mine) = take_of(&stage, &[queue], at(3_000), 1).await;
        settle(&stage, vec![ended(&claimed[0], mine, status(200), at(3_001))]).await;
        prune(&stage, acme.id(), Ended::Delivered, Time::MAX, 10, 1).await;
        for kind in ["deliveries", "delivery_attempts", "events"] {
            assert_eq!(rows(&stage, acme.id(), kind).await, 0, "{kind}");
        }
    }
}

pub async fn an_event_is_kept_as_long_as_a_delivery_of_it_is(stage: Stage) {
    let all = [subscription(), subscription(), subscription()];
    let acme = listening(&stage, &all).await;
    let told = tell(&stage, &acme, vote(0)).await;
    let queues = [0, 1, 2].map(|n| queue(&acme, &all[n]));
    end(&stage, queues[0], &[(told, Ended::Delivered, at(2_000))]).await;
    end(&stage, queues[1], &[(told, Ended::Failed, at(2_000))]).await;
    prune(&stage, acme.id(), Ended::Delivered, Time::MAX, 10, 1).await;
    prune(&stage, acme.id(), Ended::Failed, Time::MAX, 10, 1).await;
    assert_eq!(kept(&stage, acme.id()).await, BTreeSet::from([told]));
    let (claimed, mine) = take_of(&stage, &queues, at(3_000), 1).await;
    assert_eq!(keys(&claimed), [DeliveryKey { queue: queues[2], event: told }]);
    settle(&stage, vec![ended(&claimed[0], mine, status(200), at(3_001))]).await;
    prune(&stage, acme.id(), Ended::Delivered, Time::MAX, 10, 1).await;
    assert_eq!(kept(&stage, acme.id()).await, BTreeSet::new());
    // Several deliveries of one event are removed at once. A batch may end between them.
    let told = tell(&stage, &acme, vote(0)).await;
    for queue in queues {
        end(&stage, queue, &[(told, Ended::Delivered, at(2_000))]).await;
    }
    prune(&stage, acme.id(), Ended::Delivered, Time::MAX, 2, 2).await;
    assert_eq!(kept(&stage, acme.id()).await, BTreeSet::from([told]));
    prune(&stage, acme.id(), Ended::Delivered, Time::MAX, 2, 1).await;
    assert_eq!(kept(&stage, acme.id()).await, BTreeSet::new());
}

pub async fn pending_deliveries_of_a_long_inactive_subscription_are_given_up(stage: Stage) {
    let all = [subscription(), subscription(), subscription()];
    let acme = listening(&stage, &all).await;
    let [long, short, active] = [0, 1, 2].map(|n| queue(&acme, &all[n]));
    let delivered = tell(&stage, &acme, vote(0)).await;
    end(&stage, long, &[(delivered, Ended::Delivered, at(1_010))]).await;
    for _ in 0..3 {
        tell(&stage, &acme, vote(0)).await;
    }
    let (claimed, mine) = take_of(&stage, &[long], at(1_000), 3).await;
    release(&stage, mine, &claimed[1..]).await;
    for (queue, since) in [(long, at(1_100)), (short, at(1_200))] {
        let off =
            async || Webhooks(&stage.ports).deactivate(acme.id(), queue.subscription, since).await;
        ends(Recorded::Done, off).await;
    }
    let others = other_ledgers(&stage, &acme).await;
    let before = ledger(&stage, acme.id()).await;
    expire(&stage, acme.id(), at(1_100), at(5_000), 10, 0).await;
    assert_eq!(ledger(&stage, acme.id()).await, before);
    expire(&stage, acme.id(), at(1_200), at(5_000), 2, 2).await;
    expire(&stage, acme.id(), at(1_200), at(5_000), 2, 1).await;
    expire(&stage, acme.id(), at(1_200), at(5_000), 2, 0).await;
    let expected: Vec<Delivery> = before
        .deliveries
        .iter()
        .map(|(delivery, _)| delivery.clone())
        .map(|delivery| match delivery {
            Delivery { subscription, state: DeliveryState::Pending, .. }
                if subscription == long.subscription =>
            {
                Delivery {
                    state: DeliveryState::Failed,
                    next_attempt_at: None,
                    ended_at: Some(at(5_000)),
                    ..delivery
                }
            }
            other => other,
        })
        .collect();
    let after = ledger(&stage, acme.id()).await;
    assert_eq!(
        after.deliveries.iter().map(|(delivery, _)| delivery.clone()).collect::<Vec<_>>(),
        expected
    );
    assert_eq!(
        (after.standings, after.events, after.rows),
        (before.standings, before.events, before.rows)
    );
    assert_eq!(other_ledgers(&stage, &acme).await, others);

    // The holders of these leases come too late.
    settle(&stage, vec![ended(&claimed[0], mine, status(200), at(5_001))]).await;
    release(&stage, mine, &claimed).await;
    let late = delivery(&stage, claimed[0].key).await.unwrap();
    assert_eq!((late.state, late.attempts), (DeliveryState::Failed, 0));
    // A delivery that was given up can be replayed, and counts as failed.
    replay(&stage, long, &events(&claimed[..1]), at(6_000), 1).await;
    let on = async || Webhooks(&stage.ports).activate(acme.id(), long.subscription).await;
    ends(Recorded::Done, on).await;
    expire(&stage, acme.id(), at(1_200), at(6_000), 10, 0).await;
    take_of(&stage, &[long], at(6_000), 1).await;
    prune(&stage, acme.id(), Ended::Failed, at(5_001), 10, 2).await;
    take_of(&stage, &[active], at(6_000), 4).await;
    // The limit is that of all subscriptions together.
    let off =
        async || Webhooks(&stage.ports).deactivate(acme.id(), active.subscription, at(6_000)).await;
    ends(Recorded::Done, off).await;
    for count in [5, 3, 0] {
        expire(&stage, acme.id(), at(6_001), at(7_000), 5, count).await;
    }
    take_of(&stage, &[long, short, active], at(8_000), 1).await;
}

pub async fn a_subscription_whose_receiver_was_given_up_waits_as_long_as_any_other(stage: Stage) {
    let hook = subscription();
    let acme = listening(&stage, slice::from_ref(&hook)).await;
    let queue = queue(&acme, &hook);
    tell(&stage, &acme, vote(0)).await;
    let (claimed, mine) = take_of(&stage, &[queue], at(0), 1).await;
    let settled = ended(&claimed[0], mine, status(410), at(10));
    assert_eq!(settle(&stage, vec![settled]).await, [(queue, Deactivation::Gone)]);
    expire(&stage, acme.id(), at(10), at(100), 10, 0).await;
    expire(&stage, acme.id(), at(11), at(100), 10, 1).await;
    let health = standing(&stage, queue).await.health;
    assert!(
        matches!(health, Health::Failing { failures: 1, .. }),
        "giving up a delivery adds no failure: {health:?}"
    );
}

pub async fn another_organizations_deliveries_are_as_unknown_ones(stage: Stage) {
    let (acme, [hook, _], told) = of_every_state(&stage).await;
    for event in told {
        let again = Event { id: event, ..vote(0) };
        tell(&stage, acme.twin(), again).await;
    }
    let before = ledger(&stage, acme.id()).await;
    let theirs = ledger(&stage, acme.twin().id()).await;
    assert!(theirs.deliveries.iter().all(|(delivery, attempts)| {
        delivery.state == DeliveryState::Pending
            && delivery.occurred_at.is_none()
            && attempts.is_empty()
    }));
    let (twin, nowhere) = (acme.twin().id(), fresh());
    for organization in [twin, nowhere] {
        replay(&stage, Queue { organization, ..hook }, &told, at(1_000), 0).await;
        for ended in [Ended::Delivered, Ended::Failed] {
            prune(&stage, organization, ended, Time::MAX, 100, 0).await;
        }
        expire(&stage, organization, Time::MAX, Time::MAX, 100, 0).await;
    }
    assert_eq!(ledger(&stage, acme.id()).await, before);
    assert_eq!(ledger(&stage, twin).await, theirs);
    // The deliveries of one organization do not keep events of the other.
    for ended in [Ended::Delivered, Ended::Failed] {
        prune(&stage, acme.id(), ended, Time::MAX, 100, 2).await;
    }
    assert_eq!(kept(&stage, acme.id()).await, BTreeSet::from([told[2]]));
    assert_eq!(ledger(&stage, twin).await, theirs);
    assert_eq!(
        page(&stage, Queue { organization: nowhere, ..hook }, DeliveryFilter::default(), None, 10)
            .await,
        []
    );
}

pub async fn a_pending_delivery_stays_while_others_of_its_event_are_removed(stage: Stage) {
    const COUNT: usize = 40;
    let all = [subscription(), subscription()];
    let acme = listening(&stage, &all).await;
    tell_many(&stage, &acme, COUNT, EventType::VoteCreated, at(0)).await;
    let mine = lease(at(100));
    let claimed = take(&stage, claim(&acme, mine, at(0)), 2 * COUNT).await;
    let (gone, held) = claimed.split_at(COUNT);
    settle(
        &stage,
        gone.iter().map(|delivery| ended(delivery, mine, status(200), at(10))).collect(),
    )
    .await;
    prune(&stage, acme.id(), Ended::Delivered, at(11), 1_000, COUNT).await;
    assert_eq!(kept(&stage, acme.id()).await.len(), COUNT);
    nothing(&stage, claim(&acme, lease(at(100)), at(20))).await;
    settle(
        &stage,
        held.iter().map(|delivery| ended(delivery, mine, status(200), at(20))).collect(),
    )
    .await;
    prune(&stage, acme.id(), Ended::Delivered, at(21), 1_000, COUNT).await;
    assert_eq!(kept(&stage, acme.id()).await, BTreeSet::new());
}
