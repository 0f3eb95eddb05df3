//! Sign-ins of people, and their sessions.
//!
//! A person who wants to sign in gets one mail with a link and a code. Either is good once, for ten
//! minutes. The link works in any browser, the code only in the one that asked for it. The person
//! becomes a user when the proof arrives, so that the answer to a known address and to an unknown
//! one is the same.
//!
//! Tokens are 32 random bytes. The store has their digests alone.

use crate::people::ensure_not_blocked;
use crate::portal::{Act, Frame, Visit};
use crate::users::{self, PatchUser, UpsertUser};
use crate::vault::{NoRandomness, digest};
use crate::{Caller, Error, Vault};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hearback_domain::api_key::KeyDigest;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::millis::HOUR;
use hearback_domain::permission::Role;
use hearback_domain::person::{Email, Handle, NOT_ON_TEAM};
use hearback_domain::return_to::ReturnTo;
use hearback_domain::session::{
    ACT_MILLIS, Factor, GuestAct, INVITATION_MILLIS, Proof, Redeemed, SESSION_MILLIS,
    SIGN_IN_MILLIS, Session, SignIn, TokenDigest, Way,
};
use hearback_domain::text::ShortText;
use hearback_domain::user::{User, UserPatch, UserSelector};
use hearback_ports::{Ports, Recorded, StoreError};
use ring::hmac;
use std::fmt;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A secret text that belongs into a mail, a cookie or a link.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// The text.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    pub(crate) fn token(vault: &Vault) -> Result<Self, NoRandomness> {
        Ok(Self(Zeroizing::new(URL_SAFE_NO_PAD.encode(*vault.random::<32>()?))))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The tokens and the code of a sign-in.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The token that the browser keeps. The code works with it alone.
    pub browser: Secret,
    /// The token of the link in the mail.
    pub link: Secret,
    /// The code in the mail: six digits.
    pub code: Secret,
    /// The address to which the mail goes: the one that signs in.
    pub email: Email,
    /// Whether the mail is to be sent. It is not if the address has had too many lately.
    pub is_sent: bool,
}

/// Begins to sign a person in.
pub async fn offer(
    ports: &Ports,
    vault: &Vault,
    organization: OrganizationId,
    email: &Email,
    return_to: &ReturnTo,
) -> Result<Offer, Error> {
    let lasts = (SIGN_IN_MILLIS, None);
    offer_for(ports, vault, organization, (email, return_to), lasts).await
}

/// Begins to sign a guest in, who does something by it.
pub async fn offer_to_guest(
    ports: &Ports,
    vault: &Vault,
    organization: OrganizationId,
    (email, return_to): (&Email, &ReturnTo),
    (name, act): (&ShortText, &Act),
) -> Result<Offer, Error> {
    let guest = GuestAct { name: name.as_str().to_owned(), act: act.write() };
    let lasts = (ACT_MILLIS, Some(guest));
    offer_for(ports, vault, organization, (email, return_to), lasts).await
}

/// Begins to change the address of a user who has signed in. The sign-in signs nobody in.
pub(crate) async fn offer_address(
    ports: &Ports,
    vault: &Vault,
    organization: OrganizationId,
    email: &Email,
    user: UserId,
) -> Result<Offer, Error> {
    let lasts = (SIGN_IN_MILLIS, Some(of_address(user)));
    offer_for(ports, vault, organization, (email, &ReturnTo::default()), lasts).await
}

/// What a sign-in has in place of the act of a guest if it changes the address of a user.
fn of_address(user: UserId) -> GuestAct {
    GuestAct { name: String::new(), act: format!("{ADDRESS}{user}") }
}

/// No act of a guest begins like this.
const ADDRESS: &str = "address ";

/// Whether a sign-in changes the address of a user.
pub(crate) fn is_address_of(sign_in: &SignIn, user: UserId) -> bool {
    sign_in.guest.as_deref() == Some(&of_address(user))
}

