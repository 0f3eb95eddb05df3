//! Facts about the installation as a whole, and the secrets that its master key seals.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::Uuid;
use hearback_domain::api_key::Sealed;
use hearback_domain::id::OrganizationId;
use std::sync::Arc;

/// Keeps a few named values that belong to no organization, such as the master key's check value.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait InstanceRepository: Send + Sync {
    /// The value of a name.
    async fn find(&self, name: &'static str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Keeps `value` under `name` unless there is one; answers what is kept now. The first of several at once wins.
    async fn keep_first(&self, name: &'static str, value: Vec<u8>) -> Result<Vec<u8>, StoreError>;

    /// Seals the secrets of all organizations anew, and keeps `facts` in the place of what their names had: all of it in one
    /// transaction, guarded by `known`, or nothing. Secrets are read in parts, so that any number of them may be there. One that
    /// somebody else replaces at the same time may stay as that one sealed it.
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
    /// Its name.
    pub name: &'static str,
    /// The value.
    pub value: Vec<u8>,
}

/// Seals a secret anew; `None` where it is to stay as it is.
pub type Reseal = Arc<dyn Fn(&SealedSecret) -> Result<Option<Sealed>, NotResealed> + Send + Sync>;

/// A secret cannot be sealed anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotResealed;

/// A secret, wherever it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedSecret {
    /// Where.
    pub place: SecretPlace,
    /// The secret.
    pub sealed: Sealed,
}

/// Where a secret is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretPlace {
    /// The organization that has it.
    pub organization: OrganizationId,
    /// The identifier of its record.
    pub record: Uuid,
    /// What of the record it is.
    pub kind: SecretKind,
}

/// What a secret is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretKind {
    /// An active API key.
    ApiKey,
    /// An API key that is not active any more.
    RevokedApiKey,
    /// The signing secret of a webhook subscription.
    SigningSecret,
    /// The one that a webhook subscription had before.
    PreviousSigningSecret,
}

/// What became of sealing all secrets anew. All but [`Resealed::Done`] left nothing behind.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resealed {
    /// It is committed.
    Done {
        /// How many secrets were replaced.
        secrets: u64,
    },
    /// The guard does not hold any more.
    Stale,
    /// A secret could not be sealed anew.
    Refused(SecretPlace),
}
