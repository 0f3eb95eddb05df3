//! Signs people in by the tokens of single sign-on.
//!
//! [`depart`] sends a browser to the sign-in of the organization's own software, and [`returned`]
//! knows it again: a token works only in a browser that asked for it. Otherwise somebody could sign
//! others in to an account that is not theirs. [`sign_in`] takes the token, once.
//!
//! A token never signs in a member of the team: who has the secret of an organization does not have
//! its portal.

use crate::portal::Frame;
use crate::sign_in::{Secret, begin, digest_of, lower, of_frame};
use crate::sso::{SsoFault, SsoUser, verify};
use crate::sso_secrets::opened;
use crate::users::{self, PatchUser, UpsertUser};
use crate::vault::NoRandomness;
use crate::{Error, Precondition, Vault};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hearback_domain::Time;
use hearback_domain::company::CompanyPatch;
use hearback_domain::edit::Patch;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::millis::minutes;
use hearback_domain::organization::Organization;
use hearback_domain::person::{Email, Handle};
use hearback_domain::return_to::ReturnTo;
use hearback_domain::session::Way;
use hearback_domain::text::{Name, ShortText};
use hearback_domain::user::{User, UserPatch, UserSelector};
use hearback_ports::{Ports, Recorded, StoreError};
use ring::hmac;

/// The time that a person has for the sign-in of the organization, in milliseconds: ten minutes.
pub const STATE_MILLIS: i64 = minutes(10);

/// The state of a browser that goes to the sign-in of the organization.
#[derive(Clone, Debug)]
pub struct Departure {
    /// The parameter `state`, which comes back with the token.
    pub state: Secret,
    /// The value of the cookie. It proves the state and the place to return to, and tells neither
    /// the state nor a way to make another one.
    pub cookie: String,
}

/// Lets a browser go to the sign-in of an organization.
pub fn depart(
    vault: &Vault,
    organization: OrganizationId,
    return_to: &ReturnTo,
    now: Time,
) -> Result<Departure, Error> {
    let state = Secret::token(vault).map_err(|_| Error::Secret(NoRandomness.into()))?;
    let end = now.plus_millis(STATE_MILLIS).unix_millis();
    let signed = signed(organization, state.reveal(), return_to.as_str(), end);
    let tag = URL_SAFE_NO_PAD.encode(hmac::sign(&key(vault), &signed));
    let place = URL_SAFE_NO_PAD.encode(return_to.as_str());
    Ok(Departure { state, cookie: format!("{end}.{place}.{tag}") })
}

/// The place to return to of a browser that comes back with a cookie and a state. `None` unless
/// both are of one [`depart`] in this organization that is not too long ago. The comparison takes
/// the same time for any state.
pub fn returned(
    vault: &Vault,
    organization: OrganizationId,
    cookie: &str,
    state: &str,
    now: Time,
) -> Option<ReturnTo> {
    let mut parts = cookie.split('.');
    let (end, place, tag) = (parts.next()?.parse().ok()?, parts.next()?, parts.next()?);
    let place = String::from_utf8(URL_SAFE_NO_PAD.decode(place).ok()?).ok()?;
    let tag = URL_SAFE_NO_PAD.decode(tag).ok()?;
    hmac::verify(&key(vault), &signed(organization, state, &place, end), &tag).ok()?;
    (now.unix_millis() < end).then(|| ReturnTo::parse(&place))
}

fn key(vault: &Vault) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, vault.portal_key())
}

fn signed(organization: OrganizationId, state: &str, place: &str, end: i64) -> Vec<u8> {
    let (organization, end) = (organization.0.as_bytes().as_slice(), end.to_string());
    let parts = [b"sso", organization, end.as_bytes(), state.as_bytes(), place.as_bytes()];
    parts.join(&0)
}

/// The audiences that a token may name: the identifier and the slug of the organization, and the
/// address of its portal. `home` is the address, without a slash at its end.
pub fn audiences(organization: &Organization, origin: &str, home: &str) -> [String; 5] {
    [
        organization.id.to_string(),
        organization.slug.as_str().to_owned(),
        origin.to_owned(),
        home.to_owned(),
        format!("{home}/"),
    ]
}