async fn offer_for(
    ports: &Ports,
    vault: &Vault,
    organization: OrganizationId,
    (email, return_to): (&Email, &ReturnTo),
    (millis, guest): (i64, Option<GuestAct>),
) -> Result<Offer, Error> {
    let random = |_: NoRandomness| Error::Secret(NoRandomness.into());
    let browser = Secret::token(vault).map_err(random)?;
    let link = Secret::token(vault).map_err(random)?;
    let code = code(vault).map_err(random)?;
    let email = spelling(ports, organization, email).await?;
    let now = ports.clock.now();
    let sign_in = SignIn {
        id: digest_of(browser.reveal()),
        link: digest_of(link.reveal()),
        code: Some(code_digest(vault, browser.reveal(), code.reveal())),
        email: email.as_str().to_owned(),
        role: None,
        return_to: return_to.as_str().to_owned(),
        guest: guest.map(Box::new),
        tries: 0,
        created_at: now,
        expires_at: now.plus_millis(millis),
    };
    let recorded = ports.sessions.sign_in(organization, sign_in).await?;
    Ok(Offer { browser, link, code, email, is_sent: recorded == Recorded::Done })
}

/// The spelling of an address that counts: the one that a user has, otherwise the one in lower case.
/// So the many spellings of an address share its few mails, and a mail goes to no other address
/// than the one that it signs in. One look-up, whether a user has the address or not.
async fn spelling(
    ports: &Ports,
    organization: OrganizationId,
    email: &Email,
) -> Result<Email, Error> {
    let known = known(ports, organization, email).await?;
    Ok(match known.and_then(|user| Email::parse(&user.email).ok()) {
        Some(email) => email,
        None => Email::parse(&lower(email)).unwrap_or_else(|_| email.clone()),
    })
}

/// An address in lower case. Letters outside of ASCII stay: U+212A, the sign of the kelvin, would
/// become the `k` of somebody else's address.
pub(crate) fn lower(email: &Email) -> String {
    email.as_str().to_ascii_lowercase()
}

/// Invites a person to a role on the team. The token of the link is good once, for seven days, and
/// ends those of earlier invitations of the address.
pub async fn invite(
    ports: &Ports,
    vault: &Vault,
    organization: OrganizationId,
    email: &Email,
    role: Role,
) -> Result<Secret, Error> {
    let random = |_: NoRandomness| Error::Secret(NoRandomness.into());
    let [browser, link] = [Secret::token(vault), Secret::token(vault)].map(|it| it.map_err(random));
    let link = link?;
    let now = ports.clock.now();
    let sign_in = SignIn {
        id: digest_of(browser?.reveal()),
        link: digest_of(link.reveal()),
        code: None,
        email: email.as_str().to_owned(),
        role: Some(role),
        return_to: ReturnTo::default().as_str().to_owned(),
        guest: None,
        tries: 0,
        created_at: now,
        expires_at: now.plus_millis(INVITATION_MILLIS),
    };
    match ports.sessions.sign_in(organization, sign_in).await? {
        Recorded::Done => Ok(link),
        // An invitation waits for nothing but its turn.
        _ => Err(Error::Store(StoreError::Busy)),
    }
}

/// The sign-in of the token of a link, unless it is over. Nobody is signed in.
pub async fn offered(
    ports: &Ports,
    organization: OrganizationId,
    token: &str,
) -> Result<Option<SignIn>, Error> {
    let now = ports.clock.now();
    Ok(ports.sessions.offered(organization, digest_of(token), now).await?)
}

/// The proof that a person shows to sign in.
#[derive(Clone, Copy, Debug)]
pub enum Shown<'a> {
    /// The token of the link.
    Link(&'a str),
    /// The token of the browser, and the code.
    Code {
        /// The token.
        browser: &'a str,
        /// The code. White space and hyphens in it do not count.
        code: &'a str,
    },
}

/// The answer to a proof.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The person has signed in.
    SignedIn {
        /// The token of the new session.
        token: Secret,
        /// The page to go on with.
        return_to: ReturnTo,
        /// The act that the person began as a guest.
        act: Option<Act>,
        /// Whether the person was invited, and is to set a first password.
        sets_password: bool,
    },
    /// The code is wrong.
    WrongCode {
        /// The number of tries that are left.
        left: u8,
    },
    /// The proof was used, or has expired, or was never good.
    Gone,
}

