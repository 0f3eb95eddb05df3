//! The host: the state that the requests of all doors share.

use crate::connections::Connections;
use crate::metrics::Meters;
use crate::proxies::TrustedProxies;
use crate::rate::{Rate, Rates};
use actix_web::web;
use hearback_ports::health::StoreHealth;
use hearback_ports::{Clock, Ids, Ports};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The state that all requests share, made once for the process and all its workers.
pub struct Host {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) health: Arc<dyn StoreHealth>,
    pub(crate) max_body_bytes: usize,
    pub(crate) connections: Arc<Connections>,
    pub(crate) rates: Rates,
    pub(crate) meters: Meters,
    /// The number of changes that have gone through the process.
    changes: AtomicU64,
}

/// A worker's reference to the host. Each worker has a reference count of its own, since workers
/// would wait for each other at a common one several times a request.
pub(crate) type Shared = web::Data<Arc<Host>>;

/// The limits of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest body, in bytes.
    pub max_body_bytes: usize,
    /// The most connections of an address at once.
    pub connections_per_address: Option<usize>,
    /// The rate of requests from an address.
    pub per_address: Option<Rate>,
    /// The rate of requests with an organization's key.
    pub per_key: Option<Rate>,
    /// The rate of forms from an address.
    pub forms_per_address: Option<Rate>,
    /// The rate of forms from a network.
    pub forms_per_network: Option<Rate>,
    /// The proxies that are trusted to name the client of a request.
    pub trusted_proxies: TrustedProxies,
}

impl Default for Limits {
    /// Bodies of 1 MiB, and any number of connections and requests.
    fn default() -> Self {
        Self {
            max_body_bytes: 1 << 20,
            connections_per_address: None,
            per_address: None,
            per_key: None,
            forms_per_address: None,
            forms_per_network: None,
            trusted_proxies: TrustedProxies::default(),
        }
    }
}

impl Host {
    /// Counts a change of records, whether it was done or not.
    pub fn note_change(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// The number of changes that have gone through the process.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// A host over these ports. Each of these paths has a count of its own, and all paths below one
    /// that ends with `/`, but for `/` itself, have one count. The counts go to the recorder of
    /// metrics that is installed at this moment, if any.
    pub fn new(ports: &Ports, limits: Limits, paths: impl IntoIterator<Item = String>) -> Self {
        let rates = Rates::new(&limits, &ports.clock);
        let Limits { max_body_bytes, connections_per_address, trusted_proxies, .. } = limits;
        Self {
            connections: Arc::new(Connections::new(connections_per_address, trusted_proxies)),
            rates,
            max_body_bytes,
            clock: Arc::clone(&ports.clock),
            ids: Arc::clone(&ports.ids),
            changes: AtomicU64::new(0),
            health: Arc::clone(&ports.health),
            meters: Meters::new(paths),
        }
    }

    /// The connections of the process.
    pub fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }
}
