//! Futures that are dropped before they end: each write is done as a whole or not at all, and no
//! lock remains.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, delete_organization, export_all, write_mails};
use crate::build::{OfKind, Tenant, Votable, at};
use crate::system::deadline;
use hearback_app::votes::{ToggleVote, toggle};
use hearback_app::{Repeat, crud, feedback_posts};
use hearback_domain::Time;
use hearback_domain::changelog_entry::{ChangelogEntry, EntryDraft, Launch};
use hearback_domain::event::EventType;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::{OrganizationId, PostId, UserId};
use hearback_domain::merge::{MergeRecord, MergeRequest};
use hearback_domain::text::Title;
use hearback_domain::user::User;
use hearback_domain::vote::{Target, Vote};
use hearback_ports::{IdempotencyKey, Ports, WriteResult};
use std::collections::BTreeSet;
use std::pin::pin;
use std::task::Poll;
use std::time::Instant;

/// The number of dropped futures.
const CUTS: usize = 60;

/// More polls than a write needs.
const POLLS: usize = 10;

/// Polls a future at most `polls` times and drops it. Returns whether it was ready.
async fn cut(future: impl Future, polls: usize) -> bool {
    let mut future = pin!(future);
    let mut left = polls;
    std::future::poll_fn(|context| {
        if left > 0 && future.as_mut().poll(context).is_ready() {
            return Poll::Ready(true);
        }
        left = left.saturating_sub(1);
        if left == 0 { Poll::Ready(false) } else { Poll::Pending }
    })
    .await
}

/// An organization with a subscription to all events, with posts, and with users. Each user has a
/// vote on every post but the first.
fn voted(posts: usize, users: usize) -> (Tenant, Vec<FeedbackPost>, Vec<User>) {
    let mut acme = Tenant::new();
    acme.add(acme.subscription());
    let posts: Vec<FeedbackPost> = (0..posts).map(|_| acme.add(acme.post())).collect();
    let users: Vec<User> = (0..users).map(|_| acme.add(acme.user())).collect();
    for post in &posts[1..] {
        for user in &users {
            acme.add(acme.vote(user, post));
        }
    }
    (acme, posts, users)
}

/// Asserts that no lock is held and no connection is lost: runs more concurrent writes than there
/// are connections, and then a write that needs the whole organization.
async fn is_free(stage: &Stage, acme: &Tenant, post: &FeedbackPost, users: &[User]) {
    let toggles = users.iter().map(|user| {
        let input = ToggleVote { voter: user.user_id, target: post.target() };
        toggle(&stage.ports, acme.caller(), input, None)
    });
    for toggled in futures_util::future::join_all(toggles).await {
        toggled.unwrap();
    }
    delete_organization(&stage.ports, acme.id()).await;
}

/// The number of created and of deleted votes, by the events.
async fn told(ports: &Ports, organization: OrganizationId) -> (usize, usize) {
    let events = ports.events.list(organization, None, 100_000).await.unwrap();
    let of = |event_type| events.iter().filter(|event| event.event_type == event_type).count();
    (of(EventType::VoteCreated), of(EventType::VoteDeleted))
}

pub async fn a_toggle_whose_caller_goes_away_is_done_with_its_event_or_not_at_all(stage: Stage) {
    let (acme, posts, users) = voted(1, 32);
    let acme = acme.import(&stage.ports).await;
    let post = &posts[0];
    for (index, user) in (0..CUTS).zip(users.iter().cycle()) {
        let input = ToggleVote { voter: user.user_id, target: post.target() };
        cut(toggle(&stage.ports, acme.caller(), input, None), index % POLLS).await;
    }
    // The last writes may still run.
    let deadline = deadline();
    loop {
        let votes =
            export_all(&stage.ports, acme.id()).await.iter().filter_map(Vote::of_record).count();
        let (came, went) = told(&stage.ports, acme.id()).await;
        if came - went == votes {
            break;
        }
        assert!(Instant::now() < deadline, "{came} votes created, {went} deleted, {votes} stored");
    }
    is_free(&stage, &acme, post, &users).await;
}

