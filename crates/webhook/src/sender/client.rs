//! The HTTP client.

use super::Limits;
use crate::failure;
use crate::resolver::Resolver;
use hearback_domain::delivery::DeliveryFailure;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::ext::on_informational;
use hyper::{Request, Response, Uri};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::ClientConfig;
use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;
use tower_service::Service;

/// Sends requests, follows no redirect, and uses no proxy.
pub(super) struct Client(legacy::Client<Connector, Full<Bytes>>);

/// The most interim responses (1xx) before a response.
pub(crate) const MOST_INTERIM: usize = 16;

/// How long a connection waits for the next delivery. Many servers close theirs after 5 seconds,
/// and a delivery sent at that moment is lost.
const IDLE: Duration = Duration::from_secs(4);

impl Client {
    pub(super) fn new(resolver: Resolver, tls: ClientConfig, limits: Limits) -> Self {
        let mut http = HttpConnector::new_with_resolver(resolver);
        http.enforce_http(false);
        http.set_nodelay(true);
        // Several addresses share the time.
        http.set_connect_timeout(Some(limits.connect));
        let client = legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            // `X-Service-Event` in the spelling of the contract, and not `x-service-event`.
            .http1_title_case_headers(true)
            .build(Connector { https: (http, tls).into(), limit: limits.connect });
        Self(client)
    }

    /// The response, with its body unread.
    pub(super) async fn send(
        &self,
        mut request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, DeliveryFailure> {
        // hyper drops interim responses, any number of them.
        let too_many = Arc::new(Notify::new());
        let (seen, notify) = (AtomicUsize::new(0), Arc::clone(&too_many));
        on_informational(&mut request, move |_| {
            if seen.fetch_add(1, Ordering::Relaxed) == MOST_INTERIM {
                notify.notify_one();
            }
        });
        // The drop of a request closes its connection.
        tokio::select! {
            response = self.0.request(request) => response.map_err(|error| failure::of(&error)),
            () = too_many.notified() => Err(DeliveryFailure::Protocol),
        }
    }
}

/// Opens connections, TLS included, within a time limit.
#[derive(Clone)]
struct Connector {
    https: HttpsConnector<HttpConnector<Resolver>>,
    limit: Duration,
}

type BoxError = Box<dyn Error + Send + Sync>;

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<TokioIo<TcpStream>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.https.poll_ready(context)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = timeout(self.limit, self.https.call(uri));
        Box::pin(async move { connecting.await? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Policy;
    use crate::sender::tls;
    use crate::tests::{addresses, names};
    use rustls::RootCertStore;
    use std::io;
    use std::net::TcpListener;

    /// A checked address is at most a second old. For a later connection the client asks again.
    #[tokio::test]
    async fn the_client_itself_connects_to_nothing_that_was_not_checked() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let policy = Policy { allows_private_networks: false, ports: None };
        let names = names(|name| {
            Ok(addresses(if name == "private.example" { &["127.0.0.1", "::1"] } else { &[] }))
        });
        let limits = Limits::default();
        let resolver = Resolver::new(policy, names, limits.connect);
        let client = Client::new(resolver, tls(RootCertStore::empty()).unwrap(), limits);
        for (name, failure) in [
            ("private.example", DeliveryFailure::Address),
            ("unknown.example", DeliveryFailure::Unresolved),
        ] {
            let url = format!("http://{name}:{}/", listener.local_addr().unwrap().port());
            let request = Request::get(url).body(Full::default()).unwrap();
            assert_eq!(client.send(request).await.unwrap_err(), failure);
        }
        assert_eq!(listener.accept().unwrap_err().kind(), io::ErrorKind::WouldBlock);
    }
}
