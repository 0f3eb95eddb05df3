//! Replaces the master key: all secrets are sealed anew under the next one, or none.
//!
//! A process with the old key may run for a while. The vault of the next key opens the secrets that
//! it seals, since it keeps the old sealing key. The process itself cannot open the new secrets: it
//! shows no key, and its attempts to send webhooks fail and are retried.

use crate::vault::{FormerLinks, MasterKey, Purpose, SealError, UnlockError, Vault, check};
use hearback_domain::Uuid;
use hearback_domain::api_key::Sealed;
use hearback_domain::id::OrganizationId;
use hearback_ports::instance::{NotResealed, Reseal, Resealed, SealedSecret, SecretKind};
use hearback_ports::{InstanceRepository, StoreError};
use std::sync::Arc;

/// The master key was not replaced, and nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ResealError {
    /// The present key does not fit the store.
    #[error(transparent)]
    Unlock(#[from] UnlockError),
    /// The next key is the present one.
    #[error(
        "the new master key is the one that the store has already: if it was just replaced, put it in the place of the old one"
    )]
    SameKey,
    /// A secret was sealed under another key, or is damaged.
    #[error(
        "{what} {record} of the organization {organization} does not open under the present master key, so nothing was changed: \
         {remedy}"
    )]
    Unopened {
        /// The noun of the secret.
        what: &'static str,
        /// The identifier of its record.
        record: Uuid,
        /// The organization of the record.
        organization: OrganizationId,
        /// How to mend it.
        remedy: &'static str,
    },
    /// Another command replaced the key at the same time.
    #[error("another command replaced the master key at the same time")]
    Raced,
    /// The former keys could not be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The store failed.
    #[error("cannot seal the secrets anew")]
    Store(#[from] StoreError),
}

/// Seals all secrets of the store under `next`, which becomes its master key. Returns the number of
/// secrets.
pub async fn reseal(
    instance: &dyn InstanceRepository,
    present: &MasterKey,
    next: &MasterKey,
    links: FormerLinks,
) -> Result<u64, ResealError> {
    let vault = Vault::unlock(instance, present).await?;
    let known = check(present);
    if known == check(next) {
        return Err(ResealError::SameKey);
    }
    let (next, facts) = vault.succeeded(next, links)?;
    let reseal: Reseal = Arc::new(move |secret| resealed(&vault, &next, secret));
    match instance.reseal(known, facts, reseal).await? {
        Resealed::Done { secrets } => Ok(secrets),
        Resealed::Stale => Err(ResealError::Raced),
        Resealed::Refused(place) => {
            let (what, remedy) = names(place.kind);
            Err(ResealError::Unopened {
                what,
                record: place.record,
                organization: place.organization,
                remedy,
            })
        }
    }
}

fn resealed(
    present: &Vault,
    next: &Vault,
    SealedSecret { place, sealed }: &SealedSecret,
) -> Result<Option<Sealed>, NotResealed> {
    let purpose = match place.kind {
        SecretKind::ApiKey | SecretKind::RevokedApiKey => Purpose::ApiKey,
        SecretKind::SigningSecret | SecretKind::PreviousSigningSecret => Purpose::SigningSecret,
        SecretKind::SsoSecret => Purpose::SsoSecret,
        SecretKind::OidcSecret => Purpose::OidcSecret,
        SecretKind::SecondFactor => Purpose::SecondFactor,
    };
    let secret = match present.open(place.organization, place.record, purpose, sealed) {
        Ok(secret) => secret,
        // A revoked key is never opened again, so that it may stay as it is.
        Err(_) if place.kind == SecretKind::RevokedApiKey => return Ok(None),
        Err(_) => return Err(NotResealed),
    };
    next.seal(place.organization, place.record, purpose, &secret).map(Some).map_err(|_| NotResealed)
}

