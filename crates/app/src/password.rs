//! Passwords: signing in by one, setting and removing it.
//!
//! A password is hashed by Argon2id with the parameters that OWASP recommends. Each hash takes 19
//! MiB, so a process makes few at once. An address without a user, a user without a password and a
//! wrong password have the same answer after the same work.
//!
//! Tries are counted before the password is verified, so that guesses at once count, too: those of a
//! network, those of a network for an address, and those of all networks for an address. The last
//! limit is far higher, so that nobody keeps the owner of an address out from elsewhere.

use crate::people::ensure_not_blocked;
use crate::portal::{Frame, Visit};
use crate::sign_in::{Secret, begin, known, lower};
use crate::vault::SecretError;
use crate::{Caller, Error, Vault, audit};
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Argon2, PasswordHash as Phc};
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::organization::Organization;
use hearback_domain::password::{
    LEAST_PASSWORD, MOST_PASSWORD, MOST_TRIES, MOST_TRIES_OF_ACCOUNT, MOST_TRIES_OF_NETWORK,
    PasswordHash, StoredPassword, TRIES_MILLIS, WeakPassword, check_password,
};
use hearback_domain::person::Email;
use hearback_domain::session::{Session, TokenDigest, Way};
use hearback_domain::user::User;
use hearback_domain::{Time, Uuid};
use hearback_ports::{Ports, Recorded, StoreError};
use ring::hmac;
use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use zeroize::Zeroizing;

/// Hashes passwords, few at once. The others wait for their turn, until the time of their request is
/// over.
#[derive(Clone, Debug)]
pub struct Hasher(Arc<Semaphore>);

impl Default for Hasher {
    fn default() -> Self {
        let processors = available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new(processors.min(MOST_AT_ONCE))))
    }
}

/// The most hashes at once. They take 76 MiB.
const MOST_AT_ONCE: usize = 4;

impl Hasher {
    async fn hash(&self, vault: &Vault, password: &str) -> Result<PasswordHash, Error> {
        let salt = vault.random::<16>().map_err(SecretError::from)?;
        let hash = self.work(password, move |password| {
            let hash: Result<Phc, _> = Argon2::default().hash_password_with_salt(password, &*salt);
            hash.map(|hash| PasswordHash(hash.to_string()))
        });
        Ok(hash.await?.map_err(|_| SecretError::Hash)?)
    }

    /// Whether a password has a hash. Without a hash, the work is the same, and the answer is no.
    async fn verify(&self, password: &str, hash: Option<PasswordHash>) -> Result<bool, Error> {
        let hash = hash.map_or_else(|| NOBODYS.to_owned(), |hash| hash.0);
        self.work(password, move |password| {
            Argon2::default().verify_password(password, &*hash).is_ok()
        })
        .await
    }

    /// Works on a thread that may block. The turn is over when the work is, also if nobody waits
    /// for it any more.
    async fn work<T: Send + 'static>(
        &self,
        password: &str,
        work: impl FnOnce(&[u8]) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let turn = Arc::clone(&self.0).acquire_owned().await.map_err(|_| SecretError::Hash)?;
        let password = Zeroizing::new(password.as_bytes().to_vec());
        let done = spawn_blocking(move || {
            let done = work(&password);
            drop(turn);
            done
        });
        Ok(done.await.map_err(|_| SecretError::Hash)?)
    }
}

/// A hash of no password, with the parameters of the others.
const NOBODYS: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5J3Mgc2FsdC4uLg$\
                       bm9ib2R5J3MgaGFzaCBvZiBubyBwYXNzd29yZC4uLi4";

/// Somebody who types a password.
#[derive(Clone, Copy, Debug)]
pub struct Typed<'a> {
    /// The password.
    pub password: &'a str,
    /// The network of the browser.
    pub network: &'a [u8],
}

/// The answer to a password.
#[derive(Clone, Debug)]
pub enum PasswordAnswer {
    /// The person has signed in. The token of the new session.
    SignedIn(Secret),
    /// There is no user with the address and the password.
    Wrong,
    /// There were too many tries lately.
    TooMany,
    /// The organization has no sign-in by password.
    Off,
}