/// Signs a person in by a proof. An unknown address becomes a user.
///
/// # Errors
///
/// [`Precondition::UserBlocked`](crate::Precondition::UserBlocked) if the user is blocked.
pub async fn redeem(
    ports: &Ports,
    vault: &Vault,
    frame: &Frame,
    shown: Shown<'_>,
    agent: &str,
) -> Result<Answer, Error> {
    let organization = frame.organization.id;
    let proof = match shown {
        Shown::Link(token) => Proof::Link(digest_of(token)),
        Shown::Code { browser, code } => {
            let digits: String = code.chars().filter(char::is_ascii_digit).collect();
            Proof::Code { id: digest_of(browser), code: code_digest(vault, browser, &digits) }
        }
    };
    let sign_in = match ports.sessions.redeem(organization, proof, ports.clock.now()).await? {
        Redeemed::Done(sign_in) => sign_in,
        Redeemed::WrongCode { left } => return Ok(Answer::WrongCode { left }),
        Redeemed::Gone => return Ok(Answer::Gone),
    };
    if sign_in.guest.as_ref().is_some_and(|guest| guest.act.starts_with(ADDRESS)) {
        return Ok(Answer::Gone);
    }
    let Ok(email) = Email::parse(&sign_in.email) else { return Ok(Answer::Gone) };
    let caller = of_frame(frame).doing("portal/sign-in");
    let (name, act) = sign_in
        .guest
        .map_or((None, None), |guest| (ShortText::parse(&guest.name).ok(), Act::read(&guest.act)));
    let user = user_of(ports, caller, (email, name), sign_in.role).await?;
    // Without a mail server, nothing else lets an invited person sign in a second time.
    let sets_password = sign_in.role.is_some()
        && frame.organization.portal.signs_in_by_password
        && ports.passwords.find(organization, user).await?.is_none();
    let token = begin(ports, vault, organization, user, agent, Way::Mail).await?;
    Ok(match token {
        Some(token) => {
            let return_to = ReturnTo::parse(&sign_in.return_to);
            Answer::SignedIn { token, return_to, act, sets_password }
        }
        None => Answer::Gone,
    })
}

/// Uses up the token of a link. Returns `false` if it is over.
pub(crate) async fn use_up(
    ports: &Ports,
    organization: OrganizationId,
    token: &str,
) -> Result<bool, Error> {
    let proof = Proof::Link(digest_of(token));
    let redeemed = ports.sessions.redeem(organization, proof, ports.clock.now()).await?;
    Ok(matches!(redeemed, Redeemed::Done(_)))
}

/// Begins a session of a user. `None` if the user is not linked any more.
pub async fn begin(
    ports: &Ports,
    vault: &Vault,
    organization: OrganizationId,
    user_id: UserId,
    agent: &str,
    way: Way,
) -> Result<Option<Secret>, Error> {
    let token = Secret::token(vault).map_err(|_| Error::Secret(NoRandomness.into()))?;
    let now = ports.clock.now();
    let session = Session {
        digest: digest_of(token.reveal()),
        user_id,
        agent: agent.chars().take(MOST_AGENT).collect(),
        way,
        // The store knows whether the user has one.
        factor: Factor::None,
        created_at: now,
        seen_at: now,
        expires_at: now.plus_millis(SESSION_MILLIS),
    };
    let recorded = ports.sessions.begin(organization, session).await?;
    Ok((recorded == Recorded::Done).then_some(token))
}

/// The visit of a browser with a token, or without one. A member of the team whose second factor was
/// not shown counts as a person without a role. While a user is blocked, the visit is that of nobody.
pub async fn visit(ports: &Ports, frame: Arc<Frame>, token: Option<&str>) -> Result<Visit, Error> {
    let Some(token) = token else { return Ok(Visit::of_nobody(frame)) };
    let (organization, now) = (frame.organization.id, ports.clock.now());
    let digest = digest_of(token);
    let found = ports.sessions.find(organization, digest, now).await?;
    let mut signed_in = found.filter(|(_, user)| !user.is_blocked);
    let mut next_step = None;
    if let Some((session, user)) = &mut signed_in
        && let Some(role) = user.role()
    {
        let is_required = frame.organization.portal.needs_second_factor(role);
        next_step = session.factor.next_step(is_required);
        if next_step.is_some() {
            user.portal_role = NOT_ON_TEAM.to_owned();
        }
    }
    Ok(Visit { frame, signed_in, guest: None, next_step })
}

/// Lets a session that is used stay for seven more days. It is stored once an hour. Returns whether
/// it was: the browser has to keep the token as long.
pub async fn renew(ports: &Ports, visit: &Visit) -> Result<bool, Error> {
    let Some((session, _)) = &visit.signed_in else { return Ok(false) };
    let now = ports.clock.now();
    let is_due = now >= session.seen_at.plus_millis(TOUCH_MILLIS);
    if is_due {
        let (organization, expires_at) = (visit.organization(), now.plus_millis(SESSION_MILLIS));
        ports.sessions.touch(organization, session.digest, now, expires_at).await?;
    }
    Ok(is_due)
}

