//! `SessionRepository`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::passwords::tries;
use super::records::load;
use super::{Stage, applies, change, delete_organization, ends, others};
use crate::build::{Imported, Tenant, at};
use crate::deliveries::counts;
use crate::system::{asked, fresh, patiently};
use futures_util::future::{join, join_all};
use hearback_app::one_person::{self, MergeUsers};
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::permission::Role;
use hearback_domain::record::Step;
use hearback_domain::session::{
    ACT_MILLIS, Factor, GuestAct, INVITATION_MILLIS, MOST_SESSIONS, MOST_SIGN_INS, MOST_TRIES,
    Proof, Redeemed, SESSION_MILLIS, SIGN_IN_MILLIS, Session, SignIn, TokenDigest, Way,
};
use hearback_domain::user::User;
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::backlog::Task;
use hearback_ports::sessions::MOST_REMOVED;
use hearback_ports::{Kind, Recorded};

/// The digest of a new token.
pub(crate) fn token() -> TokenDigest {
    let [one, other] = [(); 2].map(|()| fresh::<Uuid>().into_bytes());
    let mut digest = [0; 32];
    digest.iter_mut().zip(one.into_iter().chain(other)).for_each(|(byte, fresh)| *byte = fresh);
    TokenDigest(digest)
}

/// A session that began some milliseconds after [`at`] 0.
pub(crate) fn session(user_id: UserId, began: i64) -> Session {
    Session {
        digest: token(),
        user_id,
        agent: "Mozilla/5.0 (größer) 😀".to_owned(),
        way: Way::Provider,
        factor: Factor::None,
        created_at: at(began),
        seen_at: at(began),
        expires_at: at(began).plus_millis(SESSION_MILLIS),
    }
}

/// A sign-in that somebody asked for some milliseconds after [`at`] 0.
pub(crate) fn sign_in(email: &str, asked: i64) -> SignIn {
    SignIn {
        id: token(),
        link: token(),
        code: Some(token()),
        email: email.to_owned(),
        role: None,
        return_to: "/p/dark-mode?sort=oldest#größer".to_owned(),
        guest: None,
        tries: 0,
        created_at: at(asked),
        expires_at: at(asked).plus_millis(SIGN_IN_MILLIS),
    }
}

/// What a guest has to confirm who asked for it some milliseconds after [`at`] 0.
fn act_of_guest(email: &str, asked: i64) -> SignIn {
    let guest = GuestAct { name: "Größer".to_owned(), act: "{\"vote\": \"é\"}".to_owned() };
    let expires_at = at(asked).plus_millis(ACT_MILLIS);
    SignIn { guest: Some(Box::new(guest)), expires_at, ..sign_in(email, asked) }
}

fn invitation(email: &str, role: Role) -> SignIn {
    let expires_at = at(0).plus_millis(INVITATION_MILLIS);
    SignIn { code: None, role: Some(role), expires_at, ..sign_in(email, 0) }
}

pub(crate) async fn begins(
    stage: &Stage,
    organization: OrganizationId,
    session: &Session,
    expected: Recorded,
) {
    let begun = patiently(|| stage.ports.sessions.begin(organization, session.clone())).await;
    assert_eq!(begun, expected);
}

pub(crate) async fn signs_in(
    stage: &Stage,
    organization: OrganizationId,
    sign_in: &SignIn,
    expected: Recorded,
) {
    let stored = patiently(|| stage.ports.sessions.sign_in(organization, sign_in.clone())).await;
    assert_eq!(stored, expected);
}

/// Spends a token until a time at another one.
pub(crate) async fn spends(
    stage: &Stage,
    organization: OrganizationId,
    token: TokenDigest,
    [until, now]: [i64; 2],
    expected: Recorded,
) {
    let spend = || stage.ports.sessions.spend(organization, token, at(until), at(now));
    assert_eq!(patiently(spend).await, expected);
}

async fn redeem(stage: &Stage, organization: OrganizationId, proof: Proof, now: Time) -> Redeemed {
    patiently(|| stage.ports.sessions.redeem(organization, proof, now)).await
}