/// Why a token signs nobody in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SsoRefusal {
    /// Something is wrong with the token.
    #[error(transparent)]
    Fault(#[from] SsoFault),
    /// The token was used.
    #[error("the token was used already: make a new one for each sign-in")]
    Used,
    /// The address or the identifier is that of a member of the team.
    #[error(
        "the address or the identifier belongs to a member of the team, and single sign-on signs \
         in nobody of the team"
    )]
    TeamMember,
    /// The address or the identifier is that of a blocked user.
    #[error("the address or the identifier belongs to a user who is blocked")]
    Blocked,
}

/// The answer to a token.
#[derive(Clone, Debug)]
pub enum SsoAnswer {
    /// The person has signed in. The token of the new session.
    SignedIn(Secret),
    /// The token signs nobody in.
    Refused(SsoRefusal),
}

/// Signs a person in by a token. The person becomes a user, or the user gets the values of the
/// token.
pub async fn sign_in(
    ports: &Ports,
    vault: &Vault,
    frame: &Frame,
    token: &str,
    audiences: &[String],
    agent: &str,
) -> Result<SsoAnswer, Error> {
    let refused = |refusal: SsoRefusal| Ok(SsoAnswer::Refused(refusal));
    let (organization, now) = (frame.organization.id, ports.clock.now());
    let person = match read(ports, vault, organization, token, audiences, now).await? {
        Ok(person) => person,
        Err(fault) => return refused(fault.into()),
    };
    // The token is used from here on, whatever becomes of it.
    let spent =
        ports.sessions.spend(organization, digest_of(token), person.expires_at, now).await?;
    if spent != Recorded::Done {
        return refused(SsoRefusal::Used);
    }
    let known = Known::of(ports, organization, &person).await?;
    if let Some(refusal) = known.refusal() {
        return refused(refusal);
    }
    let user = stored(ports, frame, person, &known).await?;
    let session = begin(ports, vault, organization, user, agent, Way::Token).await?;
    let session = session.ok_or(Error::Store(StoreError::Busy))?;
    // The user may have joined the team meanwhile.
    let digest = digest_of(session.reveal());
    let begun = ports.sessions.find(organization, digest, now).await?;
    if begun.is_none_or(|(_, user)| user.role().is_some()) {
        ports.sessions.end(organization, digest).await?;
        return refused(SsoRefusal::TeamMember);
    }
    Ok(SsoAnswer::SignedIn(session))
}

/// A token that is good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The person of the token.
    pub person: SsoUser,
    /// The user whom it would sign in. `None` if it would make one.
    pub user: Option<User>,
}

/// Finds out what [`sign_in`] would do, and changes nothing. It does not look whether the token was
/// used.
pub async fn check(
    ports: &Ports,
    vault: &Vault,
    organization: OrganizationId,
    token: &str,
    audiences: &[String],
) -> Result<Result<Checked, SsoRefusal>, Error> {
    let now = ports.clock.now();
    let person = match read(ports, vault, organization, token, audiences, now).await? {
        Ok(person) => person,
        Err(fault) => return Ok(Err(fault.into())),
    };
    let known = Known::of(ports, organization, &person).await?;
    if let Some(refusal) = known.refusal() {
        return Ok(Err(refusal));
    }
    Ok(Ok(Checked { person, user: known.into_user() }))
}

async fn read(
    ports: &Ports,
    vault: &Vault,
    organization: OrganizationId,
    token: &str,
    audiences: &[String],
    now: Time,
) -> Result<Result<SsoUser, SsoFault>, Error> {
    let secrets = opened(ports, vault, organization).await?;
    let audiences: Vec<&str> = audiences.iter().map(String::as_str).collect();
    Ok(verify(token, &secrets, &audiences, now))
}

/// The users whom a token names. They may no longer be linked: a sign-in links them again.
struct Known {
    by_id: Option<User>,
    by_email: Option<User>,
}

