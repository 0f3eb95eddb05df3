//! Rate limits of addresses, of organizations, and of the forms of addresses and networks. A limit is
//! off unless it is set.
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

use crate::host::Limits;
use crate::proxies::TrustedProxies;
use crate::source::{Network, Source};
use actix_web::HttpRequest;
use hearback_domain::id::OrganizationId;
use hearback_ports::Clock;
use limiter::Limiter;
use std::hash::Hash;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

/// The limits of a process.
pub(crate) struct Rates {
    per_address: Option<Limiter<Source>>,
    per_key: Option<Limiter<OrganizationId>>,
    forms_per_address: Option<Limiter<Source>>,
    forms_per_network: Option<Limiter<Network>>,
    strangers_per_network: Option<Limiter<Network>>,
    trusted_proxies: TrustedProxies,
}

impl Rates {
    pub(crate) fn new(limits: &Limits, clock: &Arc<dyn Clock>) -> Self {
        Self {
            per_address: limiter(limits.per_address, clock),
            per_key: limiter(limits.per_key, clock),
            forms_per_address: limiter(limits.forms_per_address, clock),
            forms_per_network: limiter(limits.forms_per_network, clock),
            strangers_per_network: limiter(limits.forms_per_network.map(Rate::in_an_hour), clock),
            trusted_proxies: limits.trusted_proxies.clone(),
        }
    }

    /// Counts a request for its address.
    pub(crate) fn of_address(&self, request: &HttpRequest) -> Option<RateLimitStatus> {
        Some(self.per_address.as_ref()?.count(&self.client(request).into()))
    }

    /// Counts a form for its address and its network.
    pub(crate) fn of_form(&self, request: &HttpRequest) -> [Option<RateLimitStatus>; 2] {
        let client = self.client(request);
        let (address, network) = (&self.forms_per_address, &self.forms_per_network);
        [
            address.as_ref().map(|limiter| limiter.count(&client.into())),
            network.as_ref().map(|limiter| limiter.count(&client.into())),
        ]
    }

    /// Counts a stranger for the network.
    pub(crate) fn of_stranger(&self, request: &HttpRequest) -> Option<RateLimitStatus> {
        let limiter = self.strangers_per_network.as_ref()?;
        Some(limiter.count(&self.client(request).into()))
    }

    /// The address of the client of a request.
    pub(crate) fn client(&self, request: &HttpRequest) -> IpAddr {
        // Only a connection that is not TCP has no address. All such connections share a limit.
        let peer = request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip());
        self.trusted_proxies.client(peer, request.headers())
    }

    /// Counts a request for the organization of its key.
    pub(crate) fn of_key(&self, organization: OrganizationId) -> Option<RateLimitStatus> {
        Some(self.per_key.as_ref()?.count(&organization))
    }
}

fn limiter<K: Copy + Eq + Hash>(rate: Option<Rate>, clock: &Arc<dyn Clock>) -> Option<Limiter<K>> {
    rate.map(|rate| Limiter::new(rate, Arc::clone(clock)))
}