async fn find(
    stage: &Stage,
    organization: OrganizationId,
    session: &Session,
    now: Time,
) -> Option<(Session, User)> {
    stage.ports.sessions.find(organization, session.digest, now).await.unwrap()
}

async fn of_user(stage: &Stage, organization: OrganizationId, user: UserId) -> Vec<Session> {
    stage.ports.sessions.of_user(organization, user, at(0)).await.unwrap()
}

async fn rows(stage: &Stage, organization: OrganizationId, table: &str) -> i64 {
    stage.probe.rows(organization).await.get(table).copied().unwrap_or(0)
}

async fn acme(stage: &Stage) -> Imported {
    Tenant::new().import(&stage.ports).await
}

fn by_code(sign_in: &SignIn, code: Option<TokenDigest>) -> Proof {
    Proof::Code { id: sign_in.id, code: code.unwrap() }
}

pub async fn a_session_is_found_with_its_user_until_it_is_over(stage: Stage) {
    let acme = acme(&stage).await;
    let user = acme.author.clone();
    let session = Session { agent: String::new(), ..session(user.user_id, 0) };
    assert_eq!(find(&stage, acme.id(), &session, at(0)).await, None);
    begins(&stage, acme.id(), &session, Recorded::Done).await;
    for now in [Time::MIN, at(0), session.expires_at.plus_millis(-1)] {
        let found = find(&stage, acme.id(), &session, now).await;
        assert_eq!(found, Some((session.clone(), user.clone())));
    }
    for now in [session.expires_at, Time::MAX] {
        assert_eq!(find(&stage, acme.id(), &session, now).await, None);
        let listed = stage.ports.sessions.of_user(acme.id(), user.user_id, now).await.unwrap();
        assert_eq!(listed, []);
    }
    // A later session of the user removes it.
    let later = Session { created_at: session.expires_at, ..self::session(user.user_id, 1) };
    begins(&stage, acme.id(), &later, Recorded::Done).await;
    assert_eq!(rows(&stage, acme.id(), "sessions").await, 1);
}

pub async fn a_session_is_of_a_linked_user(stage: Stage) {
    let mut acme = Tenant::new();
    let gone = acme.add(User { is_active: false, ..acme.user() });
    let acme = acme.import(&stage.ports).await;
    for user in [gone.user_id, fresh(), gone.id.0.into()] {
        let session = session(user, 0);
        begins(&stage, acme.id(), &session, Recorded::Stale).await;
        assert_eq!(find(&stage, acme.id(), &session, at(0)).await, None);
    }
    assert_eq!(rows(&stage, acme.id(), "sessions").await, 0);
}

/// Links a user, or ends the link.
pub(crate) async fn link(stage: &Stage, acme: &Imported, user: UserId, is_active: bool) {
    let known = load(stage, acme.id(), &[(Kind::User, user.0)]).await;
    let before = known.any::<User>(user).unwrap().clone();
    let after = User { is_active, ..before.clone() };
    let change = change(vec![Step::edit(before, after, at(1))], at(1));
    applies(stage, acme.id(), &change, Recorded::Done).await;
}

pub async fn a_session_ends_with_the_link_of_its_user_and_does_not_come_back(stage: Stage) {
    let mut acme = Tenant::new();
    let other = acme.add(acme.user());
    let acme = acme.import(&stage.ports).await;
    let (mine, theirs) = (session(acme.author.user_id, 0), session(other.user_id, 0));
    for session in [&mine, &theirs] {
        begins(&stage, acme.id(), session, Recorded::Done).await;
    }
    for is_active in [false, true] {
        link(&stage, &acme, acme.author.user_id, is_active).await;
        assert_eq!(find(&stage, acme.id(), &mine, at(0)).await, None);
        assert_eq!(of_user(&stage, acme.id(), acme.author.user_id).await, []);
        let found = find(&stage, acme.id(), &theirs, at(0)).await;
        assert_eq!(found, Some((theirs.clone(), other.clone())));
    }
}

