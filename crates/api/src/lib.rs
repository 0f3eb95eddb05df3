//! Hearback's public HTTP API.
//!
//! The way of a request: `hearback-http` gives it an identifier, the route of its endpoint is
//! declared in `v1`, `call` reads its body into the input of the use case, and `answer` or `error`
//! writes the outcome.
//!
//! Answers are not compressed. Most are shorter than a packet, and to compress a long list here
//! would take time from the few threads that answer everybody; a proxy in front does it where a
//! network is slow enough to gain by it. The large files of `/docs/` are compressed when the
//! program is built.
//!
//! **Architecture invariant:** cannot name a store; holds no rule of the product, only of HTTP and
//! its JSON.

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
mod unsubscribe;
mod v1;

pub use crate::openapi::text as openapi;
pub use hearback_http::{Limits, MetricsPage, NoNetworks, NoRate, Rate, TrustedProxies};

use crate::endpoint::Endpoint;
use crate::page::Cursors;
use actix_web::HttpRequest;
use actix_web::web::{self, ServiceConfig};
use hearback_app::unsubscribe::UnsubscribeTokens;
use hearback_app::{KeyRing, Vault};
use hearback_http::{Host, WorkersRun};
use hearback_ports::Ports;
use std::sync::Arc;

/// The API, made once for the process and shared by all its workers.
pub struct Api {
    host: Arc<Host>,
    ports: Ports,
    ring: KeyRing,
    cursors: Cursors,
    tokens: UnsubscribeTokens,
    workers_run: WorkersRun,
    metrics: Option<MetricsPage>,
}

/// The API as requests hold it, with a reference count of each worker's own.
pub(crate) type Shared = web::Data<Arc<Api>>;

impl Api {
    /// Over these ports; the vault gives the keys that cursors and unsubscribe links are signed
    /// with. Requests are counted by the recorder of metrics that was installed before, if one was.
    pub fn new(ports: Ports, vault: &Vault, limits: Limits) -> Self {
        Self {
            host: Arc::new(Host::new(&ports, limits, paths())),
            ring: KeyRing::new(&ports),
            cursors: Cursors::new(vault.cursor_key()),
            tokens: UnsubscribeTokens::new(vault),
            ports,
            workers_run: Arc::new(|| true),
            metrics: None,
        }
    }

    /// Where background workers belong to the process: `/readyz` asks this whether all of them run.
    #[must_use]
    pub fn with_workers(self, workers_run: WorkersRun) -> Self {
        Self { workers_run, ..self }
    }

    /// Shows this page at `/metrics`, beside everything else.
    #[must_use]
    pub fn with_metrics(self, page: MetricsPage) -> Self {
        Self { metrics: Some(page), ..self }
    }
}

/// Adds the whole API to an `App`: the endpoints under `/api/external/v1`, `/unsubscribe/…`,
/// `/healthz`, `/readyz`, `/openapi.json`, `/docs/`, `/metrics` where it is wanted, and the answers
/// to every other path. What the `App` is to answer beside it must be added before.
pub fn configure(api: Arc<Api>) -> impl FnOnce(&mut ServiceConfig) {
    hearback_http::configure(Arc::clone(&api.host), move |config| {
        let (workers_run, page) = (Arc::clone(&api.workers_run), api.metrics.clone());
        config
            .app_data(Shared::new(api))
            .configure(endpoints)
            .configure(unsubscribe::routes)
            .configure(hearback_http::probes(workers_run))
            .configure(openapi::routes)
            .configure(docs::routes);
        if let Some(page) = page {
            config.configure(hearback_http::metrics_page(page));
        }
    })
}

/// Adds `/metrics` alone to an `App`, and the answers to every other path: for a listener of its
/// own.
pub fn configure_metrics(api: Arc<Api>, page: MetricsPage) -> impl FnOnce(&mut ServiceConfig) {
    hearback_http::configure(Arc::clone(&api.host), hearback_http::metrics_page(page))
}

fn endpoints(config: &mut ServiceConfig) {
    for endpoint in v1::endpoints() {
        let answer = move |api: Shared, request: HttpRequest| call::answer(api, endpoint, request);
        config.service(hearback_http::post(&endpoint.route(), answer));
    }
}

/// The paths that are counted for themselves.
fn paths() -> impl Iterator<Item = String> {
    let others = ["/openapi.json", "/docs/", unsubscribe::SHOWN_PATH].map(str::to_owned);
    v1::endpoints().map(Endpoint::route).chain(others)
}
