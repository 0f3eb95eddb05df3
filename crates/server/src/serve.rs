//! The HTTP server.

use crate::metrics::Lag;
use actix_web::dev::Server;
use actix_web::web::ServiceConfig;
use actix_web::{App, HttpServer};
use hearback_api::{Api, MetricsPage};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// The server did not start or broke off.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be had.
    #[error("cannot listen on {address} ({setting})")]
    Listen {
        /// The setting.
        setting: &'static str,
        /// The address.
        address: SocketAddr,
        /// Why not: most often, something else listens there.
        source: io::Error,
    },
    /// It broke off.
    #[error("the server failed")]
    Broken(#[source] io::Error),
}

/// A server that takes requests.
pub struct Serving {
    address: SocketAddr,
    server: Server,
}

/// Starts a server with so many workers, threads that answer requests. To be called on the runtime
/// that drives the store's connections.
pub fn serve(api: Arc<Api>, listen: SocketAddr, workers: usize) -> Result<Serving, ServeError> {
    let routes = move |config: &mut ServiceConfig| {
        // Each worker makes its own application, and is an event loop of its own.
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
        .keep_alive(KEEP_ALIVE);
    let server = server.bind(listen).map_err(|source| ServeError::Listen {
        setting,
        address: listen,
        source,
    })?;
    let address = server.addrs().first().copied().unwrap_or(listen);
    Ok(Serving { address, server: server.run() })
}

/// How long requests in flight, and mails and deliveries that are on their way, may take when the
/// server stops. The rest of the 30 seconds that a stop may take is the store's.
pub(crate) const STOP_LIMIT: Duration = Duration::from_secs(25);
/// How long a client may take to send the headers of a request.
const HEADERS_LIMIT: Duration = Duration::from_secs(5);
/// How long an idle connection is kept: longer than proxies keep theirs, so that it is they who
/// close it and no request is lost.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

impl Serving {
    /// Where it listens; with port 0 in the settings the port that was chosen.
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
