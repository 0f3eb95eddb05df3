//! `/votes/…`

use crate::once::{Outcome, Repeat, once};
use crate::write::ATTEMPTS_BY_ADDRESS;
use crate::{Caller, Error, Missing, Precondition, people};
use hearback_domain::Time;
use hearback_domain::event::{Event, Happening, UserFacts};
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::person::Person;
use hearback_domain::record::{Key, Kind};
use hearback_domain::user::User;
use hearback_domain::vote::{Ballot, OpenPost, Target, Vote, VoteDraft, Voter};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{Ports, Recorded, Unique, VoteChanges, VoteFilter, WriteResult};
use std::collections::BTreeSet;

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
        let change = change.in_ledger(caller.keeps_events());
        let answer = WriteResult::Voted(change.voted());
        let receipt = repeat.map(|repeat| repeat.receipt(&answer, at));
        let emits = change.event().is_some();
        let recorded = ports.votes.record(organization, change, receipt).await?;
        if emits && recorded == Recorded::Done {
            ports.alarm.ring();
        }
        Ok((recorded, answer))
    })
    .await
}

/// The input of [`set`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetVote {
    /// The post.
    pub target: Target,
    /// The voter.
    pub voter: Person,
    /// Whether the voter shall have a vote.
    pub voted: bool,
    /// The vote, if it is cast.
    pub draft: VoteDraft,
}

/// `/votes/set`: casts or withdraws a vote, unless it is as wanted. Returns [`WriteResult::Set`].
///
/// A voter who is not known becomes a user, unless the vote is withdrawn.
pub async fn set(
    ports: &Ports,
    caller: Caller,
    SetVote { target, voter, voted, draft }: SetVote,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let voters = vec![(voter, draft)];
    let answer = |changed| WriteResult::Set { voted, changed: changed > 0 };
    set_all(ports, caller, target, voted, voters, repeat, |changed, _| answer(changed)).await
}

/// The input of [`set_many`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetVotes {
    /// The post.
    pub target: Target,
    /// Whether the voters shall have votes.
    pub voted: bool,
    /// The voters, each with the vote, if it is cast.
    pub voters: Vec<(Person, VoteDraft)>,
}

/// `/votes/set-many`: [`set`] for many voters, all or none. A repeated voter counts once, by the
/// first vote. Returns [`WriteResult::SetMany`].
pub async fn set_many(
    ports: &Ports,
    caller: Caller,
    SetVotes { target, voted, voters }: SetVotes,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    set_all(ports, caller, target, voted, voters, repeat, |changed, unchanged| {
        WriteResult::SetMany { changed, unchanged }
    })
    .await
}

async fn set_all(
    ports: &Ports,
    caller: Caller,
    target: Target,
    voted: bool,
    voters: Vec<(Person, VoteDraft)>,
    repeat: Option<Repeat>,
    answer: impl Fn(u64, u64) -> WriteResult,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::Vote)?;
    let (voters, repeat, answer) = (&voters, repeat.as_ref(), &answer);
    once(ports, organization, target, repeat, |attempt| async move {
        let at = ports.clock.now();
        let found = voters_of(ports, organization, voters, at).await?;
        let ids = found.iter().map(|voter| voter.id).collect();
        let ballots = ports.votes.ballots(organization, target, ids).await?;
        let mut changes = VoteChanges { target, newcomers: vec![], changes: vec![], receipt: None };
        let count = found.len() as u64;
        for (voter, ballot) in found.into_iter().zip(ballots) {
            let voter_linked = ballot.voter_linked || voter.newcomer.is_some();
            let ballot = Ballot { voter_linked, ..ballot };
            changes.target = ballot.post.as_ref().map_or(target, OpenPost::target);
            let (fresh, event) = (ports.ids.fresh().into(), ports.ids.fresh().into());
            if let Some(change) = ballot.set(voted, voter.draft, fresh, event, at)? {
                changes.newcomers.extend(voter.newcomer.map(|user| made(ports, caller, user, at)));
                changes.changes.push(change.in_ledger(caller.keeps_events()));
            }
        }
        filed_by(ports, organization, voters).await?;
        let changed = changes.changes.len() as u64;
        let result = answer(changed, count - changed);
        changes.receipt = repeat.map(|repeat| repeat.receipt(&result, at));
        if changed == 0 && changes.receipt.is_none() {
            return Ok((Recorded::Done, result));
        }
        let emits = changes.changes.iter().any(|change| change.event().is_some());
        let emits = emits || !changes.newcomers.is_empty();
        let recorded = ports.votes.record_all(organization, changes).await?;
        if recorded == Recorded::Taken(Unique::Email) && attempt >= ATTEMPTS_BY_ADDRESS {
            return Err(Error::Refused(Precondition::EmailTaken));
        }
        if emits && recorded == Recorded::Done {
            ports.alarm.ring();
        }
        Ok((recorded, result))
    })
    .await
}

/// A person who votes.
struct FoundVoter {
    id: UserId,
    /// The user, if nobody has the handle yet.
    newcomer: Option<User>,
    draft: VoteDraft,
}

