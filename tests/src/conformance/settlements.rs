//! `DeliveryQueue::settle`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::delivery_queue::subscriptions;
use super::{Stage, delete_organization, ends};
use crate::build::{at, event, subscription};
use crate::deliveries::{
    SILENCE, Webhooks, attempts, claim, claim_of, delivery, ended, given_up, keys, lease, ledger,
    listed, listening, nothing, queue, queues, release, settle, standing, status, take, tell,
    tell_many,
};
use crate::property::for_all;
use crate::system::fresh;
use futures_util::future::join_all;
use hearback_domain::api_key::Sealed;
use hearback_domain::delivery::{DeliveryFailure, DeliveryOutcome, DeliveryState, Response};
use hearback_domain::event::EventType;
use hearback_domain::id::EventId;
use hearback_domain::webhook_subscription::{Deactivation, FailedEvents, Health};
use hearback_domain::{ClosedSet, Time};
use hearback_ports::Recorded;
use hearback_ports::delivery_queue::{
    Attempt, ClaimedDelivery, DeliveryKey, Queue, SettledDelivery,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::slice;

const HOUR: i64 = 60 * 60 * 1000;

pub async fn the_outcome_of_a_delivery_is_kept_and_ends_it_or_puts_it_off(stage: Stage) {
    let hook = subscription();
    let acme = listening(&stage, slice::from_ref(&hook)).await;
    for millis in 0..3 {
        tell(&stage, &acme, event(EventType::VoteCreated, at(millis))).await;
    }
    let mine = lease(at(100));
    let claimed = take(&stage, claim(&acme, mine, at(10)), 3).await;
    let settled = vec![
        ended(&claimed[0], mine, status(204), at(20)),
        SettledDelivery {
            outcome: DeliveryOutcome::Retry { at: at(500) },
            ..ended(&claimed[1], mine, SILENCE, at(21))
        },
        given_up(&claimed[2], mine, at(22)),
    ];
    assert_eq!(settle(&stage, settled.clone()).await, []);
    for (n, (key, settled)) in keys(&claimed).into_iter().zip(&settled).enumerate() {
        let delivery = delivery(&stage, key).await.unwrap();
        let (state, next_attempt_at, ended_at) = [
            (DeliveryState::Delivered, None, Some(at(20))),
            (DeliveryState::Pending, Some(at(500)), None),
            (DeliveryState::Failed, None, Some(at(22))),
        ][n];
        assert_eq!(
            (delivery.state, delivery.next_attempt_at, delivery.ended_at),
            (state, next_attempt_at, ended_at)
        );
        assert_eq!(
            (delivery.attempts, delivery.last_response),
            (1, Some(settled.attempt.response))
        );
        assert_eq!(attempts(&stage, key).await, slice::from_ref(&settled.attempt));
    }
    nothing(&stage, claim(&acme, lease(at(900)), at(499))).await;
    let again = take(&stage, claim(&acme, lease(Time::MAX), at(500)), 1).await;
    assert_eq!(
        (again[0].key, again[0].attempts, again[0].attempts_before_replay),
        (claimed[1].key, 1, 0)
    );
    nothing(&stage, claim(&acme, lease(Time::MAX), Time::MAX)).await;
}

pub async fn every_answer_is_kept_as_it_was(stage: Stage) {
    let mut responses: Vec<Response> =
        DeliveryFailure::ALL.iter().map(|&failure| Response::Nothing(failure)).collect();
    for code in [100, 200, 204, 299, 301, 404, 410, 429, 500, 999] {
        responses.push(status(code));
    }
    for &failure in DeliveryFailure::ALL {
        responses.extend([201, 503].map(|code| Response::Status { code, cut: Some(failure) }));
    }
    let answers =
        [&b""[..], b"\0", b"thanks", "Größe 😀".as_bytes(), b"a\xc3", &[0xff; 1024], &[0; 1024]];
    let durations = [0, 1, 30_000, i32::MAX as u32];
    let hook = subscription();
    let acme = listening(&stage, slice::from_ref(&hook)).await;
    tell_many(&stage, &acme, responses.len(), EventType::VoteCreated, at(0)).await;
    let mine = lease(at(100));
    let claimed = take(&stage, claim(&acme, mine, at(0)), responses.len()).await;
    let settled = claimed.iter().zip(responses).enumerate().map(|(n, (delivery, response))| {
        let attempt = Attempt {
            number: 1,
            started_at: [at(1), Time::MIN, Time::MAX][n % 3],
            duration_ms: durations[n % durations.len()],
            response,
            answer: answers[n % answers.len()].to_vec(),
        };
        SettledDelivery { attempt, ..ended(delivery, mine, response, at(2)) }
    });
    let settled: Vec<SettledDelivery> = settled.collect();
    settle(&stage, settled.clone()).await;
    for settled in settled {
        assert_eq!(attempts(&stage, settled.key).await, slice::from_ref(&settled.attempt));
        let kept = delivery(&stage, settled.key).await.unwrap();
        assert_eq!((kept.last_response, kept.attempts), (Some(settled.attempt.response), 1));
        let expected = if settled.attempt.response.is_success() {
            DeliveryState::Delivered
        } else {
            DeliveryState::Pending
        };
        assert_eq!(kept.state, expected, "{:?}", settled.attempt.response);
    }
}

pub async fn only_the_holder_of_a_delivery_settles_it(stage: Stage) {
    let acme = listening(&stage, &subscriptions(2)).await;
    for _ in 0..2 {
        tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    }
    let (mine, yours) = (lease(at(100)), lease(at(100)));
    let half = queues(&acme).into_iter().zip([2, 0]).collect();
    let ours = take(&stage, claim_of(half, mine, at(0)), 2).await;
    let theirs = take(&stage, claim(&acme, yours, at(0)), 2).await;
    let before = ledger(&stage, acme.id()).await;
    for response in [status(200), status(500), status(410), SILENCE] {
        for (delivery, holder) in
            [(&ours[0], yours), (&theirs[0], mine), (&ours[1], lease(at(100)))]
        {
            assert_eq!(settle(&stage, vec![ended(delivery, holder, response, at(5))]).await, []);
            assert_eq!(settle(&stage, vec![given_up(delivery, holder, at(5))]).await, []);
        }
    }
    assert_eq!(ledger(&stage, acme.id()).await, before);
    // A call with several deliveries settles each of them whose `holder` still has its lease. The
    // holders differ.
    let settled = vec![
        ended(&ours[0], mine, status(500), at(6)),
        ended(&theirs[0], mine, status(410), at(6)),
        ended(&ours[1], yours, status(410), at(6)),
        ended(&theirs[1], yours, status(200), at(6)),
    ];
    assert_eq!(settle(&stage, settled).await, []);
    let attempts =
        |all: &[ClaimedDelivery]| join_all(keys(all).into_iter().map(|key| delivery(&stage, key)));
    let counts = async |all: &[ClaimedDelivery]| {
        attempts(all)
            .await
            .into_iter()
            .map(|delivery| delivery.unwrap().attempts)
            .collect::<Vec<_>>()
    };
    assert_eq!((counts(&ours).await, counts(&theirs).await), (vec![1, 0], vec![0, 1]));
    assert_eq!(settle(&stage, vec![]).await, []);
}

pub async fn a_late_settlement_is_kept_unless_another_has_the_delivery(stage: Stage) {
    let acme = listening(&stage, &subscriptions(1)).await;
    for _ in 0..2 {
        tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    }
    let (mine, yours) = (lease(at(100)), lease(at(500)));
    let claimed = take(&stage, claim(&acme, mine, at(0)), 2).await;
    // The lease has run out, but no other holder has claimed the delivery. The attempt was made, so
    // it counts.
    settle(&stage, vec![ended(&claimed[0], mine, status(200), at(150))]).await;
    assert_eq!(delivery(&stage, claimed[0].key).await.unwrap().state, DeliveryState::Delivered);
    let again = take(&stage, claim(&acme, yours, at(101)), 1).await;
    assert_eq!(again, claimed[1..]);
    let before = ledger(&stage, acme.id()).await;
    for response in [status(200), status(410)] {
        assert_eq!(settle(&stage, vec![ended(&claimed[1], mine, response, at(160))]).await, []);
    }
    release(&stage, mine, &claimed).await;
    assert_eq!(ledger(&stage, acme.id()).await, before);
    nothing(&stage, claim(&acme, lease(at(900)), at(400))).await;
    let settled = ended(&again[0], yours, status(201), at(170));
    settle(&stage, vec![settled.clone()]).await;
    assert_eq!(attempts(&stage, claimed[1].key).await, slice::from_ref(&settled.attempt));
    // Settling a delivery that has ended changes nothing.
    let before = ledger(&stage, acme.id()).await;
    for holder in [mine, yours] {
        settle(
            &stage,
            claimed.iter().map(|delivery| ended(delivery, holder, status(500), at(180))).collect(),
        )
        .await;
        settle(&stage, vec![settled.clone()]).await;
    }
    assert_eq!(ledger(&stage, acme.id()).await, before);
}

pub async fn of_settlements_of_one_delivery_at_once_its_holders_first_one_is_kept(stage: Stage) {
    let acme = listening(&stage, &subscriptions(1)).await;
    tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    let (mut now, mut attempted) = (at(0), Vec::new());
    for is_late_first in [true, false] {
        for (early, late) in [
            (status(410), status(500)),
            (SILENCE, SILENCE),
            (status(200), status(503)),
            (status(410), SILENCE),
        ] {
            let (mine, yours) = (lease(now), lease(now.plus_millis(10)));
            take(&stage, claim(&acme, mine, now), 1).await;
            now = now.plus_millis(1);
            let delivery = take(&stage, claim(&acme, yours, now), 1).await.remove(0);
            let retry = |lease, response| SettledDelivery {
                outcome: DeliveryOutcome::Retry { at: now },
                ..ended(&delivery, lease, response, now)
            };
            // A delivery that its holder settles twice is settled once.
            let mut settled = vec![retry(yours, late), retry(yours, status(410))];
            settled.insert(if is_late_first { 0 } else { 2 }, retry(mine, early));
            attempted.push(late);
            assert_eq!(settle(&stage, settled).await, []);
            let responses =
                attempts(&stage, delivery.key).await.into_iter().map(|attempt| attempt.response);
            assert_eq!(responses.collect::<Vec<_>>(), attempted);
            now = now.plus_millis(100);
        }
    }
}

pub async fn a_settlement_of_a_missing_delivery_changes_nothing(stage: Stage) {
    let all = subscriptions(2);
    let acme = listening(&stage, &all).await;
    tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    let mine = lease(at(100));
    let claimed = take(&stage, claim(&acme, mine, at(0)), 2).await;
    let (organization, gone) = (acme.id(), all[0].id);
    ends(Recorded::Done, async || Webhooks(&stage.ports).delete(organization, gone).await).await;
    let settled = |response| {
        claimed.iter().map(|delivery| ended(delivery, mine, response, at(5))).collect::<Vec<_>>()
    };
    assert_eq!(
        settle(&stage, settled(status(410))).await,
        [(queue(&acme, &all[1]), Deactivation::Gone)]
    );
    release(&stage, mine, &claimed).await;
    assert_eq!(ledger(&stage, organization).await.deliveries.len(), 1);
    delete_organization(&stage.ports, organization).await;
    for response in [status(200), status(410)] {
        assert_eq!(settle(&stage, settled(response)).await, []);
    }
    release(&stage, mine, &claimed).await;
    assert!(ledger(&stage, organization).await.rows.values().all(|&rows| rows == 0));
}

pub async fn a_receiver_that_is_gone_is_deactivated_at_once_and_reported_once(stage: Stage) {
    let all = subscriptions(2);
    let acme = listening(&stage, &all).await;
    for millis in 0..3 {
        tell(&stage, &acme, event(EventType::VoteCreated, at(millis))).await;
    }
    let [gone, other] = [0, 1].map(|n| queue(&acme, &all[n]));
    let mine = lease(at(100));
    let claimed = take(&stage, claim(&acme, mine, at(10)), 6).await;
    let settled = [
        (&claimed[0], 410, 20),
        (&claimed[3], 200, 21),
        (&claimed[1], 410, 22),
        (&claimed[4], 404, 23),
    ];
    let settled =
        settled.map(|(delivery, code, millis)| ended(delivery, mine, status(code), at(millis)));
    assert_eq!(settle(&stage, settled.to_vec()).await, [(gone, Deactivation::Gone)]);
    let [stands, stands_still] = [standing(&stage, gone).await, standing(&stage, other).await];
    assert_eq!((stands.subscription.is_active, stands.inactive_since), (false, Some(at(20))));
    assert_eq!((stands_still.subscription.is_active, stands_still.inactive_since), (true, None));
    // The subscription is not deactivated again.
    assert_eq!(settle(&stage, vec![ended(&claimed[2], mine, status(410), at(30))]).await, []);
    assert_eq!(standing(&stage, gone).await.inactive_since, Some(at(20)));
    // Its deliveries wait for its activation.
    let waiting = take(&stage, claim(&acme, mine, at(50)), 1).await;
    assert_eq!(waiting[0].key, claimed[4].key);
    ends(Recorded::Done, async || Webhooks(&stage.ports).activate(acme.id(), all[0].id).await)
        .await;
    let again = take(&stage, claim(&acme, mine, at(50)), 3).await;
    let settled = ended(&again[0], mine, status(410), at(60));
    assert_eq!(settle(&stage, vec![settled]).await, [(gone, Deactivation::Gone)]);
    assert_eq!(standing(&stage, gone).await.inactive_since, Some(at(60)));
}

pub async fn a_receiver_is_given_up_after_120_hours_five_failures_and_two_events_and_not_before(
    stage: Stage,
) {
    let all = subscriptions(1);
    // Runs failures and returns the effect of the last one. A failure is the index of its event and
    // a time in milliseconds.
    let fails = async |failures: &[(usize, i64)]| {
        let acme = listening(&stage, &all).await;
        let queue = queue(&acme, &all[0]);
        let mut told = [0; 3].map(|_| event(EventType::VoteCreated, at(0)));
        told.sort_by_key(|event| event.id);
        for event in &told {
            tell(&stage, &acme, event.clone()).await;
        }
        let (&last, before) = failures.split_last().unwrap();
        let fail = async |(which, millis): (usize, i64)| {
            let now = at(millis);
            let mine = lease(now);
            let claimed = take(&stage, claim(&acme, mine, now), 3).await;
            let failed =
                claimed.iter().find(|delivery| delivery.key.event == told[which].id).unwrap();
            let settled = ended(failed, mine, status(500), now);
            let deactivated = settle(&stage, vec![settled]).await;
            release(&stage, mine, &claimed).await;
            deactivated
        };
        for &failure in before {
            assert_eq!(fail(failure).await, []);
        }
        let deactivated = fail(last).await;
        let stands = standing(&stage, queue).await;
        let is_given_up = !deactivated.is_empty();
        assert_eq!(
            (stands.subscription.is_active, stands.inactive_since),
            (!is_given_up, is_given_up.then(|| at(last.1)))
        );
        assert!(deactivated.is_empty() || deactivated == [(queue, Deactivation::Hopeless)]);
        is_given_up
    };
    let end = 120 * HOUR;
    assert!(fails(&[(0, 0), (1, 1), (0, 2), (1, 3), (0, end)]).await);
    assert!(
        fails(&[(0, 0), (0, 1), (0, 2), (0, 3), (1, end)]).await,
        "the last failure is of a second event"
    );
    assert!(
        !fails(&[(0, 0), (1, 1), (0, 2), (1, 3), (0, end - 1)]).await,
        "a millisecond too early"
    );
    assert!(!fails(&[(0, 0), (1, 1), (0, 2), (1, end)]).await, "four failures");
    assert!(!fails(&[(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 2 * end)]).await, "one event");
    assert!(
        fails(&[(0, 1), (1, 2), (1, 2), (2, 3), (2, end), (0, end + 1)]).await,
        "given up as soon as 120 hours have passed"
    );
}

pub async fn a_success_makes_up_for_all_failures_before_it(stage: Stage) {
    let all = subscriptions(1);
    let acme = listening(&stage, &all).await;
    let queue = queue(&acme, &all[0]);
    for _ in 0..4 {
        tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await;
    }
    let mine = lease(Time::MAX);
    let fail = |delivery, hours| ended(delivery, mine, SILENCE, at(hours * HOUR));
    let succeed = |delivery, hours| ended(delivery, mine, status(200), at(hours * HOUR));
    let claimed = take(&stage, claim(&acme, mine, at(0)), 4).await;
    let first = claimed[0].key.event;
    settle(&stage, vec![fail(&claimed[0], 1), fail(&claimed[1], 2)]).await;
    let failing = Health::Failing {
        since: at(HOUR),
        first_event: first,
        failures: 2,
        events: FailedEvents::Several,
    };
    assert_eq!(standing(&stage, queue).await.health, failing);
    // The success stands in the middle of a batch.
    let again = take(&stage, claim(&acme, mine, at(2 * HOUR)), 2).await;
    settle(&stage, vec![fail(&again[0], 200), succeed(&claimed[2], 200), fail(&again[1], 201)])
        .await;
    let second = again[1].key.event;
    let failing = Health::Failing {
        since: at(201 * HOUR),
        first_event: second,
        failures: 1,
        events: FailedEvents::One,
    };
    assert_eq!(standing(&stage, queue).await.health, failing);
    // The success is settled alone.
    settle(&stage, vec![succeed(&claimed[3], 202)]).await;
    assert_eq!(standing(&stage, queue).await.health, Health::Well);
    // The success is the last of a batch.
    let again = take(&stage, claim(&acme, mine, at(300 * HOUR)), 2).await;
    settle(&stage, vec![fail(&again[0], 300), succeed(&again[1], 300)]).await;
    assert_eq!(standing(&stage, queue).await.health, Health::Well);
}

/// An ended attempt: indexes of subscription and event, the kind of its end, and its time.
type Ending = ((usize, usize), u8, i64);

/// Attempts that are settled at once, whether all of them succeed instead, and whether all
/// subscriptions are activated before.
type Batch = (Vec<Ending>, bool, bool);

/// The expected state of a subscription.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Expected {
    health: Health,
    inactive_since: Option<Time>,
}

