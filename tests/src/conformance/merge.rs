//! `FeedbackPostRepository::merge_case`, `merge` and `unmerge`.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, ends, export_all, first_page, inventory, make, others, receipt};
use crate::build::{OfKind, Tenant, Votable, at};
use crate::property::for_all;
use crate::system::{deadline, fresh, patiently};
use hearback_app::votes::{ToggleVote, toggle};
use hearback_domain::Uuid;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::{MergeId, OrganizationId, PostId, UserId};
use hearback_domain::merge::{
    CastVote, DroppedVote, Merge, MergeCase, MergeEffects, MergeRecord, MergeRequest, PostState,
    Unmerge, UnmergeEffects, settle,
};
use hearback_domain::record::Kind;
use hearback_domain::user::User;
use hearback_domain::vote::{OpenPost, Target, Vote, VoteChange, Voter};
use hearback_ports::feedback_posts::Attached;
use hearback_ports::{Receipt, Recorded, Unique, WriteResult};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::time::Instant;

/// A merge of two posts by the author, at a time after all others.
pub(super) fn merge(acme: &Tenant, source: PostId, target: PostId) -> Merge {
    Merge { id: fresh(), source, target, merger: acme.author.user_id, at: at(i64::from(u32::MAX)) }
}

pub(super) async fn record(
    stage: &Stage,
    organization: OrganizationId,
    merge: Merge,
    receipt: Option<Receipt>,
    expected: Recorded,
) {
    ends(expected, async || {
        let attached = Attached { receipt: receipt.clone(), ..Attached::default() };
        stage.ports.feedback_posts.merge(organization, merge, attached).await
    })
    .await;
}

/// Ends a merge after all other changes. The effects must change nothing.
pub(super) async fn part(
    stage: &Stage,
    acme: &Tenant,
    source: PostId,
    into: PostId,
) -> UnmergeEffects {
    let unmerge = Unmerge { source, into, at: at(i64::from(u32::MAX) + 1) };
    let before = inventory(stage, acme.id()).await;
    let posts = &stage.ports.feedback_posts;
    let deadline = deadline();
    // A cautious store may return none at first, as `settled` says.
    let effects = loop {
        let effects = patiently(|| posts.unmerge_effects(acme.id(), unmerge)).await;
        if effects.is_some() || Instant::now() > deadline {
            break effects;
        }
    };
    assert_eq!(inventory(stage, acme.id()).await, before);
    ends(Recorded::Done, async || posts.unmerge(acme.id(), unmerge, Attached::default()).await)
        .await;
    effects.expect("the post is merged")
}

/// The records of a kind in the store.
pub(super) async fn stored<R: OfKind>(stage: &Stage, acme: &Tenant) -> Vec<R> {
    export_all(&stage.ports, acme.id()).await.iter().filter_map(R::of_record).cloned().collect()
}

/// The votes on a post, oldest first.
pub(super) async fn votes(stage: &Stage, acme: &Tenant, post: PostId) -> Vec<CastVote> {
    let page =
        stage.ports.votes.voters(acme.id(), Target::Feedback(post), first_page()).await.unwrap();
    page.items
        .into_iter()
        .map(|voter| CastVote { at: voter.voted_at, id: voter.vote_id, user: voter.user_id })
        .collect()
}

/// The post that a vote on `post` counts on.
async fn counts_on(stage: &Stage, acme: &Tenant, post: PostId) -> Option<PostId> {
    let ballot = stage
        .ports
        .votes
        .ballot(acme.id(), Target::Feedback(post), acme.author.user_id)
        .await
        .unwrap();
    match ballot.post? {
        OpenPost::Feedback { id, .. } => Some(id),
        OpenPost::Roadmap { .. } => None,
    }
}

