//! `PasswordRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::sessions::{begins, link, session, token};
use super::{Stage, delete_organization};
use crate::build::{Tenant, at};
use crate::system::{fresh, patiently};
use futures_util::future::join_all;
use hearback_domain::Time;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::password::{PasswordHash, StoredPassword};
use hearback_domain::session::TokenDigest;
use hearback_ports::Recorded;

/// A password that was set some milliseconds after [`at`] 0.
pub(crate) fn password(user_id: UserId, set: i64) -> StoredPassword {
    let hash = PasswordHash(format!("$argon2id$größer{set}"));
    StoredPassword { user_id, hash, set_at: at(set) }
}

pub(crate) async fn sets(
    stage: &Stage,
    organization: OrganizationId,
    password: &StoredPassword,
    except: Option<TokenDigest>,
    expected: Recorded,
) {
    let set = || stage.ports.passwords.set(organization, password.clone(), except);
    assert_eq!(patiently(set).await, expected);
}

async fn find(stage: &Stage, organization: OrganizationId, user: UserId) -> Option<StoredPassword> {
    stage.ports.passwords.find(organization, user).await.unwrap()
}

/// Counts a try at one time, until another one.
pub(crate) async fn tries(
    stage: &Stage,
    organization: OrganizationId,
    whose: TokenDigest,
    [now, until]: [Time; 2],
) -> Recorded {
    patiently(|| stage.ports.passwords.attempt(organization, whose, 3, now, until)).await
}

pub async fn a_new_password_ends_the_other_sessions_of_its_user(stage: Stage) {
    let mut acme = Tenant::new();
    let other = acme.add(acme.user());
    let acme = acme.import(&stage.ports).await;
    let (id, user) = (acme.id(), acme.author.user_id);
    let sessions = [user, user, other.user_id].map(|user| session(user, 0));
    for session in &sessions {
        begins(&stage, id, session, Recorded::Done).await;
    }
    let open = async |user| {
        let all = stage.ports.sessions.of_user(id, user, at(0)).await.unwrap();
        all.into_iter().map(|session| session.digest).collect::<Vec<_>>()
    };
    assert_eq!(find(&stage, id, user).await, None);
    let [first, second] = [1, 2].map(|set| password(user, set));
    sets(&stage, id, &first, Some(sessions[0].digest), Recorded::Done).await;
    assert_eq!(find(&stage, id, user).await, Some(first));
    assert_eq!(open(user).await, [sessions[0].digest]);
    sets(&stage, id, &second, None, Recorded::Done).await;
    assert_eq!(find(&stage, id, user).await, Some(second));
    assert_eq!((open(user).await.len(), open(other.user_id).await.len()), (0, 1));
    assert_eq!(find(&stage, id, other.user_id).await, None);
    begins(&stage, id, &sessions[1], Recorded::Done).await;
    patiently(|| stage.ports.passwords.remove(id, user, None)).await;
    assert_eq!(find(&stage, id, user).await, None);
    assert_eq!((open(user).await.len(), open(other.user_id).await.len()), (0, 1));
}

pub async fn a_password_goes_with_the_link_of_its_user_and_does_not_come_back(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let (id, user) = (acme.id(), acme.author.user_id);
    sets(&stage, id, &password(user, 1), None, Recorded::Done).await;
    link(&stage, &acme, user, false).await;
    assert_eq!(find(&stage, id, user).await, None);
    sets(&stage, id, &password(user, 2), None, Recorded::Stale).await;
    link(&stage, &acme, user, true).await;
    assert_eq!(find(&stage, id, user).await, None);
}

pub async fn tries_count_until_the_first_one_is_over(stage: Stage) {
    let [acme, globex] = [Tenant::new(), Tenant::new()];
    let (acme, globex) = (acme.import(&stage.ports).await, globex.import(&stage.ports).await);
    let [whose, other] = [token(), token()];
    let try_at =
        async |whose, now, until| tries(&stage, acme.id(), whose, [at(now), at(until)]).await;
    assert_eq!(try_at(whose, 0, 10).await, Recorded::Done);
    for now in [1, 2] {
        assert_eq!(try_at(whose, now, 100).await, Recorded::Done);
    }
    assert_eq!(try_at(whose, 9, 100).await, Recorded::Stale);
    assert_eq!(try_at(other, 9, 100).await, Recorded::Done);
    assert_eq!(tries(&stage, globex.id(), whose, [at(9), at(100)]).await, Recorded::Done);
    assert_eq!(try_at(whose, 10, 20).await, Recorded::Done);
    for now in [11, 12] {
        assert_eq!(try_at(whose, now, 20).await, Recorded::Done);
    }
    assert_eq!(try_at(whose, 13, 20).await, Recorded::Stale);
    patiently(|| stage.ports.passwords.forget(acme.id(), whose)).await;
    assert_eq!(try_at(whose, 13, 20).await, Recorded::Done);
}

pub async fn of_many_tries_at_once_no_more_are_counted_than_the_most(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await.id();
    let whose = token();
    let counted = join_all((0..16).map(|_| tries(&stage, acme, whose, [at(0), at(10)]))).await;
    assert_eq!(counted.iter().filter(|counted| **counted == Recorded::Done).count(), 3);
}

pub async fn a_password_is_of_one_organization_that_is_there(stage: Stage) {
    let [acme, globex] = [Tenant::new(), Tenant::new()];
    let (acme, globex) = (acme.import(&stage.ports).await, globex.import(&stage.ports).await);
    let user = acme.author.user_id;
    sets(&stage, acme.id(), &password(user, 1), None, Recorded::Done).await;
    assert_eq!(find(&stage, globex.id(), user).await, None);
    sets(&stage, globex.id(), &password(user, 1), None, Recorded::Stale).await;
    let nobody = OrganizationId(fresh());
    assert_eq!(tries(&stage, nobody, token(), [at(0), at(1)]).await, Recorded::Stale);
    delete_organization(&stage.ports, acme.id()).await;
    assert_eq!(find(&stage, acme.id(), user).await, None);
    sets(&stage, acme.id(), &password(user, 2), None, Recorded::Stale).await;
}