impl Expected {
    /// Applies an attempt. Returns the deactivation that it causes, if any.
    fn after(&mut self, settled: &SettledDelivery) -> Option<Deactivation> {
        if settled.attempt.response.is_success() {
            self.health = self.health.after_success();
            return None;
        }
        self.health = self.health.after_failure(settled.key.event, settled.ended_at);
        let deactivation = match settled.attempt.response {
            response if response.is_gone() => Deactivation::Gone,
            _ if self.health.is_hopeless(settled.ended_at) => Deactivation::Hopeless,
            _ => return None,
        };
        if self.inactive_since.is_some() {
            return None;
        }
        self.inactive_since = Some(settled.ended_at);
        Some(deactivation)
    }
}

pub async fn the_outcomes_of_deliveries_decide_the_state_of_receivers(stage: Stage) {
    const EVENTS: usize = 4;
    let kinds =
        prop_oneof![1 => Just(0_u8), 12 => Just(1), 3 => Just(2), 1 => Just(3), 1 => Just(4)];
    let ending = ((0..2_usize, 0..EVENTS), kinds, 0..300_i64);
    let batch =
        (prop::collection::vec(ending, 0..7), prop::bool::weighted(0.1), prop::bool::weighted(0.2));
    for_all(16, prop::collection::vec(batch, 1..8), async |batches: Vec<Batch>| {
        let all = subscriptions(2);
        let acme = listening(&stage, &all).await;
        let mut told: Vec<EventId> = Vec::new();
        for _ in 0..EVENTS {
            told.push(tell(&stage, &acme, event(EventType::VoteCreated, at(0))).await);
        }
        told.sort();
        let mut expected = [Expected::default(); 2];
        let mut pending: BTreeSet<(usize, usize)> =
            (0..2).flat_map(|n| (0..EVENTS).map(move |event| (n, event))).collect();
        let mut counts: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        for (n, (endings, all_succeed, is_activated)) in (1..).zip(batches) {
            if is_activated {
                for (subscription, stands) in all.iter().zip(&mut expected) {
                    ends(Recorded::Done, async || {
                        Webhooks(&stage.ports).activate(acme.id(), subscription.id).await
                    })
                    .await;
                    if stands.inactive_since.is_some() {
                        *stands = Expected::default();
                    }
                }
            }
            // The leases of earlier rounds have run out.
            let now = at(n * 60 * HOUR);
            let mine = lease(now);
            let held: BTreeSet<_> = pending
                .iter()
                .copied()
                .filter(|&(which, _)| expected[which].inactive_since.is_none())
                .collect();
            let claimed = take(&stage, claim(&acme, mine, now), held.len()).await;
            let mut settled = Vec::new();
            let mut deactivated = Vec::new();
            let mut seen = BTreeSet::new();
            for (place, kind, hours) in endings.into_iter().filter(|ending| seen.insert(ending.0)) {
                let kind = if all_succeed { 0 } else { kind };
                let (which, event) = place;
                let key = DeliveryKey { queue: queue(&acme, &all[which]), event: told[event] };
                // Settling a delivery that is not claimed has no effect.
                let delivery = claimed.iter().find(|delivery| delivery.key == key).cloned();
                let delivery =
                    delivery.unwrap_or_else(|| ClaimedDelivery { key, ..an_attempted_one() });
                let ended_at = now.plus_millis((hours - 150) * HOUR);
                let response = [status(200), status(500), SILENCE, status(410), status(301)]
                    [usize::from(kind)];
                let outcome = match kind {
                    0 => DeliveryOutcome::Delivered,
                    4 => DeliveryOutcome::Failed,
                    _ => DeliveryOutcome::Retry { at: now },
                };
                let ending = SettledDelivery {
                    outcome,
                    ended_at,
                    ..ended(&delivery, mine, response, ended_at)
                };
                if held.contains(&place) {
                    *counts.entry(place).or_default() += 1;
                    deactivated.extend(
                        expected[which]
                            .after(&ending)
                            .map(|deactivation| (key.queue, deactivation)),
                    );
                    if !matches!(outcome, DeliveryOutcome::Retry { .. }) {
                        pending.remove(&place);
                    }
                }
                settled.push(ending);
            }
            deactivated.sort_by_key(|(queue, _)| *queue);
            assert_eq!(settle(&stage, settled).await, deactivated);
            for (subscription, stands) in all.iter().zip(&expected) {
                let found = standing(&stage, queue(&acme, subscription)).await;
                let stood = Expected { health: found.health, inactive_since: found.inactive_since };
                assert_eq!(
                    (stood, found.subscription.is_active),
                    (*stands, stands.inactive_since.is_none())
                );
            }
        }
        for (which, subscription) in all.iter().enumerate() {
            for delivery in listed(&stage, acme.id(), subscription.id).await {
                let place =
                    (which, told.iter().position(|&event| event == delivery.event).unwrap());
                assert_eq!(delivery.attempts, counts.get(&place).copied().unwrap_or_default());
                assert_eq!(delivery.state == DeliveryState::Pending, pending.contains(&place));
            }
        }
    });
}

/// A delivery as a holder without a lease could present it.
fn an_attempted_one() -> ClaimedDelivery {
    ClaimedDelivery {
        key: DeliveryKey {
            queue: Queue { organization: fresh(), subscription: fresh() },
            event: fresh(),
        },
        event_type: EventType::VoteCreated,
        data: String::new(),
        url: String::new(),
        secret: Sealed(vec![]),
        previous_secret: None,
        occurred_at: at(0),
        attempts: 90,
        attempts_before_replay: 0,
    }
}
