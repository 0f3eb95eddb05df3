//! Second factors of members of the team: setting one up, showing it, and turning it off.
//!
//! A code is that of TOTP (RFC 6238): SHA-1, six digits, 30 seconds, as all authenticator apps have
//! it. A recovery code stands in for it once. Its digest is keyed by the secret of the second
//! factor, so that it outlasts the master key. Tries are counted before a code is verified, as those of
//! passwords are.

use crate::audit;
use crate::password::whose;
use crate::portal::Visit;
use crate::sign_in::{Secret, known};
use crate::vault::{NoRandomness, Purpose, SealError, SecretError};
use crate::{Caller, Denied, Error, Vault};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hearback_domain::Time;
use hearback_domain::api_key::Sealed;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::organization::Organization;
use hearback_domain::password::TRIES_MILLIS;
use hearback_domain::person::Email;
use hearback_domain::record::Kind;
use hearback_domain::second_factor::{
    FactorProof, MOST_CODE_TRIES, RECOVERY_CODES, SecondFactor, bare_code, base32, digits, steps,
};
use hearback_domain::session::{NextStep, Session, TokenDigest};
use hearback_domain::user::User;
use hearback_ports::{Ports, Recorded};
use ring::hmac;
use std::fmt;
use zeroize::Zeroizing;

/// The bytes of the secret of a second factor: 160 bits.
struct Key(Zeroizing<[u8; 20]>);

impl Key {
    fn random(vault: &Vault) -> Result<Self, NoRandomness> {
        vault.random().map(Self)
    }

    /// Opens the secret of a user.
    fn open(
        vault: &Vault,
        organization: OrganizationId,
        user: UserId,
        sealed: &Sealed,
    ) -> Result<Self, SealError> {
        let text = vault.open(organization, user.0, Purpose::SecondFactor, sealed)?;
        let bytes = URL_SAFE_NO_PAD.decode(&*text).map(Zeroizing::new);
        let bytes = bytes.map_err(|_| SealError::Open)?;
        let mut key = Zeroizing::new([0; 20]);
        if bytes.len() != key.len() {
            return Err(SealError::Open);
        }
        key.copy_from_slice(&bytes);
        Ok(Self(key))
    }

    fn seal(
        &self,
        vault: &Vault,
        organization: OrganizationId,
        user: UserId,
    ) -> Result<Sealed, SealError> {
        let text = Zeroizing::new(URL_SAFE_NO_PAD.encode(*self.0));
        vault.seal(organization, user.0, Purpose::SecondFactor, &text)
    }

    /// The six digits of a step.
    fn code(&self, step: i64) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &*self.0);
        let mut mac = [0; 20];
        mac.copy_from_slice(hmac::sign(&key, &step.to_be_bytes()).as_ref());
        digits(mac)
    }

    /// The digest of a recovery code.
    fn digest(&self, code: &str) -> TokenDigest {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &*self.0);
        let tag = hmac::sign(&key, &[b"recovery-code\0", code.as_bytes()].concat());
        let mut digest = [0; 32];
        digest.copy_from_slice(tag.as_ref());
        TokenDigest(digest)
    }

    /// The step of a code that is good at a time.
    fn step(&self, code: &str, now: Time) -> Option<i64> {
        steps(now).find(|step| self.code(*step) == code)
    }

    /// The proof that a typed code is. `None`: it is none at this time.
    fn proof(&self, typed: &str, now: Time) -> Option<FactorProof> {
        let code = bare_code(typed);
        match code.len() {
            6 => self.step(&code, now).map(FactorProof::Step),
            RECOVERY_LENGTH => Some(FactorProof::Recovery(self.digest(&code))),
            _ => None,
        }
    }

    /// New recovery codes, and their digests.
    fn recovery(&self, vault: &Vault) -> Result<(Vec<Secret>, Vec<TokenDigest>), NoRandomness> {
        let code = |_| {
            // Each character has five random bits.
            let drawn = vault.random::<RECOVERY_LENGTH>()?;
            let code = Zeroizing::new(base32(&*drawn));
            let code = &code[..RECOVERY_LENGTH];
            let (one, other) = code.split_at(RECOVERY_LENGTH / 2);
            Ok((Secret::new(format!("{one}-{other}")), self.digest(code)))
        };
        (0..RECOVERY_CODES).map(code).collect()
    }
}

/// The number of characters of a recovery code, without the hyphen.
const RECOVERY_LENGTH: usize = 10;

/// A secret that a visitor puts into an authenticator app, and confirms by a code.
pub struct NewFactor {
    /// The secret in Base32, in groups of four.
    pub secret: Secret,
    /// The address by which an authenticator app takes it.
    pub address: Secret,
    /// The sealed secret, which the form of the code sends back.
    pub sealed: String,
}

impl fmt::Debug for NewFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NewFactor(…)")
    }
}

/// The second factor of the visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnFactor {
    /// When it was set up, and the number of recovery codes that are left. `None`: there is none.
    pub there: Option<(Time, i64)>,
    /// Whether the visitor has just signed in, and may set one up.
    pub is_new: bool,
    /// Whether the organization requires one.
    pub is_required: bool,
}

