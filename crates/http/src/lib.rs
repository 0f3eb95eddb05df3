//! The base of every door of the HTTP server: the context of a request, its body within limits,
//! rate limits, the line in the log, metrics, the probes, and the failures that any request may
//! have.
//!
//! [`configure`] makes the routes of a door to those of a server. A handler finds its
//! [`RequestContext`], and returns a [`Failure`] if it does not answer.
//!
//! **Architecture invariant:** names no store and no door. Knows HTTP, and of the product only that
//! requests belong to organizations.

mod answer;
mod body;
mod chunks;
mod connections;
mod failure;
mod health;
mod host;
mod log;
mod metrics;
mod proxies;
mod rate;
mod request_context;
mod routes;
mod source;

pub use answer::{Memory, PIECE, fixed, json_of, object, text};
pub use connections::{Connection, Connections, Line};
pub use failure::{DoorError, Failure, Methods};
pub use health::{WorkersRun, probes};
pub use host::{Host, Limits};
pub use log::{log_fault, mask};
pub use metrics::{MetricsPage, metrics_page};
pub use proxies::{NoNetworks, TrustedProxies};
pub use rate::{HEADERS as RATE_HEADERS, NoRate, Rate};
pub use request_context::RequestContext;
pub use routes::{get, post};
pub use source::Network;

use actix_web::middleware::from_fn;
use actix_web::web::{self, ServiceConfig};
use host::Shared;
use std::sync::Arc;

/// Adds the routes to an `App`, and the answers to all other paths. Other routes of the `App` must
/// be added before.
pub fn configure(
    host: Arc<Host>,
    routes: impl FnOnce(&mut ServiceConfig),
) -> impl FnOnce(&mut ServiceConfig) {
    move |config| {
        // The scope matches every path. `OPTIONS *` has none: the default service answers it.
        config
            .app_data(Shared::new(host))
            .default_service(web::to(routes::unknown_path).wrap(from_fn(request_context::around)))
            .service(
                web::scope("")
                    .configure(routes)
                    .default_service(web::to(routes::unknown_path))
                    .wrap(from_fn(request_context::around)),
            );
    }
}