pub async fn a_merge_case_has_the_state_of_both_posts_and_of_the_merger(stage: Stage) {
    let mut acme = Tenant::new();
    let (open, other) = (acme.add(acme.post()), acme.add(acme.post()));
    let merged = acme.add(FeedbackPost { merged_into_id: Some(open.id), ..acme.post() });
    let inactive = acme.add(FeedbackPost { is_active: false, ..acme.post() });
    let both =
        acme.add(FeedbackPost { merged_into_id: Some(open.id), is_active: false, ..acme.post() });
    let left = acme.add(User { is_active: false, ..acme.user() });
    let plan = acme.add(acme.roadmap_post());
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let posts = [
        (open.id, Some(PostState::Open)),
        (other.id, Some(PostState::Open)),
        (merged.id, Some(PostState::Shut)),
        (inactive.id, Some(PostState::Shut)),
        (both.id, Some(PostState::Shut)),
        (PostId(plan.id.0), None),
        (fresh(), None),
    ];
    let mergers = [
        (acme.author.user_id, true),
        (left.user_id, false),
        (globex.author.user_id, false),
        (fresh::<UserId>(), false),
    ];
    for (source, source_state) in posts {
        for (target, target_state) in posts {
            for (merger, merger_linked) in mergers {
                let request = MergeRequest { source, target, merger };
                let case = stage.ports.feedback_posts.merge_case(acme.id(), request).await.unwrap();
                assert_eq!(
                    case,
                    MergeCase { source: source_state, target: target_state, merger_linked },
                    "{request:?}"
                );
            }
        }
    }
    let request = MergeRequest { source: open.id, target: other.id, merger: globex.author.user_id };
    let case = stage.ports.feedback_posts.merge_case(globex.id(), request).await.unwrap();
    assert_eq!(case, MergeCase { source: None, target: None, merger_linked: true });
}

pub async fn a_merge_marks_the_source_and_moves_its_votes_and_nothing_else(stage: Stage) {
    let mut acme = Tenant::new();
    let (source, target, bystander) =
        (acme.add(acme.post()), acme.add(acme.post()), acme.add(acme.post()));
    let (first, second) =
        (acme.add(acme.user()), acme.add(User { is_active: false, ..acme.user() }));
    let moving = [acme.add(acme.vote(&first, &source)), acme.add(acme.vote(&second, &source))];
    let staying = acme.add(acme.vote(&acme.author, &target));
    acme.add(acme.vote(&first, &bystander));
    let plan = acme.add(acme.roadmap_post());
    acme.add(acme.vote(&first, &plan));
    acme.add(acme.comment(&source));
    acme.add(acme.subscription());
    let acme = acme.import(&stage.ports).await;
    let before = others(&stage, &acme).await;
    let merge = merge(&acme, source.id, target.id);
    record(&stage, acme.id(), merge, None, Recorded::Done).await;

    // The export changes in the source, in its votes, and by the merge record.
    let mut expected = acme.exported();
    for record in &mut expected {
        match record {
            hearback_ports::Record::FeedbackPost(post) if post.id == source.id => {
                post.merged_into_id = Some(target.id);
                post.updated_at = merge.at;
            }
            hearback_ports::Record::Vote(vote) if moving.contains(vote) => {
                vote.target = target.target();
                vote.cast_on_id = Some(source.id);
            }
            _ => {}
        }
    }
    let mut moved_user_ids = vec![first.user_id, second.user_id];
    moved_user_ids.sort();
    let audit = MergeRecord {
        id: merge.id,
        merge_post_id: source.id,
        into_post_id: target.id,
        merger_id: merge.merger,
        moved_user_ids,
        dropped_user_ids: vec![],
        votes_kept: true,
        created_at: merge.at,
    };
    expected.push(audit.into_record());
    expected.sort_by_key(|record| record.kind());
    assert_eq!(export_all(&stage.ports, acme.id()).await, expected);
    assert_eq!(votes(&stage, &acme, target.id).await.len(), 3);
    assert_eq!(
        votes(&stage, &acme, target.id).await.iter().filter(|vote| vote.id == staying.id).count(),
        1
    );
    // A merge emits no event and changes no other organization.
    assert_eq!(stage.ports.events.list(acme.id(), None, 10).await.unwrap(), []);
    assert_eq!(others(&stage, &acme).await, before);
}

