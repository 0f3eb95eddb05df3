//! Sending deliveries over HTTP.

mod client;
mod retry_after;

use crate::address::Policy;
use crate::lookup::{Lookup, Network};
use crate::resolver::Resolver;
use crate::{body, failure, signature};
use async_trait::async_trait;
use client::Client;
use hearback_domain::ClosedSet;
use hearback_domain::delivery::{DeliveryFailure, Response};
use hearback_ports::EventSink;
use hearback_ports::event_sink::{Dispatch, KEPT_ANSWER, Reply};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, InvalidHeaderValue, USER_AGENT,
};
use hyper::{Method, Request, Uri};
use rustls::{ClientConfig, RootCertStore};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use url::{Host, Url};

#[cfg(test)]
pub(crate) use client::MOST_INTERIM;

/// Sends each delivery with a signed POST to its subscription's URL.
///
/// Each attempt looks the host up and checks its addresses, also if a connection of an earlier
/// attempt is open. Redirects are not followed, and proxies not used. An attempt takes at most 30
/// seconds: 5 to look the name up, 5 to connect, the rest for the exchange. A receiver that sends
/// more than 16 interim responses fails.
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
    /// TLS could not be set up.
    #[error("cannot set up TLS for webhooks")]
    Tls(#[source] rustls::Error),
}

/// The time limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// For the look-up of a name, and again for the connection.
    pub(crate) connect: Duration,
    /// For an attempt, until its answer is read.
    pub(crate) attempt: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), attempt: Duration::from_secs(30) }
    }
}

impl HttpSender {
    /// A sender that follows `policy`, and trusts the root certificates of the operating system (or
    /// of `SSL_CERT_FILE` and `SSL_CERT_DIR`). It asks `name_servers`, or those of
    /// `/etc/resolv.conf` if there are none.
    pub fn new(policy: Policy, name_servers: Vec<SocketAddr>) -> Result<Self, SetupError> {
        let mut roots = RootCertStore::empty();
        // An unreadable root certificate is left out. Receivers that need it are refused.
        let native = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(native.certs);
        let sender = Self::with(policy, Network::new(name_servers), roots, Limits::default())?;
        Ok(Self { unread_roots: native.errors.iter().map(ToString::to_string).collect(), ..sender })
    }

    /// Returns whether there is any root certificate. Without one, each `https` delivery fails.
    pub fn has_roots(&self) -> bool {
        self.has_roots
    }

    /// The reason for each file or folder of root certificates that could not be read.
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
        let resolver = Resolver::new(policy.clone(), lookup, limits.connect);
        let client = Client::new(resolver.clone(), tls(roots).map_err(SetupError::Tls)?, limits);
        Ok(Self { policy, resolver, client, limits, has_roots, unread_roots: Vec::new() })
    }

    /// The checked URL of a receiver. Its host has an allowed address.
    async fn target(&self, url: &str) -> Result<Url, DeliveryFailure> {
        let url = self.policy.target(url).map_err(|_| DeliveryFailure::Address)?;
        // An address as the host was checked with the URL. The client does not ask the resolver for
        // it.
        if let Some(Host::Domain(name)) = url.host() {
            self.resolver.resolve(name).await?;
        }
        Ok(url)
    }

    /// The answer, with its body unread.
    async fn post(
        &self,
        dispatch: &Dispatch,
    ) -> Result<hyper::Response<Incoming>, DeliveryFailure> {
        let url = self.target(&dispatch.url).await?;
        let uri = url.as_str().parse().map_err(|_| DeliveryFailure::Address)?;
        self.client.send(request(uri, dispatch).map_err(|_| DeliveryFailure::Internal)?).await
    }
}

