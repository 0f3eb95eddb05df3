use super::*;
use crate::MasterKey;
use crate::portal::tests::{audited, user, visit};
use hearback_domain::Uuid;
use hearback_domain::permission::Role;
use hearback_domain::session::{FRESH_MILLIS, Factor};
use hearback_ports::mock::Mocks;
use std::sync::{Arc, Mutex};

/// The secret of the test vectors of RFC 6238.
fn key() -> Key {
    Key(Zeroizing::new(*b"12345678901234567890"))
}

fn vault() -> Vault {
    Vault::new(&MasterKey::parse(&"5a".repeat(32)).unwrap())
}

fn at(seconds: i64) -> Time {
    Time::from_unix_millis(seconds * 1_000).unwrap()
}

/// The visit of user 5, an owner, whose session began at time 0.
fn visiting() -> Visit {
    let mut visit = visit(vec![], Some(user(5, "owner")));
    let (session, _) = visit.signed_in.as_mut().unwrap();
    session.created_at = at(0);
    visit
}

/// The second factor of user 5, with the recovery code `ABCDE-FGHIJ`.
fn factor(visit: &Visit) -> SecondFactor {
    let user_id = visit.user().unwrap().user_id;
    SecondFactor {
        user_id,
        sealed: key().seal(&vault(), visit.organization(), user_id).unwrap(),
        recovery: vec![key().digest("ABCDEFGHIJ")],
        last_step: 0,
        confirmed_at: at(0),
    }
}

/// Mocks of a store at a time, in which user 5 has a second factor, unless `None`, and tries are
/// counted. The store decides as [`SecondFactor::show`] does.
fn mocks(now: Time, stored: Option<SecondFactor>) -> Mocks {
    let mut mocks = Mocks::default();
    mocks.clock.expect_now().return_const(now);
    mocks.ids.expect_fresh().return_const(Uuid::from_u128(9));
    mocks.passwords.expect_attempt().returning(|_, _, most, now, until| {
        assert_eq!((most, until), (5, now.plus_millis(TRIES_MILLIS)));
        Ok(Recorded::Done)
    });
    mocks.passwords.expect_forget().returning(|_, _| Ok(()));
    let stored = Arc::new(Mutex::new(stored));
    let found = Arc::clone(&stored);
    mocks.second_factors.expect_find().returning(move |_, _| Ok(found.lock().unwrap().clone()));
    mocks.second_factors.expect_show().returning(move |_, _, proof, session| {
        assert_eq!(session, TokenDigest([7; 32]));
        let mut stored = stored.lock().unwrap();
        let Some(shown) = stored.clone().and_then(|factor| factor.show(proof)) else {
            return Ok(Recorded::Stale);
        };
        *stored = Some(shown);
        Ok(Recorded::Done)
    });
    mocks
}

#[test]
fn codes_are_those_of_rfc_6238() {
    for (seconds, code) in [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (1_111_111_111, "050471"),
        (1_234_567_890, "005924"),
        (2_000_000_000, "279037"),
        (20_000_000_000, "353130"),
    ] {
        assert_eq!(key().code(seconds / 30), code, "{seconds}");
        assert_eq!(key().step(code, at(seconds)), Some(seconds / 30));
    }
}

#[test]
fn a_code_is_good_for_a_step_before_and_after_its_own() {
    let step = 1_111_111_109 / 30;
    for (apart, is_good) in [(-61, false), (-31, true), (0, true), (31, true), (61, false)] {
        let now = at(step * 30 + 15 + apart);
        assert_eq!(key().step("081804", now).is_some(), is_good, "{apart}");
    }
}

#[test]
fn recovery_codes_differ_and_have_two_groups() {
    let (codes, digests) = key().recovery(&vault()).unwrap();
    assert_eq!((codes.len(), digests.len()), (10, 10));
    for (code, digest) in codes.iter().zip(&digests) {
        let (one, other) = code.reveal().split_once('-').unwrap();
        let is_good =
            |it: &str| it.chars().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit());
        assert!(one.len() == 5 && other.len() == 5 && is_good(one) && is_good(other));
        let typed = format!(" {one} {} ", other.to_lowercase());
        assert_eq!(key().proof(&typed, at(0)), Some(FactorProof::Recovery(*digest)));
        assert_eq!(digests.iter().filter(|it| *it == digest).count(), 1);
    }
    let other = Key(Zeroizing::new([1; 20]));
    assert_ne!(other.digest("ABCDEFGHIJ"), key().digest("ABCDEFGHIJ"));
}