/// Ends the session of a token.
pub async fn sign_out(
    ports: &Ports,
    organization: OrganizationId,
    token: &str,
) -> Result<(), Error> {
    Ok(ports.sessions.end(organization, digest_of(token)).await?)
}

/// The sessions of the visitor, the last used first.
pub async fn sessions(ports: &Ports, visit: &Visit) -> Result<Vec<Session>, Error> {
    let Some(user) = visit.user() else { return Ok(vec![]) };
    let now = ports.clock.now();
    Ok(ports.sessions.of_user(visit.organization(), user.user_id, now).await?)
}

/// Ends a session of the visitor.
pub async fn end_session(ports: &Ports, visit: &Visit, digest: TokenDigest) -> Result<(), Error> {
    let own = sessions(ports, visit).await?;
    if own.iter().any(|session| session.digest == digest) {
        ports.sessions.end(visit.organization(), digest).await?;
    }
    Ok(())
}

/// Ends all sessions of the visitor but the present one.
pub async fn end_others(ports: &Ports, visit: &Visit) -> Result<(), Error> {
    let Some((session, user)) = &visit.signed_in else { return Ok(()) };
    let (organization, this) = (visit.organization(), Some(session.digest));
    Ok(ports.sessions.end_all(organization, user.user_id, this).await?)
}

/// The user with an address, in a role if one is given. An unknown address becomes a user.
async fn user_of(
    ports: &Ports,
    caller: Caller,
    (email, name): (Email, Option<ShortText>),
    role: Option<Role>,
) -> Result<UserId, Error> {
    let organization = caller.organization();
    let user = match known_unblocked(ports, organization, &email).await? {
        Some(user) => user.user_id,
        None => {
            let patch = UserPatch {
                email: Some(email.clone()),
                name,
                // A person who signs in takes part, and hears of it.
                is_subscribed: Some(true),
                ..UserPatch::default()
            };
            let input = UpsertUser {
                handle: Handle::Email(email),
                values: PatchUser { patch, company: None },
                created_at: None,
            };
            users::upserted(users::upsert(ports, caller, input, None).await?)?
        }
    };
    if let Some(role) = role {
        users::set_role(ports, caller, user, role).await?;
        // A session that began by another way, such as single sign-on, is none of the team.
        ports.sessions.end_all(organization, user, None).await?;
    }
    Ok(user)
}

/// The linked user with an address, in any case of its letters: people type it so.
pub(crate) async fn known(
    ports: &Ports,
    organization: OrganizationId,
    email: &Email,
) -> Result<Option<User>, Error> {
    Ok(ports.users.find(organization, any_case(email)).await?)
}

/// [`known`], for a sign-in, which links a deleted user again.
///
/// # Errors
///
/// [`Precondition::UserBlocked`](crate::Precondition::UserBlocked) if the user, linked or deleted, is
/// blocked.
pub(crate) async fn known_unblocked(
    ports: &Ports,
    organization: OrganizationId,
    email: &Email,
) -> Result<Option<User>, Error> {
    let user = ports.users.find_any(organization, any_case(email)).await?;
    user.iter().try_for_each(ensure_not_blocked)?;
    Ok(user.filter(|user| user.is_active))
}

fn any_case(email: &Email) -> UserSelector {
    UserSelector::AnyCase(email.as_str().to_owned())
}

/// The program itself, at work for the organization of a frame.
pub(crate) fn of_frame(frame: &Frame) -> Caller {
    let ledger = frame.organization.events_ledger;
    Caller::background(frame.organization.id).keeping_events(ledger)
}

/// The digest of a token.
pub fn digest_of(token: &str) -> TokenDigest {
    let KeyDigest(digest) = digest(token);
    TokenDigest(digest)
}

/// Six random digits, each number as likely as any other.
fn code(vault: &Vault) -> Result<Secret, NoRandomness> {
    loop {
        let drawn = u32::from_be_bytes(*vault.random::<4>()?);
        // The numbers above the last whole million are drawn again.
        if drawn < 4_294_000_000 {
            return Ok(Secret(Zeroizing::new(format!("{:06}", drawn % 1_000_000))));
        }
    }
}

