//! `EventLog`, and the fan-out of recorded events to subscriptions.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, ends, receipt};
use crate::build::{Imported, Tenant, Votable, at, event, subscription};
use crate::deliveries::{Webhooks, counts, pending, tell};
use crate::property::for_all;
use crate::system::{fresh, patiently};
use hearback_app::votes::{self, ToggleVote};
use hearback_domain::ClosedSet;
use hearback_domain::event::{Event, EventType, Happening, LedgerFilter, VoteFacts};
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::{BoardId, EventId, OrganizationId};
use hearback_domain::user::User;
use hearback_domain::vote::{Target, Vote, VoteChange};
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_ports::backlog::Task;
use hearback_ports::events::StoredEvent;
use hearback_ports::{Change, Limit, PageRequest, Receipt, Recorded, Unique, WriteResult};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::slice;

/// Toggles the author's vote. The event gets the identifier `id`. Returns the event.
async fn toggle(stage: &Stage, acme: &Imported, target: Target, id: EventId) -> Option<Event> {
    let ballot = stage.ports.votes.ballot(acme.id(), target, acme.author.user_id).await.unwrap();
    let change = ballot.toggle(fresh(), id, at(7)).unwrap();
    ends(Recorded::Done, async || stage.ports.votes.record(acme.id(), change.clone(), None).await)
        .await;
    match change {
        VoteChange::Cast { event, .. } | VoteChange::Withdraw { event, .. } => event,
    }
}

async fn log(stage: &Stage, organization: OrganizationId) -> Vec<StoredEvent> {
    stage.ports.events.list(organization, None, 1_000).await.unwrap()
}

/// An organization with one post and the given subscriptions.
async fn listening(
    stage: &Stage,
    subscriptions: &[WebhookSubscription],
) -> (Imported, FeedbackPost) {
    let mut acme = Tenant::new();
    let post =
        acme.add(FeedbackPost { title: "Say \"hi\" 😀\n\u{7f}".to_owned(), ..acme.post() });
    for subscription in subscriptions {
        acme.add(subscription.clone());
    }
    (acme.import(&stage.ports).await, post)
}

pub async fn an_event_is_recorded_with_the_contracts_payload(stage: Stage) {
    let (acme, post) = listening(&stage, &[subscription()]).await;
    let created = toggle(&stage, &acme, post.target(), fresh()).await.unwrap();
    let deleted = toggle(&stage, &acme, post.target(), fresh()).await.unwrap();
    assert_eq!(
        log(&stage, acme.id()).await,
        [StoredEvent::from(&created), StoredEvent::from(&deleted)]
    );
    let Happening::VoteCreated(VoteFacts { id, .. }) = created.what else { panic!("{created:?}") };
    let data = format!(
        r#"{{"id":"{id}","post_id":"{}","post_title":"Say \"hi\" 😀\n{}","board_id":"{}"}}"#,
        post.id, '\u{7f}', post.board_id
    );
    let expected = StoredEvent {
        id: created.id,
        event_type: EventType::VoteCreated,
        data,
        recorded_at: at(7),
        in_ledger: false,
    };
    assert_eq!(log(&stage, acme.id()).await[0], expected);
}

pub async fn an_event_goes_to_each_subscription_that_receives_it(stage: Stage) {
    let all = subscription();
    let some = WebhookSubscription {
        event_types: vec![EventType::PostCreated, EventType::VoteDeleted],
        ..subscription()
    };
    let (acme, post) = listening(&stage, &[all.clone(), some.clone()]).await;
    let created = toggle(&stage, &acme, post.target(), fresh()).await.unwrap().id;
    let deleted = toggle(&stage, &acme, post.target(), fresh()).await.unwrap().id;
    let mut expected = vec![(created, all.id), (deleted, all.id), (deleted, some.id)];
    expected.sort();
    assert_eq!(pending(&stage, acme.id()).await, expected);
    assert_eq!(log(&stage, acme.id()).await.len(), 2);
}

