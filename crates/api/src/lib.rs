//! Hearback's public HTTP API.
//!
//! The way of a request: `exchange` gives it an identifier, the route of its endpoint is declared in `v1`, `call` reads its body into
//! the input of the use case, and `answer` or `error` writes the outcome.
//!
//! Answers are not compressed. Most are shorter than a packet, and to compress a long list here would take time from the
//! few threads that answer everybody; a proxy in front does it where a network is slow enough to gain by it. The large files
//! of `/docs/` are compressed when the program is built.
//!
//! **Architecture invariant:** cannot name a store; holds no rule of the product, only of HTTP and its JSON.

mod answer;
mod call;
mod docs;
mod endpoint;
mod error;
mod examples;
mod exchange;
mod fault;
mod fields;
mod health;
mod json;
mod log;
mod metrics;
mod openapi;
mod page;
mod proxies;
mod rate;
mod repeat;
mod shape;
#[cfg(test)]
mod testing;
mod unsubscribe;
mod v1;

pub use crate::metrics::MetricsPage;
pub use crate::openapi::text as openapi;
pub use crate::proxies::{NoNetworks, TrustedProxies};
pub use crate::rate::{NoRate, Rate};

use crate::answer::Answer;
use crate::error::{Failure, Methods};
use crate::metrics::Meters;
use crate::page::Cursors;
use crate::rate::Rates;
use actix_web::middleware::from_fn;
use actix_web::web::{self, ServiceConfig};
use hearback_app::unsubscribe::UnsubscribeTokens;
use hearback_app::{KeyRing, Vault};
use hearback_ports::Ports;
use std::sync::Arc;

/// What every request needs, made once for the process and shared by all its workers.
pub struct Api {
    ports: Ports,
    ring: KeyRing,
    cursors: Cursors,
    tokens: UnsubscribeTokens,
    max_body_bytes: usize,
    rates: Rates,
    workers_run: Arc<dyn Fn() -> bool + Send + Sync>,
    meters: Meters,
    metrics: Option<MetricsPage>,
}

/// The API as requests hold it. Each worker has a reference count of its own: of a common one they would wait for each other,
/// several times a request.
pub(crate) type Shared = web::Data<Arc<Api>>;

/// What a request may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest body, in bytes.
    pub max_body_bytes: usize,
    /// How many requests an address may send.
    pub per_address: Option<Rate>,
    /// How many requests may be sent with an organization's key.
    pub per_key: Option<Rate>,
    /// Who says from which address a request comes, if it is not who sends it.
    pub trusted_proxies: TrustedProxies,
}

impl Default for Limits {
    /// Bodies of 1 MiB, as often as anybody likes.
    fn default() -> Self {
        Self {
            max_body_bytes: 1 << 20,
            per_address: None,
            per_key: None,
            trusted_proxies: TrustedProxies::default(),
        }
    }
}

impl Api {
    /// Over these ports; the vault gives the keys that cursors and unsubscribe links are signed with. Requests are counted by the
    /// recorder of metrics that was installed before, if one was.
    pub fn new(ports: Ports, vault: &Vault, limits: Limits) -> Self {
        let Limits { max_body_bytes, per_address, per_key, trusted_proxies } = limits;
        Self {
            ring: KeyRing::new(&ports),
            cursors: Cursors::new(vault.cursor_key()),
            tokens: UnsubscribeTokens::new(vault),
            rates: Rates::new(per_address, per_key, trusted_proxies, &ports.clock),
            max_body_bytes,
            ports,
            workers_run: Arc::new(|| true),
            meters: Meters::new(),
            metrics: None,
        }
    }

    /// Where background workers belong to the process: `/readyz` asks this whether all of them run. It is asked often and must
    /// not block.
    #[must_use]
    pub fn with_workers(self, all_run: Arc<dyn Fn() -> bool + Send + Sync>) -> Self {
        Self { workers_run: all_run, ..self }
    }

    /// Shows this page at `/metrics`, beside everything else.
    #[must_use]
    pub fn with_metrics(self, page: MetricsPage) -> Self {
        Self { metrics: Some(page), ..self }
    }
}

/// Adds the whole API to an `App`: the endpoints under `/api/external/v1`, `/unsubscribe/…`, `/healthz`, `/readyz`,
/// `/openapi.json`, `/docs/`, `/metrics` where it is wanted, and the answers to every other path. What the `App` is to answer
/// beside it must be added before.
pub fn configure(api: Arc<Api>) -> impl FnOnce(&mut ServiceConfig) {
    let page = api.metrics.clone();
    serving(api, move |config| {
        config
            .configure(endpoints)
            .configure(unsubscribe::routes)
            .configure(health::routes)
            .configure(openapi::routes)
            .configure(docs::routes);
        if let Some(page) = page {
            config.configure(metrics::routes(page));
        }
    })
}

/// Adds `/metrics` alone to an `App`, and the answers to every other path: for a listener of its own.
pub fn configure_metrics(api: Arc<Api>, page: MetricsPage) -> impl FnOnce(&mut ServiceConfig) {
    serving(api, metrics::routes(page))
}

/// Serves these routes, and refuses every other path.
fn serving(
    api: Arc<Api>,
    routes: impl FnOnce(&mut ServiceConfig),
) -> impl FnOnce(&mut ServiceConfig) {
    move |config| {
        // The scope holds every path but such as `OPTIONS *`, which only the default service sees.
        config
            .app_data(Shared::new(api))
            .default_service(web::to(unknown_path).wrap(from_fn(exchange::around)))
            .service(
                web::scope("")
                    .configure(routes)
                    .default_service(web::to(unknown_path))
                    .wrap(from_fn(exchange::around)),
            );
    }
}

fn endpoints(config: &mut ServiceConfig) {
    for endpoint in v1::endpoints() {
        config.service(
            web::resource(format!("{}{}", v1::BASE, endpoint.path))
                .route(web::post().to(|request| call::answer(endpoint, request)))
                .default_service(web::to(post_only)),
        );
    }
}

async fn post_only() -> Answer {
    Err(Failure::Method(Methods::Post))
}

async fn unknown_path() -> Answer {
    Err(Failure::UnknownPath)
}