fn names(kind: SecretKind) -> (&'static str, &'static str) {
    match kind {
        SecretKind::ApiKey | SecretKind::RevokedApiKey => {
            ("the API key", "`hearback key rotate` replaces it")
        }
        SecretKind::SigningSecret => (
            "the signing secret of the subscription",
            "`hearback webhook rotate-secret`, done twice, replaces it",
        ),
        SecretKind::PreviousSigningSecret => (
            "the previous signing secret of the subscription",
            "`hearback webhook rotate-secret` replaces it",
        ),
        SecretKind::SsoSecret => (
            "the secret of single sign-on",
            "`hearback sso generate`, and then `hearback sso retire`, replace it",
        ),
        SecretKind::OidcSecret => (
            "the client secret of the provider",
            "`hearback oidc remove`, and then `hearback oidc add`, replace it",
        ),
        SecretKind::SecondFactor => {
            ("the second factor of the user", "`hearback member reset-second-factor` removes it")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unsubscribe::{Ending, Mails, UnsubscribeTokens};
    use hearback_domain::id::UserId;
    use hearback_ports::instance::{Fact, MockInstanceRepository, SecretPlace};
    use std::collections::HashMap;
    use std::sync::Mutex;

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const RECORD: Uuid = Uuid::from_u128(2);
    const USER: UserId = UserId(Uuid::from_u128(3));
    const KINDS: [(SecretKind, Purpose); 7] = [
        (SecretKind::ApiKey, Purpose::ApiKey),
        (SecretKind::RevokedApiKey, Purpose::ApiKey),
        (SecretKind::SigningSecret, Purpose::SigningSecret),
        (SecretKind::PreviousSigningSecret, Purpose::SigningSecret),
        (SecretKind::SsoSecret, Purpose::SsoSecret),
        (SecretKind::OidcSecret, Purpose::OidcSecret),
        (SecretKind::SecondFactor, Purpose::SecondFactor),
    ];

    /// A store of facts and secrets.
    #[derive(Clone, Default)]
    struct Kept {
        facts: Arc<Mutex<HashMap<&'static str, Vec<u8>>>>,
        secrets: Arc<Mutex<Vec<SealedSecret>>>,
    }

    impl Kept {
        fn instance(&self) -> MockInstanceRepository {
            let mut mock = MockInstanceRepository::new();
            let facts = Arc::clone(&self.facts);
            mock.expect_find().returning(move |name| Ok(facts.lock().unwrap().get(name).cloned()));
            let facts = Arc::clone(&self.facts);
            mock.expect_keep_first().returning(move |name, value| {
                Ok(facts.lock().unwrap().entry(name).or_insert(value).clone())
            });
            let kept = self.clone();
            mock.expect_reseal()
                .returning(move |known, facts, reseal| Ok(kept.reseal(&known, facts, &reseal)));
            mock
        }

        fn reseal(&self, known: &Fact, facts: Vec<Fact>, reseal: &Reseal) -> Resealed {
            if self.facts.lock().unwrap().get(known.name) != Some(&known.value) {
                return Resealed::Stale;
            }
            let mut secrets = self.secrets.lock().unwrap();
            let mut resealed = secrets.clone();
            for secret in &mut resealed {
                match reseal(secret) {
                    Ok(Some(sealed)) => secret.sealed = sealed,
                    Ok(None) => {}
                    Err(NotResealed) => return Resealed::Refused(secret.place),
                }
            }
            *secrets = resealed;
            self.facts
                .lock()
                .unwrap()
                .extend(facts.into_iter().map(|fact| (fact.name, fact.value)));
            Resealed::Done { secrets: secrets.len() as u64 }
        }

        fn add(&self, vault: &Vault, kind: SecretKind, purpose: Purpose) {
            let place = SecretPlace { organization: ACME, record: RECORD, kind };
            let sealed = vault.seal(ACME, RECORD, purpose, "secret").unwrap();
            self.secrets.lock().unwrap().push(SealedSecret { place, sealed });
        }

        async fn unlock(&self, key: &MasterKey) -> Result<Vault, UnlockError> {
            Vault::unlock(&self.instance(), key).await
        }
    }

    fn key(number: u8) -> MasterKey {
        MasterKey::parse(&format!("{number:02x}").repeat(32)).unwrap()
    }

    #[tokio::test]
    async fn every_secret_opens_under_the_new_key_alone_and_the_store_takes_no_other() {
        let kept = Kept::default();
        let old = kept.unlock(&key(1)).await.unwrap();
        for (kind, purpose) in KINDS {
            kept.add(&old, kind, purpose);
        }
        assert_eq!(reseal(&kept.instance(), &key(1), &key(2), FormerLinks::Keep).await.unwrap(), 7);
        for (secret, (_, purpose)) in kept.secrets.lock().unwrap().iter().zip(KINDS) {
            // This vault has no former keys.
            assert_eq!(
                *Vault::new(&key(2)).open(ACME, RECORD, purpose, &secret.sealed).unwrap(),
                "secret"
            );
            assert_eq!(old.open(ACME, RECORD, purpose, &secret.sealed), Err(SealError::Open));
        }
        assert!(matches!(kept.unlock(&key(1)).await, Err(UnlockError::WrongKey)));
        assert!(kept.unlock(&key(2)).await.is_ok());
        let again = reseal(&kept.instance(), &key(2), &key(2), FormerLinks::Keep).await;
        assert!(matches!(again, Err(ResealError::SameKey)));
    }

    #[tokio::test]
    async fn a_secret_sealed_late_under_an_earlier_key_opens_and_is_resealed() {
        let kept = Kept::default();
        let first = kept.unlock(&key(1)).await.unwrap();
        for (present, next) in [(1, 2), (2, 3)] {
            reseal(&kept.instance(), &key(present), &key(next), FormerLinks::Forget).await.unwrap();
        }
        kept.add(&first, SecretKind::ApiKey, Purpose::ApiKey);
        let late = kept.secrets.lock().unwrap()[0].sealed.clone();
        let third = kept.unlock(&key(3)).await.unwrap();
        assert_eq!(*third.open(ACME, RECORD, Purpose::ApiKey, &late).unwrap(), "secret");
        reseal(&kept.instance(), &key(3), &key(4), FormerLinks::Forget).await.unwrap();
        let resealed = kept.secrets.lock().unwrap()[0].sealed.clone();
        assert_eq!(
            *Vault::new(&key(4)).open(ACME, RECORD, Purpose::ApiKey, &resealed).unwrap(),
            "secret"
        );
    }

    #[tokio::test]
    async fn a_secret_that_does_not_open_stops_the_replacement_unless_it_is_a_revoked_key() {
        for (kind, purpose) in KINDS {
            let kept = Kept::default();
            kept.unlock(&key(1)).await.unwrap();
            kept.add(&Vault::new(&key(9)), kind, purpose);
            let before = kept.secrets.lock().unwrap().clone();
            let resealed = reseal(&kept.instance(), &key(1), &key(2), FormerLinks::Keep).await;
            assert_eq!(*kept.secrets.lock().unwrap(), before);
            if kind == SecretKind::RevokedApiKey {
                assert!(resealed.is_ok());
                continue;
            }
            let error = resealed.unwrap_err().to_string();
            assert!(
                error.contains(&RECORD.to_string()) && error.contains(&ACME.to_string()),
                "{error}"
            );
            assert!(kept.unlock(&key(1)).await.is_ok());
        }
    }

    #[tokio::test]
    async fn links_in_mails_that_were_sent_stay_good_until_they_are_forgotten() {
        let kept = Kept::default();
        let token = |vault: &Vault| UnsubscribeTokens::new(vault).token(ACME, USER);
        let mut sent = vec![token(&kept.unlock(&key(0)).await.unwrap())];
        for number in 0..65 {
            reseal(&kept.instance(), &key(number), &key(number + 1), FormerLinks::Keep)
                .await
                .unwrap();
            sent.push(token(&kept.unlock(&key(number + 1)).await.unwrap()));
        }
        let tokens = UnsubscribeTokens::new(&kept.unlock(&key(65)).await.unwrap());
        // The cost of an invalid link is bounded.
        assert_eq!(tokens.open(&sent[0]), None);
        let all_mail = Ending { organization: ACME, user: USER, mails: Mails::All };
        assert!(sent[1..].iter().all(|token| tokens.open(token) == Some(all_mail)));
        assert_eq!(tokens.token(ACME, USER), sent[65]);

        reseal(&kept.instance(), &key(65), &key(66), FormerLinks::Forget).await.unwrap();
        let tokens = UnsubscribeTokens::new(&kept.unlock(&key(66)).await.unwrap());
        assert!(sent.iter().all(|token| tokens.open(token).is_none()));
    }

    #[tokio::test]
    async fn of_two_replacements_of_a_key_one_succeeds() {
        let kept = Kept::default();
        kept.unlock(&key(1)).await.unwrap();
        let mut mock = kept.instance();
        let faster = kept.clone();
        mock.checkpoint();
        let facts = Arc::clone(&kept.facts);
        mock.expect_find().returning(move |name| Ok(facts.lock().unwrap().get(name).cloned()));
        mock.expect_reseal().returning(move |known, facts, reseal| {
            faster.facts.lock().unwrap().insert(known.name, check(&key(3)).value);
            Ok(faster.reseal(&known, facts, &reseal))
        });
        let resealed = reseal(&mock, &key(1), &key(2), FormerLinks::Keep).await;
        assert!(matches!(resealed, Err(ResealError::Raced)));
        assert!(kept.unlock(&key(3)).await.is_ok());
    }

    #[tokio::test]
    async fn damaged_former_keys_are_reported() {
        let kept = Kept::default();
        kept.unlock(&key(1)).await.unwrap();
        reseal(&kept.instance(), &key(1), &key(2), FormerLinks::Keep).await.unwrap();
        kept.facts.lock().unwrap().insert("former_sealing_keys", vec![1; 60]);
        assert!(matches!(kept.unlock(&key(2)).await, Err(UnlockError::FormerKeys)));
    }

    #[tokio::test]
    async fn a_key_that_is_replaced_while_it_is_checked_does_not_fit() {
        let kept = Kept::default();
        kept.unlock(&key(1)).await.unwrap();
        reseal(&kept.instance(), &key(1), &key(2), FormerLinks::Keep).await.unwrap();
        let mut mock = MockInstanceRepository::new();
        let old = check(&key(1));
        mock.expect_find().once().returning(move |_| Ok(Some(old.value.clone())));
        let facts = Arc::clone(&kept.facts);
        mock.expect_find().returning(move |name| Ok(facts.lock().unwrap().get(name).cloned()));
        assert!(matches!(Vault::unlock(&mock, &key(1)).await, Err(UnlockError::WrongKey)));
    }
}