impl Known {
    async fn of(
        ports: &Ports,
        organization: OrganizationId,
        person: &SsoUser,
    ) -> Result<Self, Error> {
        let find = async |selector| ports.users.find_any(organization, selector).await;
        let id = person.external_id.as_str().to_owned();
        let by_id = find(UserSelector::ExternalId(id)).await?;
        let email = person.email.as_str().to_owned();
        // Software writes addresses in any case.
        let by_email = find(UserSelector::AnyCase(email)).await?;
        Ok(Self { by_id, by_email })
    }

    /// The reason why the users do not sign in by a token.
    fn refusal(&self) -> Option<SsoRefusal> {
        let mut users = [&self.by_id, &self.by_email].into_iter().flatten();
        users.find_map(|user| match user {
            user if user.role().is_some() => Some(SsoRefusal::TeamMember),
            user if user.is_blocked => Some(SsoRefusal::Blocked),
            _ => None,
        })
    }

    /// The user whom an upsert finds.
    fn into_user(self) -> Option<User> {
        let Self { by_id, by_email } = self;
        match by_id {
            Some(user) if user.is_active => Some(user),
            by_id => by_email.or(by_id),
        }
    }

    /// The address that the user gets. It is none if another user has it.
    fn email(&self, person: &SsoUser) -> Option<Email> {
        let by_id = self.by_id.as_ref().filter(|user| user.is_active);
        match (by_id, &self.by_email) {
            (Some(user), Some(other)) if user.id != other.id => None,
            (_, Some(user)) => Email::parse(&user.email).ok(),
            (_, None) => Email::parse(&lower(&person.email)).ok(),
        }
    }
}

/// Stores what a token tells about its person.
async fn stored(
    ports: &Ports,
    frame: &Frame,
    person: SsoUser,
    known: &Known,
) -> Result<UserId, Error> {
    let is_new = known.by_id.is_none() && known.by_email.is_none();
    // A new user is not named by the identifier.
    let name = person.name.as_ref().map(Name::as_str);
    let name = name.or_else(|| is_new.then(|| person.email.local()));
    let patch = UserPatch {
        external_id: Patch::Set(person.external_id.clone()),
        email: known.email(&person),
        name: name.and_then(|name| ShortText::parse(name).ok()),
        avatar_url: person.avatar_url,
        locale: person.locale,
        attributes: Patch::Set(person.attributes),
        // A person who signs in takes part, and hears of it.
        is_subscribed: is_new.then_some(true),
        ..UserPatch::default()
    };
    let company = person.company.map(CompanyPatch::from);
    let handle = Handle::ExternalId(person.external_id);
    let values = PatchUser { patch, company };
    let upsert = async |values: PatchUser| {
        let caller = of_frame(frame).doing("portal/sso");
        let input = UpsertUser { handle: handle.clone(), values, created_at: None };
        users::upsert(ports, caller, input, None).await
    };
    let outcome = match upsert(values.clone()).await {
        // Attributes for which there is no room keep nobody out.
        Err(Error::Refused(Precondition::TooManyAttributes)) => {
            upsert(without_attributes(values)).await?
        }
        upserted => upserted?,
    };
    users::upserted(outcome)
}

