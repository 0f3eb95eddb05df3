//! Forms that wait until their visitor has signed in.
//!
//! A visitor whose session has ended, or who never had one, may have written a long text. It is kept
//! for an hour, sealed, and the browser has the token by which it is found. So it is there behind
//! each way to sign in.
//!
//! A draft is stored as a sign-in that nobody can redeem: it has no code, and no address, so no mail
//! leads to it.

use crate::Error;
use crate::sign_in::{Secret, digest_of};
use crate::vault::{NoRandomness, Purpose, SecretError, Vault};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hearback_domain::Uuid;
use hearback_domain::api_key::Sealed;
use hearback_domain::id::OrganizationId;
use hearback_domain::millis::HOUR;
use hearback_domain::return_to::ReturnTo;
use hearback_domain::session::{GuestAct, Proof, SignIn, TokenDigest};
use hearback_ports::{Ports, Recorded};

/// A form that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The path to which the form is sent.
    pub path: String,
    /// The typed fields, as the form has them.
    pub fields: String,
}

/// How long a draft waits, in milliseconds: an hour.
pub const DRAFT_MILLIS: i64 = HOUR;

/// The most bytes of the fields of a draft. A text of the most characters fits in any script.
pub const MOST_DRAFT: usize = 1024 * 1024;

/// Keeps a draft. Returns its token, or `None` if it is too long.
pub async fn keep(
    ports: &Ports,
    vault: &Vault,
    organization: OrganizationId,
    draft: &Draft,
) -> Result<Option<Secret>, Error> {
    if draft.fields.len() > MOST_DRAFT {
        return Ok(None);
    }
    let token = Secret::token(vault).map_err(|_| Error::Secret(NoRandomness.into()))?;
    let id = id_of(token.reveal());
    let sealed = vault.seal(organization, record_of(id), Purpose::Draft, &draft.fields);
    let sealed = sealed.map_err(SecretError::from)?;
    let now = ports.clock.now();
    let waiting = SignIn {
        id,
        link: id,
        code: None,
        // Drafts do not share the few sign-ins of an address.
        email: URL_SAFE_NO_PAD.encode(id.0),
        role: None,
        return_to: ReturnTo::parse(&draft.path).into(),
        guest: Some(Box::new(GuestAct {
            name: String::new(),
            act: URL_SAFE_NO_PAD.encode(sealed.0),
        })),
        tries: 0,
        created_at: now,
        expires_at: now.plus_millis(DRAFT_MILLIS),
    };
    let recorded = ports.sessions.sign_in(organization, waiting).await?;
    Ok((recorded == Recorded::Done).then_some(token))
}

/// The draft of a token, unless it is over.
pub async fn find(
    ports: &Ports,
    vault: &Vault,
    organization: OrganizationId,
    token: &str,
) -> Result<Option<Draft>, Error> {
    let id = id_of(token);
    let found = ports.sessions.offered(organization, id, ports.clock.now()).await?;
    Ok(found.and_then(|waiting| {
        let sealed = Sealed(URL_SAFE_NO_PAD.decode(waiting.guest?.act).ok()?);
        let fields = vault.open(organization, record_of(id), Purpose::Draft, &sealed).ok()?;
        Some(Draft { path: waiting.return_to, fields: fields.to_string() })
    }))
}

/// Forgets a draft.
pub async fn end(ports: &Ports, organization: OrganizationId, token: &str) -> Result<(), Error> {
    let proof = Proof::Link(id_of(token));
    ports.sessions.redeem(organization, proof, ports.clock.now()).await?;
    Ok(())
}

/// The digest of a token. It is that of no mailed link.
fn id_of(token: &str) -> TokenDigest {
    digest_of(&format!("draft\0{token}"))
}

/// The record for which a draft is sealed.
fn record_of(id: TokenDigest) -> Uuid {
    let mut record = [0; 16];
    record.iter_mut().zip(id.0).for_each(|(to, from)| *to = from);
    Uuid::from_bytes(record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MasterKey;
    use crate::write::tests::id;
    use hearback_domain::Time;
    use hearback_domain::session::Redeemed;
    use hearback_ports::mock::Mocks;
    use std::sync::{Arc, Mutex};

    const NOW: Time = Time::MIN;

    fn vault() -> Vault {
        Vault::new(&MasterKey::parse(&"5a".repeat(32)).unwrap())
    }

    fn draft() -> Draft {
        let (path, fields) = ("/p/x/comment".to_owned(), "text=A+long+text".to_owned());
        Draft { path, fields }
    }

    /// A store of one sign-in.
    fn storing() -> (Mocks, Arc<Mutex<Option<SignIn>>>) {
        let (mut mocks, stored) = (Mocks::default(), Arc::new(Mutex::new(None)));
        mocks.clock.expect_now().return_const(NOW);
        let to = Arc::clone(&stored);
        mocks.sessions.expect_sign_in().returning(move |_, sign_in| {
            *to.lock().unwrap() = Some(sign_in);
            Ok(Recorded::Done)
        });
        let from = Arc::clone(&stored);
        mocks.sessions.expect_offered().returning(move |_, link, _| {
            Ok(from.lock().unwrap().clone().filter(|it| it.link == link))
        });
        (mocks, stored)
    }

    #[tokio::test]
    async fn a_draft_is_found_by_its_token_alone_and_nobody_reads_it_in_the_store() {
        let (mut mocks, stored) = storing();
        let this = Arc::clone(&stored);
        mocks.sessions.expect_redeem().once().returning(move |_, proof, _| {
            let Proof::Link(link) = proof else { panic!("{proof:?}") };
            let taken = this.lock().unwrap().take().filter(|it| it.link == link);
            Ok(taken.map_or(Redeemed::Gone, Redeemed::Done))
        });
        let (ports, vault) = (mocks.ports(), vault());
        let token = keep(&ports, &vault, id(1), &draft()).await.unwrap().unwrap();
        let row = stored.lock().unwrap().clone().unwrap();
        assert!(!format!("{row:?}").contains("long"));
        assert_eq!((row.code, row.role, row.expires_at), (None, None, NOW.plus_millis(3_600_000)));
        assert!(hearback_domain::person::Email::parse(&row.email).is_err());
        assert_ne!(row.link, digest_of(token.reveal()));

        let found = find(&ports, &vault, id(1), token.reveal()).await.unwrap();
        assert_eq!(found, Some(draft()));
        assert_eq!(find(&ports, &vault, id(2), token.reveal()).await.unwrap(), None);
        assert_eq!(find(&ports, &vault, id(1), "another").await.unwrap(), None);
        end(&ports, id(1), token.reveal()).await.unwrap();
        assert_eq!(find(&ports, &vault, id(1), token.reveal()).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_draft_that_is_too_long_is_not_kept() {
        let (mocks, _) = storing();
        let ports = mocks.ports();
        for (length, is_kept) in [(MOST_DRAFT, true), (MOST_DRAFT + 1, false)] {
            let long = Draft { fields: "x".repeat(length), ..draft() };
            let token = keep(&ports, &vault(), id(1), &long).await.unwrap();
            assert_eq!(token.is_some(), is_kept);
        }
    }
}