/// Signs a person in by a password.
pub async fn sign_in(
    ports: &Ports,
    vault: &Vault,
    hasher: &Hasher,
    frame: &Frame,
    email: &Email,
    typed: Typed<'_>,
    agent: &str,
) -> Result<PasswordAnswer, Error> {
    if !frame.organization.portal.signs_in_by_password {
        return Ok(PasswordAnswer::Off);
    }
    let organization = frame.organization.id;
    let known = known(ports, organization, email).await?;
    let user = known.as_ref().map(|user| user.user_id);
    match prove(ports, vault, hasher, organization, (email.as_str(), user), typed).await? {
        Proven::Yes => {
            known.iter().try_for_each(ensure_not_blocked)?;
            let user = user.unwrap_or_else(|| Uuid::nil().into());
            let session = begin(ports, vault, organization, user, agent, Way::Password).await?;
            Ok(session.map_or(PasswordAnswer::Wrong, PasswordAnswer::SignedIn))
        }
        Proven::No => Ok(PasswordAnswer::Wrong),
        Proven::TooMany => Ok(PasswordAnswer::TooMany),
    }
}

/// The result of a try.
enum Proven {
    Yes,
    No,
    TooMany,
}

/// Counts a try, and verifies the password of a user.
async fn prove(
    ports: &Ports,
    vault: &Vault,
    hasher: &Hasher,
    organization: OrganizationId,
    (email, user): (&str, Option<UserId>),
    Typed { password, network }: Typed<'_>,
) -> Result<Proven, Error> {
    let now = ports.clock.now();
    let until = now.plus_millis(TRIES_MILLIS);
    let email = email.to_ascii_lowercase();
    let account = whose(vault, b"account", email.as_bytes());
    let here = whose(vault, b"account and network", &[email.as_bytes(), network].join(&0));
    let network = whose(vault, b"network", network);
    for (whose, most) in
        [(network, MOST_TRIES_OF_NETWORK), (here, MOST_TRIES), (account, MOST_TRIES_OF_ACCOUNT)]
    {
        let counted = ports.passwords.attempt(organization, whose, most, now, until).await?;
        if counted != Recorded::Done {
            return Ok(Proven::TooMany);
        }
    }
    // The look-up is made for nobody, too.
    let nobody = Uuid::nil().into();
    let stored = ports.passwords.find(organization, user.unwrap_or(nobody)).await?;
    if !hasher.verify(password, stored.map(|stored| stored.hash)).await? {
        return Ok(Proven::No);
    }
    for whose in [here, account] {
        ports.passwords.forget(organization, whose).await?;
    }
    Ok(Proven::Yes)
}

/// The keyed digest of an address, a network or a user, by which tries are counted. The store learns
/// none of them.
pub(crate) fn whose(vault: &Vault, kind: &[u8], value: &[u8]) -> TokenDigest {
    let key = hmac::Key::new(hmac::HMAC_SHA256, vault.portal_key());
    let tag = hmac::sign(&key, &[b"password-tries", kind, value].join(&0));
    let mut digest = [0; 32];
    digest.copy_from_slice(tag.as_ref());
    TokenDigest(digest)
}

/// The visitor's rights over the own password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnPassword {
    /// Whether the visitor has one.
    pub is_there: bool,
    /// Whether the visitor has just signed in by mail, and need not type the present one.
    pub is_fresh: bool,
}

/// The visitor's rights over the own password. `None` if the organization has no sign-in by
/// password, or the visitor has not signed in.
pub async fn own(ports: &Ports, visit: &Visit) -> Result<Option<OwnPassword>, Error> {
    let Some((session, user)) = of(visit)? else { return Ok(None) };
    let stored = ports.passwords.find(visit.organization(), user.user_id).await?;
    let is_fresh = session.is_fresh(ports.clock.now());
    Ok(Some(OwnPassword { is_there: stored.is_some(), is_fresh }))
}

