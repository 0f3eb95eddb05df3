//! Secrets at rest: the master key, the keys derived from it, and sealing.

use hearback_domain::Uuid;
use hearback_domain::api_key::{KeyDigest, Sealed};
use hearback_domain::id::OrganizationId;
use hearback_ports::instance::Fact;
use hearback_ports::{InstanceRepository, StoreError};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use ring::rand::{SecureRandom, SystemRandom};
use std::fmt;
use zeroize::Zeroizing;

/// The 32 bytes from which all keys of an installation are derived.
pub struct MasterKey(Zeroizing<[u8; 32]>);

/// The uses of derived keys. Each use has a key of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Check,
    Sealing,
    Cursors,
    Unsubscribing,
    Portal,
}

/// The purposes of sealed secrets. A secret opens only with the purpose that it was sealed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// An API key.
    ApiKey,
    /// The signing secret of a webhook subscription.
    SigningSecret,
    /// A secret of single sign-on.
    SsoSecret,
    /// The client secret of a provider of OpenID Connect.
    OidcSecret,
    /// The secret of a user's second factor.
    SecondFactor,
    /// A sign-in at a provider of OpenID Connect, in the cookie of its browser.
    OidcSignIn,
    /// A form that waits until its visitor has signed in.
    Draft,
    /// The sealing keys of former master keys. They belong to no organization.
    FormerSealing,
    /// The keys of unsubscribe links of former master keys. They belong to no organization.
    FormerUnsubscribing,
}

/// The text is not 64 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected 64 hex digits")]
pub struct NoMasterKey;

/// The machine's source of randomness failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system's source of randomness failed")]
pub struct NoRandomness;

/// A vault could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum UnlockError {
    /// The store has another master key.
    #[error("the master key does not fit the store, which was made with another one")]
    WrongKey,
    /// The keys of former master keys do not open.
    #[error("the record of former master keys is damaged")]
    FormerKeys,
    /// The check value could not be read or stored.
    #[error("cannot check the master key")]
    Store(#[from] StoreError),
}

/// A secret could not be sealed or opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// Randomness or the cipher failed.
    #[error("sealing a secret failed")]
    Seal,
    /// The secret was sealed under another key or for another record, or is damaged.
    #[error("a sealed secret does not open: it belongs to another record or is damaged")]
    Open,
}

/// A secret could not be made, sealed or opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// There was no randomness for it.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
    /// It could not be sealed or opened.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// A password could not be hashed.
    #[error("a password could not be hashed")]
    Hash,
}

impl MasterKey {
    /// Reads 64 hex digits. White space around them, such as the last newline of a file, is
    /// ignored.
    pub fn parse(text: &str) -> Result<Self, NoMasterKey> {
        let digits = text.trim();
        if digits.len() != 64 || !digits.is_ascii() {
            return Err(NoMasterKey);
        }
        let mut key = Zeroizing::new([0; 32]);
        for (byte, pair) in key.iter_mut().zip(digits.as_bytes().chunks(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| NoMasterKey)?;
            if !pair.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return Err(NoMasterKey);
            }
            *byte = u8::from_str_radix(pair, 16).map_err(|_| NoMasterKey)?;
        }
        Ok(Self(key))
    }

    /// A new random key.
    pub fn random() -> Result<Self, NoRandomness> {
        let mut key = Zeroizing::new([0; 32]);
        SystemRandom::new().fill(&mut *key).map_err(|_| NoRandomness)?;
        Ok(Self(key))
    }

    /// The key as 64 hex digits, for its file.
    pub fn to_hex(&self) -> Zeroizing<String> {
        Zeroizing::new(self.0.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    fn derive(&self, purpose: Use) -> DerivedKey {
        let info: &[u8] = match purpose {
            Use::Check => b"hearback/v1/check",
            Use::Sealing => b"hearback/v1/sealing",
            Use::Cursors => b"hearback/v1/cursors",
            Use::Unsubscribing => b"hearback/v1/unsubscribing",
            Use::Portal => b"hearback/v1/portal",
        };
        let mut key = Zeroizing::new([0; 32]);
        let extracted: Prk = Salt::new(HKDF_SHA256, b"hearback master key").extract(&*self.0);
        let filled = extracted.expand(&[info], Bytes32).and_then(|okm| okm.fill(&mut *key));
        #[expect(
            clippy::expect_used,
            reason = "32 bytes are below HKDF's limit of 255 hashes, by type; zeros must never pass as a key"
        )]
        filled.expect("32 bytes of HKDF");
        key
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKey(…)")
    }
}