pub async fn of_two_votes_of_one_voter_the_older_one_stays(stage: Stage) {
    // Times and voters are few, so that many users voted for both posts, some at the same time.
    // Then the identifier decides.
    let voter =
        (prop::option::of((0_i64..4, any::<u16>())), prop::option::of((0_i64..4, any::<u16>())));
    for_all(16, prop::collection::vec(voter, 0..9), async |voters| {
        let mut acme = Tenant::new();
        let (source, target) = (acme.add(acme.post()), acme.add(acme.post()));
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for (on_source, on_target) in voters {
            let user = acme.add(acme.user());
            for (vote, post, votes) in
                [(on_source, &source, &mut from), (on_target, &target, &mut to)]
            {
                let Some((millis, low)) = vote else { continue };
                // The identifiers are unordered and unique.
                let id =
                    Uuid::from_u128((u128::from(low) << 112) | (fresh::<Uuid>().as_u128() >> 16))
                        .into();
                let vote = acme.add(Vote { id, created_at: at(millis), ..acme.vote(&user, post) });
                votes.push(CastVote { at: vote.created_at, id: vote.id, user: vote.user_id });
            }
        }
        let acme = acme.import(&stage.ports).await;
        let merge = merge(&acme, source.id, target.id);
        record(&stage, acme.id(), merge, None, Recorded::Done).await;
        let settled = settle(&from, &to);
        assert_eq!(votes(&stage, &acme, target.id).await, settled.kept);
        assert_eq!(votes(&stage, &acme, source.id).await, []);
        let audit = stored::<MergeRecord>(&stage, &acme).await.remove(0);
        assert_eq!(
            (audit.moved_user_ids, audit.dropped_user_ids),
            (settled.moved, settled.dropped)
        );
    });
}

/// The voters of a post, sorted. The post's count must agree.
async fn voters(stage: &Stage, acme: &Tenant, post: PostId) -> Vec<UserId> {
    let mut all = Vec::new();
    let mut page = first_page();
    loop {
        let target = Target::Feedback(post);
        let found = stage.ports.votes.voters(acme.id(), target, page.clone()).await.unwrap();
        let order = |vote: &Voter| (vote.voted_at, vote.vote_id);
        assert!(found.items.is_sorted_by_key(order));
        all.extend(found.items.iter().map(|voter| voter.user_id));
        let Some(next) = found.next else { break };
        page.after = Some(next);
    }
    let details = stage.ports.feedback_posts.find(acme.id(), post).await.unwrap().unwrap();
    assert_eq!(usize::try_from(details.vote_count), Ok(all.len()));
    all.sort();
    all
}

pub async fn a_large_merge_happens_at_one_moment_while_its_votes_move(stage: Stage) {
    let mut acme = Tenant::new();
    let (source, target) = (acme.add(acme.post()), acme.add(acme.post()));
    let last = acme.add(acme.post());
    let users: Vec<User> = (0..1_400).map(|_| acme.add(acme.user())).collect();
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for (number, user) in users.iter().enumerate() {
        for (post, votes, is_cast, factor) in [
            (&source, &mut from, number < 1_100, 7_919),
            (&target, &mut to, (800..1_300).contains(&number), 104_729),
        ] {
            if is_cast {
                let created_at = at((number * factor % 1_000) as i64);
                let vote = acme.add(Vote { created_at, ..acme.vote(user, post) });
                votes.push(CastVote { at: vote.created_at, id: vote.id, user: vote.user_id });
            }
        }
    }
    let acme = acme.import(&stage.ports).await;
    let merged = merge(&acme, source.id, target.id);
    record(&stage, acme.id(), merged, None, Recorded::Done).await;
    let settled = settle(&from, &to);
    assert_eq!(voters(&stage, &acme, source.id).await, []);
    let mut expected: BTreeSet<UserId> = settled.kept.iter().map(|vote| vote.user).collect();
    let expect = async |post: PostId, expected: &BTreeSet<UserId>| {
        let expected: Vec<UserId> = expected.iter().copied().collect();
        assert_eq!(voters(&stage, &acme, post).await, expected);
        for user in users.iter().step_by(37) {
            let targets = vec![source.target(), Target::Feedback(post)];
            let voted = stage.ports.votes.voted(acme.id(), user.user_id, targets).await.unwrap();
            let expected = expected.contains(&user.user_id).then_some(Target::Feedback(post));
            assert_eq!(voted, Vec::from_iter(expected));
        }
    };
    expect(target.id, &expected).await;

    // Users who voted for one post, for both, and for none. Some of them change their mind twice.
    for (number, user) in users.iter().enumerate().filter(|(number, _)| number % 11 == 0) {
        for post in [&source, &target].into_iter().take(1 + number % 2) {
            let toggled = ToggleVote { voter: user.user_id, target: post.target() };
            toggle(&stage.ports, acme.caller(), toggled, None).await.unwrap();
            if !expected.remove(&user.user_id) {
                expected.insert(user.user_id);
            }
        }
    }
    expect(target.id, &expected).await;
    while patiently(|| stage.ports.feedback_posts.move_votes()).await > 0 {}
    expect(target.id, &expected).await;
    let audit = stored::<MergeRecord>(&stage, &acme).await.remove(0);
    assert_eq!((audit.moved_user_ids, audit.dropped_user_ids), (settled.moved, settled.dropped));

    // Two merges in a row.
    let further = merge(&acme, target.id, last.id);
    record(&stage, acme.id(), further, None, Recorded::Done).await;
    let more = stage.ports.feedback_posts.find(acme.id(), last.id).await.unwrap().unwrap();
    assert_eq!(usize::try_from(more.vote_count), Ok(expected.len()));
    let final_post = acme.post();
    make(&stage, acme.id(), final_post.clone()).await;
    record(&stage, acme.id(), merge(&acme, last.id, final_post.id), None, Recorded::Done).await;
    expect(final_post.id, &expected).await;
}

