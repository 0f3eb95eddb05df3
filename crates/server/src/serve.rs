//! The HTTP server.

use crate::metrics::Lag;
use actix_web::dev::Server;
#[cfg(target_os = "linux")]
use actix_web::rt::net::TcpStream;
use actix_web::web::ServiceConfig;
use actix_web::{App, HttpServer};
use hearback_api::{Api, MetricsPage};
use std::any::Any;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// The server did not start or broke off.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is not available.
    #[error("cannot listen on {address} ({setting})")]
    Listen {
        /// The setting.
        setting: &'static str,
        /// The address.
        address: SocketAddr,
        /// The reason, most often another program that listens there.
        source: io::Error,
    },
    /// The server broke off.
    #[error("the server failed")]
    Broken(#[source] io::Error),
}

/// A server that takes requests.
pub struct Serving {
    address: SocketAddr,
    server: Server,
}

/// Starts a server with this number of workers, threads that answer requests. Call it on the
/// runtime that drives the store's connections.
pub fn serve(api: Arc<Api>, listen: SocketAddr, workers: usize) -> Result<Serving, ServeError> {
    let routes = move |config: &mut ServiceConfig| {
        // Each worker has an application and an event loop of its own.
        actix_web::rt::spawn(Lag::of("http").watch());
        hearback_api::configure(Arc::clone(&api))(config);
    };
    start(routes, workers, "HEARBACK_LISTEN", listen)
}

/// Starts a server that shows a page at `/metrics`, and nothing else.
pub(crate) fn serve_metrics(
    api: Arc<Api>,
    page: MetricsPage,
    listen: SocketAddr,
) -> Result<Serving, ServeError> {
    let routes = move |config: &mut ServiceConfig| {
        hearback_api::configure_metrics(Arc::clone(&api), Arc::clone(&page))(config);
    };
    start(routes, 1, "HEARBACK_METRICS_LISTEN", listen)
}

fn start(
    routes: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
    workers: usize,
    setting: &'static str,
    listen: SocketAddr,
) -> Result<Serving, ServeError> {
    let server = HttpServer::new(move || App::new().configure(routes.clone()))
        .workers(workers)
        .disable_signals()
        .shutdown_timeout(STOP_LIMIT.as_secs())
        .client_request_timeout(HEADERS_LIMIT)
        .on_connect(|stream, _| limit_silence(stream))
        .keep_alive(KEEP_ALIVE);
    let server = server.bind(listen).map_err(|source| ServeError::Listen {
        setting,
        address: listen,
        source,
    })?;
    let address = server.addrs().first().copied().unwrap_or(listen);
    Ok(Serving { address, server: server.run() })
}

/// Lets the kernel close the connection if its client takes no byte for [`SILENCE_LIMIT`]. A client
/// that does not read its response would hold the response and a file of the process.
#[cfg(target_os = "linux")]
fn limit_silence(stream: &dyn Any) {
    let Some(stream) = stream.downcast_ref::<TcpStream>() else { return };
    if let Err(error) = rustix::net::sockopt::set_tcp_user_timeout(stream, SILENCE_LIMIT) {
        tracing::warn!(%error, "cannot limit how long a client reads nothing");
    }
}

#[cfg(not(target_os = "linux"))]
fn limit_silence(_: &dyn Any) {}

/// The longest time in milliseconds in which a client takes no byte of its response.
#[cfg(target_os = "linux")]
const SILENCE_LIMIT: u32 = 10_000;

/// How long requests, mails and deliveries under way may take when the server stops. The store has
/// the rest of the 30 seconds that a stop may take.
pub(crate) const STOP_LIMIT: Duration = Duration::from_secs(25);
/// How long a client may take to send the headers of a request.
const HEADERS_LIMIT: Duration = Duration::from_secs(5);
/// How long an idle connection is kept. Proxies keep theirs for less, so the proxy closes the
/// connection, and no request is lost.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// The address at which a server on this machine is reached from this machine.
pub(crate) fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

impl Serving {
    /// The address that it listens on; for port 0 in the settings, with the port that was chosen.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` returns, then takes no new connection and returns when the requests in
    /// flight are answered.
    pub async fn until(
        self,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServeError> {
        let handle = self.server.handle();
        let stopping = tokio::spawn(async move {
            stop.await;
            handle.stop(true).await;
        });
        let result = self.server.await.map_err(ServeError::Broken);
        stopping.abort();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_all_addresses_is_reached_on_the_loopback_one() {
        for (listen, reached) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("192.0.2.1:8080", "192.0.2.1:8080"),
        ] {
            assert_eq!(reachable(listen.parse().unwrap()).to_string(), reached);
        }
    }
}