pub async fn a_session_ends_with_the_block_of_its_user_and_does_not_come_back(stage: Stage) {
    let mut acme = Tenant::new();
    let other = acme.add(acme.user());
    let acme = acme.import(&stage.ports).await;
    let (mine, theirs) = (session(acme.author.user_id, 0), session(other.user_id, 0));
    for session in [&mine, &theirs] {
        begins(&stage, acme.id(), session, Recorded::Done).await;
    }
    for is_blocked in [true, false] {
        let key = (Kind::User, acme.author.user_id.0);
        let known = load(&stage, acme.id(), &[key]).await;
        let before = known.any::<User>(key.1).unwrap().clone();
        let after = User { is_blocked, ..before.clone() };
        let change = change(vec![Step::edit(before, after, at(1))], at(1));
        applies(&stage, acme.id(), &change, Recorded::Done).await;
        assert_eq!(of_user(&stage, acme.id(), acme.author.user_id).await, []);
        let found = find(&stage, acme.id(), &theirs, at(0)).await;
        assert_eq!(found, Some((theirs.clone(), other.clone())));
    }
}

pub async fn the_sessions_of_a_merged_user_are_over(stage: Stage) {
    let mut acme = Tenant::new();
    let user = acme.add(acme.user());
    let acme = acme.import(&stage.ports).await;
    let (mine, theirs) = (session(acme.author.user_id, 0), session(user.user_id, 0));
    for session in [&mine, &theirs] {
        begins(&stage, acme.id(), session, Recorded::Done).await;
    }
    let merge = MergeUsers { user: user.user_id, into: acme.author.user_id, dry_run: false };
    asked(|| one_person::merge(&stage.ports, acme.caller(), merge, None)).await.unwrap();
    assert_eq!(find(&stage, acme.id(), &theirs, at(0)).await, None);
    assert_eq!(of_user(&stage, acme.id(), acme.author.user_id).await, [mine]);
}

pub async fn a_visit_is_noted_unless_a_later_one_is(stage: Stage) {
    let acme = acme(&stage).await;
    let session = session(acme.author.user_id, 0);
    begins(&stage, acme.id(), &session, Recorded::Done).await;
    let touch = async |digest, seen: i64| {
        let until = at(seen).plus_millis(SESSION_MILLIS);
        patiently(|| stage.ports.sessions.touch(acme.id(), digest, at(seen), until)).await;
    };
    for seen in [10, 5, 10] {
        touch(session.digest, seen).await;
        let expires_at = at(10).plus_millis(SESSION_MILLIS);
        let seen = Session { seen_at: at(10), expires_at, ..session.clone() };
        let found = find(&stage, acme.id(), &session, session.expires_at).await;
        assert_eq!(found, Some((seen, acme.author.clone())));
    }
    touch(token(), 20).await;
    assert_eq!(rows(&stage, acme.id(), "sessions").await, 1);
}

pub async fn sessions_end_one_by_one_or_all_but_one(stage: Stage) {
    let mut acme = Tenant::new();
    let other = acme.add(acme.user());
    let acme = acme.import(&stage.ports).await;
    let user = acme.author.user_id;
    let theirs = session(other.user_id, 0);
    begins(&stage, acme.id(), &theirs, Recorded::Done).await;
    // Of the same time, the one with the greater digest comes first.
    let mut all = [3, 1, 2, 2].map(|began| session(user, began));
    for session in &all {
        begins(&stage, acme.id(), session, Recorded::Done).await;
    }
    all.sort_by_key(|session| std::cmp::Reverse((session.seen_at, session.digest)));
    let [first, second, third, fourth] = all;
    let is_listed = async |expected: &[&Session]| {
        let listed = of_user(&stage, acme.id(), user).await;
        assert_eq!(listed.iter().collect::<Vec<_>>(), expected);
    };
    is_listed(&[&first, &second, &third, &fourth]).await;
    let sessions = &stage.ports.sessions;
    for digest in [second.digest, second.digest, token()] {
        patiently(|| sessions.end(acme.id(), digest)).await;
        is_listed(&[&first, &third, &fourth]).await;
    }
    patiently(|| sessions.end_all(acme.id(), user, Some(third.digest))).await;
    is_listed(&[&third]).await;
    assert_eq!(find(&stage, acme.id(), &first, at(0)).await, None);
    patiently(|| sessions.end_all(acme.id(), user, None)).await;
    is_listed(&[]).await;
    assert_eq!(of_user(&stage, acme.id(), other.user_id).await, [theirs]);
}