/// The answer to a code.
#[derive(Clone, Debug)]
pub enum FactorAnswer {
    /// It is right. New recovery codes, if there are any.
    Done(Vec<Secret>),
    /// It is wrong, or was used before.
    Wrong,
    /// There were too many tries lately.
    TooMany,
    /// The visitor has to sign in again, or the second factor has changed meanwhile.
    Again,
}

/// The visitor's own second factor. A member of the team sees it, once it was shown.
pub async fn own(ports: &Ports, visit: &Visit) -> Result<OwnFactor, Error> {
    let (session, user) = member(visit)?;
    let found = ports.second_factors.find(visit.organization(), user.user_id).await?;
    let role = user.role();
    Ok(OwnFactor {
        there: found.map(|factor| (factor.confirmed_at, factor.recovery.len() as i64)),
        is_new: session.is_new(ports.clock.now()),
        is_required: visit.next_step == Some(NextStep::SetUp)
            || role.is_some_and(|it| visit.frame.organization.portal.needs_second_factor(it)),
    })
}

/// The session of a member of the team, who has shown the second factor, or is to set one up.
fn member(visit: &Visit) -> Result<(&Session, &User), Error> {
    let (session, user) = visit.signed_in.as_ref().ok_or(Error::Denied(Denied::NotSignedIn))?;
    match visit.next_step {
        Some(NextStep::SetUp) => Ok((session, user)),
        Some(NextStep::Show) => Err(Error::Denied(Denied::SecondFactor)),
        None if visit.is_on_team() => Ok((session, user)),
        None => Err(Error::NotFound(crate::Missing::Record(Kind::User))),
    }
}

/// Draws a secret for the visitor. Nothing is stored.
pub fn offer(vault: &Vault, visit: &Visit) -> Result<NewFactor, Error> {
    let key = Key::random(vault).map_err(SecretError::from)?;
    shown(vault, visit, &key)
}

/// The secret that a form has sent back. `None` if it is none of the visitor's.
pub fn offered(vault: &Vault, visit: &Visit, sealed: &str) -> Result<Option<NewFactor>, Error> {
    let Some(key) = sent_back(vault, visit, sealed)? else { return Ok(None) };
    shown(vault, visit, &key).map(Some)
}

fn sent_back(vault: &Vault, visit: &Visit, sealed: &str) -> Result<Option<Key>, Error> {
    let (_, user) = member(visit)?;
    let sealed = URL_SAFE_NO_PAD.decode(sealed).ok().map(Sealed);
    let open = |sealed| Key::open(vault, visit.organization(), user.user_id, &sealed).ok();
    Ok(sealed.and_then(open))
}

fn shown(vault: &Vault, visit: &Visit, key: &Key) -> Result<NewFactor, Error> {
    let (_, user) = member(visit)?;
    let secret = Zeroizing::new(base32(&*key.0));
    let name = &visit.frame.organization.name;
    let (issuer, account) = (encoded(name), encoded(&user.email));
    let address = format!("otpauth://totp/{issuer}:{account}?secret={}&issuer={issuer}", *secret);
    let groups: Vec<_> = secret.as_bytes().chunks(4).map(String::from_utf8_lossy).collect();
    let sealed = key.seal(vault, visit.organization(), user.user_id).map_err(SecretError::from)?;
    Ok(NewFactor {
        secret: Secret::new(groups.join(" ")),
        address: Secret::new(address),
        sealed: URL_SAFE_NO_PAD.encode(sealed.0),
    })
}

/// A text as a part of an address: all bytes but letters, digits, `-`, `.`, `_` and `~` as `%xx`.
fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// Sets the visitor's second factor up by a code of the secret that a form has sent back. Returns
/// the recovery codes. The visitor's other sessions end.
pub async fn set_up(
    ports: &Ports,
    vault: &Vault,
    visit: &Visit,
    sealed: &str,
    typed: &str,
) -> Result<FactorAnswer, Error> {
    let (session, user) = member(visit)?;
    let (organization, now) = (visit.organization(), ports.clock.now());
    let key = sent_back(vault, visit, sealed)?.filter(|_| session.is_new(now));
    let Some(key) = key else { return Ok(FactorAnswer::Again) };
    let Some(last_step) = key.step(&bare_code(typed), now) else {
        return Ok(FactorAnswer::Wrong);
    };
    let (codes, recovery) = key.recovery(vault).map_err(SecretError::from)?;
    let factor = SecondFactor {
        user_id: user.user_id,
        sealed: key.seal(vault, organization, user.user_id).map_err(SecretError::from)?,
        recovery,
        last_step,
        confirmed_at: now,
    };
    if ports.second_factors.add(organization, factor, session.digest).await? != Recorded::Done {
        return Ok(FactorAnswer::Again);
    }
    note(ports, visit.admitted("portal/second-factor"), user.user_id, "set_up").await?;
    Ok(FactorAnswer::Done(codes))
}