/// The digest of a code. It has a key, since a million codes are tried in no time.
fn code_digest(vault: &Vault, browser: &str, code: &str) -> TokenDigest {
    let key = hmac::Key::new(hmac::HMAC_SHA256, vault.portal_key());
    let mut context = hmac::Context::with_key(&key);
    context.update(b"code\0");
    context.update(browser.as_bytes());
    context.update(b"\0");
    context.update(code.as_bytes());
    let mut digest = [0; 32];
    digest.copy_from_slice(context.sign().as_ref());
    TokenDigest(digest)
}

/// The token of the forms of a session, or of a browser that has not signed in.
pub fn form_token(vault: &Vault, browser: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, vault.portal_key());
    let mut context = hmac::Context::with_key(&key);
    context.update(b"form\0");
    context.update(browser.as_bytes());
    URL_SAFE_NO_PAD.encode(context.sign().as_ref())
}

/// Whether a token is that of the forms of a session. The comparison takes the same time for any
/// token.
pub fn is_form_token(vault: &Vault, browser: &str, token: &str) -> bool {
    let key = hmac::Key::new(hmac::HMAC_SHA256, vault.portal_key());
    let Ok(tag) = URL_SAFE_NO_PAD.decode(token) else { return false };
    let mut signed = b"form\0".to_vec();
    signed.extend_from_slice(browser.as_bytes());
    hmac::verify(&key, &signed, &tag).is_ok()
}