/// The visitor's session, where passwords are on.
fn of(visit: &Visit) -> Result<Option<(&Session, &User)>, Error> {
    let is_on = visit.frame.organization.portal.signs_in_by_password;
    match is_on && visit.signed_in.is_some() {
        true => visit.oneself().map(Some),
        false => Ok(None),
    }
}

/// The answer to a change of a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordChange {
    /// It is made. The other sessions of the user have ended.
    Done,
    /// The new password is refused.
    Weak(WeakPassword),
    /// The present password is wrong.
    Wrong,
    /// There were too many tries lately.
    TooMany,
    /// The visitor has to sign in by mail first, to show that the address is the visitor's own.
    NotFresh,
    /// The organization has no sign-in by password, or the visitor has not signed in.
    Off,
}

/// Sets the password of the visitor, or removes it if no new one is given. `present` is the present
/// one. It does not count in a fresh session.
pub async fn change(
    ports: &Ports,
    vault: &Vault,
    hasher: &Hasher,
    visit: &Visit,
    present: Typed<'_>,
    new: Option<&str>,
) -> Result<PasswordChange, Error> {
    let Some((session, user)) = of(visit)? else { return Ok(PasswordChange::Off) };
    let (organization, now) = (visit.organization(), ports.clock.now());
    if let Some(Err(weak)) = new.map(|new| check_password(new, &user.email, &user.name)) {
        return Ok(PasswordChange::Weak(weak));
    }
    if !session.is_fresh(now) {
        if ports.passwords.find(organization, user.user_id).await?.is_none() {
            return Ok(PasswordChange::NotFresh);
        }
        let who = (&*user.email, Some(user.user_id));
        match prove(ports, vault, hasher, organization, who, present).await? {
            Proven::Yes => {}
            Proven::No => return Ok(PasswordChange::Wrong),
            Proven::TooMany => return Ok(PasswordChange::TooMany),
        }
    }
    let this = Some(session.digest);
    match new {
        Some(new) => {
            store(ports, vault, hasher, organization, (user.user_id, new), this).await?;
        }
        None => ports.passwords.remove(organization, user.user_id, this).await?,
    }
    // The audit log tells of members of the team alone.
    if user.role().is_some() {
        let change = ("password", new.map_or("removed", |_| "set"));
        let caller = visit.admitted("portal/password");
        audit::note_of_user(ports, caller, user.user_id, change).await?;
    }
    Ok(PasswordChange::Done)
}

/// Hashes and stores a password, and ends the sessions of the user, except one.
async fn store(
    ports: &Ports,
    vault: &Vault,
    hasher: &Hasher,
    organization: OrganizationId,
    (user_id, password): (UserId, &str),
    except: Option<TokenDigest>,
) -> Result<(), Error> {
    let hash = hasher.hash(vault, password).await?;
    let set_at: Time = ports.clock.now();
    let stored = StoredPassword { user_id, hash, set_at };
    match ports.passwords.set(organization, stored, except).await? {
        Recorded::Done => Ok(()),
        // The user is linked no more.
        _ => Err(Error::Store(StoreError::Busy)),
    }
}

/// Why the operator's password for a user is not set.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The organization has no sign-in by password.
    #[error(
        "the organization has no sign-in by password: `hearback organization set \
         --password-sign-in on` switches it on"
    )]
    Off,
    /// Nobody has the address.
    #[error("the organization has no user with this address")]
    NoUser,
    /// It is too short or too long.
    #[error("a password has {LEAST_PASSWORD} to {MOST_PASSWORD} characters")]
    Length,
    /// It is easily guessed.
    #[error("the password is easily guessed: it is a common one, or the name or the address")]
    Guessed,
    /// It was not hashed or stored.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<WeakPassword> for PasswordError {
    fn from(weak: WeakPassword) -> Self {
        match weak {
            WeakPassword::TooShort | WeakPassword::TooLong => Self::Length,
            WeakPassword::Personal | WeakPassword::Common => Self::Guessed,
        }
    }
}

