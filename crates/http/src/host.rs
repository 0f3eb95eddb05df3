//! What every request needs, whatever door it comes through.

use crate::metrics::Meters;
use crate::proxies::TrustedProxies;
use crate::rate::{Rate, Rates};
use actix_web::web;
use hearback_ports::health::Health;
use hearback_ports::{Clock, Ids, Ports};
use std::sync::Arc;

/// What every request needs, made once for the process and shared by all its workers.
pub struct Host {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) health: Arc<dyn Health>,
    pub(crate) max_body_bytes: usize,
    pub(crate) rates: Rates,
    pub(crate) meters: Meters,
}

/// The host as requests hold it. Each worker has a reference count of its own: of a common one they would wait for each other,
/// several times a request.
pub(crate) type Shared = web::Data<Arc<Host>>;

/// What a request may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest body, in bytes.
    pub max_body_bytes: usize,
    /// How many requests an address may send.
    pub per_address: Option<Rate>,
    /// How many requests may be sent with an organization's key.
    pub per_key: Option<Rate>,
    /// The proxies that say from which address a request comes.
    pub trusted_proxies: TrustedProxies,
}

impl Default for Limits {
    /// Bodies of 1 MiB, and any number of requests.
    fn default() -> Self {
        Self {
            max_body_bytes: 1 << 20,
            per_address: None,
            per_key: None,
            trusted_proxies: TrustedProxies::default(),
        }
    }
}

impl Host {
    /// A host over these ports, which counts requests to each of these paths for itself; all below a path that ends with `/` are
    /// one. Requests are counted by the recorder of metrics that was installed before, if one was.
    pub fn new(ports: &Ports, limits: Limits, paths: impl IntoIterator<Item = String>) -> Self {
        let Limits { max_body_bytes, per_address, per_key, trusted_proxies } = limits;
        Self {
            rates: Rates::new(per_address, per_key, trusted_proxies, &ports.clock),
            max_body_bytes,
            clock: Arc::clone(&ports.clock),
            ids: Arc::clone(&ports.ids),
            health: Arc::clone(&ports.health),
            meters: Meters::new(paths),
        }
    }
}