impl HttpSender {
    /// Sends a request of another adapter by the same rules, and reads an answer of up to `most`
    /// bytes.
    pub async fn exchange(
        &self,
        request: Request<Vec<u8>>,
        most: usize,
    ) -> Result<hyper::Response<Vec<u8>>, NoAnswer> {
        let end = Instant::now() + self.limits.attempt;
        let exchange = async {
            let url = self.target(&request.uri().to_string()).await?;
            let (mut head, body) = request.into_parts();
            head.uri = url.as_str().parse().map_err(|_| DeliveryFailure::Address)?;
            head.headers.insert(USER_AGENT, PRODUCT);
            let response = self.client.send(Request::from_parts(head, body.into())).await?;
            let (head, body) = response.into_parts();
            let body = Limited::new(body, most).collect().await;
            let body = body.map_err(|_| DeliveryFailure::Protocol)?.to_bytes();
            Ok(hyper::Response::from_parts(head, body.to_vec()))
        };
        let answer = timeout_at(end, exchange).await.unwrap_or(Err(DeliveryFailure::Timeout));
        answer.map_err(NoAnswer)
    }
}

/// A request of another adapter had no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request failed: {}", .0.code())]
pub struct NoAnswer(pub DeliveryFailure);

#[async_trait]
impl EventSink for HttpSender {
    fn admits(&self, url: &str) -> bool {
        self.policy.check(url).is_ok()
    }

    async fn look_up(&self, url: &str) -> Result<(), DeliveryFailure> {
        self.target(url).await.map(drop)
    }

    async fn send(&self, dispatch: Dispatch) -> Reply {
        let end = Instant::now() + self.limits.attempt;
        let posted =
            timeout_at(end, self.post(&dispatch)).await.unwrap_or(Err(DeliveryFailure::Timeout));
        match posted {
            Ok(response) => {
                let (code, retry_after) =
                    (response.status().as_u16(), retry_after::of(response.headers()));
                let (answer, cut) = read(response.into_body(), end).await;
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

/// A TLS configuration that trusts `roots`. Nothing is set for the whole process.
fn tls(roots: RootCertStore) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let mut config = versions.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

fn request(uri: Uri, dispatch: &Dispatch) -> Result<Request<Full<Bytes>>, InvalidHeaderValue> {
    let body = body::of(dispatch);
    let headers = headers(dispatch, body.as_bytes())?;
    let mut request = Request::new(body.into());
    (*request.method_mut(), *request.uri_mut()) = (Method::POST, uri);
    *request.headers_mut() = headers;
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
    headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
    headers.insert(USER_AGENT, PRODUCT);
    Ok(headers)
}

/// The headers above, and those of hyper.
const MOST_HEADERS: usize = 13;

const PRODUCT: HeaderValue =
    HeaderValue::from_static(concat!("Hearback/", env!("CARGO_PKG_VERSION")));
const EVENT: HeaderName = HeaderName::from_static("x-service-event");
const SIGNATURE: HeaderName = HeaderName::from_static("x-service-signature");
const WEBHOOK_ID: HeaderName = HeaderName::from_static("x-service-webhook-id");
const DELIVERY_ID: HeaderName = HeaderName::from_static("x-service-delivery-id");
const ATTEMPT: HeaderName = HeaderName::from_static("x-service-attempt");
const STANDARD_ID: HeaderName = HeaderName::from_static("webhook-id");
const STANDARD_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const STANDARD_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// The first bytes of an answer, and the failure that cut it short.
async fn read(mut body: Incoming, end: Instant) -> (Vec<u8>, Option<DeliveryFailure>) {
    let (mut kept, mut length) = (Vec::new(), 0);
    let cut = loop {
        match timeout_at(end, body.frame()).await {
            Ok(Some(Ok(frame))) => {
                // Trailers are not kept.
                let chunk = frame.into_data().unwrap_or_default();
                length += chunk.len();
                kept.extend(chunk.iter().take(KEPT_ANSWER - kept.len()));
            }
            Ok(None) => break None,
            Ok(Some(Err(error))) => break Some(failure::of_body(&error)),
            Err(_) => break Some(DeliveryFailure::Timeout),
        }
        if length > LONGEST_ANSWER {
            break Some(DeliveryFailure::Protocol);
        }
    };
    // The drop of the body closes its connection, unless it was read to the end.
    (kept, cut)
}

/// The bytes that are read of an answer.
const LONGEST_ANSWER: usize = 64 * 1024;
