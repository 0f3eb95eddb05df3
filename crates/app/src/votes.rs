//! `/votes/…`

use crate::once::{Outcome, Repeat, once};
use crate::{Caller, Error};
use hearback_domain::id::UserId;
use hearback_domain::record::Kind;
use hearback_domain::vote::{Target, Voter};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{Ports, Recorded, WriteResult};

/// The input of [`toggle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToggleVote {
    /// The voter.
    pub voter: UserId,
    /// The post.
    pub target: Target,
}

/// `/votes/toggle`: casts the voter's vote, or withdraws it. Returns [`WriteResult::Voted`].
pub async fn toggle(
    ports: &Ports,
    caller: Caller,
    ToggleVote { voter, target }: ToggleVote,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::Vote)?;
    let repeat = repeat.as_ref();
    once(ports, organization, target, repeat, |_| async {
        let ballot = ports.votes.ballot(organization, target, voter).await?;
        let at = ports.clock.now();
        let change = ballot.toggle(ports.ids.fresh().into(), ports.ids.fresh().into(), at)?;
        let answer = WriteResult::Voted(change.voted());
        let receipt = repeat.map(|repeat| repeat.receipt(answer, at));
        let emits = change.event().is_some();
        let recorded = ports.votes.record(organization, change, receipt).await?;
        if emits && recorded == Recorded::Done {
            ports.alarm.ring();
        }
        Ok((recorded, answer))
    })
    .await
}

/// `/votes/voters`: the voters on a post, oldest vote first. The page is empty if the post is not
/// there.
pub async fn voters(
    ports: &Ports,
    caller: Caller,
    target: Target,
    page: PageRequest<ByTime>,
) -> Result<Page<Voter, ByTime>, Error> {
    let organization = caller.view(Kind::Vote)?;
    Ok(ports.votes.voters(organization, target, page).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Missing, Precondition};
    use hearback_domain::id::OrganizationId;
    use hearback_domain::vote::{Ballot, OpenPost, VoteChange, Voting};
    use hearback_domain::{Time, Uuid};
    use hearback_ports::mock::Mocks;
    use hearback_ports::{IdempotencyKey, Receipt, Recorded};
    use std::time::Duration;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const CALLER: Caller = Caller::background(ORGANIZATION);
    const INPUT: ToggleVote = ToggleVote {
        voter: UserId(Uuid::from_u128(3)),
        target: Target::Roadmap(hearback_domain::id::RoadmapPostId(Uuid::from_u128(7))),
    };

    fn mocks(voting: Option<Voting>) -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks.clock.expect_now().return_const(Time::MIN);
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(9));
        mocks.votes.expect_ballot().returning(move |_, _, voter| {
            let post =
                voting.map(|voting| OpenPost::Roadmap { id: Uuid::from_u128(7).into(), voting });
            Ok(Ballot { post, voter, voter_linked: true, voter_blocked: false, present: None })
        });
        mocks
    }

    #[tokio::test]
    async fn the_receipt_is_recorded_with_the_vote() {
        let repeat = Repeat {
            path: "/votes/toggle",
            key: IdempotencyKey::parse("a").unwrap(),
            body: [7; 32],
        };
        let expected: Receipt = repeat.receipt(WriteResult::Voted(true), Time::MIN);
        let mut mocks = mocks(Some(Voting::Enabled));
        mocks.receipts.expect_find().once().returning(|_, _, _, _| Ok(None));
        mocks
            .votes
            .expect_record()
            .once()
            .withf(move |_, change, receipt| {
                matches!(change, VoteChange::Cast { event: None, .. })
                    && receipt.as_ref() == Some(&expected)
            })
            .returning(|_, _, _| Ok(Recorded::Done));
        let outcome = toggle(&mocks.ports(), CALLER, INPUT, Some(repeat)).await.unwrap();
        assert_eq!(outcome, Outcome::Fresh(WriteResult::Voted(true)));
    }

    #[tokio::test]
    async fn a_lost_race_is_decided_again_from_the_records_of_that_time() {
        let mut mocks = mocks(Some(Voting::Enabled));
        let mut answers = vec![Recorded::Done, Recorded::Stale];
        mocks
            .votes
            .expect_record()
            .times(2)
            .returning(move |_, _, _| Ok(answers.pop().unwrap_or(Recorded::Stale)));
        mocks.clock.expect_sleep().returning(|_| ());
        assert!(toggle(&mocks.ports(), CALLER, INPUT, None).await.is_ok());
    }

    #[tokio::test]
    async fn a_refused_toggle_records_nothing() {
        let outcome = toggle(&mocks(None).ports(), CALLER, INPUT, None).await;
        assert!(matches!(outcome, Err(Error::NotFound(Missing::VoteTarget))));
        let outcome = toggle(&mocks(Some(Voting::Disabled)).ports(), CALLER, INPUT, None).await;
        assert!(matches!(outcome, Err(Error::Refused(Precondition::VotingDisabled))));
    }
}