pub async fn a_user_has_the_newest_sessions_up_to_the_most(stage: Stage) {
    let mut acme = Tenant::new();
    let other = acme.add(acme.user());
    let acme = acme.import(&stage.ports).await;
    let theirs = session(other.user_id, 0);
    begins(&stage, acme.id(), &theirs, Recorded::Done).await;
    let most = MOST_SESSIONS as i64;
    let mut all = Vec::new();
    for began in 0..most + 3 {
        let session = session(acme.author.user_id, began);
        begins(&stage, acme.id(), &session, Recorded::Done).await;
        all.insert(0, session);
        all.truncate(MOST_SESSIONS);
        assert_eq!(of_user(&stage, acme.id(), acme.author.user_id).await, all);
    }
    // The one that begins stays, even if its server's clock is behind.
    let late = session(acme.author.user_id, -1);
    begins(&stage, acme.id(), &late, Recorded::Done).await;
    all.pop();
    all.push(late);
    assert_eq!(of_user(&stage, acme.id(), acme.author.user_id).await, all);
    assert_eq!(of_user(&stage, acme.id(), other.user_id).await, [theirs]);
}

pub async fn of_many_sessions_at_once_no_more_stay_than_a_user_may_have(stage: Stage) {
    let acme = acme(&stage).await;
    let begin = async |began| {
        let session = session(acme.author.user_id, began);
        begins(&stage, acme.id(), &session, Recorded::Done).await;
    };
    join_all((0..64).map(begin)).await;
    assert_eq!(of_user(&stage, acme.id(), acme.author.user_id).await.len(), MOST_SESSIONS);
    assert_eq!(rows(&stage, acme.id(), "sessions").await, MOST_SESSIONS as i64);
}

pub async fn a_user_who_is_unlinked_while_sessions_begin_has_none(stage: Stage) {
    let acme = acme(&stage).await;
    let user = acme.author.user_id;
    let begin = async |began| {
        let session = session(user, began);
        patiently(|| stage.ports.sessions.begin(acme.id(), session.clone())).await
    };
    let (begun, ()) = join(join_all((0..20).map(begin)), link(&stage, &acme, user, false)).await;
    assert!(begun.iter().all(|begun| matches!(begun, Recorded::Done | Recorded::Stale)));
    assert_eq!(rows(&stage, acme.id(), "sessions").await, 0);
}

pub async fn open_invitations_are_listed_in_the_order_of_their_making(stage: Stage) {
    let (acme, globex) = (acme(&stage).await, acme(&stage).await);
    let listed = async |now| stage.ports.sessions.invitations(acme.id(), now).await.unwrap();
    assert_eq!(listed(at(0)).await, []);
    let (ada, bob) =
        (invitation("ada@example.com", Role::Admin), invitation("bob@example.com", Role::Viewer));
    let later = SignIn { created_at: bob.created_at.plus_millis(1), ..bob };
    for (organization, sign_in) in [
        (acme.id(), &later),
        (acme.id(), &ada),
        (globex.id(), &invitation("c@example.com", Role::Owner)),
    ] {
        signs_in(&stage, organization, sign_in, Recorded::Done).await;
    }
    signs_in(&stage, acme.id(), &sign_in("dora@example.com", 0), Recorded::Done).await;
    assert_eq!(listed(at(0)).await, [ada.clone(), later.clone()]);
    assert_eq!(listed(ada.expires_at).await, [] as [SignIn; 0]);
    let used = redeem(&stage, acme.id(), Proof::Link(ada.link), at(0)).await;
    assert_eq!(used, Redeemed::Done(ada));
    assert_eq!(listed(at(0)).await, [later]);
}

