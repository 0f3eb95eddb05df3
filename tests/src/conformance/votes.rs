//! `VoteRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, ends, first_page, inventory, others, receipt};
use crate::build::{Tenant, Votable, at};
use crate::system::fresh;
use hearback_domain::event::{Event, Happening, UserFacts};
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::{OrganizationId, PostId, RoadmapPostId, UserId};
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::user::User;
use hearback_domain::vote::{Ballot, OpenPost, Target, Vote, VoteChange, VoteDraft, Voter, Voting};
use hearback_domain::{Time, Uuid};
use hearback_ports::{Receipt, Recorded, Unique, VoteChanges, VoteFilter, WriteResult};

async fn ballot(
    stage: &Stage,
    organization: OrganizationId,
    target: Target,
    voter: UserId,
) -> Ballot {
    stage.ports.votes.ballot(organization, target, voter).await.unwrap()
}

async fn record(
    stage: &Stage,
    organization: OrganizationId,
    change: &VoteChange,
    receipt: Option<Receipt>,
    expected: Recorded,
) {
    ends(expected, async || {
        stage.ports.votes.record(organization, change.clone(), receipt.clone()).await
    })
    .await;
}

/// The voters on a post, read as one page.
async fn voters(stage: &Stage, organization: OrganizationId, target: Target) -> Vec<Voter> {
    let page = stage.ports.votes.voters(organization, target, first_page()).await.unwrap();
    assert_eq!(page.next, None);
    page.items
}

/// The decided toggle of a user's vote.
async fn decided(stage: &Stage, acme: &Tenant, target: Target, user: &User) -> VoteChange {
    ballot(stage, acme.id(), target, user.user_id).await.toggle(fresh(), fresh(), at(0)).unwrap()
}

fn shown(vote: &Vote, user: &User) -> Voter {
    let (name, email) = (user.name.clone(), user.email.clone());
    Voter { vote_id: vote.id, user_id: user.user_id, name, email, voted_at: vote.created_at }
}

/// The board, the post and its title as a ballot shows them.
fn open(post: &FeedbackPost, voting: Voting) -> Option<OpenPost> {
    Some(OpenPost::Feedback {
        id: post.id,
        title: post.title.clone(),
        board_id: post.board_id,
        voting,
    })
}

pub async fn a_ballot_has_the_post_the_flag_of_its_board_the_voter_and_their_vote(stage: Stage) {
    let mut acme = Tenant::new();
    let closed = acme.add(FeedbackBoard { is_voting_enabled: false, ..acme.board() });
    let posts = [
        (acme.add(FeedbackPost { title: "Größe".to_owned(), ..acme.post() }), Voting::Enabled),
        (acme.add(FeedbackPost { board_id: closed.id, ..acme.post() }), Voting::Disabled),
    ];
    let (linked, left) =
        (acme.add(acme.user()), acme.add(User { is_active: false, ..acme.user() }));
    let mut expected = Vec::new();
    for (post, voting) in &posts {
        for user in [&linked, &left] {
            // The ballot shows neither another user's vote on the post nor the voter's vote on
            // another post.
            expected.push((post.clone(), *voting, user.clone(), None));
        }
        for is_active in [true, false] {
            let user = acme.add(User { is_active, ..acme.user() });
            let vote = acme.add(acme.vote(&user, post));
            expected.push((post.clone(), *voting, user, Some(vote.id)));
        }
    }
    let elsewhere = acme.add(acme.post());
    acme.add(acme.vote(&linked, &elsewhere));
    let acme = acme.import(&stage.ports).await;
    for (post, voting, user, present) in expected {
        let loaded = ballot(&stage, acme.id(), post.target(), user.user_id).await;
        let voter = user.user_id;
        assert_eq!(
            loaded,
            Ballot {
                post: open(&post, voting),
                voter,
                voter_linked: user.is_active,
                voter_blocked: false,
                present
            }
        );
    }
}

