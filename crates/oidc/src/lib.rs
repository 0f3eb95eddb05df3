//! The adapter of OpenID Connect: sends requests to providers, and verifies their tokens.
//!
//! The requests go through the guarded client of webhooks: to `https://` on the public internet
//! alone, unless private networks are allowed, without redirects, and within limits of time and
//! size. A token is signed by a key of the provider, never by the client secret: whoever learns the
//! secret can sign in as nobody.
//!
//! **Architecture invariant:** depends on `ports`, `domain` and the client of `webhook` alone.

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::DateTime;
use hearback_domain::Time;
use hearback_ports::oidc::{OidcFault, OidcPerson, Parties, Ties};
use hearback_ports::{EventSink, OidcClient};
use hearback_webhook::{HttpSender, NoAnswer};
use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreClientAuthMethod, CoreGenderClaim,
    CoreJwsSigningAlgorithm, CoreProviderMetadata,
};
use openidconnect::{
    AdditionalClaims, AsyncHttpClient, AuthType, AuthorizationCode, ClaimsVerificationError,
    ClientId, ClientSecret, CsrfToken, EndpointMaybeSet, EndpointNotSet, EndpointSet, HttpRequest,
    HttpResponse, IssuerUrl, Nonce, OAuth2TokenResponse, PkceCodeChallenge, PkceCodeVerifier,
    RedirectUrl, Scope, TokenResponse, UserInfoClaims,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// Sends requests to providers by the client of webhooks.
pub struct HttpOidc {
    sender: Sender,
    /// The descriptions of providers, by issuer, and when they were read.
    known: Mutex<HashMap<String, (Instant, CoreProviderMetadata)>>,
}

/// How long the description of a provider is used for departures. Anybody can depart, and none is to
/// make this server send many requests. For an arrival it is read anew, with the present keys.
const KNOWN: Duration = Duration::from_secs(300);

/// The most descriptions that are kept.
const MOST_KNOWN: usize = 256;

/// The longest answer of a provider, in bytes.
const LONGEST_ANSWER: usize = 256 * 1024;

impl HttpOidc {
    /// An adapter that sends by a client.
    pub fn new(sender: Arc<HttpSender>) -> Self {
        Self { sender: Sender(sender), known: Mutex::default() }
    }

    /// The description of a provider, with its keys, as it is now.
    async fn discovered(&self, issuer: &str) -> Result<CoreProviderMetadata, OidcFault> {
        if !self.admits(issuer) {
            return Err(OidcFault::Address);
        }
        let url = IssuerUrl::new(issuer.to_owned()).map_err(|_| OidcFault::Address)?;
        let found = CoreProviderMetadata::discover_async(url, &self.sender).await;
        // The description of another issuer is refused, too.
        let found = found.map_err(|_| OidcFault::Discovery)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(issuer.to_owned(), (Instant::now(), found.clone()));
        Ok(found)
    }

    fn known(&self, issuer: &str) -> Option<CoreProviderMetadata> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, found) = known.get(issuer)?;
        (at.elapsed() < KNOWN).then(|| found.clone())
    }
}

/// The client of webhooks, as the library calls it.
struct Sender(Arc<HttpSender>);

impl<'c> AsyncHttpClient<'c> for Sender {
    type Error = NoAnswer;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, NoAnswer>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.0.exchange(request, LONGEST_ANSWER))
    }
}

type Client = CoreClient<
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

fn client(
    metadata: CoreProviderMetadata,
    parties: &Parties,
    secret: Option<&str>,
) -> Result<Client, OidcFault> {
    // The secret is sent as RFC 6749 recommends, or in the body if the provider knows that alone.
    let methods = metadata.token_endpoint_auth_methods_supported();
    let knows = |method| methods.is_some_and(|methods| methods.contains(&method));
    let in_body = knows(CoreClientAuthMethod::ClientSecretPost)
        && !knows(CoreClientAuthMethod::ClientSecretBasic);
    let callback = RedirectUrl::new(parties.callback.clone()).map_err(|_| OidcFault::Address)?;
    let secret = secret.map(|secret| ClientSecret::new(secret.to_owned()));
    let id = ClientId::new(parties.client_id.clone());
    let client = CoreClient::from_provider_metadata(metadata, id, secret);
    let way = if in_body { AuthType::RequestBody } else { AuthType::BasicAuth };
    Ok(client.set_redirect_uri(callback).set_auth_type(way))
}