pub async fn a_sign_in_is_redeemed_once_as_it_was_stored(stage: Stage) {
    let acme = acme(&stage).await;
    let (by_link, coded) = (sign_in("ada@example.com", 0), sign_in("", 0));
    let invited = Role::ALL.iter().map(|role| invitation(&format!("{role:?}"), *role));
    let mut all = vec![(by_link.clone(), Proof::Link(by_link.link))];
    all.push((coded.clone(), by_code(&coded, coded.code)));
    all.extend(invited.map(|it| (it.clone(), Proof::Link(it.link))));
    let act = act_of_guest("grace@example.com", 0);
    all.push((act.clone(), Proof::Link(act.link)));
    let offered = async |sign_in: &SignIn, now| {
        stage.ports.sessions.offered(acme.id(), sign_in.link, now).await.unwrap()
    };
    for (sign_in, proof) in all {
        assert_eq!(redeem(&stage, acme.id(), proof, at(0)).await, Redeemed::Gone);
        signs_in(&stage, acme.id(), &sign_in, Recorded::Done).await;
        let last = sign_in.expires_at.plus_millis(-1);
        assert_eq!(offered(&sign_in, last).await, Some(sign_in.clone()));
        assert_eq!(offered(&sign_in, sign_in.expires_at).await, None);
        assert_eq!(redeem(&stage, acme.id(), proof, sign_in.expires_at).await, Redeemed::Gone);
        let done = redeem(&stage, acme.id(), proof, last).await;
        assert_eq!(done, Redeemed::Done(sign_in.clone()));
        assert_eq!(offered(&sign_in, last).await, None);
        assert_eq!(redeem(&stage, acme.id(), proof, last).await, Redeemed::Gone);
    }
    assert_eq!(rows(&stage, acme.id(), "sign_ins").await, 0);

    let tried = sign_in("ada@example.com", 0);
    signs_in(&stage, acme.id(), &tried, Recorded::Done).await;
    let wrong = redeem(&stage, acme.id(), by_code(&tried, Some(token())), at(0)).await;
    assert_eq!(wrong, Redeemed::WrongCode { left: MOST_TRIES - 1 });
    for proof in [Proof::Link(token()), Proof::Code { id: token(), code: tried.code.unwrap() }] {
        assert_eq!(redeem(&stage, acme.id(), proof, at(0)).await, Redeemed::Gone);
    }
    let done = redeem(&stage, acme.id(), by_code(&tried, tried.code), at(0)).await;
    assert_eq!(done, Redeemed::Done(SignIn { tries: 1, ..tried }));
}

pub async fn a_sign_in_is_redeemed_by_64_at_once_one_time(stage: Stage) {
    let acme = acme(&stage).await;
    let sign_in = sign_in("ada@example.com", 0);
    signs_in(&stage, acme.id(), &sign_in, Recorded::Done).await;
    let proofs = [Proof::Link(sign_in.link), by_code(&sign_in, sign_in.code)];
    let all = (0..64).map(|n: usize| redeem(&stage, acme.id(), proofs[n % 2], at(0)));
    let mut answers = join_all(all).await;
    answers.retain(|answer| *answer != Redeemed::Gone);
    assert_eq!(answers, [Redeemed::Done(sign_in)]);
}

pub async fn no_more_wrong_codes_than_the_most_are_answered_to_64_at_once(stage: Stage) {
    let acme = acme(&stage).await;
    let sign_in = sign_in("ada@example.com", 0);
    signs_in(&stage, acme.id(), &sign_in, Recorded::Done).await;
    let wrong = by_code(&sign_in, Some(token()));
    let all = (0..64).map(|_| redeem(&stage, acme.id(), wrong, at(0)));
    let answers = join_all(all).await.into_iter().filter_map(|answer| match answer {
        Redeemed::WrongCode { left } => Some(left),
        Redeemed::Gone => None,
        Redeemed::Done(_) => panic!("a wrong code is right"),
    });
    let mut left = Vec::from_iter(answers);
    left.sort_unstable();
    assert_eq!(left, Vec::from_iter(1..MOST_TRIES));
    for proof in [by_code(&sign_in, sign_in.code), Proof::Link(sign_in.link)] {
        assert_eq!(redeem(&stage, acme.id(), proof, at(0)).await, Redeemed::Gone);
    }
}