fn without_attributes(PatchUser { patch, company }: PatchUser) -> PatchUser {
    let bare = |company| CompanyPatch { attributes: Default::default(), ..company };
    PatchUser { patch: UserPatch { attributes: Patch::Keep, ..patch }, company: company.map(bare) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MasterKey;
    use crate::mail::letter::tests::acme;
    use crate::vault::Purpose;
    use crate::write::tests::id;
    use hearback_domain::Uuid;
    use hearback_domain::record::{Known as Records, Record, Step};
    use hearback_domain::session::{Factor, Session};
    use hearback_domain::sso_secret::SealedSsoSecret;
    use hearback_ports::mock::Mocks;
    use std::time::Duration;

    const SECRET: &str = "8d5f1e0a-4c37-4b56-9a52-3f0f7c1b9e11";
    /// 2026-03-01T12:00:00Z, in seconds.
    const NOW: i64 = 1_772_366_400;

    fn now() -> Time {
        Time::from_unix_millis(NOW * 1_000).unwrap()
    }

    fn vault() -> Vault {
        Vault::new(&MasterKey::parse(&"5a".repeat(32)).unwrap())
    }

    fn frame() -> Frame {
        Frame {
            organization: acme(),
            boards: vec![],
            roadmap_boards: vec![],
            statuses: vec![],
            categories: vec![],
            tags: vec![],
            labels: vec![],
            has_mail_trouble: false,
        }
    }

    /// A token of Ada, with other claims behind.
    fn token(others: &str) -> String {
        let claims =
            format!(r#"{{"email":"Ada@example.com","sub":"u-1","exp":{}{others}}}"#, NOW + 300);
        let [header, claims] =
            [r#"{"alg":"HS256"}"#, &claims].map(|part| URL_SAFE_NO_PAD.encode(part));
        let signed = format!("{header}.{claims}");
        let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes());
        let tag = URL_SAFE_NO_PAD.encode(hmac::sign(&key, signed.as_bytes()));
        format!("{signed}.{tag}")
    }

    /// Mocks of a store with a secret and these users.
    fn mocks(by_id: Option<User>, by_email: Option<User>) -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(now());
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(7));
        mocks.alarm.expect_ring().return_const(());
        mocks.sso_secrets.expect_list().returning(|organization| {
            let id = Uuid::from_u128(4);
            let sealed = vault().seal(organization, id, Purpose::SsoSecret, SECRET).unwrap();
            Ok(vec![SealedSsoSecret { id: id.into(), sealed, created_at: Time::MIN }])
        });
        mocks.users.expect_find_any().returning(move |_, selector| {
            Ok(match selector {
                UserSelector::ExternalId(id) if id == "u-1" => by_id.clone(),
                UserSelector::Email(email) => by_email.clone().filter(|it| it.email == email),
                UserSelector::AnyCase(email) => {
                    by_email.clone().filter(|it| it.email.eq_ignore_ascii_case(&email))
                }
                _ => None,
            })
        });
        mocks.records.expect_load().returning(|_, _| Ok(Records::new([])));
        mocks
    }

    /// [`mocks`] in which a token is spent.
    fn spending(by_id: Option<User>, by_email: Option<User>, spent: Recorded) -> Mocks {
        let mut mocks = mocks(by_id, by_email);
        mocks
            .sessions
            .expect_spend()
            .once()
            .withf(|_, _, until, now| *until == now.plus_millis(360_000))
            .return_once(move |_, _, _, _| Ok(spent));
        mocks
    }

    /// Lets one change be made, and the session of its user begin, who is found in a role.
    fn storing(mut mocks: Mocks, role: &'static str, check: fn(&User)) -> Mocks {
        mocks.records.expect_apply().once().returning(move |_, change| {
            let users = change.steps.iter().filter_map(Step::after).filter_map(|it| match it {
                Record::User(user) => Some(user),
                _ => None,
            });
            users.for_each(check);
            Ok(Recorded::Done)
        });
        mocks.sessions.expect_begin().once().returning(|_, _| Ok(Recorded::Done));
        mocks.sessions.expect_find().once().returning(move |_, digest, _| {
            let session = Session {
                digest,
                user_id: id(2),
                agent: String::new(),
                way: Way::Token,
                factor: Factor::None,
                created_at: now(),
                seen_at: now(),
                expires_at: Time::MAX,
            };
            Ok(Some((session, User { portal_role: role.to_owned(), ..user("ada@example.com") })))
        });
        mocks
    }

    fn user(email: &str) -> User {
        Handle::Email(Email::parse(email).unwrap()).user(None, id(1), id(2), now())
    }

    fn member(user: User) -> User {
        User { portal_role: "viewer".to_owned(), ..user }
    }

    async fn answer(mocks: Mocks, token: &str) -> SsoAnswer {
        let audiences = audiences(&acme(), "https://a.example", "https://a.example/news");
        sign_in(&mocks.ports(), &vault(), &frame(), token, &audiences, "").await.unwrap()
    }

    async fn refusal(mocks: Mocks, token: &str) -> SsoRefusal {
        match answer(mocks, token).await {
            SsoAnswer::Refused(refusal) => refusal,
            signed_in => panic!("{signed_in:?}"),
        }
    }

    #[tokio::test]
    async fn an_unknown_person_becomes_a_user_with_the_values_of_the_token() {
        let others = r#","name":"Ada Lovelace","avatar_url":"https://a.example/ada.png",
            "locale":"de","attributes":{"plan":"pro"},
            "companies":[{"id":"c-9","name":"Engines"}]"#;
        let mut mocks = spending(None, None, Recorded::Done);
        mocks.records.expect_named().returning(|_, _, _, _| Ok(Default::default()));
        let mocks = storing(mocks, "end_user", |user| {
            assert_eq!(user.external_id.as_deref(), Some("u-1"));
            assert_eq!((&*user.email, &*user.name), ("ada@example.com", "Ada Lovelace"));
            assert_eq!((&*user.locale, &*user.company_name), ("de", "Engines"));
            assert_eq!(user.avatar_url, "https://a.example/ada.png");
            assert_eq!(user.portal_role, "end_user");
            assert!(user.is_subscribed && user.is_active);
        });
        assert!(matches!(answer(mocks, &token(others)).await, SsoAnswer::SignedIn(_)));
    }

    #[tokio::test]
    async fn a_new_user_without_a_name_is_named_by_the_address() {
        let mocks = storing(spending(None, None, Recorded::Done), "end_user", |user| {
            assert_eq!(user.name, "Ada");
        });
        assert!(matches!(answer(mocks, &token("")).await, SsoAnswer::SignedIn(_)));
    }

    #[tokio::test]
    async fn a_known_address_gets_the_identifier_and_an_identifier_the_new_address() {
        let by_email = || Some(user("ada@example.com"));
        let mocks = storing(spending(None, by_email(), Recorded::Done), "end_user", |user| {
            assert_eq!((user.external_id.as_deref(), user.id), (Some("u-1"), id(1)));
            assert_eq!(user.email, "ada@example.com");
            assert!(!user.is_subscribed);
        });
        assert!(matches!(answer(mocks, &token("")).await, SsoAnswer::SignedIn(_)));

        let by_id = || Some(User { id: id(3), ..user("countess@example.com") });
        let mocks = storing(spending(by_id(), None, Recorded::Done), "end_user", |user| {
            assert_eq!((&*user.email, user.id), ("ada@example.com", id(3)));
        });
        assert!(matches!(answer(mocks, &token("")).await, SsoAnswer::SignedIn(_)));

        // The address of another user stays with that one.
        let mocks = spending(by_id(), by_email(), Recorded::Done);
        let mocks = storing(mocks, "end_user", |user| {
            assert_eq!((&*user.email, user.id), ("countess@example.com", id(3)));
        });
        assert!(matches!(answer(mocks, &token("")).await, SsoAnswer::SignedIn(_)));
    }

    #[tokio::test]
    async fn a_member_of_the_team_is_signed_in_by_no_token() {
        let (plain, gone) = (user("eve@example.com"), user("ada@example.com"));
        let gone = User { is_active: false, ..gone };
        for (by_id, by_email) in [
            (None, Some(member(user("ada@example.com")))),
            (None, Some(member(user("Ada@example.com")))),
            (Some(member(plain.clone())), None),
            (Some(plain), Some(member(user("ada@example.com")))),
            (None, Some(member(gone.clone()))),
            (Some(member(gone)), None),
        ] {
            let mocks = spending(by_id, by_email, Recorded::Done);
            assert_eq!(refusal(mocks, &token("")).await, SsoRefusal::TeamMember);
        }
    }

    #[tokio::test]
    async fn a_blocked_user_is_not_signed_in() {
        let blocked = || Some(User { is_blocked: true, ..user("ada@example.com") });
        for (by_id, by_email) in [(blocked(), None), (None, blocked())] {
            let mocks = spending(by_id, by_email, Recorded::Done);
            assert_eq!(refusal(mocks, &token("")).await, SsoRefusal::Blocked);
        }
        let ports = mocks(None, blocked()).ports();
        let checked = check(&ports, &vault(), acme().id, &token(""), &[]).await.unwrap();
        assert_eq!(checked, Err(SsoRefusal::Blocked));
    }

    #[tokio::test]
    async fn who_joins_the_team_meanwhile_is_not_signed_in() {
        let mut mocks = storing(spending(None, None, Recorded::Done), "owner", |_| {});
        mocks.sessions.expect_end().once().returning(|_, _| Ok(()));
        assert_eq!(refusal(mocks, &token("")).await, SsoRefusal::TeamMember);
    }

    #[tokio::test]
    async fn a_token_that_was_used_or_is_wrong_signs_nobody_in() {
        let mocks = spending(None, None, Recorded::Stale);
        assert_eq!(refusal(mocks, &token("")).await, SsoRefusal::Used);
        for (token, fault) in [
            (token(r#","aud":"https://b.example""#), SsoFault::Audience),
            (token("").replace("eyJ", "eyK"), SsoFault::Signature),
            (String::new(), SsoFault::Parts),
        ] {
            assert_eq!(refusal(self::mocks(None, None), &token).await, fault.into());
        }
        let mut none = Mocks::default();
        none.clock.expect_now().return_const(now());
        none.sso_secrets.expect_list().returning(|_| Ok(vec![]));
        assert_eq!(refusal(none, &token("")).await, SsoFault::NoSecret.into());
    }

    #[tokio::test]
    async fn the_audiences_are_the_organization_and_the_addresses_of_its_portal() {
        let all = audiences(&acme(), "https://a.example", "https://a.example/news");
        for audience in &all {
            let token = token(&format!(r#","aud":"{audience}""#));
            let ports = mocks(None, None).ports();
            let checked = check(&ports, &vault(), acme().id, &token, &all).await.unwrap();
            assert!(checked.is_ok(), "{audience}");
        }
        assert_eq!(all[0], acme().id.to_string());
    }

    #[tokio::test]
    async fn a_check_changes_nothing() {
        let known = user("ada@example.com");
        for (by_id, by_email) in [(None, None), (None, Some(known.clone())), (Some(known), None)] {
            let expected = by_id.clone().or(by_email.clone());
            let ports = mocks(by_id, by_email).ports();
            let checked = check(&ports, &vault(), acme().id, &token(""), &[]).await.unwrap();
            assert_eq!(checked.unwrap().user, expected);
        }
        let ports = mocks(None, Some(member(user("ada@example.com")))).ports();
        let checked = check(&ports, &vault(), acme().id, &token(""), &[]).await.unwrap();
        assert_eq!(checked, Err(SsoRefusal::TeamMember));
    }

    #[test]
    fn a_browser_returns_with_its_own_cookie_and_state_within_ten_minutes() {
        let (vault, acme, globex) = (vault(), id(1), id(2));
        let place = ReturnTo::parse("/p/x?a=1#c");
        let depart = |organization| depart(&vault, organization, &place, now()).unwrap();
        let (one, other) = (depart(acme), depart(acme));
        let back = |organization, cookie: &str, state: &str, millis| {
            returned(&vault, organization, cookie, state, now().plus_millis(millis))
        };
        let state = one.state.reveal();
        assert!(!one.cookie.contains(state));
        assert_eq!(back(acme, &one.cookie, state, STATE_MILLIS - 1), Some(place.clone()));
        assert_eq!(back(acme, &one.cookie, state, STATE_MILLIS), None);
        assert_eq!(back(globex, &one.cookie, state, 0), None);
        for wrong in ["", "x", &state[1..], &format!("{state}A"), other.state.reveal()] {
            assert_eq!(back(acme, &one.cookie, wrong, 0), None, "{wrong}");
        }
        let parts: Vec<&str> = one.cookie.split('.').collect();
        let elsewhere = URL_SAFE_NO_PAD.encode("/p/y");
        let later = now().plus_millis(STATE_MILLIS + 1).unix_millis().to_string();
        for wrong in [
            "",
            "..",
            "é",
            &other.cookie,
            &format!("{}.{elsewhere}.{}", parts[0], parts[2]),
            &format!("{later}.{}.{}", parts[1], parts[2]),
            &format!("{}.{}.", parts[0], parts[1]),
        ] {
            assert_eq!(back(acme, wrong, state, 0), None, "{wrong}");
        }
    }
}
