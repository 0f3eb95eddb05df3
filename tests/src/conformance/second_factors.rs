//! `SecondFactorRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::sessions::{begins, link, session, token};
use super::{Stage, delete_organization};
use crate::build::{Tenant, at};
use crate::system::{fresh, patiently};
use futures_util::future::join_all;
use hearback_domain::Uuid;
use hearback_domain::api_key::Sealed;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::second_factor::{FactorProof, SecondFactor};
use hearback_domain::session::{Factor, Session, TokenDigest};
use hearback_ports::Recorded;

/// A second factor with two recovery codes, and the last step 7.
pub(crate) fn factor(user_id: UserId) -> SecondFactor {
    SecondFactor {
        user_id,
        sealed: Sealed(fresh::<Uuid>().as_bytes().to_vec()),
        recovery: vec![token(), token()],
        last_step: 7,
        confirmed_at: at(1),
    }
}

pub(crate) async fn adds(
    stage: &Stage,
    organization: OrganizationId,
    factor: &SecondFactor,
    session: TokenDigest,
    expected: Recorded,
) {
    let add = || stage.ports.second_factors.add(organization, factor.clone(), session);
    assert_eq!(patiently(add).await, expected);
}

async fn find(stage: &Stage, organization: OrganizationId, user: UserId) -> Option<SecondFactor> {
    stage.ports.second_factors.find(organization, user).await.unwrap()
}

async fn shows(
    stage: &Stage,
    organization: OrganizationId,
    user: UserId,
    proof: FactorProof,
    session: TokenDigest,
) -> Recorded {
    patiently(|| stage.ports.second_factors.show(organization, user, proof, session)).await
}

/// The state of each of the sessions. `None`: it has ended.
async fn states<const N: usize>(
    stage: &Stage,
    organization: OrganizationId,
    sessions: &[Session; N],
) -> [Option<Factor>; N] {
    let mut states = [None; N];
    for (state, session) in states.iter_mut().zip(sessions) {
        let found = stage.ports.sessions.find(organization, session.digest, at(0)).await.unwrap();
        *state = found.map(|(session, _)| session.factor);
    }
    states
}

pub async fn a_second_factor_is_shown_in_its_session_and_ends_the_others(stage: Stage) {
    let mut acme = Tenant::new();
    let other = acme.add(acme.user());
    let acme = acme.import(&stage.ports).await;
    let (id, user) = (acme.id(), acme.author.user_id);
    let sessions = [user, user, other.user_id].map(|user| session(user, 0));
    for session in &sessions {
        begins(&stage, id, session, Recorded::Done).await;
    }
    let none = Some(Factor::None);
    assert_eq!(states(&stage, id, &sessions).await, [none; 3]);
    assert_eq!(find(&stage, id, user).await, None);
    let first = factor(user);
    adds(&stage, id, &first, sessions[0].digest, Recorded::Done).await;
    assert_eq!(find(&stage, id, user).await, Some(first.clone()));
    assert_eq!(find(&stage, id, other.user_id).await, None);
    assert_eq!(states(&stage, id, &sessions).await, [Some(Factor::Shown), None, none]);
    adds(&stage, id, &factor(user), sessions[0].digest, Recorded::Stale).await;
    assert_eq!(find(&stage, id, user).await, Some(first));

    // The session where it is turned off goes on, and nobody has shown it there any more.
    begins(&stage, id, &sessions[1], Recorded::Done).await;
    let this = Some(sessions[0].digest);
    let removes =
        async |this| patiently(|| stage.ports.second_factors.remove(id, user, this)).await;
    assert_eq!(removes(this).await, Recorded::Done);
    assert_eq!(find(&stage, id, user).await, None);
    assert_eq!(states(&stage, id, &sessions).await, [none, None, none]);
    assert_eq!(removes(this).await, Recorded::Stale);
    adds(&stage, id, &factor(user), sessions[0].digest, Recorded::Done).await;
    assert_eq!(removes(None).await, Recorded::Done);
    assert_eq!(states(&stage, id, &sessions).await, [None, None, none]);
}

pub async fn a_session_of_a_user_with_a_second_factor_wants_it_until_it_is_shown(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let (id, user) = (acme.id(), acme.author.user_id);
    adds(&stage, id, &factor(user), token(), Recorded::Done).await;
    let sessions =
        [Factor::None, Factor::Shown].map(|it| Session { factor: it, ..session(user, 0) });
    for session in &sessions {
        begins(&stage, id, session, Recorded::Done).await;
    }
    let wanted = Some(Factor::Wanted);
    assert_eq!(states(&stage, id, &sessions).await, [wanted; 2]);
    let wrong = shows(&stage, id, user, FactorProof::Step(7), sessions[1].digest).await;
    assert_eq!(wrong, Recorded::Stale);
    assert_eq!(states(&stage, id, &sessions).await, [wanted; 2]);
    let right = shows(&stage, id, user, FactorProof::Step(8), sessions[1].digest).await;
    assert_eq!(right, Recorded::Done);
    assert_eq!(states(&stage, id, &sessions).await, [wanted, Some(Factor::Shown)]);
}