pub async fn an_address_has_no_more_sign_ins_than_the_most(stage: Stage) {
    let acme = acme(&stage).await;
    let ada = |asked| sign_in("ada@example.com", asked);
    let first = ada(0);
    signs_in(&stage, acme.id(), &first, Recorded::Done).await;
    for asked in 1..MOST_SIGN_INS {
        signs_in(&stage, acme.id(), &ada(asked), Recorded::Done).await;
    }
    // A sign-in that had too many wrong codes counts until it is over.
    for _ in 0..MOST_TRIES {
        redeem(&stage, acme.id(), by_code(&first, Some(token())), at(0)).await;
    }
    for asked in [5, SIGN_IN_MILLIS - 1] {
        signs_in(&stage, acme.id(), &ada(asked), Recorded::Stale).await;
    }
    assert_eq!(rows(&stage, acme.id(), "sign_ins").await, MOST_SIGN_INS);
    for other in ["Ada@example.com", "ada@example.co"] {
        signs_in(&stage, acme.id(), &sign_in(other, 0), Recorded::Done).await;
    }
    // Acts of guests are none of them, and have as many.
    let act = || act_of_guest("ada@example.com", 0);
    for _ in 0..MOST_SIGN_INS {
        signs_in(&stage, acme.id(), &act(), Recorded::Done).await;
    }
    signs_in(&stage, acme.id(), &act(), Recorded::Stale).await;
    // The first one is over, and then there are enough again.
    let last = ada(SIGN_IN_MILLIS);
    signs_in(&stage, acme.id(), &last, Recorded::Done).await;
    signs_in(&stage, acme.id(), &ada(SIGN_IN_MILLIS), Recorded::Stale).await;
    let done = redeem(&stage, acme.id(), Proof::Link(last.link), at(SIGN_IN_MILLIS)).await;
    assert_eq!(done, Redeemed::Done(last));
    signs_in(&stage, acme.id(), &ada(SIGN_IN_MILLIS), Recorded::Done).await;
}

pub async fn of_many_sign_ins_of_an_address_at_once_no_more_are_stored_than_the_most(stage: Stage) {
    let acme = acme(&stage).await;
    let ask = async |_| {
        let sign_in = sign_in("ada@example.com", 0);
        patiently(|| stage.ports.sessions.sign_in(acme.id(), sign_in.clone())).await
    };
    let answers = join_all((0..30).map(ask)).await;
    let done = answers.iter().filter(|answer| **answer == Recorded::Done).count();
    assert_eq!(done as i64, MOST_SIGN_INS);
    assert!(answers.iter().all(|it| matches!(it, Recorded::Done | Recorded::Stale)));
    assert_eq!(rows(&stage, acme.id(), "sign_ins").await, MOST_SIGN_INS);
}

pub async fn an_invitation_is_always_stored_and_replaces_the_earlier_one(stage: Stage) {
    let acme = acme(&stage).await;
    let address = "ada@example.com";
    let asked = Vec::from_iter((0..MOST_SIGN_INS).map(|_| sign_in(address, 0)));
    for sign_in in &asked {
        signs_in(&stage, acme.id(), sign_in, Recorded::Done).await;
    }
    let elsewhere = invitation("grace@example.com", Role::Viewer);
    signs_in(&stage, acme.id(), &elsewhere, Recorded::Done).await;
    let invitations = [Role::Viewer, Role::Admin].map(|role| invitation(address, role));
    for invitation in &invitations {
        signs_in(&stage, acme.id(), invitation, Recorded::Done).await;
    }
    let answer =
        async |sign_in: &SignIn| redeem(&stage, acme.id(), Proof::Link(sign_in.link), at(0)).await;
    let [replaced, invited] = invitations;
    assert_eq!(answer(&replaced).await, Redeemed::Gone);
    for stored in asked.into_iter().chain([invited, elsewhere]) {
        assert_eq!(answer(&stored).await, Redeemed::Done(stored));
    }
}