#[async_trait]
impl OidcClient for HttpOidc {
    fn admits(&self, issuer: &str) -> bool {
        self.sender.0.admits(issuer)
    }

    async fn departure(&self, parties: &Parties, ties: &Ties) -> Result<String, OidcFault> {
        let metadata = match self.known(&parties.issuer) {
            Some(known) => known,
            None => self.discovered(&parties.issuer).await?,
        };
        let client = client(metadata, parties, None)?;
        let verifier = PkceCodeVerifier::new(ties.verifier.to_string());
        let (state, nonce) = (ties.state.to_string(), ties.nonce.to_string());
        let flow = CoreAuthenticationFlow::AuthorizationCode;
        let (url, _, _) = client
            .authorize_url(flow, || CsrfToken::new(state), || Nonce::new(nonce))
            .add_scopes(["email", "profile"].map(|scope| Scope::new(scope.to_owned())))
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier))
            .url();
        is_web(&url).then(|| url.into()).ok_or(OidcFault::Discovery)
    }

    async fn person(
        &self,
        parties: &Parties,
        secret: &str,
        ties: &Ties,
        code: &str,
        email: &str,
        now: Time,
    ) -> Result<OidcPerson, OidcFault> {
        let metadata = self.discovered(&parties.issuer).await?;
        let client = client(metadata, parties, Some(secret))?;
        let answer = client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .map_err(|_| OidcFault::Discovery)?
            .set_pkce_verifier(PkceCodeVerifier::new(ties.verifier.to_string()))
            .request_async(&self.sender)
            .await
            .map_err(|_| OidcFault::Code)?;
        let token = answer.id_token().ok_or(OidcFault::NoToken)?;
        let now = DateTime::from_timestamp_millis(now.unix_millis()).ok_or(OidcFault::Expired)?;
        let verifier =
            client.id_token_verifier().set_allowed_algs(ALGORITHMS).set_time_fn(move || now);
        let nonce = Nonce::new(ties.nonce.to_string());
        let verified = token.claims(&verifier, &nonce).map_err(|error| fault(&error))?;
        let mut claims = all_claims(&token.to_string())?;
        if !claims.contains_key(email) && client.user_info_url().is_some() {
            let subject = verified.subject().clone();
            let request = client
                .user_info(answer.access_token().clone(), Some(subject))
                .map_err(|_| OidcFault::Claims)?;
            let told: UserInfoClaims<Others, CoreGenderClaim> =
                request.request_async(&self.sender).await.map_err(|_| OidcFault::Claims)?;
            // The claims of the signed token count more.
            let Ok(Value::Object(told)) = serde_json::to_value(told) else {
                return Err(OidcFault::Claims);
            };
            for (name, value) in told {
                claims.entry(name).or_insert(value);
            }
        }
        Ok(OidcPerson {
            issuer: verified.issuer().to_string(),
            subject: verified.subject().to_string(),
            claims,
        })
    }
}

/// The algorithms with a key of the provider.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// The claims that have no place of their own.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Others(Map<String, Value>);

impl AdditionalClaims for Others {}

/// All claims of a token that was verified.
fn all_claims(token: &str) -> Result<Map<String, Value>, OidcFault> {
    let claims = token.split('.').nth(1).ok_or(OidcFault::Claims)?;
    let claims = URL_SAFE_NO_PAD.decode(claims).map_err(|_| OidcFault::Claims)?;
    serde_json::from_slice(&claims).map_err(|_| OidcFault::Claims)
}

/// The errors of the library quote tokens. These do not.
fn fault(error: &ClaimsVerificationError) -> OidcFault {
    match error {
        ClaimsVerificationError::Expired(_) => OidcFault::Expired,
        ClaimsVerificationError::InvalidAudience(_) => OidcFault::Audience,
        ClaimsVerificationError::InvalidIssuer(_) => OidcFault::Issuer,
        ClaimsVerificationError::InvalidNonce(_) => OidcFault::Nonce,
        ClaimsVerificationError::SignatureVerification(_)
        | ClaimsVerificationError::Unsupported(_) => OidcFault::Signature,
        _ => OidcFault::Claims,
    }
}

/// Whether a browser goes to an address as to a page.
fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "https" | "http")
}
