//! Signs people in by providers of OpenID Connect.
//!
//! [`depart`] sends a browser to a provider, and [`arrive`] takes it back. The state, the nonce and
//! the verifier of a sign-in are in a sealed cookie of the browser, so that an answer works in the
//! browser that asked for it, once, for ten minutes, and with the provider that it is from.
//!
//! A person is known by the account at the provider, and the first time by the address that the
//! provider has confirmed. A provider signs in members of the team only if it is marked so: who
//! runs a provider can sign in as anybody.

use crate::Error;
use crate::oidc_providers::secret;
use crate::people::ensure_not_blocked;
use crate::portal::Frame;
use crate::sign_in::{Secret, begin, digest_of, known_unblocked, lower, of_frame};
use crate::users::{self, PatchUser, UpsertUser};
use crate::vault::{Purpose, SecretError, Vault};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hearback_domain::api_key::Sealed;
use hearback_domain::id::{OidcProviderId, OrganizationId, UserId};
use hearback_domain::oidc::{AWAY_MILLIS, OidcAccount, OidcProvider};
use hearback_domain::person::{Email, Handle};
use hearback_domain::return_to::ReturnTo;
use hearback_domain::session::Way;
use hearback_domain::text::ShortText;
use hearback_domain::user::{User, UserPatch, UserSelector};
use hearback_domain::web_url::WebUrl;
use hearback_domain::{Time, Uuid};
use hearback_ports::oidc::{OidcFault, OidcPerson, Parties, Ties};
use hearback_ports::{OidcClient, Ports, Recorded, StoreError, deadline};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use zeroize::Zeroizing;

/// The provider with an identifier.
pub async fn provider(
    ports: &Ports,
    organization: OrganizationId,
    id: OidcProviderId,
) -> Result<Option<OidcProvider>, Error> {
    let all = ports.oidc.providers(organization).await?;
    Ok(all.into_iter().find(|provider| provider.id == id))
}

/// The path of the callback address of a provider, below the address of the portal.
pub fn callback_path(id: OidcProviderId) -> String {
    format!("/sign-in/oidc/{id}/callback")
}

/// A browser that goes to a provider.
#[derive(Clone, Debug)]
pub struct Departure {
    /// The address of the provider.
    pub url: String,
    /// The value of the cookie. It is sealed: the browser does not learn the nonce and the verifier.
    pub cookie: String,
}

/// A sign-in at a provider, as the cookie has it.
#[derive(Deserialize, Serialize)]
struct Away {
    state: String,
    nonce: String,
    verifier: String,
    return_to: String,
    /// Milliseconds since 1970.
    until: i64,
}

impl Away {
    fn ties(self) -> Ties {
        let Self { state, nonce, verifier, .. } = self;
        let [state, nonce, verifier] = [state, nonce, verifier].map(Zeroizing::new);
        Ties { state, nonce, verifier }
    }

    fn seal(
        &self,
        vault: &Vault,
        organization: OrganizationId,
        provider: Uuid,
    ) -> Result<String, Error> {
        let json = Zeroizing::new(serde_json::json!(self).to_string());
        let sealed = vault.seal(organization, provider, Purpose::OidcSignIn, &json);
        Ok(URL_SAFE_NO_PAD.encode(sealed.map_err(SecretError::from)?.0))
    }

    fn open(
        vault: &Vault,
        organization: OrganizationId,
        provider: Uuid,
        cookie: &str,
    ) -> Option<Self> {
        let sealed = Sealed(URL_SAFE_NO_PAD.decode(cookie).ok()?);
        let json = vault.open(organization, provider, Purpose::OidcSignIn, &sealed).ok()?;
        serde_json::from_str(&json).ok()
    }
}

/// Lets a browser go to a provider. `callback` is the address to which it comes back.
pub async fn depart(
    ports: &Ports,
    client: &dyn OidcClient,
    vault: &Vault,
    organization: OrganizationId,
    provider: &OidcProvider,
    callback: String,
    return_to: &ReturnTo,
) -> Result<Result<Departure, OidcFault>, Error> {
    let random = || {
        let token = Secret::token(vault).map_err(SecretError::from)?;
        Ok::<_, Error>(token.reveal().to_owned())
    };
    let away = Away {
        state: random()?,
        nonce: random()?,
        verifier: random()?,
        return_to: return_to.as_str().to_owned(),
        until: ports.clock.now().plus_millis(AWAY_MILLIS).unix_millis(),
    };
    let cookie = away.seal(vault, organization, provider.id.0)?;
    let url = client.departure(&parties(provider, callback), &away.ties()).await;
    Ok(url.map(|url| Departure { url, cookie }))
}

