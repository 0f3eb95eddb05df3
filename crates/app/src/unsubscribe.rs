//! Unsubscribe links: `{public}/unsubscribe/{token}`, the same on every replica and valid for ever.
//!
//! A token is `version (1 byte) | organization | user | tag` in unpadded base64url. The tag is the
//! HMAC-SHA256 of the bytes before it, under a key derived from the master key for this use alone.
//! So only a recipient of the link can unsubscribe the user, and nothing is stored for each mail.
//! Tags of former master keys stay valid ([`FormerLinks`](crate::vault::FormerLinks)).

use crate::once::once;
use crate::{Error, Vault};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hearback_domain::Uuid;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_ports::{Ports, WriteResult};
use ring::hmac;

/// Makes and opens unsubscribe tokens.
pub struct UnsubscribeTokens {
    present: hmac::Key,
    /// The keys of the present master key and of former ones.
    good: Vec<hmac::Key>,
}

impl UnsubscribeTokens {
    /// Tokens under the keys of a vault.
    pub fn new(vault: &Vault) -> Self {
        let good = vault
            .unsubscribing_keys()
            .map(|key| hmac::Key::new(hmac::HMAC_SHA256, &**key))
            .collect();
        Self { present: hmac::Key::new(hmac::HMAC_SHA256, &**vault.unsubscribing_key()), good }
    }

    /// The token that unsubscribes a user from an organization's mails. It is a secret of the user
    /// and must not be logged.
    pub fn token(&self, organization: OrganizationId, user: UserId) -> String {
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(organization.0.as_bytes());
        bytes.extend_from_slice(user.0.as_bytes());
        let tag = hmac::sign(&self.present, &bytes);
        bytes.extend_from_slice(tag.as_ref());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The organization and the user of a token. `None` if no key of this installation signed it.
    pub fn open(&self, token: &str) -> Option<(OrganizationId, UserId)> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (signed, tag) = bytes.split_last_chunk::<TAG_LENGTH>()?;
        self.good.iter().find(|key| hmac::verify(key, signed, tag).is_ok())?;
        let (&VERSION, ids) = signed.split_first()? else { return None };
        let (organization, user) = ids.split_at_checked(16)?;
        Some((Uuid::from_slice(organization).ok()?.into(), Uuid::from_slice(user).ok()?.into()))
    }
}

/// Unsubscribes a user from mail. It succeeds even if the user or the organization no longer
/// exists.
pub async fn unsubscribe(
    ports: &Ports,
    organization: OrganizationId,
    user: UserId,
) -> Result<(), Error> {
    let round = |_| async move {
        let at = ports.clock.now();
        Ok((ports.users.unsubscribe(organization, user, at).await?, WriteResult::Success))
    };
    once(ports, organization, user, None, round).await.map(drop)
}

/// The version of the form of a token.
const VERSION: u8 = 1;
/// The length of HMAC-SHA256, in bytes.
const TAG_LENGTH: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MasterKey;
    use hearback_domain::Time;
    use hearback_ports::Recorded;
    use hearback_ports::mock::Mocks;
    use std::time::Duration;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const USER: UserId = UserId(Uuid::from_u128(2));

    fn tokens(master_key: &str) -> UnsubscribeTokens {
        UnsubscribeTokens::new(&Vault::new(&MasterKey::parse(&master_key.repeat(32)).unwrap()))
    }

    #[test]
    fn a_token_has_its_organization_and_user() {
        let token = tokens("ab").token(ORGANIZATION, USER);
        assert_eq!(tokens("ab").open(&token), Some((ORGANIZATION, USER)));
        assert!(
            token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
            "{token}"
        );
    }

    #[test]
    fn only_our_own_tokens_open() {
        let token = tokens("ab").token(ORGANIZATION, USER);
        assert_eq!(tokens("cd").open(&token), None);
        for length in 0..token.len() {
            assert_eq!(tokens("ab").open(&token[..length]), None);
        }
        let bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
        for place in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[place] ^= 1;
            assert_eq!(tokens("ab").open(&URL_SAFE_NO_PAD.encode(bytes)), None);
        }
        for text in ["", "x", "é", &"A".repeat(10_000)] {
            assert_eq!(tokens("ab").open(text), None);
        }
    }

    #[tokio::test]
    async fn a_lost_race_is_tried_again_until_it_is_done() {
        let mut mocks = Mocks::default();
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks.clock.expect_now().return_const(Time::MIN);
        mocks.clock.expect_sleep().returning(|_| ());
        let mut answers = vec![Recorded::Done, Recorded::Stale];
        mocks
            .users
            .expect_unsubscribe()
            .times(2)
            .returning(move |_, _, _| Ok(answers.pop().unwrap_or(Recorded::Stale)));
        assert!(unsubscribe(&mocks.ports(), ORGANIZATION, USER).await.is_ok());
    }
}