pub async fn a_ballot_on_a_roadmap_post_has_the_same(stage: Stage) {
    let mut acme = Tenant::new();
    let closed = acme.add(RoadmapBoard { is_voting_enabled: false, ..acme.roadmap_board() });
    let taking = acme.add(acme.roadmap_post());
    let refusing = acme.add(RoadmapPost { roadmap_board_id: closed.id, ..acme.roadmap_post() });
    let (linked, left) =
        (acme.add(acme.user()), acme.add(User { is_active: false, ..acme.user() }));
    let vote = acme.add(acme.vote(&left, &taking));
    let acme = acme.import(&stage.ports).await;
    for (post, voting, user, present) in [
        (&taking, Voting::Enabled, &linked, None),
        (&taking, Voting::Enabled, &left, Some(vote.id)),
        (&refusing, Voting::Disabled, &linked, None),
        (&refusing, Voting::Disabled, &left, None),
    ] {
        let loaded = ballot(&stage, acme.id(), post.target(), user.user_id).await;
        let post = Some(OpenPost::Roadmap { id: post.id, voting });
        assert_eq!(
            loaded,
            Ballot {
                post,
                voter: user.user_id,
                voter_linked: user.is_active,
                voter_blocked: false,
                present
            }
        );
    }
}

pub async fn a_ballot_on_a_missing_post_has_the_voter(stage: Stage) {
    let mut acme = Tenant::new();
    let (post, plan) = (acme.add(acme.post()), acme.add(acme.roadmap_post()));
    let deleted = acme.add(FeedbackPost { is_active: false, ..acme.post() });
    let deleted_plan = acme.add(RoadmapPost { is_active: false, ..acme.roadmap_post() });
    acme.add(acme.vote(&acme.author, &deleted));
    acme.add(acme.vote(&acme.author, &deleted_plan));
    let left = acme.add(User { is_active: false, ..acme.user() });
    let acme = acme.import(&stage.ports).await;
    let targets = [
        Target::Feedback(fresh()),
        Target::Roadmap(fresh()),
        deleted.target(),
        deleted_plan.target(),
        Target::Feedback(PostId(plan.id.0)),
        Target::Roadmap(RoadmapPostId(post.id.0)),
    ];
    for target in targets {
        for (voter, voter_linked) in
            [(acme.author.user_id, true), (left.user_id, false), (fresh(), false)]
        {
            let expected =
                Ballot { post: None, voter, voter_linked, voter_blocked: false, present: None };
            assert_eq!(ballot(&stage, acme.id(), target, voter).await, expected, "{target:?}");
        }
    }
}

pub async fn a_ballot_on_a_merged_post_is_for_the_end_of_its_chain(stage: Stage) {
    let mut acme = Tenant::new();
    let closed = acme.add(FeedbackBoard { is_voting_enabled: false, ..acme.board() });
    let last =
        acme.add(FeedbackPost { title: "The last".to_owned(), board_id: closed.id, ..acme.post() });
    let middle = acme.add(FeedbackPost { merged_into_id: Some(last.id), ..acme.post() });
    let first = acme.add(FeedbackPost { merged_into_id: Some(middle.id), ..acme.post() });
    let vote = acme.add(acme.vote(&acme.author, &last));
    let acme = acme.import(&stage.ports).await;
    for post in [&first, &middle, &last] {
        let voter = acme.author.user_id;
        let expected = Ballot {
            post: open(&last, Voting::Disabled),
            voter,
            voter_linked: true,
            voter_blocked: false,
            present: Some(vote.id),
        };
        assert_eq!(ballot(&stage, acme.id(), post.target(), voter).await, expected);
    }
}

pub async fn a_chain_of_merges_that_ends_or_begins_at_an_inactive_post_has_no_ballot(stage: Stage) {
    let mut acme = Tenant::new();
    let gone = acme.add(FeedbackPost { is_active: false, ..acme.post() });
    let middle = acme.add(FeedbackPost { merged_into_id: Some(gone.id), ..acme.post() });
    let first = acme.add(FeedbackPost { merged_into_id: Some(middle.id), ..acme.post() });
    let kept = acme.add(acme.post());
    let deleted =
        acme.add(FeedbackPost { merged_into_id: Some(kept.id), is_active: false, ..acme.post() });
    let through = acme.add(FeedbackPost { merged_into_id: Some(deleted.id), ..acme.post() });
    let acme = acme.import(&stage.ports).await;
    for post in [&first, &middle, &gone, &deleted] {
        assert_eq!(ballot(&stage, acme.id(), post.target(), acme.author.user_id).await.post, None);
    }
    // A deleted post in between does not matter.
    let loaded = ballot(&stage, acme.id(), through.target(), acme.author.user_id).await;
    assert_eq!(loaded.post, open(&kept, Voting::Enabled));
}

