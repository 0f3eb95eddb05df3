//! Sending deliveries over HTTP.

mod retry_after;

use crate::address::Policy;
use crate::resolver::{Lookup, Resolver, System};
use crate::{body, failure, signature};
use async_trait::async_trait;
use hearback_domain::delivery::{DeliveryFailure, Response};
use hearback_ports::EventSink;
use hearback_ports::event_sink::{Dispatch, KEPT_ANSWER, Reply};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, InvalidHeaderValue};
use reqwest::{Client, Method, Request, redirect, retry};
use rustls::{ClientConfig, RootCertStore};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};
use url::{Host, Url};

/// Sends each delivery with a signed POST to its subscription's URL.
///
/// The host is looked up for each attempt and its addresses are checked, also where a connection of an earlier one is still open
/// to be used. Redirects are not followed, proxies not asked. An attempt takes 30 seconds at most, of these 5 to look up the name,
/// and 5 to connect.
pub struct HttpSender {
    policy: Policy,
    resolver: Resolver,
    client: Client,
    limits: Limits,
    has_roots: bool,
    unread_roots: Vec<String>,
}

/// The client could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// TLS could not.
    #[error("cannot set up TLS for webhooks")]
    Tls(#[source] rustls::Error),
    /// The rest could not.
    #[error("cannot set up the HTTP client for webhooks")]
    Http(#[source] reqwest::Error),
}

/// How long something may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// To look up a name, and once more to connect.
    pub(crate) connect: Duration,
    /// An attempt, until its answer is read.
    pub(crate) attempt: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), attempt: Duration::from_secs(30) }
    }
}

impl HttpSender {
    /// One that sends where `policy` allows, and trusts whom the operating system trusts (or `SSL_CERT_FILE` and `SSL_CERT_DIR`).
    pub fn new(policy: Policy) -> Result<Self, SetupError> {
        let mut roots = RootCertStore::empty();
        // What cannot be read is left out, as everybody does: a certificate that needs it is refused.
        let native = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(native.certs);
        let sender = Self::with(policy, System, roots, Limits::default())?;
        Ok(Self { unread_roots: native.errors.iter().map(ToString::to_string).collect(), ..sender })
    }

    /// Whether there is any root certificate. Where there is none no receiver is trusted, and each `https` delivery fails.
    pub fn has_roots(&self) -> bool {
        self.has_roots
    }

    /// Why root certificates could not be read, of each file or folder.
    pub fn unread_roots(&self) -> &[String] {
        &self.unread_roots
    }

    pub(crate) fn with(
        policy: Policy,
        lookup: impl Lookup,
        roots: RootCertStore,
        limits: Limits,
    ) -> Result<Self, SetupError> {
        let has_roots = !roots.is_empty();
        let resolver = Resolver::new(policy.clone(), lookup);
        let client = Client::builder()
            .tls_backend_preconfigured(tls(roots).map_err(SetupError::Tls)?)
            .dns_resolver(resolver.clone())
            .no_proxy()
            .redirect(redirect::Policy::none())
            // What is tried again is for the dispatcher to say. Without tries left, none of the request is copied for them.
            .retry(retry::never().max_retries_per_request(0))
            .user_agent(concat!("Hearback/", env!("CARGO_PKG_VERSION")))
            .http1_only()
            // `X-Service-Event`, as the contract writes it, and not `x-service-event`.
            .http1_title_case_headers()
            // Another crate may have turned these on: what is counted and kept is what came.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .connect_timeout(limits.connect)
            .pool_idle_timeout(IDLE)
            .build()
            .map_err(SetupError::Http)?;
        Ok(Self { policy, resolver, client, limits, has_roots, unread_roots: Vec::new() })
    }

    /// The answer, whose body has not been read.
    async fn post(&self, dispatch: &Dispatch) -> Result<reqwest::Response, DeliveryFailure> {
        let url = self.policy.target(&dispatch.url).map_err(|_| DeliveryFailure::Address)?;
        // An address for a host was checked with the URL, and nobody will ask the resolver for it.
        if let Some(Host::Domain(name)) = url.host() {
            let resolving = timeout(self.limits.connect, self.resolver.resolve(name));
            resolving.await.map_err(|_| DeliveryFailure::Timeout)??;
        }
        let request = request(url, dispatch).map_err(|_| DeliveryFailure::Internal)?;
        self.client.execute(request).await.map_err(|error| failure::of(&error))
    }
}

#[async_trait]
impl EventSink for HttpSender {
    async fn send(&self, dispatch: Dispatch) -> Reply {
        let end = Instant::now() + self.limits.attempt;
        let posted =
            timeout_at(end, self.post(&dispatch)).await.unwrap_or(Err(DeliveryFailure::Timeout));
        match posted {
            Ok(response) => {
                let (code, retry_after) =
                    (response.status().as_u16(), retry_after::of(response.headers()));
                let (answer, cut) = read(response, end).await;
                Reply { response: Response::Status { code, cut }, retry_after, answer }
            }
            Err(failure) => Reply {
                response: Response::Nothing(failure),
                retry_after: None,
                answer: Vec::new(),
            },
        }
    }
}

