//! API keys as records. The key itself is a secret that only `app` handles.

use crate::Time;
use crate::id::ApiKeyId;
use std::fmt;

/// SHA-256 of a key: what it is found by.
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

/// An organization's active API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Identifier of the record.
    pub id: ApiKeyId,
    /// What the key is found by.
    pub digest: KeyDigest,
    /// The key, so that it can be read again.
    pub sealed: Sealed,
    /// When it was made.
    pub created_at: Time,
}