pub async fn a_post_on_a_deleted_board_has_the_flag_of_that_board(stage: Stage) {
    let mut acme = Tenant::new();
    let board =
        acme.add(FeedbackBoard { is_active: false, is_voting_enabled: false, ..acme.board() });
    let post = acme.add(FeedbackPost { board_id: board.id, ..acme.post() });
    let acme = acme.import(&stage.ports).await;
    let loaded = ballot(&stage, acme.id(), post.target(), acme.author.user_id).await;
    assert_eq!(loaded.post, open(&post, Voting::Disabled));
}

pub async fn another_organizations_posts_and_users_are_not_on_a_ballot(stage: Stage) {
    let mut acme = Tenant::new();
    let (post, plan) = (acme.add(acme.post()), acme.add(acme.roadmap_post()));
    acme.add(acme.vote(&acme.author, &post));
    let acme = acme.import(&stage.ports).await;
    let mut globex = Tenant::new();
    let own = globex.add(globex.post());
    let globex = globex.import(&stage.ports).await;
    for target in
        [post.target(), plan.target(), Target::Feedback(fresh()), Target::Roadmap(fresh())]
    {
        let voter = globex.author.user_id;
        let expected =
            Ballot { post: None, voter, voter_linked: true, voter_blocked: false, present: None };
        assert_eq!(ballot(&stage, globex.id(), target, voter).await, expected);
    }
    for voter in [acme.author.user_id, fresh()] {
        let expected = Ballot {
            post: open(&own, Voting::Enabled),
            voter,
            voter_linked: false,
            voter_blocked: false,
            present: None,
        };
        assert_eq!(ballot(&stage, globex.id(), own.target(), voter).await, expected);
    }
}

pub async fn a_vote_is_cast_and_withdrawn(stage: Stage) {
    let mut acme = Tenant::new();
    let (post, plan) = (acme.add(acme.post()), acme.add(acme.roadmap_post()));
    let user = acme.add(acme.user());
    let acme = acme.import(&stage.ports).await;
    let before = others(&stage, &acme).await;
    let untouched = inventory(&stage, acme.id()).await;
    for target in [post.target(), plan.target()] {
        let vote = Vote {
            id: fresh(),
            user_id: user.user_id,
            target,
            cast_on_id: None,
            created_by_id: None,
            source_url: None,
            created_at: at(5),
        };
        let cast = ballot(&stage, acme.id(), target, user.user_id)
            .await
            .toggle(vote.id, fresh(), vote.created_at)
            .unwrap();
        record(&stage, acme.id(), &cast, None, Recorded::Done).await;
        assert_eq!(voters(&stage, acme.id(), target).await, [shown(&vote, &user)]);
        let loaded = ballot(&stage, acme.id(), target, user.user_id).await;
        assert_eq!(loaded.present, Some(vote.id));
        let withdraw = loaded.toggle(fresh(), fresh(), at(6)).unwrap();
        record(&stage, acme.id(), &withdraw, None, Recorded::Done).await;
        let mut left = inventory(&stage, acme.id()).await;
        // A count that is 0 again may have a row.
        left.rows.remove("record_counts");
        assert_eq!(left, untouched);
    }
    assert_eq!(others(&stage, &acme).await, before);
}

pub async fn a_vote_can_be_cast_and_withdrawn_at_any_time(stage: Stage) {
    let mut acme = Tenant::new();
    let post = acme.add(acme.post());
    let acme = acme.import(&stage.ports).await;
    for moment in [Time::MIN, at(-1), Time::MAX] {
        let cast = ballot(&stage, acme.id(), post.target(), acme.author.user_id)
            .await
            .toggle(fresh(), fresh(), moment)
            .unwrap();
        record(&stage, acme.id(), &cast, None, Recorded::Done).await;
        assert_eq!(voters(&stage, acme.id(), post.target()).await[0].voted_at, moment);
        let withdraw = ballot(&stage, acme.id(), post.target(), acme.author.user_id).await;
        let withdraw = withdraw.toggle(fresh(), fresh(), moment).unwrap();
        record(&stage, acme.id(), &withdraw, None, Recorded::Done).await;
    }
}