struct Bytes32;

impl KeyType for Bytes32 {
    fn len(&self) -> usize {
        32
    }
}

/// Seals and opens secrets, and derives the keys of other uses. A vault is opened only with the
/// master key of the store.
///
/// It keeps two derived keys of each former master key: the sealing key, for secrets that another
/// process sealed while all were sealed anew, and the key of unsubscribe links, for mails that were
/// sent.
pub struct Vault {
    sealing: Keys,
    cursors: DerivedKey,
    unsubscribing: Keys,
    portal: DerivedKey,
    random: SystemRandom,
}

/// A key derived from a master key.
pub(crate) type DerivedKey = Zeroizing<[u8; 32]>;

/// The keys of one use: that of the present master key, then those of former ones, the latest
/// first.
struct Keys {
    present: DerivedKey,
    former: Vec<DerivedKey>,
}

impl Keys {
    fn all(&self) -> impl Iterator<Item = &DerivedKey> {
        std::iter::once(&self.present).chain(&self.former)
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vault(…)")
    }
}

impl Vault {
    /// Whether the store has a master key.
    pub async fn exists(instance: &dyn InstanceRepository) -> Result<bool, StoreError> {
        Ok(instance.find(CHECK_NAME).await?.is_some())
    }

    /// Opens the vault of a store. Fails unless the store has this master key; a new store gets it.
    pub async fn unlock(
        instance: &dyn InstanceRepository,
        key: &MasterKey,
    ) -> Result<Self, UnlockError> {
        let kept = match instance.find(CHECK_NAME).await? {
            Some(kept) => kept,
            None => instance.keep_first(CHECK_NAME, check(key).value).await?,
        };
        Self::fitting(instance, key, &kept).await
    }

    /// Opens the vault of a store as [`Vault::unlock`] does, but changes nothing. `None` if the
    /// store has no master key yet.
    pub async fn reopen(
        instance: &dyn InstanceRepository,
        key: &MasterKey,
    ) -> Result<Option<Self>, UnlockError> {
        let Some(kept) = instance.find(CHECK_NAME).await? else { return Ok(None) };
        Self::fitting(instance, key, &kept).await.map(Some)
    }

    /// Opens the vault of a store with this check value.
    async fn fitting(
        instance: &dyn InstanceRepository,
        key: &MasterKey,
        kept: &[u8],
    ) -> Result<Self, UnlockError> {
        let check = check(key);
        if kept != check.value {
            return Err(UnlockError::WrongKey);
        }
        match Self::with_former(instance, key).await {
            // Another key replaced this one after the check value was read, and sealed them.
            Err(UnlockError::FormerKeys)
                if instance.find(CHECK_NAME).await? != Some(check.value) =>
            {
                Err(UnlockError::WrongKey)
            }
            unlocked => unlocked,
        }
    }

    async fn with_former(
        instance: &dyn InstanceRepository,
        key: &MasterKey,
    ) -> Result<Self, UnlockError> {
        let mut vault = Self::new(key);
        vault.sealing.former =
            vault.former(instance, FORMER_SEALING_NAME, Purpose::FormerSealing).await?;
        vault.unsubscribing.former =
            vault.former(instance, FORMER_UNSUBSCRIBING_NAME, Purpose::FormerUnsubscribing).await?;
        Ok(vault)
    }