pub async fn posts_that_were_merged_into_the_source_follow_it(stage: Stage) {
    let mut acme = Tenant::new();
    let posts: Vec<FeedbackPost> = (0..6).map(|_| acme.add(acme.post())).collect();
    let imported = acme.add(FeedbackPost { merged_into_id: Some(posts[0].id), ..acme.post() });
    let users: Vec<User> = posts.iter().map(|_| acme.add(acme.user())).collect();
    for (user, post) in users.iter().zip(&posts) {
        acme.add(acme.vote(user, post));
    }
    let acme = acme.import(&stage.ports).await;
    // 0 and 1 are merged into 2, 3 into 4, then 2 into 4, then 4 into 5.
    for (source, target) in [(0, 2), (1, 2), (3, 4), (2, 4), (4, 5)] {
        let merge = merge(&acme, posts[source].id, posts[target].id);
        record(&stage, acme.id(), merge, None, Recorded::Done).await;
    }
    for post in posts.iter().chain([&imported]) {
        assert_eq!(counts_on(&stage, &acme, post.id).await, Some(posts[5].id));
    }
    assert_eq!(votes(&stage, &acme, posts[5].id).await.len(), users.len());
    // Each post keeps the one that it was directly merged into.
    let into: Vec<_> = stored::<FeedbackPost>(&stage, &acme)
        .await
        .into_iter()
        .map(|post| post.merged_into_id)
        .collect();
    let id = |n: usize| Some(posts[n].id);
    assert_eq!(into, [id(2), id(2), id(4), id(4), id(5), None, id(0)]);
}

pub async fn a_merge_is_stale_if_a_post_is_not_open(stage: Stage) {
    let mut acme = Tenant::new();
    let (open, other) = (acme.add(acme.post()), acme.add(acme.post()));
    let merged = acme.add(FeedbackPost { merged_into_id: Some(other.id), ..acme.post() });
    let inactive = acme.add(FeedbackPost { is_active: false, ..acme.post() });
    acme.add(acme.vote(&acme.author, &open));
    let acme = acme.import(&stage.ports).await;
    let mut globex = Tenant::new();
    let foreign = globex.add(globex.post());
    globex.import(&stage.ports).await;
    let before = inventory(&stage, acme.id()).await;
    for shut in [merged.id, inactive.id, foreign.id, fresh()] {
        for merge in [merge(&acme, open.id, shut), merge(&acme, shut, open.id)] {
            let receipt = receipt(&fresh::<Uuid>().to_string(), WriteResult::Success, merge.at);
            record(&stage, acme.id(), merge, Some(receipt), Recorded::Stale).await;
            assert_eq!(inventory(&stage, acme.id()).await, before);
        }
    }
}