pub async fn a_code_is_good_once_also_for_many_at_once(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let (id, user, this) = (acme.id(), acme.author.user_id, token());
    let stored = factor(user);
    adds(&stage, id, &stored, this, Recorded::Done).await;
    for proof in [FactorProof::Step(9), FactorProof::Recovery(stored.recovery[0])] {
        let all = join_all((0..16).map(|_| shows(&stage, id, user, proof, this))).await;
        assert_eq!(all.iter().filter(|it| **it == Recorded::Done).count(), 1);
        assert_eq!(shows(&stage, id, user, proof, this).await, Recorded::Stale);
    }
    for proof in [FactorProof::Step(8), FactorProof::Recovery(token())] {
        assert_eq!(shows(&stage, id, user, proof, this).await, Recorded::Stale);
    }
    let recovery = vec![stored.recovery[1]];
    let expected = SecondFactor { recovery, last_step: 9, ..stored };
    assert_eq!(find(&stage, id, user).await, Some(expected));
}

pub async fn of_many_set_ups_at_once_one_is_stored(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let (id, user) = (acme.id(), acme.author.user_id);
    let factors: Vec<_> = (0..8).map(|_| factor(user)).collect();
    let add = async |factor: &SecondFactor| {
        patiently(|| stage.ports.second_factors.add(id, factor.clone(), token())).await
    };
    let added = join_all(factors.iter().map(add)).await;
    let places = added.iter().enumerate().filter(|(_, it)| **it == Recorded::Done);
    let [place] = places.map(|(place, _)| place).collect::<Vec<_>>()[..] else {
        panic!("{added:?}")
    };
    assert_eq!(find(&stage, id, user).await.as_ref(), factors.get(place));
}

pub async fn new_recovery_codes_replace_the_former_ones_and_nothing_else(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let (id, user, this) = (acme.id(), acme.author.user_id, token());
    let renew = async |codes: &[TokenDigest]| {
        patiently(|| stage.ports.second_factors.renew(id, user, codes.to_vec())).await
    };
    let new = [token(), token(), token()];
    assert_eq!(renew(&new).await, Recorded::Stale);
    let stored = factor(user);
    adds(&stage, id, &stored, this, Recorded::Done).await;
    assert_eq!(renew(&new).await, Recorded::Done);
    let expected = SecondFactor { recovery: new.to_vec(), ..stored.clone() };
    assert_eq!(find(&stage, id, user).await, Some(expected));
    let former = FactorProof::Recovery(stored.recovery[0]);
    assert_eq!(shows(&stage, id, user, former, this).await, Recorded::Stale);
}

pub async fn a_second_factor_goes_with_the_link_of_its_user_and_does_not_come_back(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let (id, user) = (acme.id(), acme.author.user_id);
    adds(&stage, id, &factor(user), token(), Recorded::Done).await;
    link(&stage, &acme, user, false).await;
    assert_eq!(find(&stage, id, user).await, None);
    adds(&stage, id, &factor(user), token(), Recorded::Stale).await;
    link(&stage, &acme, user, true).await;
    assert_eq!(find(&stage, id, user).await, None);
}

pub async fn a_second_factor_is_of_one_organization_that_is_there(stage: Stage) {
    let [acme, globex] = [Tenant::new(), Tenant::new()];
    let (acme, globex) = (acme.import(&stage.ports).await, globex.import(&stage.ports).await);
    let (id, user, this) = (acme.id(), acme.author.user_id, token());
    adds(&stage, id, &factor(user), this, Recorded::Done).await;
    assert_eq!(find(&stage, globex.id(), user).await, None);
    adds(&stage, globex.id(), &factor(user), this, Recorded::Stale).await;
    let step = FactorProof::Step(9);
    assert_eq!(shows(&stage, globex.id(), user, step, this).await, Recorded::Stale);
    delete_organization(&stage.ports, id).await;
    assert_eq!(find(&stage, id, user).await, None);
    adds(&stage, id, &factor(user), this, Recorded::Stale).await;
    assert_eq!(shows(&stage, id, user, step, this).await, Recorded::Stale);
}