pub async fn casting_is_stale_while_the_voter_has_a_vote_on_the_post(stage: Stage) {
    let mut acme = Tenant::new();
    let (post, plan) = (acme.add(acme.post()), acme.add(acme.roadmap_post()));
    acme.add(acme.subscription());
    let acme = acme.import(&stage.ports).await;
    for target in [post.target(), plan.target()] {
        let first = decided(&stage, &acme, target, &acme.author).await;
        let late = decided(&stage, &acme, target, &acme.author).await;
        record(&stage, acme.id(), &first, None, Recorded::Done).await;
        is_stale(&stage, &acme, &late).await;
    }
}

pub async fn casting_is_stale_on_a_post_that_was_merged_or_deleted_or_never_was(stage: Stage) {
    let mut acme = Tenant::new();
    let target = acme.add(acme.post());
    let merged = acme.add(FeedbackPost { merged_into_id: Some(target.id), ..acme.post() });
    let deleted = acme.add(FeedbackPost { is_active: false, ..acme.post() });
    let deleted_plan = acme.add(RoadmapPost { is_active: false, ..acme.roadmap_post() });
    acme.add(acme.subscription());
    let acme = acme.import(&stage.ports).await;
    let mut globex = Tenant::new();
    let (foreign, foreign_plan) = (globex.add(globex.post()), globex.add(globex.roadmap_post()));
    globex.import(&stage.ports).await;
    let open = decided(&stage, &acme, target.target(), &acme.author).await;
    let VoteChange::Cast { vote, event } = open else { panic!("the author has no vote yet") };
    for target in [
        merged.target(),
        deleted.target(),
        deleted_plan.target(),
        foreign.target(),
        foreign_plan.target(),
        Target::Feedback(fresh()),
        Target::Roadmap(fresh()),
    ] {
        let event = event.clone().filter(|_| matches!(target, Target::Feedback(_)));
        let cast = VoteChange::Cast { vote: Vote { target, ..vote.clone() }, event };
        is_stale(&stage, &acme, &cast).await;
    }
}

pub async fn withdrawing_is_stale_once_the_vote_is_gone(stage: Stage) {
    let mut acme = Tenant::new();
    let (post, plan) = (acme.add(acme.post()), acme.add(acme.roadmap_post()));
    acme.add(acme.vote(&acme.author, &post));
    acme.add(acme.vote(&acme.author, &plan));
    acme.add(acme.subscription());
    let acme = acme.import(&stage.ports).await;
    for target in [post.target(), plan.target()] {
        let first = decided(&stage, &acme, target, &acme.author).await;
        let late = decided(&stage, &acme, target, &acme.author).await;
        record(&stage, acme.id(), &first, None, Recorded::Done).await;
        is_stale(&stage, &acme, &late).await;
        // The stale change does not withdraw the vote that was cast since.
        let again = decided(&stage, &acme, target, &acme.author).await;
        record(&stage, acme.id(), &again, None, Recorded::Done).await;
        is_stale(&stage, &acme, &late).await;
    }
}

pub async fn withdrawing_is_stale_where_the_vote_is_not_on_that_post_or_not_in_that_organization(
    stage: Stage,
) {
    let mut acme = Tenant::new();
    let (post, other, plan) =
        (acme.add(acme.post()), acme.add(acme.post()), acme.add(acme.roadmap_post()));
    let vote = acme.add(acme.vote(&acme.author, &post)).id;
    let acme = acme.import(&stage.ports).await;
    for target in [
        other.target(),
        plan.target(),
        Target::Feedback(fresh()),
        Target::Roadmap(RoadmapPostId(post.id.0)),
    ] {
        is_stale(&stage, &acme, &VoteChange::Withdraw { vote, target, event: None }).await;
    }
    let globex = Tenant::new().import(&stage.ports).await;
    let withdraw = VoteChange::Withdraw { vote, target: post.target(), event: None };
    record(&stage, globex.id(), &withdraw, None, Recorded::Stale).await;
    record(&stage, acme.id(), &withdraw, None, Recorded::Done).await;
}