pub async fn a_merge_is_done_once(stage: Stage) {
    let mut acme = Tenant::new();
    let (source, target) = (acme.add(acme.post()), acme.add(acme.post()));
    let acme = acme.import(&stage.ports).await;
    let first = merge(&acme, source.id, target.id);
    record(&stage, acme.id(), first, None, Recorded::Done).await;
    let before = inventory(&stage, acme.id()).await;
    for late in [merge(&acme, source.id, target.id), merge(&acme, target.id, source.id)] {
        record(&stage, acme.id(), late, None, Recorded::Stale).await;
    }
    assert_eq!(inventory(&stage, acme.id()).await, before);
}

pub async fn a_merge_keeps_its_receipt_and_a_taken_one_leaves_nothing_of_it(stage: Stage) {
    let mut acme = Tenant::new();
    let posts = [acme.add(acme.post()), acme.add(acme.post()), acme.add(acme.post())];
    acme.add(acme.vote(&acme.author, &posts[1]));
    let acme = acme.import(&stage.ports).await;
    let receipt =
        Receipt { path: "/feedback-posts/merge", ..receipt("merge", WriteResult::Success, at(0)) };
    let first = merge(&acme, posts[0].id, posts[1].id);
    record(&stage, acme.id(), first, Some(receipt.clone()), Recorded::Done).await;
    let kept = stage
        .ports
        .receipts
        .find(acme.id(), receipt.path, receipt.key.clone(), at(0))
        .await
        .unwrap()
        .unwrap();
    assert_eq!((kept.body, kept.answer), (receipt.body, receipt.answer.clone()));
    let before = inventory(&stage, acme.id()).await;
    let second = merge(&acme, posts[1].id, posts[2].id);
    record(&stage, acme.id(), second, Some(receipt), Recorded::Taken(Unique::Receipt)).await;
    assert_eq!(inventory(&stage, acme.id()).await, before);
}

pub async fn a_vote_that_moved_is_not_withdrawn_from_the_post_that_it_was_on(stage: Stage) {
    let mut acme = Tenant::new();
    let (source, target) = (acme.add(acme.post()), acme.add(acme.post()));
    let vote = acme.add(acme.vote(&acme.author, &source));
    let acme = acme.import(&stage.ports).await;
    let withdraw = |post: &FeedbackPost| VoteChange::Withdraw {
        vote: vote.id,
        target: post.target(),
        event: None,
    };
    let cast = Vote {
        id: fresh(),
        user_id: acme.author.user_id,
        target: source.target(),
        cast_on_id: None,
        created_by_id: None,
        source_url: None,
        created_at: at(0),
    };
    let late = [withdraw(&source), VoteChange::Cast { vote: cast, event: None }];
    record(&stage, acme.id(), merge(&acme, source.id, target.id), None, Recorded::Done).await;
    let toggle = async |change: VoteChange, expected| {
        ends(expected, async || stage.ports.votes.record(acme.id(), change.clone(), None).await)
            .await;
    };
    for change in late {
        toggle(change, Recorded::Stale).await;
    }
    toggle(withdraw(&target), Recorded::Done).await;
}

pub async fn another_organizations_posts_are_not_merged(stage: Stage) {
    let mut acme = Tenant::new();
    let (source, target) = (acme.add(acme.post()), acme.add(acme.post()));
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let before = inventory(&stage, acme.id()).await;
    let theft = Merge { id: MergeId(fresh()), ..merge(&globex, source.id, target.id) };
    record(&stage, globex.id(), theft, None, Recorded::Stale).await;
    assert_eq!(inventory(&stage, acme.id()).await, before);
}

/// All records but the records of merges, as they are exported.
async fn beside_merges(stage: &Stage, acme: &Tenant) -> Vec<hearback_ports::Record> {
    let mut all = export_all(&stage.ports, acme.id()).await;
    all.retain(|record| record.kind() != Kind::Merge);
    all.iter_mut().for_each(|record| {
        if let hearback_ports::Record::FeedbackPost(post) = record {
            post.updated_at = at(0);
        }
    });
    all
}

