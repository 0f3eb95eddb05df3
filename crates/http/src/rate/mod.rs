//! Rate limits of addresses and of organizations. Both are off unless they are set.
//!
//! A client can use its whole limit at once, and gets it back evenly. governor does the arithmetic,
//! and the table of clients is a bounded one of this crate. Each process counts for itself.

mod limiter;
mod parse;
mod status;
mod table;

pub use parse::{NoRate, Rate};
pub use status::HEADERS;
pub(crate) use status::RateLimitStatus;

use crate::proxies::TrustedProxies;
use crate::source::Source;
use actix_web::HttpRequest;
use hearback_domain::id::OrganizationId;
use hearback_ports::Clock;
use limiter::Limiter;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

/// The limits of a process.
pub(crate) struct Rates {
    per_address: Option<Limiter<Source>>,
    per_key: Option<Limiter<OrganizationId>>,
    trusted_proxies: TrustedProxies,
}

impl Rates {
    pub(crate) fn new(
        per_address: Option<Rate>,
        per_key: Option<Rate>,
        trusted_proxies: TrustedProxies,
        clock: &Arc<dyn Clock>,
    ) -> Self {
        Self {
            per_address: per_address.map(|rate| Limiter::new(rate, Arc::clone(clock))),
            per_key: per_key.map(|rate| Limiter::new(rate, Arc::clone(clock))),
            trusted_proxies,
        }
    }

    /// Counts a request for its address.
    pub(crate) fn of_address(&self, request: &HttpRequest) -> Option<RateLimitStatus> {
        let limiter = self.per_address.as_ref()?;
        // Only a connection that is not TCP has no address. All such connections share a limit.
        let peer = request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip());
        Some(limiter.count(&self.trusted_proxies.client(peer, request.headers()).into()))
    }

    /// Counts a request for the organization of its key.
    pub(crate) fn of_key(&self, organization: OrganizationId) -> Option<RateLimitStatus> {
        Some(self.per_key.as_ref()?.count(&organization))
    }
}