fn parties(provider: &OidcProvider, callback: String) -> Parties {
    let OidcProvider { issuer, client_id, .. } = provider;
    Parties { issuer: issuer.clone(), client_id: client_id.clone(), callback }
}

/// A browser that comes back from a provider. A parameter that is missing is empty.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// The value of the cookie.
    pub cookie: &'a str,
    /// The parameter `state`.
    pub state: &'a str,
    /// The parameter `code`.
    pub code: &'a str,
    /// The parameter `error`.
    pub error: &'a str,
    /// The parameter `iss` (RFC 9207).
    pub issuer: &'a str,
    /// The `User-Agent`.
    pub agent: &'a str,
}

/// Why a provider signs nobody in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OidcRefusal {
    /// The browser did not go to the provider, was there too long, or comes back again.
    #[error("the sign-in began in another browser, took too long, or is over")]
    State,
    /// The provider signed nobody in, most often because the person did not want to.
    #[error("the provider has refused")]
    Refused,
    /// The provider cannot be used.
    #[error(transparent)]
    Fault(#[from] OidcFault),
    /// The provider tells no address.
    #[error("the provider tells no email address")]
    NoEmail,
    /// The provider has not confirmed the address.
    #[error("the provider has not confirmed the email address")]
    Unverified,
    /// The person is a member of the team.
    #[error("the person is a member of the team, and the provider signs in nobody of the team")]
    TeamMember,
}

/// The answer to a browser that comes back.
#[derive(Clone, Debug)]
pub enum OidcAnswer {
    /// The person has signed in.
    SignedIn {
        /// The token of the new session.
        token: Secret,
        /// The page to go on with.
        return_to: ReturnTo,
    },
    /// Nobody is signed in.
    Refused(OidcRefusal),
}

/// Signs a person in who comes back from a provider. An unknown person becomes a user.
pub async fn arrive(
    ports: &Ports,
    client: &dyn OidcClient,
    vault: &Vault,
    frame: &Frame,
    provider: &OidcProvider,
    callback: String,
    arrival: Arrival<'_>,
) -> Result<OidcAnswer, Error> {
    let refused = |refusal: OidcRefusal| Ok(OidcAnswer::Refused(refusal));
    let (organization, now) = (frame.organization.id, ports.clock.now());
    let away = Away::open(vault, organization, provider.id.0, arrival.cookie);
    let away = away.filter(|away| digest_of(&away.state) == digest_of(arrival.state));
    let Some(away) = away else { return refused(OidcRefusal::State) };
    let Some(until) = over(&away).filter(|until| now < *until) else {
        return refused(OidcRefusal::State);
    };
    // The state is used from here on, whatever becomes of it.
    let state = digest_of(&away.state);
    if ports.sessions.spend(organization, state, until, now).await? != Recorded::Done {
        return refused(OidcRefusal::State);
    }
    if !arrival.error.is_empty() {
        return refused(OidcRefusal::Refused);
    }
    if !arrival.issuer.is_empty() && arrival.issuer != provider.issuer {
        return refused(OidcFault::Issuer.into());
    }
    let return_to = ReturnTo::parse(&away.return_to);
    let (parties, secret) = (parties(provider, callback), secret(vault, organization, provider)?);
    let claim = &provider.claims.email;
    let person = client.person(&parties, &secret, &away.ties(), arrival.code, claim, now).await;
    deadline::renew();
    let person = match person {
        Ok(person) => person,
        Err(fault) => return refused(fault.into()),
    };
    let email = match confirmed(provider, &person) {
        Ok(email) => email,
        Err(refusal) => return refused(refusal),
    };
    let account = digest_of(&format!("{}\0{}", person.issuer, person.subject));
    let by_account = match ports.oidc.user_of(organization, account).await? {
        Some(user) => ports.users.find(organization, UserSelector::Id(user)).await?,
        None => None,
    };
    let is_linked = by_account.is_some();
    let found = match by_account {
        Some(user) => Some(user),
        None => known_unblocked(ports, organization, &email).await?,
    };
    let is_kept_out = |user: &User| user.role().is_some() && !provider.for_members;
    if found.as_ref().is_some_and(is_kept_out) {
        return refused(OidcRefusal::TeamMember);
    }
    found.iter().try_for_each(ensure_not_blocked)?;
    let user_id = match found {
        Some(user) => user.user_id,
        None => joined(ports, frame, provider, &person, email).await?,
    };
    if !is_linked {
        let linked = OidcAccount { digest: account, user_id, created_at: now };
        if ports.oidc.link(organization, linked).await? != Recorded::Done {
            return Err(Error::Store(StoreError::Busy));
        }
    }
    let token = begin(ports, vault, organization, user_id, arrival.agent, Way::Provider).await?;
    let token = token.ok_or(Error::Store(StoreError::Busy))?;
    // The user may have joined the team meanwhile.
    let digest = digest_of(token.reveal());
    let begun = ports.sessions.find(organization, digest, now).await?;
    if begun.is_none_or(|(_, user)| is_kept_out(&user)) {
        ports.sessions.end(organization, digest).await?;
        return refused(OidcRefusal::TeamMember);
    }
    Ok(OidcAnswer::SignedIn { token, return_to })
}

