//! Attempts against broken and hostile receivers on this machine.

mod answers;
mod hostile;
mod receiver;
mod requests;
mod tls;

use crate::address::Policy;
use crate::lookup::Lookup;
use crate::sender::{HttpSender, Limits};
use async_trait::async_trait;
use hearback_domain::id::{DeliveryId, OrganizationId, SubscriptionId};
use hearback_domain::{Time, Uuid};
use hearback_ports::event_sink::{Dispatch, SigningSecret, SigningSecrets};
use rustls::RootCertStore;
use std::io;
use std::net::IpAddr;
use std::time::Duration;
use zeroize::Zeroizing;

/// A delivery to `url`.
pub(crate) fn dispatch(url: &str) -> Dispatch {
    Dispatch {
        delivery: DeliveryId(uuid("0191b0e4-0000-5000-8000-000000000003")),
        organization: OrganizationId(uuid("0191b0e4-0000-7000-8000-000000000001")),
        subscription: SubscriptionId(uuid("0191b0e4-0000-7000-8000-000000000002")),
        url: url.to_owned(),
        secrets: SigningSecrets { current: secret(SECRET), previous: None },
        event: "vote.created",
        data: DATA.to_owned(),
        occurred_at: Time::parse("2026-03-01T09:30:00.120Z").unwrap(),
        attempt: 1,
        at: Time::parse("2026-03-01T09:30:05.999Z").unwrap(),
    }
}

/// Data with quotes, characters outside of ASCII and spaces: a delivery has its bytes as they are.
const DATA: &str =
    r#"{"id":"0191b0e4-0000-7000-8000-00000000000a","post_title":"Größe \"L\" 👕","n": 1.0 }"#;
const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

fn secret(secret: &str) -> SigningSecret {
    SigningSecret::new(Zeroizing::new(secret.to_owned()))
}

fn uuid(text: &str) -> Uuid {
    Uuid::parse_str(text).unwrap()
}

const PUBLIC: Policy = Policy { allows_private_networks: false, ports: None };
const PRIVATE: Policy = Policy { allows_private_networks: true, ports: None };

/// Limits that are short for a test, and long for the exchanges on one machine.
const SHORT: Limits =
    Limits { connect: Duration::from_millis(500), attempt: Duration::from_millis(700) };

/// A sender without a guard and without root certificates.
fn sender() -> HttpSender {
    with(PRIVATE, names(|_| Ok(Vec::new())), Limits::default())
}

fn with(policy: Policy, lookup: impl Lookup, limits: Limits) -> HttpSender {
    HttpSender::with(policy, lookup, RootCertStore::empty(), limits).unwrap()
}

/// The look-up of a test.
pub(crate) fn names(
    find: impl Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync + 'static,
) -> impl Lookup {
    Names(find)
}

struct Names<F>(F);

#[async_trait]
impl<F: Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync + 'static> Lookup for Names<F> {
    async fn look_up(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        (self.0)(name)
    }
}

/// Addresses as a look-up gives them.
pub(crate) fn addresses(addresses: &[&str]) -> Vec<IpAddr> {
    addresses.iter().map(|address| address.parse().unwrap()).collect()
}