pub async fn nothing_is_recorded_if_no_subscription_receives_it(stage: Stage) {
    let inactive = WebhookSubscription { is_active: false, ..subscription() };
    let awaiting = WebhookSubscription { awaits_rotation: true, ..subscription() };
    // All event types except the types of votes.
    let others =
        EventType::ALL.iter().copied().filter(|event_type| !event_type.code().starts_with("vote."));
    let other = WebhookSubscription { event_types: others.collect(), ..subscription() };
    for subscriptions in [vec![], vec![inactive, awaiting, other]] {
        let (acme, post) = listening(&stage, &subscriptions).await;
        toggle(&stage, &acme, post.target(), fresh()).await.unwrap();
        assert_eq!(log(&stage, acme.id()).await, []);
        assert_eq!(pending(&stage, acme.id()).await, []);
    }
}

pub async fn a_vote_on_a_roadmap_post_records_no_event(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(acme.subscription());
    let plan = acme.add(acme.roadmap_post());
    let acme = acme.import(&stage.ports).await;
    for _ in 0..2 {
        assert_eq!(toggle(&stage, &acme, plan.target(), fresh()).await, None);
    }
    assert_eq!(log(&stage, acme.id()).await, []);
}

pub async fn a_toggle_that_is_refused_or_not_recorded_leaves_no_event(stage: Stage) {
    let mut acme = Tenant::new();
    acme.add(acme.subscription());
    let closed = acme.add(FeedbackBoard { is_voting_enabled: false, ..acme.board() });
    let post = acme.add(acme.post());
    let refusing = acme.add(FeedbackPost { board_id: closed.id, ..acme.post() });
    let deleted = acme.add(FeedbackPost { is_active: false, ..acme.post() });
    let left = acme.add(User { is_active: false, ..acme.user() });
    let acme = acme.import(&stage.ports).await;
    let voter = acme.author.user_id;
    for (voter, post) in
        [(voter, &refusing), (voter, &deleted), (left.user_id, &post), (fresh(), &post)]
    {
        let input = ToggleVote { voter, target: post.target() };
        assert!(votes::toggle(&stage.ports, acme.caller(), input, None).await.is_err());
    }
    let told = toggle(&stage, &acme, post.target(), fresh()).await.unwrap();
    let records = async |change: VoteChange, receipt: Option<Receipt>, expected| {
        ends(expected, async || {
            stage.ports.votes.record(acme.id(), change.clone(), receipt.clone()).await
        })
        .await;
    };
    // The first change was decided before the vote was cast. The second one withdraws a vote that
    // does not exist.
    let event = Some(event(EventType::VoteCreated, at(8)));
    let vote = Vote {
        id: fresh(),
        user_id: voter,
        target: post.target(),
        cast_on_id: None,
        created_by_id: None,
        source_url: None,
        created_at: at(8),
    };
    records(VoteChange::Cast { vote, event: event.clone() }, None, Recorded::Stale).await;
    records(
        VoteChange::Withdraw { vote: fresh(), target: post.target(), event },
        None,
        Recorded::Stale,
    )
    .await;
    // The second change has the idempotency key of the first one.
    for expected in [Recorded::Done, Recorded::Taken(Unique::Receipt)] {
        let ballot = stage.ports.votes.ballot(acme.id(), post.target(), voter).await.unwrap();
        let change = ballot.toggle(fresh(), fresh(), at(9)).unwrap();
        records(change, Some(receipt("once", WriteResult::Success, at(9))), expected).await;
    }
    let events = log(&stage, acme.id()).await;
    assert_eq!(
        events.iter().map(|event| event.event_type).collect::<Vec<_>>(),
        [EventType::VoteCreated, EventType::VoteDeleted]
    );
    assert_eq!(events[0].id, told.id);
    assert_eq!(pending(&stage, acme.id()).await.len(), 2);
}

pub async fn events_are_listed_by_id_in_parts(stage: Stage) {
    let (acme, post) = listening(&stage, &[subscription()]).await;
    let mut ids: Vec<EventId> = (0..5).map(|_| fresh()).collect();
    for id in [3, 0, 4, 1, 2] {
        toggle(&stage, &acme, post.target(), ids[id]).await.unwrap();
    }
    ids.sort();
    let list = async |after, limit| {
        let events = stage.ports.events.list(acme.id(), after, limit).await.unwrap();
        events.into_iter().map(|event| event.id).collect::<Vec<_>>()
    };
    assert_eq!(list(None, 10).await, ids);
    assert_eq!(list(None, 2).await, ids[..2]);
    assert_eq!(list(Some(ids[1]), 2).await, ids[2..4]);
    assert_eq!(list(Some(ids[4]), 2).await, []);
}

