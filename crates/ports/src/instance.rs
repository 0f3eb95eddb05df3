//! The facts of the installation as a whole, and the secrets that its master key seals.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::Uuid;
use hearback_domain::api_key::Sealed;
use hearback_domain::id::OrganizationId;
use std::sync::Arc;

/// Stores named values that belong to no organization, such as the check value of the master key.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait InstanceRepository: Send + Sync {
    /// The value of a name.
    async fn find(&self, name: &'static str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Stores `value` under `name` if the name has none. Returns the stored value. The first of
    /// several concurrent calls wins.
    async fn keep_first(&self, name: &'static str, value: Vec<u8>) -> Result<Vec<u8>, StoreError>;

    /// Seals the secrets of all organizations anew and replaces the values of `facts`, in one
    /// transaction. It requires that the name of `known` still has its value.
    ///
    /// The secrets come in any order. They are read in parts, so that their number is not bounded by
    /// memory. A secret that another process replaces at the same time may stay as that process
    /// sealed it.
    async fn reseal(
        &self,
        known: Fact,
        facts: Vec<Fact>,
        reseal: Reseal,
    ) -> Result<Resealed, StoreError>;
}

/// A named value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The name.
    pub name: &'static str,
    /// The value.
    pub value: Vec<u8>,
}

/// Seals a secret anew. `None` if it stays as it is.
pub type Reseal = Arc<dyn Fn(&SealedSecret) -> Result<Option<Sealed>, NotResealed> + Send + Sync>;

/// A secret cannot be sealed anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotResealed;

/// A sealed secret and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedSecret {
    /// The place of the secret.
    pub place: SecretPlace,
    /// The secret.
    pub sealed: Sealed,
}

/// The place of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretPlace {
    /// The organization of the record.
    pub organization: OrganizationId,
    /// The identifier of the record.
    pub record: Uuid,
    /// The kind of the secret.
    pub kind: SecretKind,
}

/// The kinds of secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretKind {
    /// An active API key.
    ApiKey,
    /// A revoked API key.
    RevokedApiKey,
    /// The signing secret of a webhook subscription.
    SigningSecret,
    /// The former signing secret of a webhook subscription.
    PreviousSigningSecret,
    /// A secret of single sign-on.
    SsoSecret,
    /// The client secret of a provider of OpenID Connect.
    OidcSecret,
    /// The secret of a user's second factor. The record is the user, by `user_id`.
    SecondFactor,
}

/// The result of sealing all secrets anew. Only [`Resealed::Done`] changes the store.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resealed {
    /// The new secrets are committed.
    Done {
        /// The number of secrets that were replaced.
        secrets: u64,
    },
    /// The guard failed: the value of `known` has changed.
    Stale,
    /// This secret could not be sealed anew.
    Refused(SecretPlace),
}