/// Shows the visitor's second factor by a code.
pub async fn show(
    ports: &Ports,
    vault: &Vault,
    visit: &Visit,
    typed: &str,
) -> Result<FactorAnswer, Error> {
    let (session, user) = visit.signed_in.as_ref().ok_or(Error::Denied(Denied::NotSignedIn))?;
    Ok(match prove(ports, vault, visit, (session, user), typed).await? {
        Ok(_) => FactorAnswer::Done(vec![]),
        Err(refused) => refused,
    })
}

/// Replaces the visitor's recovery codes, by a code. Returns the new ones.
pub async fn renew(
    ports: &Ports,
    vault: &Vault,
    visit: &Visit,
    typed: &str,
) -> Result<FactorAnswer, Error> {
    let (session, user) = member(visit)?;
    let organization = visit.organization();
    let key = match prove(ports, vault, visit, (session, user), typed).await? {
        Ok(key) => key,
        Err(refused) => return Ok(refused),
    };
    let (codes, recovery) = key.recovery(vault).map_err(SecretError::from)?;
    if ports.second_factors.renew(organization, user.user_id, recovery).await? != Recorded::Done {
        return Ok(FactorAnswer::Again);
    }
    note(ports, visit.admitted("portal/second-factor"), user.user_id, "codes_replaced").await?;
    Ok(FactorAnswer::Done(codes))
}

/// Turns the visitor's second factor off, by a code. The visitor's other sessions end.
pub async fn turn_off(
    ports: &Ports,
    vault: &Vault,
    visit: &Visit,
    typed: &str,
) -> Result<FactorAnswer, Error> {
    let (session, user) = member(visit)?;
    let organization = visit.organization();
    if let Err(refused) = prove(ports, vault, visit, (session, user), typed).await? {
        return Ok(refused);
    }
    let this = Some(session.digest);
    if ports.second_factors.remove(organization, user.user_id, this).await? != Recorded::Done {
        return Ok(FactorAnswer::Again);
    }
    note(ports, visit.admitted("portal/second-factor"), user.user_id, "turned_off").await?;
    Ok(FactorAnswer::Done(vec![]))
}

/// Counts a try, and uses a code of a user up. Returns the secret of the second factor.
async fn prove(
    ports: &Ports,
    vault: &Vault,
    visit: &Visit,
    (session, user): (&Session, &User),
    typed: &str,
) -> Result<Result<Key, FactorAnswer>, Error> {
    let (organization, now, user) = (visit.organization(), ports.clock.now(), user.user_id);
    let tries = whose(vault, b"second factor", user.0.as_bytes());
    let until = now.plus_millis(TRIES_MILLIS);
    let counted = ports.passwords.attempt(organization, tries, MOST_CODE_TRIES, now, until).await?;
    if counted != Recorded::Done {
        return Ok(Err(FactorAnswer::TooMany));
    }
    let Some(factor) = ports.second_factors.find(organization, user).await? else {
        return Ok(Err(FactorAnswer::Again));
    };
    let key = Key::open(vault, organization, user, &factor.sealed).map_err(SecretError::from)?;
    let Some(proof) = key.proof(typed, now) else { return Ok(Err(FactorAnswer::Wrong)) };
    let is_recovery = matches!(proof, FactorProof::Recovery(_));
    let shown = ports.second_factors.show(organization, user, proof, session.digest).await?;
    if shown != Recorded::Done {
        return Ok(Err(FactorAnswer::Wrong));
    }
    if is_recovery {
        note(ports, visit.admitted("portal/second-factor"), user, "recovery_code_used").await?;
    }
    ports.passwords.forget(organization, tries).await?;
    Ok(Ok(key))
}

/// Why the operator does not remove a second factor.
#[derive(Debug, thiserror::Error)]
pub enum ResetError {
    /// Nobody has the address.
    #[error("the organization has no user with this address")]
    NoUser,
    /// The user has none.
    #[error("the user has no second factor")]
    NoFactor,
    /// It was not removed.
    #[error(transparent)]
    Failed(#[from] Error),
}

/// Removes the second factor of a user for the operator, and ends all sessions of the user.
pub async fn reset(
    ports: &Ports,
    vault: &Vault,
    organization: &Organization,
    email: &Email,
) -> Result<(), ResetError> {
    let id = organization.id;
    let user = known(ports, id, email).await?.ok_or(ResetError::NoUser)?.user_id;
    let removed = ports.second_factors.remove(id, user, None).await.map_err(Error::from)?;
    if removed != Recorded::Done {
        return Err(ResetError::NoFactor);
    }
    let tries = whose(vault, b"second factor", user.0.as_bytes());
    ports.passwords.forget(id, tries).await.map_err(Error::from)?;
    let caller = Caller::command_line(id).doing("member reset-second-factor");
    Ok(note(ports, caller, user, "reset").await?)
}

/// Writes an entry of the audit log.
async fn note(
    ports: &Ports,
    caller: Caller,
    user: UserId,
    change: &'static str,
) -> Result<(), Error> {
    audit::note_of_user(ports, caller, user, ("second_factor", change)).await
}

#[cfg(test)]
mod tests;