/// The longest name of a browser, in characters.
const MOST_AGENT: usize = 200;
/// The time after which the use of a session is stored again, in milliseconds: an hour.
const TOUCH_MILLIS: i64 = HOUR;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MasterKey;
    use crate::Precondition;
    use crate::mail::letter::tests::acme;
    use crate::write::tests::id;
    use hearback_domain::Time;
    use hearback_domain::record::{Kind, Known, Record, Step};
    use hearback_ports::mock::Mocks;
    use std::time::Duration;

    const NOW: Time = Time::MIN;

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

    fn mocks() -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(NOW);
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks
    }

    fn ada() -> User {
        let email = Email::parse("ada@example.com").unwrap();
        Handle::Email(email).user(None, id(1), id(2), NOW)
    }

    fn sign_in_of(email: &str, role: Option<Role>) -> SignIn {
        SignIn {
            id: digest_of("browser"),
            link: digest_of("link"),
            code: None,
            email: email.to_owned(),
            role,
            return_to: "/p/x".to_owned(),
            guest: None,
            tries: 0,
            created_at: NOW,
            expires_at: Time::MAX,
        }
    }

    #[tokio::test]
    async fn an_offer_stores_digests_that_only_its_own_tokens_have() {
        let mut mocks = mocks();
        mocks.sessions.expect_sign_in().times(2).returning(|_, sign_in| {
            assert_eq!((sign_in.role, sign_in.tries, &*sign_in.return_to), (None, 0, "/p/x"));
            assert_eq!(sign_in.expires_at, NOW.plus_millis(SIGN_IN_MILLIS));
            Ok(Recorded::Done)
        });
        mocks.users.expect_find().returning(|_, _| Ok(None));
        let (ports, vault) = (mocks.ports(), vault());
        let email = Email::parse("ada@example.com").unwrap();
        let to = ReturnTo::parse("/p/x");
        let made = async || offer(&ports, &vault, id(9), &email, &to).await.unwrap();
        let (one, other) = (made().await, made().await);
        assert!(one.is_sent);
        assert_ne!(one.link, other.link);
        assert_ne!(one.browser, other.browser);
        assert!(one.code.reveal().len() == 6 && one.code.reveal().parse::<u32>().is_ok());
        let of = |offer: &Offer, code: &str| code_digest(&vault, offer.browser.reveal(), code);
        assert_ne!(of(&one, "000000"), of(&other, "000000"));
        assert_ne!(of(&one, "000000"), of(&one, "000001"));
        assert_eq!(format!("{one:?}").matches("Secret(…)").count(), 3);
    }

    #[tokio::test]
    async fn an_address_with_too_many_mails_gets_no_other_one() {
        let mut mocks = mocks();
        mocks.sessions.expect_sign_in().returning(|_, _| Ok(Recorded::Stale));
        mocks.users.expect_find().returning(|_, _| Ok(Some(ada())));
        let email = Email::parse("ada@example.com").unwrap();
        let to = ReturnTo::default();
        let offer = offer(&mocks.ports(), &vault(), id(9), &email, &to).await.unwrap();
        assert!(!offer.is_sent);
    }

    #[tokio::test]
    async fn the_spellings_of_an_address_are_one_unless_a_user_has_another() {
        for (typed, spelled) in [
            ("ADA@example.com", "ada@example.com"),
            ("Eve@Example.com", "Eve@Example.com"),
            ("EVE@example.com", "Eve@Example.com"),
            ("dar\u{212a}@example.com", "dar\u{212a}@example.com"),
        ] {
            let mut mocks = mocks();
            mocks.users.expect_find().once().returning(|_, selector| match selector {
                UserSelector::AnyCase(email) if email.eq_ignore_ascii_case("eve@example.com") => {
                    Ok(Some(User { email: "Eve@Example.com".to_owned(), ..ada() }))
                }
                _ => Ok(None),
            });
            let stored = move |_, sign_in: SignIn| {
                assert_eq!(sign_in.email, spelled);
                Ok(Recorded::Done)
            };
            mocks.sessions.expect_sign_in().once().returning(stored);
            let (email, to) = (Email::parse(typed).unwrap(), ReturnTo::default());
            let offer = offer(&mocks.ports(), &vault(), id(9), &email, &to).await.unwrap();
            assert_eq!(offer.email.as_str(), spelled);
        }
    }

    fn session() -> Session {
        Session {
            digest: digest_of("token"),
            user_id: ada().user_id,
            agent: String::new(),
            way: Way::Mail,
            factor: Factor::None,
            created_at: NOW,
            seen_at: NOW,
            expires_at: Time::MAX,
        }
    }

    fn redeeming(redeemed: Redeemed) -> Mocks {
        let mut mocks = mocks();
        mocks.sessions.expect_redeem().return_once(move |_, _, _| Ok(redeemed));
        mocks
    }

    #[tokio::test]
    async fn a_known_user_signs_in_by_an_address_in_any_case() {
        let mut mocks = redeeming(Redeemed::Done(sign_in_of("Ada@Example.com", None)));
        let any_case = UserSelector::AnyCase("Ada@Example.com".to_owned());
        mocks.users.expect_find_any().once().returning(move |_, selector| {
            assert_eq!(selector, any_case);
            Ok(Some(ada()))
        });
        mocks
            .sessions
            .expect_begin()
            .once()
            .withf(|_, session| {
                session.user_id == ada().user_id
                    && session.agent.chars().count() == 200
                    && session.expires_at == NOW.plus_millis(SESSION_MILLIS)
            })
            .returning(|_, _| Ok(Recorded::Done));
        let shown = Shown::Link("link");
        let answer = redeem(&mocks.ports(), &vault(), &frame(), shown, &"é".repeat(300)).await;
        let Answer::SignedIn { return_to, .. } = answer.unwrap() else { panic!() };
        assert_eq!(return_to.as_str(), "/p/x");
    }

    #[tokio::test]
    async fn an_invited_person_becomes_a_user_with_the_role() {
        let mut mocks = redeeming(Redeemed::Done(sign_in_of("ada@example.com", Some(Role::Owner))));
        mocks.ids.expect_fresh().return_const(hearback_domain::Uuid::from_u128(7));
        mocks.users.expect_find_any().returning(|_, _| Ok(None));
        mocks.alarm.expect_ring().return_const(());
        mocks.records.expect_load().returning(|_, keys| {
            let user = User { user_id: id(7), ..ada() };
            let is_user = keys.iter().any(|(kind, _)| *kind == Kind::User);
            let known = is_user.then(|| hearback_domain::record::OfKind::into_record(user));
            Ok(Known::new(known))
        });
        let mut roles = vec![];
        mocks.records.expect_apply().times(2).returning(move |_, change| {
            let after = change.steps.iter().find_map(Step::after).cloned().unwrap();
            let Record::User(user) = after else { panic!("{after:?}") };
            roles.push(user.portal_role.clone());
            assert_eq!(roles, ["end_user", "owner"][..roles.len()]);
            Ok(Recorded::Done)
        });
        mocks.sessions.expect_begin().once().returning(|_, _| Ok(Recorded::Done));
        mocks
            .sessions
            .expect_end_all()
            .once()
            .withf(|_, user, except| *user == id(7) && except.is_none())
            .returning(|_, _, _| Ok(()));
        let answer = redeem(&mocks.ports(), &vault(), &frame(), Shown::Link("link"), "").await;
        assert!(matches!(answer.unwrap(), Answer::SignedIn { .. }));
    }

    #[tokio::test]
    async fn a_wrong_proof_signs_nobody_in() {
        let shown = Shown::Code { browser: "browser", code: "12 34-56" };
        let ports = redeeming(Redeemed::WrongCode { left: 4 }).ports();
        let answer = redeem(&ports, &vault(), &frame(), shown, "").await.unwrap();
        assert!(matches!(answer, Answer::WrongCode { left: 4 }));
        let ports = redeeming(Redeemed::Gone).ports();
        let answer = redeem(&ports, &vault(), &frame(), shown, "").await.unwrap();
        assert!(matches!(answer, Answer::Gone));
    }

    #[tokio::test]
    async fn a_blocked_user_neither_signs_in_nor_stays_so() {
        let blocked = || User { is_blocked: true, ..ada() };
        // A deleted user is as blocked as before.
        for is_active in [true, false] {
            let mut mocks = redeeming(Redeemed::Done(sign_in_of("ada@example.com", None)));
            let found = User { is_active, ..blocked() };
            mocks.users.expect_find_any().return_once(move |_, _| Ok(Some(found)));
            let shown = Shown::Link("link");
            let answer = redeem(&mocks.ports(), &vault(), &frame(), shown, "").await;
            assert!(matches!(answer, Err(Error::Refused(Precondition::UserBlocked))));
        }
        let mut mocks = mocks();
        mocks.sessions.expect_find().returning(move |_, _, _| Ok(Some((session(), blocked()))));
        let ports = mocks.ports();
        let visit = visit(&ports, Arc::new(frame()), Some("token")).await.unwrap();
        assert_eq!(visit.user(), None);
    }

    #[tokio::test]
    async fn a_user_who_left_meanwhile_does_not_sign_in() {
        let mut mocks = redeeming(Redeemed::Done(sign_in_of("ada@example.com", None)));
        mocks.users.expect_find_any().returning(|_, _| Ok(Some(ada())));
        mocks.sessions.expect_begin().returning(|_, _| Ok(Recorded::Stale));
        let answer = redeem(&mocks.ports(), &vault(), &frame(), Shown::Link("link"), "").await;
        assert!(matches!(answer.unwrap(), Answer::Gone));
    }

    #[tokio::test]
    async fn the_use_of_a_session_is_stored_once_an_hour() {
        for (since, is_stored) in [(TOUCH_MILLIS - 1, false), (TOUCH_MILLIS, true)] {
            let mut mocks = Mocks::default();
            mocks.clock.expect_now().return_const(NOW.plus_millis(since));
            let found = Some((session(), ada()));
            mocks.sessions.expect_find().once().return_once(move |_, _, _| Ok(found));
            let times = usize::from(is_stored);
            mocks.sessions.expect_touch().times(times).returning(|_, digest, at, until| {
                assert_eq!((digest, until), (digest_of("token"), at.plus_millis(SESSION_MILLIS)));
                Ok(())
            });
            let ports = mocks.ports();
            let visit = visit(&ports, Arc::new(frame()), Some("token")).await.unwrap();
            assert_eq!(visit.user(), Some(&ada()));
            assert_eq!(renew(&ports, &visit).await.unwrap(), is_stored);
        }
        let visit = visit(&Mocks::default().ports(), Arc::new(frame()), None).await.unwrap();
        assert_eq!(visit.user(), None);
        assert!(!renew(&Mocks::default().ports(), &visit).await.unwrap());
    }

    #[tokio::test]
    async fn a_session_of_somebody_else_is_not_ended() {
        let mut mocks = mocks();
        mocks.sessions.expect_of_user().returning(|_, _, _| Ok(vec![]));
        let signed_in = Some((session(), ada()));
        let visit = Visit { frame: Arc::new(frame()), signed_in, guest: None, next_step: None };
        assert!(end_session(&mocks.ports(), &visit, digest_of("other")).await.is_ok());
    }

    #[test]
    fn a_form_token_is_that_of_one_session() {
        let vault = vault();
        let token = form_token(&vault, "session");
        assert!(is_form_token(&vault, "session", &token));
        let other = form_token(&vault, "other");
        for wrong in ["", "x", "é", &other, &token[1..], &format!("{token}A")] {
            assert!(!is_form_token(&vault, "session", wrong), "{wrong}");
        }
    }
}