pub async fn what_is_over_is_removed_in_parts(stage: Stage) {
    let acme = acme(&stage).await;
    let many = MOST_REMOVED + 20;
    for n in 0..many {
        let sign_in = sign_in(&format!("{n}@example.com"), n);
        signs_in(&stage, acme.id(), &sign_in, Recorded::Done).await;
        spends(&stage, acme.id(), token(), [many, n], Recorded::Done).await;
    }
    for (call, left) in [(1, 21), (2, 2), (3, 3)] {
        let sign_in = sign_in(&format!("later-{call}@example.com"), many + SIGN_IN_MILLIS);
        signs_in(&stage, acme.id(), &sign_in, Recorded::Done).await;
        spends(&stage, acme.id(), token(), [many + 1, many], Recorded::Done).await;
        for table in ["sign_ins", "spent_tokens"] {
            assert_eq!(rows(&stage, acme.id(), table).await, left, "{table}");
        }
    }
}

pub async fn all_that_is_over_is_pruned_in_parts(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let (id, user) = (acme.id(), acme.author.user_id);
    let tables = ["sessions", "sign_ins", "spent_tokens", "password_tries"];
    let rows = async || {
        let rows = stage.probe.rows(id).await;
        tables.map(|table| rows.get(table).copied().unwrap_or(0))
    };
    for ends in [10, 20, 30] {
        let expires_at = at(ends);
        let session = Session { expires_at, ..session(user, 0) };
        begins(&stage, id, &session, Recorded::Done).await;
        let sign_in = SignIn { expires_at, ..sign_in("ada@example.com", 0) };
        signs_in(&stage, id, &sign_in, Recorded::Done).await;
        spends(&stage, id, token(), [ends, 0], Recorded::Done).await;
        let tried = tries(&stage, id, token(), [at(0), expires_at]).await;
        assert_eq!(tried, Recorded::Done);
    }
    let has_task = async |now| {
        let waiting = stage.ports.backlog.organizations(Task::PruneSessions, now, None, i64::MAX);
        waiting.await.unwrap().contains(&id)
    };
    let prune = async |now, limit, expected| {
        counts(expected, async || stage.ports.sessions.prune(id, at(now), limit).await).await;
    };
    assert!(!has_task(at(9)).await);
    prune(9, 10, 0).await;
    assert!(has_task(at(10)).await);
    prune(20, 1, 4).await;
    assert_eq!(rows().await, [2; 4]);
    assert!(has_task(at(20)).await);
    prune(20, 10, 4).await;
    assert_eq!(rows().await, [1; 4]);
    assert!(!has_task(at(20)).await);
    assert_eq!(of_user(&stage, id, user).await.len(), 1);
}

pub async fn a_token_is_spent_once_until_it_is_over(stage: Stage) {
    let acme = acme(&stage).await;
    let (one, other) = (token(), token());
    spends(&stage, acme.id(), one, [10, 0], Recorded::Done).await;
    for now in [0, 9] {
        spends(&stage, acme.id(), one, [20, now], Recorded::Stale).await;
    }
    spends(&stage, acme.id(), other, [10, 9], Recorded::Done).await;
    spends(&stage, acme.id(), one, [20, 10], Recorded::Done).await;
    spends(&stage, acme.id(), one, [30, 19], Recorded::Stale).await;
}

pub async fn a_token_is_spent_by_one_of_64_at_once(stage: Stage) {
    let acme = acme(&stage).await;
    let token = token();
    let spend =
        async |_| patiently(|| stage.ports.sessions.spend(acme.id(), token, at(10), at(0))).await;
    let mut answers = join_all((0..64).map(spend)).await;
    answers.retain(|answer| *answer != Recorded::Stale);
    assert_eq!(answers, [Recorded::Done]);
}