pub async fn another_organizations_events_are_not_listed(stage: Stage) {
    let (acme, post) = listening(&stage, &[subscription()]).await;
    toggle(&stage, &acme, post.target(), fresh()).await.unwrap();
    for organization in [acme.twin().id(), acme.opposite().id(), fresh()] {
        assert_eq!(log(&stage, organization).await, []);
        assert_eq!(pending(&stage, organization).await, []);
    }
}

async fn ledger_of(
    stage: &Stage,
    organization: OrganizationId,
    filter: LedgerFilter,
) -> Vec<EventId> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = PageRequest { after, limit: Limit::new(2).unwrap() };
        let page = stage.ports.events.ledger(organization, filter.clone(), page).await.unwrap();
        assert!(page.items.iter().all(|event| event.in_ledger));
        all.extend(page.items.iter().map(|event| event.id));
        after = page.next;
        if after.is_none() {
            return all;
        }
    }
}

async fn tells(stage: &Stage, acme: &Imported, told: Event) -> EventId {
    let id = told.id;
    let change = Change { events: vec![told], ..Change::at(at(0)) };
    let apply = async || stage.ports.records.apply(acme.id(), change.clone()).await;
    ends(Recorded::Done, apply).await;
    id
}

pub async fn the_ledger_has_the_events_that_are_for_it(stage: Stage) {
    let voted = WebhookSubscription { event_types: vec![EventType::VoteCreated], ..subscription() };
    let (acme, _) = listening(&stage, slice::from_ref(&voted)).await;
    let kept = |event_type, n| Event { in_ledger: true, ..event(event_type, at(n)) };
    // A vote is recorded by a statement of its own, and records by another.
    let vote = tell(&stage, &acme, kept(EventType::VoteCreated, 3)).await;
    let edit = tells(&stage, &acme, kept(EventType::PostEdited, 1)).await;
    let unheard = tell(&stage, &acme, kept(EventType::VoteDeleted, 2)).await;
    let sent = tell(&stage, &acme, event(EventType::VoteCreated, at(4))).await;
    tells(&stage, &acme, event(EventType::PostEdited, at(5))).await;
    let all = LedgerFilter::default();
    assert_eq!(ledger_of(&stage, acme.id(), all.clone()).await, [edit, unheard, vote]);
    let of = |event_types: &[EventType], created_after| LedgerFilter {
        event_types: event_types.to_vec(),
        created_after,
    };
    let votes = of(&[EventType::VoteCreated, EventType::VoteDeleted], None);
    assert_eq!(ledger_of(&stage, acme.id(), votes).await, [unheard, vote]);
    assert_eq!(ledger_of(&stage, acme.id(), of(&[], Some(at(2)))).await, [vote]);
    assert_eq!(ledger_of(&stage, acme.twin().id(), all.clone()).await, []);
    let mut expected = vec![(vote, voted.id), (sent, voted.id)];
    expected.sort();
    assert_eq!(pending(&stage, acme.id()).await, expected);
    let known = async || {
        let all = log(&stage, acme.id()).await;
        all.into_iter().map(|event| event.id).collect::<BTreeSet<_>>()
    };
    assert_eq!(known().await, BTreeSet::from([vote, edit, unheard, sent]));

    // An event leaves the ledger in the order of recording, and stays while it is to be delivered.
    let task = async |now| {
        let (backlog, task) = (&stage.ports.backlog, Task::PruneLedger);
        let found = backlog.organizations(task, now, None, 1_000).await.unwrap();
        found.contains(&acme.id())
    };
    let prune = async |before, limit| {
        patiently(|| stage.ports.events.prune(acme.id(), before, limit)).await
    };
    assert!(!task(at(1)).await && task(at(2)).await);
    assert_eq!(prune(at(1), 10).await, 0);
    counts(1, async || stage.ports.events.prune(acme.id(), at(4), 1).await).await;
    assert_eq!(ledger_of(&stage, acme.id(), all.clone()).await, [unheard, vote]);
    counts(2, async || stage.ports.events.prune(acme.id(), at(4), 10).await).await;
    assert_eq!(ledger_of(&stage, acme.id(), all).await, []);
    assert!(!task(at(9)).await);
    assert_eq!(known().await, BTreeSet::from([vote, sent]));
}