pub async fn a_receipt_that_is_taken_leaves_nothing_of_the_change(stage: Stage) {
    let mut acme = Tenant::new();
    let (post, plan) = (acme.add(acme.post()), acme.add(acme.roadmap_post()));
    acme.add(acme.subscription());
    let acme = acme.import(&stage.ports).await;
    for target in [post.target(), plan.target()] {
        let receipt =
            |answer| Some(receipt(&format!("{target:?}").replace(' ', ""), answer, at(0)));
        let cast = decided(&stage, &acme, target, &acme.author).await;
        record(&stage, acme.id(), &cast, receipt(WriteResult::Voted(true)), Recorded::Done).await;
        let withdraw = decided(&stage, &acme, target, &acme.author).await;
        let before = inventory(&stage, acme.id()).await;
        let taken = Recorded::Taken(Unique::Receipt);
        record(&stage, acme.id(), &withdraw, receipt(WriteResult::Voted(false)), taken).await;
        assert_eq!(inventory(&stage, acme.id()).await, before);
        // In the twin the same vote identifier and the same idempotency key are free.
        record(&stage, acme.twin().id(), &cast, receipt(WriteResult::Voted(true)), Recorded::Done)
            .await;
    }
}

/// Votes that a draft describes, on a post.
async fn set(stage: &Stage, acme: &Tenant, target: Target, voters: &[(User, bool)]) -> VoteChanges {
    let ids = voters.iter().map(|(user, _)| user.user_id).collect();
    let ballots = stage.ports.votes.ballots(acme.id(), target, ids).await.unwrap();
    let mut changes = Vec::new();
    let mut newcomers = Vec::new();
    for (ballot, (user, is_new)) in ballots.into_iter().zip(voters) {
        assert_eq!((ballot.voter, ballot.voter_linked), (user.user_id, !is_new));
        let draft = VoteDraft {
            created_by_id: Some(acme.author.user_id),
            source_url: Some("https://example.com/call".to_owned()),
            created_at: Some(at(-7)),
        };
        let ballot = Ballot { voter_linked: true, ..ballot };
        let set = ballot.set(true, draft, fresh(), fresh(), at(0)).unwrap();
        changes.extend(set);
        if *is_new {
            let what = Happening::UserCreated(UserFacts::from(user));
            newcomers
                .push((user.clone(), Event { id: fresh(), at: at(0), what, in_ledger: false }));
        }
    }
    VoteChanges { target, newcomers, changes, receipt: None }
}

pub async fn votes_of_many_voters_are_cast_and_withdrawn_together(stage: Stage) {
    let mut acme = Tenant::new();
    let (post, plan) = (acme.add(acme.post()), acme.add(acme.roadmap_post()));
    let linked = acme.add(acme.user());
    let acme = acme.import(&stage.ports).await;
    for target in [post.target(), plan.target()] {
        let both = [(linked.clone(), false), (acme.user(), true)];
        let changes = set(&stage, &acme, target, &both).await;
        ends(Recorded::Done, async || {
            stage.ports.votes.record_all(acme.id(), changes.clone()).await
        })
        .await;
        let filter = VoteFilter { target: Some(target), ..VoteFilter::default() };
        let page = stage.ports.votes.page(acme.id(), filter, first_page()).await.unwrap();
        let cast: Vec<Vote> = changes
            .changes
            .iter()
            .map(|change| match change {
                VoteChange::Cast { vote, .. } => vote.clone(),
                VoteChange::Withdraw { .. } => panic!("nobody has voted yet"),
            })
            .collect();
        let mut sorted = cast.clone();
        sorted.sort_by_key(|vote| vote.id.0);
        assert_eq!(page.items, sorted);
        let ids = cast.iter().map(|vote| vote.user_id).collect();
        let ballots = stage.ports.votes.ballots(acme.id(), target, ids).await.unwrap();
        assert!(ballots.iter().all(|ballot| ballot.voter_linked && ballot.present.is_some()));
        let withdrawn = ballots.into_iter().filter_map(|ballot| {
            ballot.set(false, VoteDraft::default(), fresh(), fresh(), at(1)).unwrap()
        });
        let (newcomers, receipt) = (vec![], None);
        let changes = VoteChanges { target, newcomers, changes: withdrawn.collect(), receipt };
        assert_eq!(changes.changes.len(), 2);
        ends(Recorded::Done, async || {
            stage.ports.votes.record_all(acme.id(), changes.clone()).await
        })
        .await;
        assert_eq!(voters(&stage, acme.id(), target).await, []);
    }
}

