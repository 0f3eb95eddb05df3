//! Secrets of single sign-on as a store holds them. The secret itself is one that only `app`
//! handles.

use crate::Time;
use crate::api_key::Sealed;
use crate::id::SsoSecretId;

/// The most secrets that an organization has: the present one and the former one.
pub const MOST_SSO_SECRETS: usize = 2;

/// A secret with which the software of an organization signs tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedSsoSecret {
    /// The identifier of the secret.
    pub id: SsoSecretId,
    /// The sealed secret.
    pub sealed: Sealed,
    /// When the secret was made.
    pub created_at: Time,
}