    /// A vault without a check, for tests and tools without a store.
    pub fn new(key: &MasterKey) -> Self {
        let keys = |purpose| Keys { present: key.derive(purpose), former: Vec::new() };
        Self {
            sealing: keys(Use::Sealing),
            cursors: key.derive(Use::Cursors),
            unsubscribing: keys(Use::Unsubscribing),
            portal: key.derive(Use::Portal),
            random: SystemRandom::new(),
        }
    }

    /// The vault that follows this one when `key` becomes the master key, and the facts that the
    /// store must keep for it.
    pub(crate) fn succeeded(
        &self,
        key: &MasterKey,
        links: FormerLinks,
    ) -> Result<(Self, Vec<Fact>), SealError> {
        let mut next = Self::new(key);
        next.sealing.former = self.sealing.all().take(MAX_FORMER).cloned().collect();
        if links == FormerLinks::Keep {
            next.unsubscribing.former =
                self.unsubscribing.all().take(MAX_FORMER).cloned().collect();
        }
        let fact = |name, purpose, keys: &[DerivedKey]| {
            let joined = Zeroizing::new(
                keys.iter().flat_map(|key| key.iter().copied()).collect::<Vec<u8>>(),
            );
            next.seal_bytes(NOBODY, Uuid::nil(), purpose, &joined)
                .map(|sealed| Fact { name, value: sealed.0 })
        };
        let facts = vec![
            check(key),
            fact(FORMER_SEALING_NAME, Purpose::FormerSealing, &next.sealing.former)?,
            fact(
                FORMER_UNSUBSCRIBING_NAME,
                Purpose::FormerUnsubscribing,
                &next.unsubscribing.former,
            )?,
        ];
        Ok((next, facts))
    }

    async fn former(
        &self,
        instance: &dyn InstanceRepository,
        name: &'static str,
        purpose: Purpose,
    ) -> Result<Vec<DerivedKey>, UnlockError> {
        let Some(sealed) = instance.find(name).await? else { return Ok(Vec::new()) };
        let joined = self
            .open_bytes(NOBODY, Uuid::nil(), purpose, &Sealed(sealed))
            .map_err(|_| UnlockError::FormerKeys)?;
        let (keys, rest) = joined.as_chunks();
        if rest.is_empty() {
            Ok(keys.iter().copied().map(Zeroizing::new).collect())
        } else {
            Err(UnlockError::FormerKeys)
        }
    }

    /// The key that signs cursors, the same on every replica.
    pub fn cursor_key(&self) -> &[u8; 32] {
        &self.cursors
    }

    /// The key of the codes and forms of the portal, the same on every replica.
    pub fn portal_key(&self) -> &[u8; 32] {
        &self.portal
    }

    /// The key that signs unsubscribe links, the same on every replica.
    pub(crate) fn unsubscribing_key(&self) -> &DerivedKey {
        &self.unsubscribing.present
    }

    /// The keys of valid unsubscribe links: that of the present master key and those of former
    /// ones.
    pub(crate) fn unsubscribing_keys(&self) -> impl Iterator<Item = &DerivedKey> {
        self.unsubscribing.all()
    }

    /// Random bytes.
    pub fn random<const N: usize>(&self) -> Result<Zeroizing<[u8; N]>, NoRandomness> {
        let mut bytes = Zeroizing::new([0; N]);
        self.random.fill(&mut *bytes).map_err(|_| NoRandomness)?;
        Ok(bytes)
    }

    /// Encrypts a secret. It opens only for the same organization, record and purpose.
    pub fn seal(
        &self,
        organization: OrganizationId,
        record: Uuid,
        purpose: Purpose,
        secret: &str,
    ) -> Result<Sealed, SealError> {
        self.seal_bytes(organization, record, purpose, secret.as_bytes())
    }