fn over(away: &Away) -> Option<Time> {
    Time::from_unix_millis(away.until).ok()
}

/// The address of a person, which the provider has confirmed.
fn confirmed(provider: &OidcProvider, person: &OidcPerson) -> Result<Email, OidcRefusal> {
    let names = &provider.claims;
    let email = text(person, &names.email).and_then(|email| Email::parse(email).ok());
    let email = email.ok_or(OidcRefusal::NoEmail)?;
    // Some providers write the boolean as a text.
    match person.claims.get(&names.email_verified) {
        Some(Value::Bool(true)) => Ok(email),
        Some(Value::String(text)) if text == "true" => Ok(email),
        _ => Err(OidcRefusal::Unverified),
    }
}

fn text<'a>(person: &'a OidcPerson, claim: &str) -> Option<&'a str> {
    person.claims.get(claim)?.as_str().map(str::trim)
}

/// Makes a user of a person.
async fn joined(
    ports: &Ports,
    frame: &Frame,
    provider: &OidcProvider,
    person: &OidcPerson,
    email: Email,
) -> Result<UserId, Error> {
    let names = &provider.claims;
    let email = Email::parse(&lower(&email)).unwrap_or(email);
    let name = text(person, &names.name).filter(|name| !name.is_empty());
    let picture = text(person, &names.picture);
    let patch = UserPatch {
        email: Some(email.clone()),
        name: name.and_then(|name| ShortText::parse(name).ok()),
        avatar_url: picture.and_then(|url| WebUrl::parse(url).ok()),
        // A person who signs in takes part, and hears of it.
        is_subscribed: Some(true),
        ..UserPatch::default()
    };
    let input = UpsertUser {
        handle: Handle::Email(email),
        values: PatchUser { patch, company: None },
        created_at: None,
    };
    let caller = of_frame(frame).doing("portal/oidc");
    users::upserted(users::upsert(ports, caller, input, None).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MasterKey;
    use crate::Precondition;
    use crate::portal::tests::{user, visit};
    use hearback_domain::oidc::ClaimNames;
    use hearback_domain::record::{Known, Record, Step};
    use hearback_domain::session::{Factor, Session};
    use hearback_ports::mock::Mocks;
    use hearback_ports::oidc::MockOidcClient;
    use serde_json::json;
    use std::sync::Arc;
    use std::time::Duration;

    const ISSUER: &str = "https://accounts.example.com";

    fn vault() -> Vault {
        Vault::new(&MasterKey::parse(&"5a".repeat(32)).unwrap())
    }

    fn acme() -> Arc<Frame> {
        visit(vec![], None).frame
    }

    fn some_provider(id: u128) -> OidcProvider {
        let id = Uuid::from_u128(id);
        let organization = acme().organization.id;
        OidcProvider {
            id: id.into(),
            name: "Example".to_owned(),
            issuer: ISSUER.to_owned(),
            client_id: "portal".to_owned(),
            sealed: vault().seal(organization, id, Purpose::OidcSecret, "secret").unwrap(),
            claims: ClaimNames::default(),
            for_members: false,
            created_at: Time::MIN,
        }
    }

    /// A departure, and its state.
    async fn departed(provider: &OidcProvider) -> (Departure, String) {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(Time::MIN);
        let mut client = MockOidcClient::new();
        client.expect_departure().returning(|_, ties| Ok(ties.state.to_string()));
        let (ports, organization) = (mocks.ports(), acme().organization.id);
        let (callback, to) = ("https://acme.example/back".to_owned(), ReturnTo::parse("/p/x"));
        let departure =
            depart(&ports, &client, &vault(), organization, provider, callback, &to).await;
        let departure = departure.unwrap().unwrap();
        let state = departure.url.clone();
        (departure, state)
    }

    /// A provider that tells these claims about a person.
    fn telling(claims: Value) -> MockOidcClient {
        let mut client = MockOidcClient::new();
        client.expect_person().once().returning(move |parties, secret, ties, code, email, _| {
            assert_eq!(
                (&*parties.client_id, secret, code, email),
                ("portal", "secret", "c", "email")
            );
            assert_eq!((ties.nonce.len(), ties.verifier.len()), (43, 43));
            let Value::Object(claims) = claims.clone() else { panic!() };
            Ok(OidcPerson { issuer: ISSUER.to_owned(), subject: "s-1".to_owned(), claims })
        });
        client
    }

    fn ada() -> Value {
        json!({"email": "Ada@example.com", "email_verified": true, "name": "Ada", "picture": "x"})
    }

    /// Mocks at some milliseconds after the departure, in which a state is spent.
    fn mocks(after: i64) -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(Time::MIN.plus_millis(after));
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks.sessions.expect_spend().returning(|_, _, _, _| Ok(Recorded::Done));
        mocks
    }

    /// [`mocks`] in which a session of a user begins.
    fn beginning(found: User) -> Mocks {
        let mut mocks = mocks(0);
        let user_id = found.user_id;
        mocks
            .sessions
            .expect_begin()
            .once()
            .withf(move |_, session| session.user_id == user_id && session.way == Way::Provider)
            .returning(|_, _| Ok(Recorded::Done));
        mocks.sessions.expect_find().once().returning(move |_, digest, now| {
            let session = Session {
                digest,
                user_id,
                agent: String::new(),
                way: Way::Provider,
                factor: Factor::None,
                created_at: now,
                seen_at: now,
                expires_at: Time::MAX,
            };
            Ok(Some((session, found.clone())))
        });
        mocks
    }

    async fn arrives(
        mocks: Mocks,
        client: MockOidcClient,
        provider: &OidcProvider,
        cookie: &str,
        state: &str,
    ) -> OidcAnswer {
        arrives_with(mocks, client, provider, cookie, state, ("", "")).await
    }

    async fn arrives_with(
        mocks: Mocks,
        client: MockOidcClient,
        provider: &OidcProvider,
        cookie: &str,
        state: &str,
        (error, issuer): (&str, &str),
    ) -> OidcAnswer {
        let arrival = Arrival { cookie, state, code: "c", error, issuer, agent: "" };
        let (ports, frame) = (mocks.ports(), acme());
        let callback = "https://acme.example/back".to_owned();
        arrive(&ports, &client, &vault(), &frame, provider, callback, arrival).await.unwrap()
    }

    #[tokio::test]
    async fn a_blocked_user_does_not_sign_in_by_a_provider() {
        let provider = some_provider(4);
        let (departure, state) = departed(&provider).await;
        let mut mocks = mocks(0);
        mocks.oidc.expect_user_of().returning(|_, _| Ok(None));
        let blocked = User { is_blocked: true, ..user(5, "end_user") };
        mocks.users.expect_find_any().return_once(|_, _| Ok(Some(blocked)));
        let (cookie, state, callback) = (&*departure.cookie, &*state, String::new());
        let arrival = Arrival { cookie, state, code: "c", error: "", issuer: "", agent: "" };
        let (ports, client) = (mocks.ports(), telling(ada()));
        let answer = arrive(&ports, &client, &vault(), &acme(), &provider, callback, arrival).await;
        assert!(matches!(answer, Err(Error::Refused(Precondition::UserBlocked))));
    }

    fn refusal(answer: OidcAnswer) -> OidcRefusal {
        let OidcAnswer::Refused(why) = answer else { panic!("signed in") };
        why
    }

    #[tokio::test]
    async fn a_known_account_signs_in_and_returns() {
        let provider = some_provider(4);
        let (departure, state) = departed(&provider).await;
        assert!(!departure.cookie.contains(&state));
        let mut mocks = beginning(user(5, "end_user"));
        mocks.oidc.expect_user_of().returning(|_, account| {
            assert_eq!(account, digest_of(&format!("{ISSUER}\0s-1")));
            Ok(Some(UserId(Uuid::from_u128(5))))
        });
        mocks.users.expect_find().once().returning(|_, selector| {
            assert_eq!(selector, UserSelector::Id(UserId(Uuid::from_u128(5))));
            Ok(Some(user(5, "end_user")))
        });
        let answer = arrives(mocks, telling(ada()), &provider, &departure.cookie, &state).await;
        let OidcAnswer::SignedIn { return_to, .. } = answer else { panic!() };
        assert_eq!(return_to.as_str(), "/p/x");
    }

    #[tokio::test]
    async fn a_confirmed_address_finds_its_user_and_links_the_account() {
        let provider = some_provider(4);
        let (departure, state) = departed(&provider).await;
        let mut mocks = beginning(user(5, "end_user"));
        mocks.oidc.expect_user_of().returning(|_, _| Ok(None));
        mocks.users.expect_find_any().returning(|_, _| Ok(Some(user(5, "end_user"))));
        mocks
            .oidc
            .expect_link()
            .once()
            .withf(|_, account| account.user_id.0 == Uuid::from_u128(5))
            .returning(|_, _| Ok(Recorded::Done));
        let answer = arrives(mocks, telling(ada()), &provider, &departure.cookie, &state).await;
        assert!(matches!(answer, OidcAnswer::SignedIn { .. }));
    }

    #[tokio::test]
    async fn an_unknown_person_becomes_a_user_with_a_name_and_a_good_picture() {
        let provider = some_provider(4);
        let (departure, state) = departed(&provider).await;
        let mut mocks = beginning(user(7, "end_user"));
        mocks.oidc.expect_user_of().returning(|_, _| Ok(None));
        mocks.oidc.expect_link().once().returning(|_, _| Ok(Recorded::Done));
        mocks.users.expect_find_any().returning(|_, _| Ok(None));
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(7));
        mocks.alarm.expect_ring().return_const(());
        mocks.records.expect_load().returning(|_, _| Ok(Known::new([])));
        mocks.records.expect_apply().once().returning(|_, change| {
            let made = change.steps.iter().filter_map(Step::after).find_map(|it| match it {
                Record::User(user) => Some(user.clone()),
                _ => None,
            });
            let made = made.unwrap();
            let told = (&*made.email, &*made.name, &*made.avatar_url, made.is_subscribed);
            assert_eq!(told, ("ada@example.com", "Ada", "", true));
            Ok(Recorded::Done)
        });
        let answer = arrives(mocks, telling(ada()), &provider, &departure.cookie, &state).await;
        assert!(matches!(answer, OidcAnswer::SignedIn { .. }));
    }

    #[tokio::test]
    async fn an_address_that_is_not_confirmed_signs_nobody_in() {
        let provider = some_provider(4);
        for (claims, why) in [
            (json!({"email": "ada@example.com"}), OidcRefusal::Unverified),
            (json!({"email": "ada@example.com", "email_verified": false}), OidcRefusal::Unverified),
            (json!({"email": "ada@example.com", "email_verified": "no"}), OidcRefusal::Unverified),
            (json!({"email_verified": true}), OidcRefusal::NoEmail),
            (json!({"email": 1, "email_verified": true}), OidcRefusal::NoEmail),
        ] {
            let (departure, state) = departed(&provider).await;
            let answer =
                arrives(mocks(0), telling(claims), &provider, &departure.cookie, &state).await;
            assert_eq!(refusal(answer), why);
        }
    }

    #[tokio::test]
    async fn a_member_of_the_team_signs_in_by_a_provider_for_members_alone() {
        let visitors = some_provider(4);
        let (departure, state) = departed(&visitors).await;
        let mut mocks = mocks(0);
        mocks.oidc.expect_user_of().returning(|_, _| Ok(None));
        mocks.users.expect_find_any().returning(|_, _| Ok(Some(user(5, "owner"))));
        let answer = arrives(mocks, telling(ada()), &visitors, &departure.cookie, &state).await;
        assert_eq!(refusal(answer), OidcRefusal::TeamMember);

        let everybody = OidcProvider { for_members: true, ..visitors };
        let mut mocks = beginning(user(5, "owner"));
        mocks.oidc.expect_user_of().returning(|_, _| Ok(None));
        mocks.oidc.expect_link().returning(|_, _| Ok(Recorded::Done));
        mocks.users.expect_find_any().returning(|_, _| Ok(Some(user(5, "owner"))));
        let answer = arrives(mocks, telling(ada()), &everybody, &departure.cookie, &state).await;
        assert!(matches!(answer, OidcAnswer::SignedIn { .. }));
    }

    #[tokio::test]
    async fn who_joins_the_team_meanwhile_is_signed_out_again() {
        let provider = some_provider(4);
        let (departure, state) = departed(&provider).await;
        let mut mocks = beginning(User { portal_role: "owner".to_owned(), ..user(5, "") });
        mocks.oidc.expect_user_of().returning(|_, _| Ok(Some(UserId(Uuid::from_u128(5)))));
        mocks.users.expect_find().returning(|_, _| Ok(Some(user(5, "end_user"))));
        mocks.sessions.expect_end().once().returning(|_, _| Ok(()));
        let answer = arrives(mocks, telling(ada()), &provider, &departure.cookie, &state).await;
        assert_eq!(refusal(answer), OidcRefusal::TeamMember);
    }

    /// No provider is asked, and no session begins.
    #[tokio::test]
    async fn a_state_works_in_its_browser_with_its_provider_once_and_for_ten_minutes() {
        let provider = some_provider(4);
        let (one, state) = departed(&provider).await;
        let (_, other) = departed(&provider).await;
        let nobody = MockOidcClient::new;
        let cut = &one.cookie[..one.cookie.len() - 1];
        for (cookie, state) in
            [("", &*state), (cut, &state), (&one.cookie, &other), (&one.cookie, ""), ("é", &state)]
        {
            let answer = arrives(mocks(0), nobody(), &provider, cookie, state).await;
            assert_eq!(refusal(answer), OidcRefusal::State);
        }
        let another = some_provider(5);
        let answer = arrives(mocks(0), nobody(), &another, &one.cookie, &state).await;
        assert_eq!(refusal(answer), OidcRefusal::State);
        let late = mocks(AWAY_MILLIS);
        let answer = arrives(late, nobody(), &provider, &one.cookie, &state).await;
        assert_eq!(refusal(answer), OidcRefusal::State);
        let mut used = Mocks::default();
        used.clock.expect_now().return_const(Time::MIN);
        used.sessions.expect_spend().once().returning(|_, _, _, _| Ok(Recorded::Stale));
        let answer = arrives(used, nobody(), &provider, &one.cookie, &state).await;
        assert_eq!(refusal(answer), OidcRefusal::State);
    }

    #[tokio::test]
    async fn an_error_and_another_issuer_are_refused_before_the_code_is_shown_to_anybody() {
        let provider = some_provider(4);
        let other = "https://evil.example";
        for (told, why) in [
            (("access_denied", ""), OidcRefusal::Refused),
            (("", other), OidcRefusal::Fault(OidcFault::Issuer)),
        ] {
            let (departure, state) = departed(&provider).await;
            let client = MockOidcClient::new();
            let cookie = &departure.cookie;
            let answer = arrives_with(mocks(0), client, &provider, cookie, &state, told).await;
            assert_eq!(refusal(answer), why);
        }
    }
}