pub async fn the_end_of_a_merge_gives_both_posts_all_their_votes_back(stage: Stage) {
    let mut acme = Tenant::new();
    let (source, target) = (acme.add(acme.post()), acme.add(acme.post()));
    let follower = acme.add(FeedbackPost { merged_into_id: Some(source.id), ..acme.post() });
    let users: Vec<User> = (0..5).map(|_| acme.add(acme.user())).collect();
    let [moved, older, younger, staying, late] = &users[..] else { panic!("five users") };
    for (user, post, millis) in [
        (moved, &source, 1),
        (older, &source, 2),
        (older, &target, 3),
        (younger, &source, 5),
        (younger, &target, 4),
        (staying, &target, 6),
    ] {
        let (created_by_id, source_url) = (Some(user.user_id), Some("https://a.example".into()));
        let vote = acme.vote(user, post);
        acme.add(Vote { created_by_id, source_url, created_at: at(millis), ..vote });
    }
    let acme = acme.import(&stage.ports).await;
    let before = beside_merges(&stage, &acme).await;
    let posts = &stage.ports.feedback_posts;
    let effects = patiently(|| posts.merge_effects(acme.id(), source.id, target.id)).await;
    assert_eq!(effects, MergeEffects { moved: 1, dropped: 2 });
    record(&stage, acme.id(), merge(&acme, source.id, target.id), None, Recorded::Done).await;
    assert_eq!(stored::<DroppedVote>(&stage, &acme).await.len(), 2);
    assert_eq!(counts_on(&stage, &acme, follower.id).await, Some(target.id));
    let effects = part(&stage, &acme, source.id, target.id).await;
    assert_eq!(effects, UnmergeEffects { returned: 1, restored: 2, followed: 1 });
    assert_eq!(beside_merges(&stage, &acme).await, before);
    assert_eq!(counts_on(&stage, &acme, follower.id).await, Some(source.id));

    // A vote that was cast since the merge stays on the target. One that was withdrawn stays so.
    record(&stage, acme.id(), merge(&acme, source.id, target.id), None, Recorded::Done).await;
    for user in [moved, older, late] {
        let input = ToggleVote { voter: user.user_id, target: source.target() };
        toggle(&stage.ports, acme.caller(), input, None).await.unwrap();
    }
    let effects = part(&stage, &acme, source.id, target.id).await;
    assert_eq!(effects, UnmergeEffects { returned: 0, restored: 2, followed: 1 });
    let voters = async |post| -> BTreeSet<UserId> {
        votes(&stage, &acme, post).await.into_iter().map(|vote| vote.user).collect()
    };
    assert_eq!(voters(source.id).await, BTreeSet::from([younger.user_id]));
    let on_target = [older, younger, staying, late].map(|user| user.user_id);
    assert_eq!(voters(target.id).await, BTreeSet::from(on_target));
}

pub async fn the_end_of_all_merges_gives_each_post_its_votes_back(stage: Stage) {
    let merges = prop::collection::vec((0..4_usize, 0..4_usize), 0..6);
    let votes = prop::collection::vec((0..4_usize, 0..4_usize), 0..10);
    let order = Just((0..4_usize).collect::<Vec<_>>()).prop_shuffle();
    for_all(12, (votes, merges, order), async |(cast, merges, order)| {
        let mut acme = Tenant::new();
        let posts: Vec<FeedbackPost> = (0..4).map(|_| acme.add(acme.post())).collect();
        let users: Vec<User> = (0..4).map(|_| acme.add(acme.user())).collect();
        for (user, post) in cast.into_iter().collect::<BTreeSet<_>>() {
            acme.add(acme.vote(&users[user], &posts[post]));
        }
        let acme = acme.import(&stage.ports).await;
        let before = beside_merges(&stage, &acme).await;
        let mut into = std::collections::BTreeMap::new();
        for (source, target) in merges {
            if source != target && !into.contains_key(&source) && !into.contains_key(&target) {
                let merge = merge(&acme, posts[source].id, posts[target].id);
                record(&stage, acme.id(), merge, None, Recorded::Done).await;
                into.insert(source, target);
            }
        }
        for source in order {
            if let Some(target) = into.remove(&source) {
                part(&stage, &acme, posts[source].id, posts[target].id).await;
            }
        }
        assert_eq!(beside_merges(&stage, &acme).await, before);
    });
}