    /// Decrypts a secret that [`Vault::seal`] made.
    pub fn open(
        &self,
        organization: OrganizationId,
        record: Uuid,
        purpose: Purpose,
        sealed: &Sealed,
    ) -> Result<Zeroizing<String>, SealError> {
        let opened = self.open_bytes(organization, record, purpose, sealed)?;
        let text = std::str::from_utf8(&opened).map_err(|_| SealError::Open)?;
        Ok(Zeroizing::new(text.to_owned()))
    }

    fn seal_bytes(
        &self,
        organization: OrganizationId,
        record: Uuid,
        purpose: Purpose,
        secret: &[u8],
    ) -> Result<Sealed, SealError> {
        let mut nonce = [0; NONCE_LEN];
        self.random.fill(&mut nonce).map_err(|_| SealError::Seal)?;
        let mut text = Zeroizing::new(secret.to_vec());
        cipher(&self.sealing.present)
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(associated(organization, record, purpose)),
                &mut *text,
            )
            .map_err(|_| SealError::Seal)?;
        let mut sealed = Vec::with_capacity(1 + NONCE_LEN + text.len());
        sealed.push(FORMAT);
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(&text);
        Ok(Sealed(sealed))
    }

    fn open_bytes(
        &self,
        organization: OrganizationId,
        record: Uuid,
        purpose: Purpose,
        sealed: &Sealed,
    ) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let Some((&FORMAT, rest)) = sealed.0.split_first() else { return Err(SealError::Open) };
        let (nonce, text) = rest.split_at_checked(NONCE_LEN).ok_or(SealError::Open)?;
        let open = |key: &DerivedKey| {
            let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
            let mut text = Zeroizing::new(text.to_vec());
            let opened = cipher(key).open_in_place(
                nonce,
                Aad::from(associated(organization, record, purpose)),
                &mut text,
            );
            opened.ok().map(|opened| Zeroizing::new(opened.to_vec()))
        };
        self.sealing.all().find_map(open).ok_or(SealError::Open)
    }
}

/// The validity of unsubscribe links after the master key that signed them is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormerLinks {
    /// The links stay valid. Mails that were sent have such links.
    Keep,
    /// The links of this and of earlier master keys become invalid. An attacker with such a key can
    /// make links.
    Forget,
}

/// The check value of a master key, which a store keeps to verify the key.
pub(crate) fn check(key: &MasterKey) -> Fact {
    Fact { name: CHECK_NAME, value: key.derive(Use::Check).to_vec() }
}

fn cipher(key: &DerivedKey) -> LessSafeKey {
    // A key of AES-256 is any 32 bytes. Only a wrong length is an error.
    #[expect(clippy::expect_used, reason = "32 bytes are the length of the key, by type")]
    let key = UnboundKey::new(&AES_256_GCM, &**key).expect("a key of 32 bytes");
    LessSafeKey::new(key)
}

/// The SHA-256 of an API key.
pub fn digest(key: &str) -> KeyDigest {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(ring::digest::digest(&ring::digest::SHA256, key.as_bytes()).as_ref());
    KeyDigest(bytes)
}

/// The name of the check value in the store.
const CHECK_NAME: &str = "master_key_check";

/// The names of the former sealing keys and the former keys of unsubscribe links in the store.
const FORMER_SEALING_NAME: &str = "former_sealing_keys";
const FORMER_UNSUBSCRIBING_NAME: &str = "former_unsubscribing_keys";

/// The most former master keys whose derived keys are kept. An invalid link is checked with each of
/// them.
const MAX_FORMER: usize = 64;

/// The organization in the seals of former master keys, which belong to the installation.
const NOBODY: OrganizationId = OrganizationId(Uuid::nil());

/// The first byte of everything sealed, so that another cipher can follow one day.
const FORMAT: u8 = 1;