pub async fn nothing_begins_in_an_organization_that_is_gone(stage: Stage) {
    let acme = acme(&stage).await;
    let (ports, id, user) = (&stage.ports, acme.id(), acme.author.user_id);
    let kept = sign_in("ada@example.com", 0);
    signs_in(&stage, id, &kept, Recorded::Done).await;
    begins(&stage, id, &session(user, 0), Recorded::Done).await;
    let is_closed = async || {
        signs_in(&stage, id, &sign_in("ada@example.com", 0), Recorded::Stale).await;
        signs_in(&stage, id, &invitation("ada@example.com", Role::Owner), Recorded::Stale).await;
        begins(&stage, id, &session(user, 0), Recorded::Stale).await;
        spends(&stage, id, token(), [1, 0], Recorded::Stale).await;
    };
    ends(Recorded::Done, async || ports.organizations.delete(id).await).await;
    is_closed().await;
    while patiently(|| ports.organizations.remove(id)).await > 0 {}
    is_closed().await;
    assert_eq!(redeem(&stage, id, Proof::Link(kept.link), at(0)).await, Redeemed::Gone);
    assert_eq!(of_user(&stage, id, user).await, []);
    assert!(stage.probe.rows(id).await.values().all(|count| *count == 0));

    // A deletion while sessions begin leaves nothing, either.
    let acme = Tenant::new().import(ports).await;
    let (id, user) = (acme.id(), acme.author.user_id);
    let begin = async |n| {
        let (session, asked) = (session(user, n), sign_in(&format!("{n}@example.com"), 0));
        let answers = [
            patiently(|| ports.sessions.begin(id, session.clone())).await,
            patiently(|| ports.sessions.sign_in(id, asked.clone())).await,
            patiently(|| ports.sessions.spend(id, token(), at(1), at(0))).await,
        ];
        assert!(answers.iter().all(|it| matches!(it, Recorded::Done | Recorded::Stale)));
    };
    join(join_all((0..20).map(begin)), delete_organization(ports, id)).await;
    while patiently(|| ports.organizations.remove(id)).await > 0 {}
    assert!(stage.probe.rows(id).await.values().all(|count| *count == 0));
}

pub async fn another_organizations_sessions_sign_ins_and_tokens_are_as_unknown_ones(stage: Stage) {
    let acme = acme(&stage).await;
    let user = acme.author.user_id;
    let before = others(&stage, &acme).await;
    let (session, asked, token) = (session(user, 0), sign_in("ada@example.com", 0), token());
    begins(&stage, acme.id(), &session, Recorded::Done).await;
    signs_in(&stage, acme.id(), &asked, Recorded::Done).await;
    spends(&stage, acme.id(), token, [10, 0], Recorded::Done).await;
    for other in [acme.twin().id(), acme.opposite().id()] {
        let sessions = &stage.ports.sessions;
        assert_eq!(find(&stage, other, &session, at(0)).await, None);
        assert_eq!(of_user(&stage, other, user).await, []);
        patiently(|| sessions.touch(other, session.digest, at(1), at(1))).await;
        patiently(|| sessions.end(other, session.digest)).await;
        patiently(|| sessions.end_all(other, user, None)).await;
        for proof in [Proof::Link(asked.link), by_code(&asked, Some(token))] {
            assert_eq!(redeem(&stage, other, proof, at(0)).await, Redeemed::Gone);
        }
    }
    assert_eq!(others(&stage, &acme).await, before);
    assert_eq!(of_user(&stage, acme.id(), user).await, std::slice::from_ref(&session));

    // The twin has all of them for itself.
    let twin = acme.twin().id();
    let theirs = Session { agent: "theirs".to_owned(), ..session.clone() };
    begins(&stage, twin, &theirs, Recorded::Done).await;
    assert_eq!(of_user(&stage, twin, user).await, [theirs]);
    signs_in(&stage, twin, &asked, Recorded::Done).await;
    for _ in 1..MOST_SIGN_INS {
        signs_in(&stage, twin, &sign_in("ada@example.com", 0), Recorded::Done).await;
    }
    signs_in(&stage, acme.id(), &sign_in("ada@example.com", 0), Recorded::Done).await;
    spends(&stage, twin, token, [10, 0], Recorded::Done).await;
    let done = redeem(&stage, twin, Proof::Link(asked.link), at(0)).await;
    assert_eq!(done, Redeemed::Done(asked.clone()));
    let done = redeem(&stage, acme.id(), Proof::Link(asked.link), at(0)).await;
    assert_eq!(done, Redeemed::Done(asked));
    patiently(|| stage.ports.sessions.end_all(twin, user, None)).await;
    assert_eq!(
        find(&stage, acme.id(), &session, at(0)).await,
        Some((session, acme.author.clone()))
    );
}
