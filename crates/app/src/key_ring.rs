//! The owners of API keys, without a look-up for each request.

use crate::vault::digest;
use hearback_domain::api_key::KeyDigest;
use hearback_ports::keys::KeyOwner;
use hearback_ports::{Clock, KeyRepository, Ports, StoreError};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// The time for which a granted key is trusted, from before its look-up began.
///
/// `rotate` and `revoke` commit and then wait this long. A process that looked up the old key
/// before the commit has forgotten it by then, and one that looks it up later does not find it.
/// Processes need no message between them.
pub const LEASE: Duration = Duration::from_secs(1);

/// The prefix of every key.
pub const PREFIX: &str = "hbk_";

/// The number of characters behind the prefix: 32 bytes in unpadded base64url.
const SECRET_LENGTH: usize = 43;

/// Finds the owners of API keys.
pub struct KeyRing {
    keys: Arc<dyn KeyRepository>,
    clock: Arc<dyn Clock>,
    granted: RwLock<Grants>,
}

struct Grants {
    by_digest: HashMap<KeyDigest, Granted>,
    /// The number of grants from which expired ones are removed.
    sweep_from: usize,
}

#[derive(Clone, Copy)]
struct Granted {
    owner: KeyOwner,
    /// [`Clock::elapsed`] when the look-up began.
    began: Duration,
}

impl KeyRing {
    /// An empty ring.
    pub fn new(ports: &Ports) -> Self {
        Self { keys: ports.keys.clone(), clock: ports.clock.clone(), granted: RwLock::default() }
    }

    /// The owner of an active key. `None` for any other key.
    ///
    /// Only active keys are remembered, so that a new key works at once.
    pub async fn owner(&self, key: &str) -> Result<Option<KeyOwner>, StoreError> {
        if !is_key(key) {
            return Ok(None);
        }
        let digest = digest(key);
        let began = self.clock.elapsed();
        if let Some(owner) = self.granted(digest, began) {
            return Ok(Some(owner));
        }
        let owner = self.keys.owner(digest).await?;
        if let Some(owner) = owner {
            self.grant(digest, Granted { owner, began });
        }
        Ok(owner)
    }

    fn granted(&self, digest: KeyDigest, now: Duration) -> Option<KeyOwner> {
        let granted = self.granted.read().unwrap_or_else(PoisonError::into_inner);
        granted
            .by_digest
            .get(&digest)
            .filter(|granted| granted.holds(now))
            .map(|granted| granted.owner)
    }

    fn grant(&self, digest: KeyDigest, new: Granted) {
        let mut granted = self.granted.write().unwrap_or_else(PoisonError::into_inner);
        if granted.by_digest.len() >= granted.sweep_from {
            granted.by_digest.retain(|_, old| old.holds(new.began));
            // Twice the number left: the cost of a sweep is spread over as many grants.
            granted.sweep_from = SWEEP_FROM.max(2 * granted.by_digest.len());
        }
        granted.by_digest.insert(digest, new);
    }
}

impl Default for Grants {
    fn default() -> Self {
        Self { by_digest: HashMap::new(), sweep_from: SWEEP_FROM }
    }
}

impl Granted {
    fn holds(&self, now: Duration) -> bool {
        now.saturating_sub(self.began) < LEASE
    }
}

/// Whether a text has the form of a key.
pub fn is_key(text: &str) -> bool {
    text.strip_prefix(PREFIX)
        .is_some_and(|secret| secret.len() == SECRET_LENGTH && secret.bytes().all(is_secret_byte))
}

fn is_secret_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// The number of grants below which expired ones are not removed. Only active keys are remembered,
/// about one for each organization.
const SWEEP_FROM: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::Uuid;
    use hearback_domain::organization::HelpCenter;
    use hearback_ports::mock::Mocks;
    use std::sync::atomic::{AtomicU64, Ordering};

    const KEY: &str = "hbk_0123456789012345678901234567890123456789012";
    const OWNER: KeyOwner = KeyOwner {
        organization: hearback_domain::id::OrganizationId(Uuid::from_u128(1)),
        help_center: HelpCenter::Enabled,
        events_ledger: false,
    };

    /// A ring with a clock that the test moves.
    fn ring(mut mocks: Mocks) -> (KeyRing, Arc<AtomicU64>) {
        let millis = Arc::new(AtomicU64::new(5_000));
        let clock = millis.clone();
        mocks
            .clock
            .expect_elapsed()
            .returning(move || Duration::from_millis(clock.load(Ordering::Relaxed)));
        (KeyRing::new(&mocks.ports()), millis)
    }

    #[tokio::test]
    async fn a_granted_key_is_looked_up_again_after_one_second_and_not_before() {
        let mut mocks = Mocks::default();
        mocks.keys.expect_owner().times(2).returning(|_| Ok(Some(OWNER)));
        let (ring, millis) = ring(mocks);
        for at in [5_000, 5_500, 5_999, 6_000, 6_999] {
            millis.store(at, Ordering::Relaxed);
            assert_eq!(ring.owner(KEY).await.unwrap(), Some(OWNER));
        }
    }

    #[tokio::test]
    async fn the_lease_counts_from_before_the_look_up_began() {
        let millis = Arc::new(AtomicU64::new(0));
        let mut mocks = Mocks::default();
        let slow = millis.clone();
        mocks.keys.expect_owner().times(2).returning(move |_| {
            slow.fetch_add(900, Ordering::Relaxed);
            Ok(Some(OWNER))
        });
        let clock = millis.clone();
        mocks
            .clock
            .expect_elapsed()
            .returning(move || Duration::from_millis(clock.load(Ordering::Relaxed)));
        let ring = KeyRing::new(&mocks.ports());
        ring.owner(KEY).await.unwrap();
        millis.store(1_000, Ordering::Relaxed);
        ring.owner(KEY).await.unwrap();
    }

    #[tokio::test]
    async fn an_unknown_key_is_looked_up_each_time_so_that_a_new_one_works_at_once() {
        let mut mocks = Mocks::default();
        let mut answers = vec![Some(OWNER), None];
        mocks.keys.expect_owner().times(2).returning(move |_| Ok(answers.pop().flatten()));
        let (ring, _) = ring(mocks);
        assert_eq!(ring.owner(KEY).await.unwrap(), None);
        assert_eq!(ring.owner(KEY).await.unwrap(), Some(OWNER));
    }

    #[test]
    fn forgotten_keys_are_swept_out_and_good_ones_stay() {
        let (ring, _) = ring(Mocks::default());
        let digest = |n: u32| {
            let mut bytes = [0; 32];
            bytes[..4].copy_from_slice(&n.to_be_bytes());
            KeyDigest(bytes)
        };
        let later = LEASE * 2;
        for n in 0..5_000 {
            ring.grant(digest(n), Granted { owner: OWNER, began: Duration::ZERO });
        }
        for n in 5_000..20_000 {
            ring.grant(digest(n), Granted { owner: OWNER, began: later });
        }
        assert_eq!(ring.granted.read().unwrap().by_digest.len(), 15_000);
        assert!((5_000..20_000).all(|n| ring.granted(digest(n), later) == Some(OWNER)));
    }

    #[tokio::test]
    async fn a_text_without_the_form_of_a_key_is_not_looked_up() {
        let (ring, _) = ring(Mocks::default());
        for text in [
            "",
            "hbk_",
            &KEY[..46],
            &format!("{KEY}x"),
            &KEY.replace('9', "/"),
            &KEY.replace("hbk_", "HBK_"),
        ] {
            assert_eq!(ring.owner(text).await.unwrap(), None, "{text}");
        }
    }
}