fn associated(organization: OrganizationId, record: Uuid, purpose: Purpose) -> Vec<u8> {
    let purpose: &[u8] = match purpose {
        Purpose::ApiKey => b"api_key",
        Purpose::SigningSecret => b"signing_secret",
        Purpose::SecondFactor => b"second_factor",
        Purpose::SsoSecret => b"sso_secret",
        Purpose::OidcSecret => b"oidc_secret",
        Purpose::OidcSignIn => b"oidc_sign_in",
        Purpose::Draft => b"draft",
        Purpose::FormerSealing => b"former_sealing",
        Purpose::FormerUnsubscribing => b"former_unsubscribing",
    };
    [organization.0.as_bytes(), record.as_bytes(), purpose].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_ports::mock::Mocks;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const RECORD: Uuid = Uuid::from_u128(2);

    fn vault() -> Vault {
        Vault::new(&MasterKey::parse(&"ab".repeat(32)).unwrap())
    }

    #[test]
    fn a_master_key_is_64_hex_digits() {
        assert_eq!(*MasterKey::parse(&"Ab".repeat(32)).unwrap().to_hex(), "ab".repeat(32));
        assert!(MasterKey::parse(&format!("{}\n", "0".repeat(64))).is_ok());
        for text in
            ["", "ab", &"ab".repeat(33), &"xy".repeat(32), &"+1".repeat(32), &"é".repeat(32)]
        {
            assert_eq!(MasterKey::parse(text).unwrap_err(), NoMasterKey, "{text}");
        }
    }

    #[test]
    fn a_sealed_secret_opens_only_for_its_record_and_purpose() {
        let sealed = vault().seal(ORGANIZATION, RECORD, Purpose::ApiKey, "hbk_secret").unwrap();
        assert_eq!(
            *vault().open(ORGANIZATION, RECORD, Purpose::ApiKey, &sealed).unwrap(),
            "hbk_secret"
        );
        let elsewhere = [
            vault().open(OrganizationId(RECORD), RECORD, Purpose::ApiKey, &sealed),
            vault().open(ORGANIZATION, ORGANIZATION.0, Purpose::ApiKey, &sealed),
            vault().open(ORGANIZATION, RECORD, Purpose::SigningSecret, &sealed),
            Vault::new(&MasterKey::parse(&"cd".repeat(32)).unwrap()).open(
                ORGANIZATION,
                RECORD,
                Purpose::ApiKey,
                &sealed,
            ),
        ];
        assert!(elsewhere.iter().all(|opened| opened == &Err(SealError::Open)));
        for length in 0..sealed.0.len() {
            let cut = Sealed(sealed.0[..length].to_vec());
            assert_eq!(
                vault().open(ORGANIZATION, RECORD, Purpose::ApiKey, &cut),
                Err(SealError::Open)
            );
        }
    }

    #[test]
    fn debug_output_shows_no_secret() {
        let key = MasterKey::parse(&"ab".repeat(32)).unwrap();
        let sealed = vault().seal(ORGANIZATION, RECORD, Purpose::ApiKey, "hbk_secret").unwrap();
        assert_eq!(
            format!("{key:?} {:?} {sealed:?} {:?}", vault(), digest("hbk_secret")),
            "MasterKey(…) Vault(…) Sealed(…) KeyDigest(…)"
        );
    }

    #[tokio::test]
    async fn a_store_made_with_another_master_key_is_refused() {
        let mut mocks = Mocks::default();
        mocks.instance.expect_find().returning(|_| Ok(None));
        mocks.instance.expect_keep_first().returning(|_, value| Ok(value));
        let key = MasterKey::parse(&"ab".repeat(32)).unwrap();
        assert!(Vault::unlock(&mocks.instance, &key).await.is_ok());
        let mut mocks = Mocks::default();
        mocks.instance.expect_find().returning(|_| Ok(Some(vec![0; 32])));
        assert!(matches!(Vault::unlock(&mocks.instance, &key).await, Err(UnlockError::WrongKey)));
    }
}