/// Sets the password of a user for the operator, and ends all sessions of the user.
pub async fn set_for(
    ports: &Ports,
    vault: &Vault,
    organization: &Organization,
    email: &Email,
    password: &str,
) -> Result<(), PasswordError> {
    if !organization.portal.signs_in_by_password {
        return Err(PasswordError::Off);
    }
    let user = known(ports, organization.id, email).await?.ok_or(PasswordError::NoUser)?;
    check_password(password, &user.email, &user.name)?;
    let forgotten = whose(vault, b"account", lower(email).as_bytes());
    let (id, user) = (organization.id, user.user_id);
    store(ports, vault, &Hasher::default(), id, (user, password), None).await?;
    ports.passwords.forget(id, forgotten).await.map_err(Error::from)?;
    let caller = Caller::command_line(id).doing("member password");
    Ok(audit::note_of_user(ports, caller, user, ("password", "set")).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MasterKey;
    use crate::Precondition;
    use crate::portal::tests::{audited, user, visit};
    use hearback_domain::session::FRESH_MILLIS;
    use hearback_ports::mock::Mocks;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const GOOD: &str = "a quiet morning";

    fn vault() -> Vault {
        Vault::new(&MasterKey::parse(&"5a".repeat(32)).unwrap())
    }

    /// The visit of user 5, whose session began by mail, some milliseconds ago.
    fn visiting(ago: i64) -> (Visit, Mocks) {
        let mut visit = visit(vec![], Some(user(5, "end_user")));
        let frame = Arc::get_mut(&mut visit.frame).unwrap();
        frame.organization.portal.signs_in_by_password = true;
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(Time::MIN.plus_millis(ago));
        (visit, mocks)
    }

    async fn hash(password: &str) -> PasswordHash {
        Hasher::default().hash(&vault(), password).await.unwrap()
    }

    /// Mocks of a store in which user 5 has a password, and tries are counted.
    async fn with_password(mut mocks: Mocks) -> Mocks {
        let hash = hash(GOOD).await;
        mocks.passwords.expect_find().returning(move |_, user_id| {
            let stored = StoredPassword { user_id, hash: hash.clone(), set_at: Time::MIN };
            Ok(Some(stored).filter(|_| user_id.0 == Uuid::from_u128(5)))
        });
        mocks.passwords.expect_attempt().returning(|_, _, _, _, _| Ok(Recorded::Done));
        mocks
    }

    async fn signs_in(mocks: Mocks, visit: &Visit, email: &str, password: &str) -> PasswordAnswer {
        tries(mocks, visit, email, password).await.unwrap()
    }

    async fn tries(
        mocks: Mocks,
        visit: &Visit,
        email: &str,
        password: &str,
    ) -> Result<PasswordAnswer, Error> {
        let email = Email::parse(email).unwrap();
        let typed = Typed { password, network: b"192.0.2" };
        let (ports, hasher) = (mocks.ports(), Hasher::default());
        sign_in(&ports, &vault(), &hasher, &visit.frame, &email, typed, "").await
    }

    #[tokio::test]
    async fn a_password_is_verified_by_its_hash_and_each_hash_has_its_salt() {
        let hasher = Hasher::default();
        let (one, other) = (hash(GOOD).await, hash(GOOD).await);
        assert_ne!(one, other);
        assert!(hasher.verify(GOOD, Some(one.clone())).await.unwrap());
        assert!(!hasher.verify("a quiet evening", Some(one.clone())).await.unwrap());
        assert!(!hasher.verify(GOOD, None).await.unwrap());
        // Nobody's hash takes the time of all others.
        let parameters = |hash: &str| hash.rsplitn(3, '$').last().map(str::to_owned);
        assert_eq!(parameters(NOBODYS), parameters(&one.0));
        let parsed = Phc::new(NOBODYS).unwrap();
        assert_eq!(parsed.hash.unwrap().len(), Phc::new(&one.0).unwrap().hash.unwrap().len());
    }

    #[tokio::test]
    async fn the_right_password_begins_a_session_and_forgets_the_tries() {
        let (visit, mut mocks) = visiting(0);
        mocks.users.expect_find().returning(|_, _| Ok(Some(user(5, "owner"))));
        mocks.passwords.expect_forget().times(2).returning(|_, _| Ok(()));
        mocks
            .sessions
            .expect_begin()
            .once()
            .withf(|_, session| session.way == Way::Password)
            .returning(|_, _| Ok(Recorded::Done));
        let mocks = with_password(mocks).await;
        let answer = signs_in(mocks, &visit, "Ada@example.com", GOOD).await;
        assert!(matches!(answer, PasswordAnswer::SignedIn(_)));
    }

    #[tokio::test]
    async fn a_blocked_user_is_told_so_after_the_right_password_alone() {
        for (password, is_told) in [(GOOD, true), ("x", false)] {
            let (visit, mut mocks) = visiting(0);
            let blocked = User { is_blocked: true, ..user(5, "owner") };
            mocks.users.expect_find().return_once(|_, _| Ok(Some(blocked)));
            mocks.passwords.expect_forget().returning(|_, _| Ok(()));
            let mocks = with_password(mocks).await;
            let answer = tries(mocks, &visit, "ada@example.com", password).await;
            let refused = matches!(answer, Err(Error::Refused(Precondition::UserBlocked)));
            assert_eq!(refused, is_told);
        }
    }

    #[tokio::test]
    async fn an_unknown_address_and_a_wrong_password_have_the_same_answer_after_the_same_calls() {
        for (known, password) in [(None, GOOD), (Some(user(6, "")), GOOD), (Some(user(5, "")), "x")]
        {
            let (visit, mut mocks) = visiting(0);
            mocks.users.expect_find().once().return_once(move |_, _| Ok(known));
            let mut mocks = with_password(mocks).await;
            mocks.passwords.checkpoint();
            let hash = hash(GOOD).await;
            mocks.passwords.expect_attempt().times(3).returning(|_, _, _, _, _| Ok(Recorded::Done));
            mocks.passwords.expect_find().once().returning(move |_, user_id| {
                let stored = StoredPassword { user_id, hash: hash.clone(), set_at: Time::MIN };
                Ok(Some(stored).filter(|_| user_id.0 == Uuid::from_u128(5)))
            });
            let answer = signs_in(mocks, &visit, "ada@example.com", password).await;
            assert!(matches!(answer, PasswordAnswer::Wrong));
        }
    }

    #[tokio::test]
    async fn nothing_is_verified_after_too_many_tries_of_an_address_or_a_network() {
        for stale in [1, 2, 3] {
            let (visit, mut mocks) = visiting(0);
            mocks.users.expect_find().returning(|_, _| Ok(Some(user(5, ""))));
            let calls = AtomicUsize::new(0);
            mocks.passwords.expect_attempt().times(stale).returning(
                move |_, _, most, now, until| {
                    assert_eq!(until, now.plus_millis(TRIES_MILLIS));
                    let call = calls.fetch_add(1, Ordering::Relaxed) + 1;
                    let limits = [MOST_TRIES_OF_NETWORK, MOST_TRIES, MOST_TRIES_OF_ACCOUNT];
                    assert_eq!(most, limits[call - 1]);
                    Ok(if call == stale { Recorded::Stale } else { Recorded::Done })
                },
            );
            let answer = signs_in(mocks, &visit, "ada@example.com", GOOD).await;
            assert!(matches!(answer, PasswordAnswer::TooMany));
        }
    }

    #[tokio::test]
    async fn nobody_signs_in_by_password_where_that_is_off() {
        let visit = visit(vec![], Some(user(5, "")));
        let answer = signs_in(Mocks::default(), &visit, "ada@example.com", GOOD).await;
        assert!(matches!(answer, PasswordAnswer::Off));
        let ports = Mocks::default().ports();
        assert_eq!(own(&ports, &visit).await.unwrap(), None);
    }

    async fn changes(mocks: Mocks, visit: &Visit, present: &str, new: &str) -> PasswordChange {
        let typed = Typed { password: present, network: b"192.0.2" };
        let (ports, hasher) = (mocks.ports(), Hasher::default());
        change(&ports, &vault(), &hasher, visit, typed, Some(new)).await.unwrap()
    }

    #[tokio::test]
    async fn a_fresh_sign_in_by_mail_or_the_present_password_is_needed_for_a_new_one() {
        let (visit, mut fresh) = visiting(FRESH_MILLIS - 1);
        let set = |mocks: &mut Mocks| {
            let expected = TokenDigest([7; 32]);
            mocks
                .passwords
                .expect_set()
                .once()
                .withf(move |_, stored, except| {
                    stored.hash.0.starts_with("$argon2id$") && *except == Some(expected)
                })
                .returning(|_, _, _| Ok(Recorded::Done));
        };
        set(&mut fresh);
        assert_eq!(changes(fresh, &visit, "", "another morning").await, PasswordChange::Done);

        let (visit, mut none) = visiting(FRESH_MILLIS);
        none.passwords.expect_find().returning(|_, _| Ok(None));
        assert_eq!(changes(none, &visit, "", GOOD).await, PasswordChange::NotFresh);

        let (visit, mocks) = visiting(FRESH_MILLIS);
        let wrong = with_password(mocks).await;
        assert_eq!(changes(wrong, &visit, "guess", GOOD).await, PasswordChange::Wrong);

        let (visit, mut mocks) = visiting(FRESH_MILLIS);
        set(&mut mocks);
        mocks.passwords.expect_forget().times(2).returning(|_, _| Ok(()));
        let right = with_password(mocks).await;
        assert_eq!(changes(right, &visit, GOOD, "another morning").await, PasswordChange::Done);
    }

    #[tokio::test]
    async fn the_passwords_of_members_and_those_of_the_operator_are_in_the_audit_log() {
        for (role, new, entry) in [
            ("viewer", Some(GOOD), Some(r#"{"password":"set"}"#)),
            ("viewer", None, Some(r#"{"password":"removed"}"#)),
            ("end_user", Some(GOOD), None),
        ] {
            let (mut visit, mut mocks) = visiting(0);
            let (_, user) = visit.signed_in.as_mut().unwrap();
            user.portal_role = role.to_owned();
            mocks.ids.expect_fresh().return_const(Uuid::from_u128(9));
            mocks.passwords.expect_set().returning(|_, _, _| Ok(Recorded::Done));
            mocks.passwords.expect_remove().returning(|_, _, _| Ok(()));
            entry.into_iter().for_each(|entry| audited(&mut mocks, entry));
            let typed = Typed { password: "", network: b"192.0.2" };
            let (ports, hasher) = (mocks.ports(), Hasher::default());
            let changed = change(&ports, &vault(), &hasher, &visit, typed, new).await.unwrap();
            assert_eq!(changed, PasswordChange::Done);
        }

        let (visit, mut mocks) = visiting(0);
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(9));
        mocks.users.expect_find().return_once(|_, _| Ok(Some(user(5, "end_user"))));
        mocks.passwords.expect_set().once().returning(|_, _, except| {
            assert_eq!(except, None);
            Ok(Recorded::Done)
        });
        mocks.passwords.expect_forget().returning(|_, _| Ok(()));
        audited(&mut mocks, r#"{"password":"set"}"#);
        let (organization, email) = (&visit.frame.organization, Email::parse("a@b.example"));
        let set = set_for(&mocks.ports(), &vault(), organization, &email.unwrap(), GOOD).await;
        assert!(set.is_ok(), "{set:?}");
    }

    #[tokio::test]
    async fn a_weak_password_changes_nothing() {
        let (visit, mocks) = visiting(0);
        let answer = changes(mocks, &visit, "", "ADA@example.com").await;
        assert_eq!(answer, PasswordChange::Weak(WeakPassword::Personal));
    }
}
