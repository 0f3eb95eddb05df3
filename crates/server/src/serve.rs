//! The HTTP server.

use crate::metrics::Lag;
use actix_http::HttpService;
use actix_http::error::DispatchError;
use actix_service::{IntoServiceFactory, ServiceFactoryExt, fn_service, map_config};
use actix_web::App;
use actix_web::dev::{AppConfig, Server};
use actix_web::rt::net::TcpStream;
use actix_web::web::ServiceConfig;
use hearback_api::{Api, Connection, Connections, MetricsPage};
use hearback_dashboard::Dashboard;
use hearback_mcp::Mcp;
use hearback_web::Web;
use std::future::ready;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
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

/// Starts a server of the API, of the door of agents, of the portal and of the dashboard, with this
/// number of workers, threads that answer requests. Call it on the runtime that drives the store's
/// connections.
pub fn serve(
    api: Arc<Api>,
    mcp: Arc<Mcp>,
    web: Arc<Web>,
    dashboard: Arc<Dashboard>,
    listen: SocketAddr,
    workers: usize,
) -> Result<Serving, ServeError> {
    let connections = Arc::clone(api.connections());
    let routes = move |config: &mut ServiceConfig| {
        // Each worker has an application and an event loop of its own.
        actix_web::rt::spawn(Lag::of("http").watch());
        let agents = hearback_mcp::routes(Arc::clone(&mcp));
        let dashboard = hearback_dashboard::routes(Arc::clone(&dashboard));
        let pages = hearback_portal::routes(Arc::clone(&web), dashboard);
        // The portal has the pages of all paths that nothing else has: it comes last.
        let others = |config: &mut ServiceConfig| {
            config.configure(agents).configure(pages);
        };
        hearback_api::configure(Arc::clone(&api), others)(config);
    };
    start(connections, routes, workers, "HEARBACK_LISTEN", listen)
}

/// Starts a server that shows a page at `/metrics`, and nothing else.
pub(crate) fn serve_metrics(
    api: Arc<Api>,
    page: MetricsPage,
    listen: SocketAddr,
) -> Result<Serving, ServeError> {
    let connections = Arc::clone(api.connections());
    let routes = move |config: &mut ServiceConfig| {
        hearback_api::configure_metrics(Arc::clone(&api), Arc::clone(&page))(config);
    };
    start(connections, routes, 1, "HEARBACK_METRICS_LISTEN", listen)
}

fn start(
    connections: Arc<Connections>,
    routes: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
    workers: usize,
    setting: &'static str,
    listen: SocketAddr,
) -> Result<Serving, ServeError> {
    let failed = |source| ServeError::Listen { setting, address: listen, source };
    let listener = TcpListener::bind(listen).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let builder =
        Server::build().workers(workers).disable_signals().shutdown_timeout(STOP_LIMIT.as_secs());
    let stop = builder.graceful_shutdown_signal();
    // actix's `HttpServer` takes sockets alone. These are its services, over `Connection`.
    let services = move || {
        let (connections, stop) = (Arc::clone(&connections), stop.clone());
        let app = App::new().configure(routes.clone()).into_factory();
        let app = app.map_err(|error: actix_web::Error| error.error_response());
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stop = stop.clone();
                async move { stop.notified().await }
            })
            .keep_alive(KEEP_ALIVE)
            .client_request_timeout(HEADERS_LIMIT)
            .client_disconnect_timeout(LINGER)
            .on_connect_ext(|connection: &Connection, data| {
                data.insert(connection.line());
            })
            .h1(map_config(app, |()| AppConfig::default()));
        fn_service(move |stream: TcpStream| {
            let peer = stream.peer_addr().ok();
            ready(Ok::<_, DispatchError>((connections.admit(stream), peer)))
        })
        .and_then(http)
    };
    let server = builder.listen("http", listener, services).map_err(failed)?.run();
    Ok(Serving { address, server })
}

/// How long requests, mails and deliveries under way may take when the server stops. The store has
/// the rest of the 30 seconds that a stop may take.
pub(crate) const STOP_LIMIT: Duration = Duration::from_secs(25);
/// How long a client may take to send the headers of a request.
const HEADERS_LIMIT: Duration = Duration::from_secs(5);
/// How long the rest of a request is read after its early answer, so that the client sees the answer.
const LINGER: Duration = Duration::from_secs(1);
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