#[test]
fn a_secret_opens_for_its_user_alone_and_does_not_show() {
    let (vault, visit) = (vault(), visiting());
    let new = offer(&vault, &visit).unwrap();
    assert_eq!(new.secret.reveal().split(' ').map(str::len).collect::<Vec<_>>(), [4; 8]);
    let address = new.address.reveal();
    let secret = new.secret.reveal().replace(' ', "");
    assert!(address.starts_with("otpauth://totp/"), "{address}");
    assert!(address.contains("ada%40example.com?secret=") && address.contains(&secret));
    let again = offered(&vault, &visit, &new.sealed).unwrap().unwrap();
    assert_eq!((&again.secret, &again.address), (&new.secret, &new.address));
    let mut other = visiting();
    other.signed_in.as_mut().unwrap().1.user_id = Uuid::from_u128(6).into();
    for (visit, sealed) in [(&other, &*new.sealed), (&visit, ""), (&visit, "é")] {
        assert!(offered(&vault, visit, sealed).unwrap().is_none());
    }
    assert_eq!(format!("{new:?} {:?}", again.secret), "NewFactor(…) Secret(…)");
}

#[tokio::test]
async fn a_second_factor_is_set_up_by_a_code_soon_after_the_sign_in() {
    let (vault, visit) = (vault(), visiting());
    let sealed = URL_SAFE_NO_PAD.encode(factor(&visit).sealed.0);
    let now = at(300);
    let code = key().code(10);
    let mut mocks = mocks(now, None);
    audited(&mut mocks, r#"{"second_factor":"set_up"}"#);
    mocks.second_factors.expect_add().once().returning(move |_, factor, session| {
        assert_eq!((factor.last_step, factor.confirmed_at, session.0), (10, now, [7; 32]));
        assert_eq!(factor.recovery.len(), 10);
        Ok(Recorded::Done)
    });
    let ports = mocks.ports();
    for (sealed, code) in [("", &*code), (&sealed, "000000"), (&sealed, "")] {
        let answer = set_up(&ports, &vault, &visit, sealed, code).await.unwrap();
        assert!(matches!(answer, FactorAnswer::Again | FactorAnswer::Wrong), "{answer:?}");
    }
    let answer = set_up(&ports, &vault, &visit, &sealed, &code).await.unwrap();
    assert!(matches!(answer, FactorAnswer::Done(codes) if codes.len() == 10));
    let later = at(FRESH_MILLIS / 1_000);
    let ports = self::mocks(later, None).ports();
    let code = key().code(FRESH_MILLIS / 30_000);
    let answer = set_up(&ports, &vault, &visit, &sealed, &code).await.unwrap();
    assert!(matches!(answer, FactorAnswer::Again));
}

#[tokio::test]
async fn of_two_set_ups_at_once_one_is_done() {
    let (vault, visit) = (vault(), visiting());
    let sealed = URL_SAFE_NO_PAD.encode(factor(&visit).sealed.0);
    let mut mocks = mocks(at(0), None);
    mocks.second_factors.expect_add().once().returning(|_, _, _| Ok(Recorded::Stale));
    let code = key().code(0);
    let answer = set_up(&mocks.ports(), &vault, &visit, &sealed, &code).await.unwrap();
    assert!(matches!(answer, FactorAnswer::Again));
}

#[tokio::test]
async fn each_code_shows_the_factor_once() {
    let (vault, mut visit) = (vault(), visiting());
    visit.next_step = Some(NextStep::Show);
    let mut mocks = mocks(at(300), Some(factor(&visit)));
    audited(&mut mocks, r#"{"second_factor":"recovery_code_used"}"#);
    let ports = mocks.ports();
    let shows = async |typed: &str| show(&ports, &vault, &visit, typed).await.unwrap();
    let [earlier, present] = [9, 10].map(|step| key().code(step));
    assert!(matches!(shows(&format!(" {present}\n")).await, FactorAnswer::Done(_)));
    for typed in [&*present, &*earlier, "", "12345", "abcde-fghik"] {
        assert!(matches!(shows(typed).await, FactorAnswer::Wrong), "{typed}");
    }
    assert!(matches!(shows("abcde-fghij").await, FactorAnswer::Done(_)));
    assert!(matches!(shows("ABCDE FGHIJ").await, FactorAnswer::Wrong));
}

#[tokio::test]
async fn a_code_is_not_looked_at_after_too_many_tries() {
    let visit = visiting();
    let mut mocks = Mocks::default();
    mocks.clock.expect_now().return_const(at(0));
    mocks.passwords.expect_attempt().once().returning(|_, _, _, _, _| Ok(Recorded::Stale));
    let answer = show(&mocks.ports(), &vault(), &visit, "287082").await.unwrap();
    assert!(matches!(answer, FactorAnswer::TooMany));
}

#[tokio::test]
async fn recovery_codes_are_replaced_and_the_factor_is_turned_off_by_a_code() {
    let (vault, visit) = (vault(), visiting());
    let code = key().code(10);
    let mut renewing = mocks(at(300), Some(factor(&visit)));
    audited(&mut renewing, r#"{"second_factor":"codes_replaced"}"#);
    renewing.second_factors.expect_renew().once().returning(|_, _, recovery| {
        assert_eq!(recovery.len(), 10);
        Ok(Recorded::Done)
    });
    let ports = renewing.ports();
    let answer = renew(&ports, &vault, &visit, "000000").await.unwrap();
    assert!(matches!(answer, FactorAnswer::Wrong));
    let answer = renew(&ports, &vault, &visit, &code).await.unwrap();
    assert!(matches!(answer, FactorAnswer::Done(codes) if codes.len() == 10));

    let mut turning = mocks(at(300), Some(factor(&visit)));
    audited(&mut turning, r#"{"second_factor":"turned_off"}"#);
    turning.second_factors.expect_remove().once().returning(|_, _, except| {
        assert_eq!(except, Some(TokenDigest([7; 32])));
        Ok(Recorded::Done)
    });
    let ports = turning.ports();
    let answer = turn_off(&ports, &vault, &visit, "000000").await.unwrap();
    assert!(matches!(answer, FactorAnswer::Wrong));
    let answer = turn_off(&ports, &vault, &visit, &code).await.unwrap();
    assert!(matches!(answer, FactorAnswer::Done(_)));
}

#[tokio::test]
async fn the_own_factor_is_for_members_who_have_shown_it_or_are_to_set_one_up() {
    let nobody = visit(vec![], None);
    let ports = Mocks::default().ports();
    let refused = own(&ports, &nobody).await.unwrap_err();
    assert!(matches!(refused, Error::Denied(Denied::NotSignedIn)));
    let ada = visit(vec![], Some(user(5, "end_user")));
    assert!(matches!(own(&ports, &ada).await.unwrap_err(), Error::NotFound(_)));
    let waiting = Visit { next_step: Some(NextStep::Show), ..ada.clone() };
    let refused = own(&ports, &waiting).await.unwrap_err();
    assert!(matches!(refused, Error::Denied(Denied::SecondFactor)));
    let led = Visit { next_step: Some(NextStep::SetUp), ..ada };
    let ports = mocks(at(0), None).ports();
    let its = own(&ports, &led).await.unwrap();
    assert_eq!((its.there, its.is_required), (None, true));
    let member = visiting();
    let ports = mocks(at(1), Some(factor(&member))).ports();
    let its = own(&ports, &member).await.unwrap();
    assert_eq!(its, OwnFactor { there: Some((at(0), 1)), is_new: true, is_required: false });
}

#[tokio::test]
async fn the_operator_removes_a_factor_and_all_sessions() {
    let organization = visiting().frame.organization.clone();
    let email = Email::parse("ada@example.com").unwrap();
    let mut mocks = mocks(at(0), None);
    audited(&mut mocks, r#"{"second_factor":"reset"}"#);
    mocks.users.expect_find().returning(|_, _| Ok(Some(user(5, "owner"))));
    let mut answers = [Recorded::Done, Recorded::Stale].into_iter();
    mocks.second_factors.expect_remove().times(2).returning(move |_, _, except| {
        assert_eq!(except, None);
        Ok(answers.next().unwrap())
    });
    let ports = mocks.ports();
    assert!(reset(&ports, &vault(), &organization, &email).await.is_ok());
    let again = reset(&ports, &vault(), &organization, &email).await;
    assert!(matches!(again, Err(ResetError::NoFactor)));
    let mut mocks = Mocks::default();
    mocks.users.expect_find().returning(|_, _| Ok(None));
    let nobody = reset(&mocks.ports(), &vault(), &organization, &email).await;
    assert!(matches!(nobody, Err(ResetError::NoUser)));
}

#[tokio::test]
async fn a_member_without_the_factor_counts_as_a_person_without_a_role() {
    let settings = [None, Some(Role::Owner), Some(Role::Viewer)];
    for (role, factor, expected) in [
        ("owner", Factor::None, [None, Some(NextStep::SetUp), Some(NextStep::SetUp)]),
        ("viewer", Factor::None, [None, None, Some(NextStep::SetUp)]),
        ("viewer", Factor::Wanted, [Some(NextStep::Show); 3]),
        ("owner", Factor::Shown, [None; 3]),
        ("end_user", Factor::Wanted, [None; 3]),
    ] {
        for (least, expected) in settings.into_iter().zip(expected) {
            let Visit { mut frame, signed_in, .. } = visit(vec![], Some(user(5, role)));
            let (session, user) = signed_in.unwrap();
            Arc::get_mut(&mut frame).unwrap().organization.portal.second_factor = least;
            let mut mocks = mocks(at(0), None);
            let found = (Session { factor, ..session }, user);
            mocks.sessions.expect_find().returning(move |_, _, _| Ok(Some(found.clone())));
            let ports = mocks.ports();
            let visit = crate::sign_in::visit(&ports, frame, Some("token")).await.unwrap();
            assert_eq!(visit.next_step, expected, "{role} {factor:?} {least:?}");
            assert_eq!(visit.is_on_team(), expected.is_none() && role != "end_user");
            assert_eq!(visit.oneself().is_ok(), expected.is_none());
        }
    }
}
