//! The rule of a vote, and the use case around it, without a store.

use hearback_app::votes::{ToggleVote, toggle};
use hearback_app::{Caller, Error, Outcome, Precondition};
use hearback_domain::event::Happening;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::vote::{Ballot, OpenPost, Target, VoteChange, Voting};
use hearback_domain::{Time, Uuid};
use hearback_mocked_ports::HandClock;
use hearback_ports::mock::Mocks;
use hearback_ports::{Ports, Recorded, StoreError, WriteResult};
use std::sync::Arc;
use std::time::Duration;

const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));
const CALLER: Caller = Caller::background(ORGANIZATION);
const VOTER: UserId = UserId(Uuid::from_u128(2));
const POST: Uuid = Uuid::from_u128(3);
const FRESH: Uuid = Uuid::from_u128(4);

fn noon() -> Time {
    Time::MIN.plus_millis(12 * 60 * 60 * 1_000)
}

/// A ballot on a post of a board that takes votes. The voter has none yet.
fn ballot() -> Ballot {
    let post = OpenPost::Feedback {
        id: POST.into(),
        title: "Dark mode".to_owned(),
        board_id: Uuid::from_u128(5).into(),
        voting: Voting::Enabled,
    };
    Ballot {
        post: Some(post),
        voter: VOTER,
        voter_linked: true,
        voter_blocked: false,
        present: None,
    }
}

// A rule is a pure function: its test needs no mock.
#[test]
fn a_second_toggle_withdraws_the_vote_of_the_first() {
    let first = ballot().toggle(FRESH.into(), Uuid::from_u128(6).into(), noon()).unwrap();
    let VoteChange::Cast { vote, event: Some(event) } = first else { panic!("{first:?}") };
    assert_eq!((vote.id, vote.created_at), (FRESH.into(), noon()));
    assert!(matches!(event.what, Happening::VoteCreated(_)));

    let again = Ballot { present: Some(vote.id), ..ballot() };
    let second = again.toggle(Uuid::nil().into(), Uuid::from_u128(7).into(), noon()).unwrap();
    let VoteChange::Withdraw { vote: withdrawn, .. } = second else { panic!("{second:?}") };
    assert_eq!(withdrawn, vote.id);
}

/// The ports of a use case: the mocks, and the clock of the test.
fn ports(mocks: Mocks, clock: &Arc<HandClock>) -> Ports {
    Ports { clock: clock.clone(), ..mocks.ports() }
}

/// Mocks of a store that has this ballot.
fn storing(ballot: Ballot) -> Mocks {
    let mut mocks = Mocks::default();
    mocks.ids.expect_fresh().return_const(FRESH);
    mocks.votes.expect_ballot().returning(move |_, _, _| Ok(ballot.clone()));
    mocks
}

async fn vote(ports: Ports) -> Result<Outcome, Error> {
    let input = ToggleVote { voter: VOTER, target: Target::Feedback(POST.into()) };
    toggle(&ports, CALLER, input, None).await
}

#[tokio::test]
async fn a_vote_is_cast_at_the_time_of_the_clock_and_wakes_the_dispatcher() {
    let clock = Arc::new(HandClock::new(noon()));
    clock.advance(Duration::from_secs(1));
    let at = noon().plus_millis(1_000);
    let mut mocks = storing(ballot());
    mocks
        .votes
        .expect_record()
        .once()
        .withf(move |organization, change, receipt| {
            let cast = matches!(change, VoteChange::Cast { vote, .. } if vote.created_at == at);
            *organization == ORGANIZATION && cast && receipt.is_none()
        })
        .returning(|_, _, _| Ok(Recorded::Done));
    mocks.alarm.expect_ring().once().return_const(());
    let outcome = vote(ports(mocks, &clock)).await.unwrap();
    assert_eq!(outcome, Outcome::Fresh(WriteResult::Voted(true)));
}

// No call of `votes.record` is expected: such a call would panic.
#[tokio::test]
async fn a_board_without_votes_refuses_and_nothing_is_recorded() {
    let closed = OpenPost::Roadmap { id: POST.into(), voting: Voting::Disabled };
    let mocks = storing(Ballot { post: Some(closed), ..ballot() });
    let refused = vote(ports(mocks, &Arc::new(HandClock::new(noon())))).await;
    assert!(matches!(refused, Err(Error::Refused(Precondition::VotingDisabled))), "{refused:?}");
}

#[tokio::test]
async fn a_toggle_that_loses_every_race_is_busy_after_two_seconds() {
    let clock = Arc::new(HandClock::new(noon()));
    let mut mocks = storing(ballot());
    let hand = clock.clone();
    mocks.votes.expect_record().times(4).returning(move |_, _, _| {
        hand.advance(Duration::from_millis(500));
        Ok(Recorded::Stale)
    });
    let busy = vote(ports(mocks, &clock)).await;
    assert!(matches!(busy, Err(Error::Store(StoreError::Busy))), "{busy:?}");
}