/// Trusts whom `roots` vouch for. Nothing is set up for the whole process.
fn tls(roots: RootCertStore) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let mut config = versions.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

fn request(url: Url, dispatch: &Dispatch) -> Result<Request, InvalidHeaderValue> {
    let body = body::of(dispatch);
    let mut request = Request::new(Method::POST, url);
    *request.headers_mut() = headers(dispatch, body.as_bytes())?;
    *request.body_mut() = Some(body.into());
    Ok(request)
}

fn headers(dispatch: &Dispatch, body: &[u8]) -> Result<HeaderMap, InvalidHeaderValue> {
    let Dispatch { delivery, subscription, secrets, event, attempt, at, .. } = dispatch;
    let id = delivery.to_string();
    let timestamp = at.unix_millis().div_euclid(1000);
    let mut headers = HeaderMap::with_capacity(MOST_HEADERS);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(EVENT, HeaderValue::try_from(*event)?);
    headers.insert(SIGNATURE, HeaderValue::try_from(signature::service(&secrets.current, body))?);
    headers.insert(WEBHOOK_ID, HeaderValue::try_from(subscription.to_string())?);
    headers.insert(DELIVERY_ID, HeaderValue::try_from(id.as_str())?);
    headers.insert(ATTEMPT, HeaderValue::from(*attempt));
    if let Some(signature) = signature::standard(secrets, &id, timestamp, body) {
        headers.insert(STANDARD_ID, HeaderValue::try_from(id)?);
        headers.insert(STANDARD_TIMESTAMP, HeaderValue::from(timestamp));
        headers.insert(STANDARD_SIGNATURE, HeaderValue::try_from(signature)?);
    }
    Ok(headers)
}

/// Those above, and as many as the client and hyper add.
const MOST_HEADERS: usize = 13;

const EVENT: HeaderName = HeaderName::from_static("x-service-event");
const SIGNATURE: HeaderName = HeaderName::from_static("x-service-signature");
const WEBHOOK_ID: HeaderName = HeaderName::from_static("x-service-webhook-id");
const DELIVERY_ID: HeaderName = HeaderName::from_static("x-service-delivery-id");
const ATTEMPT: HeaderName = HeaderName::from_static("x-service-attempt");
const STANDARD_ID: HeaderName = HeaderName::from_static("webhook-id");
const STANDARD_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const STANDARD_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// The first bytes of an answer, and what cut it short.
async fn read(mut response: reqwest::Response, end: Instant) -> (Vec<u8>, Option<DeliveryFailure>) {
    let (mut kept, mut length) = (Vec::new(), 0);
    let cut = loop {
        match timeout_at(end, response.chunk()).await {
            Ok(Ok(Some(chunk))) => {
                length += chunk.len();
                kept.extend(chunk.iter().take(KEPT_ANSWER - kept.len()));
            }
            Ok(Ok(None)) => break None,
            Ok(Err(error)) => break Some(failure::of(&error)),
            Err(_) => break Some(DeliveryFailure::Timeout),
        }
        if length > LONGEST_ANSWER {
            break Some(DeliveryFailure::Protocol);
        }
    };
    // The response goes here, and its connection with it unless it was read to the end.
    (kept, cut)
}

/// How much is read of an answer, in bytes.
const LONGEST_ANSWER: usize = 64 * 1024;

/// How long a connection waits for the next delivery. Many servers close theirs after 5 seconds: a delivery that is sent just then
/// is lost.
const IDLE: Duration = Duration::from_secs(4);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{addresses, names};
    use std::io;
    use std::net::TcpListener;

    /// An answer that was checked is a second old at most. Where a connection is made later than that, the client asks again.
    #[tokio::test]
    async fn the_client_itself_connects_to_nothing_that_was_not_checked() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let policy = Policy { allows_private_networks: false, ports: None };
        let names = names(|name| {
            Ok(addresses(if name == "private.example" { &["127.0.0.1", "::1"] } else { &[] }))
        });
        let sender =
            HttpSender::with(policy, names, RootCertStore::empty(), Limits::default()).unwrap();
        for (name, failure) in [
            ("private.example", DeliveryFailure::Address),
            ("unknown.example", DeliveryFailure::Unresolved),
        ] {
            let url = format!("http://{name}:{}/", listener.local_addr().unwrap().port());
            let error =
                sender.client.post(url).timeout(Duration::from_secs(5)).send().await.unwrap_err();
            assert_eq!(failure::of(&error), failure);
        }
        assert_eq!(listener.accept().unwrap_err().kind(), io::ErrorKind::WouldBlock);
    }
}