pub async fn of_votes_together_one_that_does_not_hold_leaves_nothing_of_the_others(stage: Stage) {
    let mut acme = Tenant::new();
    let post = acme.add(acme.post());
    let linked = acme.add(acme.user());
    acme.add(acme.subscription());
    let acme = acme.import(&stage.ports).await;
    let target = post.target();
    let newcomer = acme.user();
    let both = [(newcomer.clone(), true), (linked.clone(), false)];
    let late = set(&stage, &acme, target, &both).await;
    let first = decided(&stage, &acme, target, &linked).await;
    record(&stage, acme.id(), &first, None, Recorded::Done).await;
    let before = inventory(&stage, acme.id()).await;
    ends(Recorded::Stale, async || stage.ports.votes.record_all(acme.id(), late.clone()).await)
        .await;
    let taken = User { email: linked.email.clone(), ..newcomer };
    let taken = set(&stage, &acme, target, &[(taken, true)]).await;
    ends(Recorded::Taken(Unique::Email), async || {
        stage.ports.votes.record_all(acme.id(), taken.clone()).await
    })
    .await;
    assert_eq!(inventory(&stage, acme.id()).await, before);
}

pub async fn the_targets_are_found_on_which_a_user_has_a_vote(stage: Stage) {
    let mut acme = Tenant::new();
    let user = acme.add(acme.user());
    let [both, mine, theirs, none] = [(); 4].map(|()| acme.add(acme.post()));
    let [plan, other_plan] = [(); 2].map(|()| acme.add(acme.roadmap_post()));
    for target in [both.target(), mine.target(), plan.target()] {
        acme.add(Vote { target, ..acme.vote(&user, &both) });
    }
    for target in [both.target(), theirs.target(), other_plan.target()] {
        acme.add(Vote { target, ..acme.vote(&acme.author, &both) });
    }
    let acme = acme.import(&stage.ports).await;
    let posts = [&both, &mine, &theirs, &none].map(Votable::target);
    let plans = [&plan, &other_plan].map(Votable::target);
    // A post and a roadmap post may have the same identifier.
    let swapped = [Target::Feedback(plan.id.0.into()), Target::Roadmap(mine.id.0.into())];
    let all = [&posts[..], &plans, &swapped, &[Target::Feedback(fresh())]].concat();
    let on = |tenant: &Tenant, user: UserId, asked: &[Target]| {
        let votes = tenant.all::<Vote>();
        let is_voted =
            |target: &Target| votes.iter().any(|it| it.user_id == user && it.target == *target);
        asked.iter().copied().filter(is_voted).collect::<Vec<_>>()
    };
    for tenant in [&*acme, acme.twin(), acme.opposite()] {
        for user in [user.user_id, acme.author.user_id, fresh()] {
            for asked in [&all[..], &posts, &plans, &swapped, &[]] {
                let voted = stage.ports.votes.voted(tenant.id(), user, asked.to_vec());
                let mut voted = voted.await.unwrap();
                voted.sort_by_key(|target| all.iter().position(|it| it == target));
                assert_eq!(voted, on(tenant, user, asked));
            }
        }
    }
}

/// A stale change leaves no vote, event, delivery or receipt.
async fn is_stale(stage: &Stage, acme: &Tenant, change: &VoteChange) {
    let before = inventory(stage, acme.id()).await;
    let receipt = receipt(&fresh::<Uuid>().to_string(), WriteResult::Voted(change.voted()), at(0));
    record(stage, acme.id(), change, Some(receipt), Recorded::Stale).await;
    assert_eq!(inventory(stage, acme.id()).await, before, "{change:?}");
}
