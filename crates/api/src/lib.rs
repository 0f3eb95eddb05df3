//! Hearback's public HTTP API.
//!
//! `hearback-http` gives a request its identifier and routes it to its endpoint, which `v1`
//! declares. `call` reads the body into the input of the use case. `answer` or `error` writes the
//! response.
//!
//! Responses are not compressed. Most are shorter than a packet, and the compression of a long list
//! would hold up one of the few threads that serve all clients. A proxy in front can compress, if a
//! slow network makes that worthwhile. The large files of `/docs/` are compressed when the program
//! is built.
//!
//! **Architecture invariant:** this crate cannot name a store. It holds no rule of the product,
//! only rules of HTTP and of its JSON.

mod answer;
mod call;
mod docs;
mod endpoint;
mod error;
mod examples;
mod fault;
mod fields;
mod json;
mod openapi;
mod page;
mod repeat;
mod shape;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod v1;

pub use crate::call::Reply;
pub use crate::openapi::text as openapi;
pub use hearback_http::{
    Connection, Connections, Host, Limits, MetricsPage, NoNetworks, NoRate, Rate, TrustedProxies,
};

use crate::endpoint::Endpoint;
use crate::page::Cursors;
use actix_web::HttpRequest;
use actix_web::web::{self, ServiceConfig};
use hearback_app::{KeyRing, Vault};
use hearback_http::WorkersRun;
use hearback_ports::{EventSink, Ports};
use std::sync::Arc;

/// The API. The process makes it once, and all its workers share it.
pub struct Api {
    host: Arc<Host>,
    ports: Ports,
    vault: Arc<Vault>,
    sink: Arc<dyn EventSink>,
    ring: KeyRing,
    cursors: Cursors,
    workers_run: WorkersRun,
    metrics: Option<MetricsPage>,
}

/// The API as a worker holds it, with a reference count of the worker's own.
pub(crate) type Shared = web::Data<Arc<Api>>;

impl Api {
    /// Makes the API. `host` knows at least the [`paths`] of the API. `vault` seals the secrets of
    /// webhooks, and gives the keys that sign cursors. Tests of webhooks go to `sink`.
    pub fn new(host: Host, ports: Ports, vault: Arc<Vault>, sink: Arc<dyn EventSink>) -> Self {
        Self {
            host: Arc::new(host),
            ring: KeyRing::new(&ports),
            cursors: Cursors::new(vault.cursor_key()),
            ports,
            vault,
            sink,
            workers_run: Arc::new(|| true),
            metrics: None,
        }
    }

    /// The connections of the process.
    pub fn connections(&self) -> &Arc<Connections> {
        self.host.connections()
    }

    /// Sets the check that `/readyz` makes of the background workers: whether all of them run.
    #[must_use]
    pub fn with_workers(self, workers_run: WorkersRun) -> Self {
        Self { workers_run, ..self }
    }

    /// Shows this page at `/metrics`, beside all other paths.
    #[must_use]
    pub fn with_metrics(self, page: MetricsPage) -> Self {
        Self { metrics: Some(page), ..self }
    }
}

/// Adds the whole API to an `App`: the endpoints under `/api/external/v1`, `/healthz`,
/// `/readyz`, `/openapi.json`, `/docs/`, `/metrics` if there is a page, the routes of the `others`, which are doors beside the API, and the responses to all other paths. Further
/// services of the `App` must be added before. The last ones are those of the `others`.
pub fn configure(
    api: Arc<Api>,
    others: impl FnOnce(&mut ServiceConfig),
) -> impl FnOnce(&mut ServiceConfig) {
    hearback_http::configure(Arc::clone(&api.host), move |config| {
        let (workers_run, page) = (Arc::clone(&api.workers_run), api.metrics.clone());
        config
            .app_data(Shared::new(api))
            .configure(endpoints)
            .configure(hearback_http::probes(workers_run))
            .configure(openapi::routes)
            .configure(docs::routes);
        if let Some(page) = page {
            config.configure(hearback_http::metrics_page(page));
        }
        config.configure(others);
    })
}

/// Adds `/metrics` alone to an `App`, and the responses to all other paths. It is for a listener
/// of its own.
pub fn configure_metrics(api: Arc<Api>, page: MetricsPage) -> impl FnOnce(&mut ServiceConfig) {
    hearback_http::configure(Arc::clone(&api.host), hearback_http::metrics_page(page))
}

fn endpoints(config: &mut ServiceConfig) {
    for endpoint in v1::endpoints() {
        let names = endpoint.names();
        let answer =
            move |api: Shared, request: HttpRequest| call::answer(api, endpoint, names, request);
        config.service(hearback_http::post(&endpoint.route(), answer));
    }
}

/// The paths that have metrics of their own.
pub fn paths() -> impl Iterator<Item = String> {
    let others = ["/openapi.json", "/docs/"].map(str::to_owned);
    v1::endpoints().map(Endpoint::route).chain(others)
}
