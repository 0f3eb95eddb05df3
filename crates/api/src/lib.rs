//! Hearback's public HTTP API.
//!
//! One request's way: `exchange` gives it an identifier, `v1`'s route table names its handler, `call` turns its body into
//! the input of a use case (or a refusal), the handler calls the use case, `answer` or `error` writes what came of it.
//!
//! Answers are not compressed. Most are shorter than a packet, and to compress a long list here would take time from the
//! few threads that answer everybody; a proxy in front does it where a network is slow enough to gain by it. The large files
//! of `/docs/` are compressed when the program is built.
//!
//! **Architecture invariant:** cannot name a store; holds no rule of the product, only of HTTP and its JSON.

mod answer;
mod call;
mod docs;
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
#[cfg(test)]
mod testing;
mod unsubscribe;
mod v1;

pub use crate::metrics::MetricsPage;
pub use crate::openapi::text as openapi;
pub use crate::proxies::{NoNetworks, TrustedProxies};
pub use crate::rate::{NoRate, Rate};

use crate::error::Failure;
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
            .configure(v1::routes)
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

async fn unknown_path() -> answer::Answer {
    Err(Failure::UnknownPath)
}