pub async fn a_merge_whose_caller_goes_away_is_done_as_a_whole_or_not_at_all(stage: Stage) {
    let (acme, posts, users) = voted(CUTS / 3, 32);
    let acme = acme.import(&stage.ports).await;
    let target = &posts[0];
    let everybody: BTreeSet<UserId> = users.iter().map(|user| user.user_id).collect();
    for (index, source) in (0..CUTS).zip(posts[1..].iter().cycle()) {
        let request =
            MergeRequest { source: source.id, target: target.id, merger: acme.author.user_id };
        cut(
            feedback_posts::merge(&stage.ports, acme.caller(), request.into(), None),
            index % POLLS,
        )
        .await;

        let records = export_all(&stage.ports, acme.id()).await;
        let merged: BTreeSet<PostId> = records
            .iter()
            .filter_map(FeedbackPost::of_record)
            .filter(|post| post.merged_into_id.is_some())
            .map(|post| post.id)
            .collect();
        let audited: Vec<PostId> = records
            .iter()
            .filter_map(MergeRecord::of_record)
            .map(|merge| merge.merge_post_id)
            .collect();
        assert_eq!(audited.len(), merged.len());
        assert_eq!(audited.into_iter().collect::<BTreeSet<_>>(), merged);
        for post in &posts {
            let voters: BTreeSet<UserId> = records
                .iter()
                .filter_map(Vote::of_record)
                .filter(|vote| vote.target == Target::Feedback(post.id))
                .map(|vote| vote.user_id)
                .collect();
            let has_votes =
                if post.id == target.id { !merged.is_empty() } else { !merged.contains(&post.id) };
            assert_eq!(voters, if has_votes { everybody.clone() } else { BTreeSet::new() });
        }
    }
    is_free(&stage, &acme, target, &users).await;
}

pub async fn a_creation_whose_caller_goes_away_is_done_with_its_mailing_and_receipt_or_not_at_all(
    stage: Stage,
) {
    let (mut acme, posts, users) = voted(1, 32);
    let label = acme.add(acme.label()).id;
    acme.add(User { is_subscribed: true, ..acme.user() });
    let acme = acme.import(&stage.ports).await;
    let key = |index: usize| IdempotencyKey::parse(&format!("key-{index}")).unwrap();
    for index in 0..CUTS {
        let draft = EntryDraft {
            title: Title::parse(&format!("Entry {index}")).unwrap(),
            content: String::new(),
            entry_type: None,
            label_ids: vec![label],
            launch: Launch::Published,
            notify: true,
            author_id: Some(acme.author.user_id),
            featured_image_url: None,
            show_on_portal: true,
            external_id: None,
        };
        let repeat = Repeat { path: "/changelog/create", key: key(index), body: [1; 32] };
        cut(crud::create(&stage.ports, acme.caller(), draft, Some(repeat)), index % POLLS).await;
    }
    // The last writes may still run.
    let deadline = deadline();
    loop {
        let records = export_all(&stage.ports, acme.id()).await;
        let made: BTreeSet<_> =
            records.iter().filter_map(ChangelogEntry::of_record).map(|entry| entry.id.0).collect();
        assert!(
            records
                .iter()
                .filter_map(ChangelogEntry::of_record)
                .all(|entry| entry.label_ids == [label])
        );
        let mut kept = BTreeSet::new();
        for index in 0..CUTS {
            let found = stage
                .ports
                .receipts
                .find(acme.id(), "/changelog/create", key(index), Time::MIN)
                .await
                .unwrap();
            kept.extend(found.map(|kept| match kept.answer {
                WriteResult::Created(id) => id,
                other => panic!("a creation returned {other:?}"),
            }));
        }
        write_mails(&stage, acme.id(), at(0), 100).await;
        let told: BTreeSet<_> =
            stage.probe.mails(acme.id()).await.into_keys().map(|(entry, _)| entry.0).collect();
        if made == kept && made == told {
            break;
        }
        assert!(
            Instant::now() < deadline,
            "entries {made:?}, receipts {kept:?}, mailings {told:?}"
        );
    }
    is_free(&stage, &acme, &posts[0], &users).await;
}
