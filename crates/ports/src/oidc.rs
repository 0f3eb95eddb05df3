//! The providers of OpenID Connect: their settings, the accounts of users at them, and the requests
//! to them.
//!
//! Settings and accounts are no records: no export has them. The removal of an organization takes
//! them along. The change by which a user is no longer linked removes the user's accounts.

use crate::{Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::audit::AuditEntry;
use hearback_domain::id::{OidcProviderId, OrganizationId, UserId};
use hearback_domain::oidc::{OidcAccount, OidcProvider};
use hearback_domain::session::TokenDigest;
use serde_json::{Map, Value};
use zeroize::Zeroizing;

/// Stores an organization's providers, and the accounts of its users at them. Each change of
/// providers has its entry of the audit log, in the same transaction. A call that has to be
/// made again returns [`StoreError::Busy`], and [`Recorded::Stale`] for the given reasons alone.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait OidcRepository: Send + Sync {
    /// The providers: by `created_at`, then id. The primary answers this, never a replica, which may
    /// lag.
    async fn providers(
        &self,
        organization: OrganizationId,
    ) -> Result<Vec<OidcProvider>, StoreError>;

    /// Adds a provider. [`Recorded::Stale`] if the organization has
    /// [`MOST_PROVIDERS`](hearback_domain::oidc::MOST_PROVIDERS) already, or is gone.
    async fn add_provider(
        &self,
        organization: OrganizationId,
        provider: OidcProvider,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError>;

    /// Removes a provider. The accounts at it stay: another one of the same issuer has them, too.
    /// [`Recorded::Stale`] if the organization does not have it.
    async fn remove_provider(
        &self,
        organization: OrganizationId,
        id: OidcProviderId,
        entry: AuditEntry,
    ) -> Result<Recorded, StoreError>;

    /// The user with an account. The primary answers this, never a replica, which may lag.
    async fn user_of(
        &self,
        organization: OrganizationId,
        account: TokenDigest,
    ) -> Result<Option<UserId>, StoreError>;

    /// Stores the account of a user, in place of that of another user.
    /// [`Recorded::Stale`] if the user is not linked or the organization is gone.
    async fn link(
        &self,
        organization: OrganizationId,
        account: OidcAccount,
    ) -> Result<Recorded, StoreError>;
}

/// The two sides of a sign-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parties {
    /// The issuer: the URL of the provider.
    pub issuer: String,
    /// The name that the provider has for the portal.
    pub client_id: String,
    /// The address to which the provider sends the browser back.
    pub callback: String,
}

/// The secrets of one sign-in. They tie the parts of it together: the browser, the request, the code
/// and the token.
#[derive(Clone, PartialEq, Eq)]
pub struct Ties {
    /// The parameter `state`.
    pub state: Zeroizing<String>,
    /// The claim `nonce`.
    pub nonce: Zeroizing<String>,
    /// The verifier of PKCE (RFC 7636): 43 characters.
    pub verifier: Zeroizing<String>,
}

/// Why a provider signs nobody in. No text has a part of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OidcFault {
    /// The issuer is not a URL to which this server may send requests.
    #[error("the issuer is not an https:// URL of the public internet")]
    Address,
    /// The provider did not answer as it should.
    #[error("the provider did not answer: its description or its keys cannot be read")]
    Discovery,
    /// The description of the provider has another issuer, or the answer is from another one.
    #[error("the issuer is another one")]
    Issuer,
    /// The provider did not take the code.
    #[error("the provider did not take the code, the client or its secret")]
    Code,
    /// There is no identity token.
    #[error("the answer of the provider has no identity token")]
    NoToken,
    /// The signature, the algorithm or the form of the token is wrong.
    #[error("the signature of the token is wrong")]
    Signature,
    /// The token is for another client.
    #[error("the token is for another client")]
    Audience,
    /// The token has expired, or is not good yet.
    #[error("the token has expired")]
    Expired,
    /// The token is of another sign-in.
    #[error("the token belongs to another sign-in")]
    Nonce,
    /// The claims of the provider about the person cannot be read.
    #[error("the claims of the person cannot be read")]
    Claims,
}

/// A person, as a provider tells.
#[derive(Clone, Debug, PartialEq)]
pub struct OidcPerson {
    /// The issuer, as the token has it.
    pub issuer: String,
    /// The identifier at the issuer.
    pub subject: String,
    /// All claims of the token, and those of the user info endpoint.
    pub claims: Map<String, Value>,
}

/// Sends requests to providers.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait OidcClient: Send + Sync {
    /// Whether the client sends requests to an issuer.
    fn admits(&self, issuer: &str) -> bool;

    /// The address to which the browser goes, for a sign-in by code with PKCE.
    async fn departure(&self, parties: &Parties, ties: &Ties) -> Result<String, OidcFault>;

    /// The person of a code. The token is verified: signature, issuer, audience, time and nonce. The
    /// user info endpoint is asked if the token does not have the claim `email`.
    async fn person(
        &self,
        parties: &Parties,
        secret: &str,
        ties: &Ties,
        code: &str,
        email: &str,
        now: Time,
    ) -> Result<OidcPerson, OidcFault>;
}