pub async fn the_end_of_a_large_merge_waits_until_its_votes_have_moved(stage: Stage) {
    let mut acme = Tenant::new();
    let (source, target) = (acme.add(acme.post()), acme.add(acme.post()));
    for number in 0..1_300 {
        let user = acme.add(acme.user());
        for (post, is_cast) in [(&source, number < 1_200), (&target, number >= 600)] {
            if is_cast {
                let created_at = at((number * 7_919 % 1_000) + i64::from(post.id == target.id));
                acme.add(Vote { created_at, ..acme.vote(&user, post) });
            }
        }
    }
    let acme = acme.import(&stage.ports).await;
    let before = beside_merges(&stage, &acme).await;
    record(&stage, acme.id(), merge(&acme, source.id, target.id), None, Recorded::Done).await;
    let unmerge = Unmerge { source: source.id, into: target.id, at: at(i64::from(u32::MAX) + 1) };
    ends(Recorded::Done, async || {
        stage.ports.feedback_posts.unmerge(acme.id(), unmerge, Attached::default()).await
    })
    .await;
    assert_eq!(beside_merges(&stage, &acme).await, before);
}

pub async fn the_votes_that_an_older_record_says_moved_go_back(stage: Stage) {
    let mut acme = Tenant::new();
    let target = acme.add(acme.post());
    let source = acme.add(FeedbackPost { merged_into_id: Some(target.id), ..acme.post() });
    let unrecorded = acme.add(FeedbackPost { merged_into_id: Some(target.id), ..acme.post() });
    let (moved, other) = (acme.add(acme.user()), acme.add(acme.user()));
    acme.add(acme.vote(&moved, &target));
    acme.add(acme.vote(&other, &target));
    let moved_user_ids = vec![moved.user_id];
    acme.add(MergeRecord { moved_user_ids, ..acme.merge(&source, &target) });
    let acme = acme.import(&stage.ports).await;
    let nothing = UnmergeEffects { returned: 0, restored: 0, followed: 0 };
    assert_eq!(part(&stage, &acme, unrecorded.id, target.id).await, nothing);
    let effects = part(&stage, &acme, source.id, target.id).await;
    assert_eq!(effects, UnmergeEffects { returned: 1, ..nothing });
    let on = async |post| votes(&stage, &acme, post).await.into_iter().map(|it| it.user).collect();
    let (on_source, on_target): (Vec<_>, Vec<_>) = (on(source.id).await, on(target.id).await);
    assert_eq!((on_source, on_target), (vec![moved.user_id], vec![other.user_id]));
}

pub async fn the_end_of_a_merge_is_stale_if_the_post_is_not_merged_into_that_one(stage: Stage) {
    let mut acme = Tenant::new();
    let (open, target) = (acme.add(acme.post()), acme.add(acme.post()));
    let merged = acme.add(FeedbackPost { merged_into_id: Some(target.id), ..acme.post() });
    let deleted =
        acme.add(FeedbackPost { merged_into_id: Some(target.id), is_active: false, ..acme.post() });
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let before = inventory(&stage, acme.id()).await;
    let posts = &stage.ports.feedback_posts;
    let late = at(i64::from(u32::MAX));
    for (organization, source, into, time) in [
        (acme.id(), open.id, target.id, late),
        (acme.id(), merged.id, open.id, late),
        (acme.id(), deleted.id, target.id, late),
        (acme.id(), fresh(), target.id, late),
        (acme.id(), merged.id, target.id, merged.updated_at),
        (globex.id(), merged.id, target.id, late),
    ] {
        let unmerge = Unmerge { source, into, at: time };
        let receipt = Some(receipt(&fresh::<Uuid>().to_string(), WriteResult::Success, unmerge.at));
        let attached = Attached { receipt, ..Attached::default() };
        ends(Recorded::Stale, async || {
            posts.unmerge(organization, unmerge, attached.clone()).await
        })
        .await;
        assert_eq!(patiently(|| posts.unmerge_effects(organization, unmerge)).await, None);
        assert_eq!(inventory(&stage, acme.id()).await, before);
    }
}
