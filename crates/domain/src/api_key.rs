//! API keys as records. The key itself is a secret that only `app` handles.

use crate::Time;
use crate::id::ApiKeyId;
use std::fmt;

/// The SHA-256 of an API key. A store finds the key by it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyDigest(pub [u8; 32]);

impl fmt::Debug for KeyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyDigest(…)")
    }
}

/// A secret encrypted under the master key, bound to its organization, record and purpose.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed(pub Vec<u8>);

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealed(…)")
    }
}

/// The active API key of an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// The identifier of the record.
    pub id: ApiKeyId,
    /// The digest of the key.
    pub digest: KeyDigest,
    /// The sealed key, so that it can be shown again.
    pub sealed: Sealed,
    /// When the key was made.
    pub created_at: Time,
}