/// The voters whom a request names, each of them once.
async fn voters_of(
    ports: &Ports,
    organization: OrganizationId,
    voters: &[(Person, VoteDraft)],
    now: Time,
) -> Result<Vec<FoundVoter>, Error> {
    let mut found: Vec<FoundVoter> = Vec::with_capacity(voters.len());
    let mut handles = Vec::with_capacity(voters.len());
    for (person, draft) in voters {
        if let Person::Anyone { handle, .. } = person {
            if handles.contains(&handle) {
                continue;
            }
            handles.push(handle);
        }
        let (id, newcomer) = match person {
            // The ballot tells whether this user is linked.
            Person::User(id) => (*id, None),
            Person::Anyone { .. } => {
                let found = people::find(ports, organization, person, now).await?;
                (found.writer.id, found.newcomer)
            }
        };
        if found.iter().all(|voter| voter.id != id) {
            found.push(FoundVoter { id, newcomer, draft: draft.clone() });
        }
    }
    Ok(found)
}

/// A new user, with the event.
fn made(ports: &Ports, caller: Caller, user: User, at: Time) -> (User, Event) {
    let what = Happening::UserCreated(UserFacts::from(&user));
    let in_ledger = caller.keeps_events();
    (user, Event { id: ports.ids.fresh().into(), at, what, in_ledger })
}

/// Refuses votes that were filed by somebody who is not a user.
async fn filed_by(
    ports: &Ports,
    organization: OrganizationId,
    voters: &[(Person, VoteDraft)],
) -> Result<(), Error> {
    let filers = voters.iter().filter_map(|(_, draft)| draft.created_by_id);
    let filers: BTreeSet<Key> = filers.map(|user| (Kind::User, user.0)).collect();
    if filers.is_empty() {
        return Ok(());
    }
    let known = ports.records.load(organization, filers.iter().copied().collect()).await?;
    match filers.into_iter().all(|user| known.is_active(user)) {
        true => Ok(()),
        false => Err(Error::NotFound(Missing::Record(Kind::User))),
    }
}

/// `/votes/list`: the votes that the filter admits, oldest first.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    filter: VoteFilter,
    page: PageRequest<ByTime>,
) -> Result<Page<Vote, ByTime>, Error> {
    let organization = caller.view(Kind::Vote)?;
    Ok(ports.votes.page(organization, filter, page).await?)
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
    use hearback_domain::Uuid;
    use hearback_domain::person::{Email, Handle};
    use hearback_domain::vote::{VoteChange, Voting};
    use hearback_ports::mock::Mocks;
    use hearback_ports::{IdempotencyKey, Receipt};
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
        let expected: Receipt = repeat.receipt(&WriteResult::Voted(true), Time::MIN);
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
    fn by_address(address: &str) -> (Person, VoteDraft) {
        let handle = Handle::Email(Email::parse(address).unwrap());
        (Person::Anyone { handle, name: None }, VoteDraft::default())
    }

    fn setting(voted: bool, mut voters: Vec<(Person, VoteDraft)>) -> SetVotes {
        voters.push((Person::User(INPUT.voter), VoteDraft::default()));
        SetVotes { target: INPUT.target, voted, voters }
    }

    fn open_mocks() -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks.clock.expect_now().return_const(Time::MIN);
        let mut fresh = 100;
        mocks.ids.expect_fresh().returning(move || {
            fresh += 1;
            Uuid::from_u128(fresh)
        });
        mocks.users.expect_find().returning(|_, _| Ok(None));
        mocks.votes.expect_ballots().returning(|_, _, voters| {
            let id = Uuid::from_u128(7).into();
            let post = Some(OpenPost::Roadmap { id, voting: Voting::Enabled });
            let ballot = |voter| Ballot {
                post: post.clone(),
                voter,
                voter_linked: voter == INPUT.voter,
                voter_blocked: false,
                present: (voter == INPUT.voter).then(|| Uuid::from_u128(8).into()),
            };
            Ok(voters.into_iter().map(ballot).collect())
        });
        mocks
    }

    #[tokio::test]
    async fn a_voter_is_made_once_and_votes_once() {
        let mut mocks = open_mocks();
        mocks.alarm.expect_ring().once().return_const(());
        mocks
            .votes
            .expect_record_all()
            .once()
            .withf(|_, changes| {
                let [(user, _)] = &changes.newcomers[..] else { return false };
                let [VoteChange::Cast { vote, .. }] = &changes.changes[..] else { return false };
                (&*user.email, vote.user_id) == ("ada@example.com", user.user_id)
            })
            .returning(|_, _| Ok(Recorded::Done));
        let ada = || by_address("ada@example.com");
        let input = setting(true, vec![ada(), ada()]);
        let outcome = set_many(&mocks.ports(), CALLER, input, None).await.unwrap();
        let expected = WriteResult::SetMany { changed: 1, unchanged: 1 };
        assert_eq!(outcome, Outcome::Fresh(expected));
    }

    #[tokio::test]
    async fn nobody_is_made_by_a_vote_that_is_withdrawn() {
        let mut mocks = open_mocks();
        mocks
            .votes
            .expect_record_all()
            .once()
            .withf(|_, changes| {
                let only = matches!(changes.changes[..], [VoteChange::Withdraw { .. }]);
                changes.newcomers.is_empty() && only
            })
            .returning(|_, _| Ok(Recorded::Done));
        let input = setting(false, vec![by_address("ada@example.com")]);
        let outcome = set_many(&mocks.ports(), CALLER, input, None).await.unwrap();
        let expected = WriteResult::SetMany { changed: 1, unchanged: 1 };
        assert_eq!(outcome, Outcome::Fresh(expected));
    }

    #[tokio::test]
    async fn a_vote_that_is_as_wanted_records_nothing() {
        let outcome = set_many(&open_mocks().ports(), CALLER, setting(true, vec![]), None).await;
        let expected = WriteResult::SetMany { changed: 0, unchanged: 1 };
        assert_eq!(outcome.unwrap(), Outcome::Fresh(expected));
    }
}