pub async fn an_event_of_the_ledger_outlives_its_deliveries(stage: Stage) {
    let hook = subscription();
    let (acme, _) = listening(&stage, slice::from_ref(&hook)).await;
    let kept = Event { in_ledger: true, ..event(EventType::VoteCreated, at(0)) };
    let kept = tell(&stage, &acme, kept).await;
    tell(&stage, &acme, event(EventType::VoteCreated, at(1))).await;
    ends(Recorded::Done, async || Webhooks(&stage.ports).delete(acme.id(), hook.id).await).await;
    let left: Vec<EventId> = log(&stage, acme.id()).await.iter().map(|event| event.id).collect();
    assert_eq!(left, [kept]);
    assert_eq!(ledger_of(&stage, acme.id(), LedgerFilter::default()).await, [kept]);
}

pub async fn a_subscription_to_boards_receives_the_events_of_these_boards(stage: Stage) {
    let mut acme = Tenant::new();
    let boards = [acme.add(acme.board()).id, acme.add(acme.board()).id];
    let to = |board_ids: &[BoardId]| WebhookSubscription {
        event_types: vec![EventType::VoteCreated, EventType::UserDeleted],
        board_ids: board_ids.to_vec(),
        ..subscription()
    };
    let all = [to(&[]), to(&boards[..1]), to(&boards[1..]), to(&boards)];
    for subscription in &all {
        acme.add(subscription.clone());
    }
    acme.add(acme.post());
    let acme = acme.import(&stage.ports).await;
    let of_board = |board_id| {
        let mut vote = event(EventType::VoteCreated, at(0));
        if let Happening::VoteCreated(facts) = &mut vote.what {
            facts.board_id = board_id;
        }
        vote
    };
    let gone = || event(EventType::UserDeleted, at(0));
    let mut expected = Vec::new();
    for (told, receivers) in [
        (of_board(boards[0]), &[0, 1, 3][..]),
        (of_board(boards[1]), &[0, 2, 3]),
        (of_board(fresh()), &[0]),
        (gone(), &[0]),
    ] {
        // A vote is recorded by a statement of its own, and records by another.
        let again = Event { id: fresh(), ..told.clone() };
        tell(&stage, &acme, told.clone()).await;
        let change = Change { events: vec![again.clone()], ..Change::at(at(0)) };
        assert_eq!(stage.ports.records.apply(acme.id(), change).await.unwrap(), Recorded::Done);
        let ids = [told.id, again.id].into_iter();
        expected.extend(ids.flat_map(|id| receivers.iter().map(move |n| (id, *n))));
    }
    let mut expected: Vec<_> = expected.into_iter().map(|(id, n)| (id, all[n].id)).collect();
    expected.sort();
    assert_eq!(pending(&stage, acme.id()).await, expected);
}

pub async fn the_fan_out_reaches_each_subscription_that_receives(stage: Stage) {
    let types = prop::sample::subsequence(EventType::ALL.to_vec(), 0..=EventType::ALL.len());
    let flags = (prop::bool::weighted(0.8), prop::bool::weighted(0.2));
    let told = prop::collection::vec(prop::sample::select(EventType::ALL.to_vec()), 1..4);
    for_all(
        12,
        (prop::collection::vec((types, flags), 0..5), told),
        async |(subscriptions, told)| {
            let made = |(event_types, (is_active, awaits_rotation))| WebhookSubscription {
                event_types,
                is_active,
                awaits_rotation,
                ..subscription()
            };
            let subscriptions: Vec<_> = subscriptions.into_iter().map(made).collect();
            let (acme, _) = listening(&stage, &subscriptions).await;
            let mut expected = Vec::new();
            for event_type in told {
                let told = event(event_type, at(0));
                let event = tell(&stage, &acme, told.clone()).await;
                let receives =
                    |subscription: &&WebhookSubscription| subscription.receives(&told.what);
                expected.extend(
                    subscriptions
                        .iter()
                        .filter(receives)
                        .map(|subscription| (event, subscription.id)),
                );
            }
            expected.sort();
            assert_eq!(pending(&stage, acme.id()).await, expected);
            let events: BTreeSet<EventId> = expected.into_iter().map(|(event, _)| event).collect();
            assert_eq!(
                log(&stage, acme.id())
                    .await
                    .into_iter()
                    .map(|event| event.id)
                    .collect::<BTreeSet<_>>(),
                events
            );
        },
    );
}
