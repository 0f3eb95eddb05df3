//! The resolver: looks host names of receivers up and checks their addresses. The HTTP client
//! connects to no others.

use crate::address::Policy;
use crate::lookup::Lookup;
use hearback_domain::delivery::DeliveryFailure;
use hyper_util::client::legacy::connect::dns::Name;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use tower_service::Service;

/// Finds the allowed addresses of a host name.
///
/// Attempts share a look-up if they come while it runs or within a second after it. So the client
/// connects to the address that was checked, and a look-up that hangs is one look-up for all
/// deliveries that wait for it. A look-up ends within the time limit.
#[derive(Clone)]
pub(crate) struct Resolver(Arc<Shared>);

struct Shared {
    policy: Policy,
    lookup: Box<dyn Lookup>,
    limit: Duration,
    names: Mutex<Names>,
}

struct Names {
    found: HashMap<String, Finding>,
    swept_at: Instant,
}

/// A finished look-up, or one that runs.
type Finding = watch::Receiver<Option<Found>>;

struct Found {
    addresses: Addresses,
    at: Instant,
}

/// The allowed addresses, at least one, or the reason why there is none.
type Addresses = Result<Arc<[SocketAddr]>, DeliveryFailure>;

/// The name has no allowed address.
#[derive(Debug, thiserror::Error)]
#[error("the name has no address that may be connected to")]
pub(crate) struct NoAddress(pub(crate) DeliveryFailure);

/// How long a finished look-up is used.
const KEPT: Duration = Duration::from_secs(1);

impl Resolver {
    /// A resolver that allows the addresses of `policy`. A look-up takes at most `limit`.
    pub(crate) fn new(policy: Policy, lookup: impl Lookup, limit: Duration) -> Self {
        let names = Mutex::new(Names { found: HashMap::new(), swept_at: Instant::now() });
        Self(Arc::new(Shared { policy, lookup: Box::new(lookup), limit, names }))
    }

    /// The allowed addresses of a name, at least one.
    pub(crate) async fn resolve(&self, name: &str) -> Addresses {
        let mut finding = self.finding(name);
        match finding.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(found)) => found.addresses.clone(),
            // The look-up panicked.
            _ => Err(DeliveryFailure::Internal),
        }
    }

    fn finding(&self, name: &str) -> Finding {
        // No panic can leave the names half changed.
        let mut names = self.0.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(finding) = names.found.get(name).filter(|finding| is_fresh(finding)) {
            return finding.clone();
        }
        if names.swept_at.elapsed() >= KEPT {
            names.found.retain(|_, finding| is_fresh(finding));
            names.swept_at = Instant::now();
        }
        let (find, finding) = watch::channel(None);
        names.found.insert(name.to_owned(), finding.clone());
        // The look-up runs in a task of its own, since others need its result if this caller gives
        // up.
        let (shared, name) = (Arc::clone(&self.0), name.to_owned());
        tokio::spawn(async move {
            let addresses = shared.look_up(&name).await;
            find.send_replace(Some(Found { addresses, at: Instant::now() }));
        });
        finding
    }
}

/// Returns whether the look-up runs, or finished in time less than [`KEPT`] ago.
fn is_fresh(finding: &Finding) -> bool {
    match &*finding.borrow() {
        // A timeout says nothing about the next look-up.
        Some(found) => {
            found.at.elapsed() < KEPT && found.addresses != Err(DeliveryFailure::Timeout)
        }
        None => finding.has_changed().is_ok(),
    }
}

impl Shared {
    async fn look_up(&self, name: &str) -> Addresses {
        let found = timeout(self.limit, self.lookup.look_up(name)).await;
        let found = found.map_err(|_| DeliveryFailure::Timeout)?.unwrap_or_default();
        if found.is_empty() {
            return Err(DeliveryFailure::Unresolved);
        }
        let allowed = found.into_iter().filter(|address| self.policy.allows(*address));
        // The URL has the port.
        let allowed: Arc<[_]> = allowed.map(|address| SocketAddr::new(address, 0)).collect();
        if allowed.is_empty() { Err(DeliveryFailure::Address) } else { Ok(allowed) }
    }
}

/// The resolver of the HTTP client.
impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = NoAddress;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, NoAddress>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), NoAddress>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let resolver = self.clone();
        Box::pin(async move {
            let addresses = resolver.resolve(name.as_str()).await.map_err(NoAddress)?;
            let addresses: Vec<_> = addresses.iter().copied().collect();
            Ok(addresses.into_iter())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{addresses, names};
    use async_trait::async_trait;
    use std::io;
    use std::net::IpAddr;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::sync::Semaphore;
    use tokio::time::advance;

    const PUBLIC: Policy = Policy { allows_private_networks: false, ports: None };
    const LIMIT: Duration = Duration::from_secs(5);

    /// A resolver whose look-ups have these results one after the other, and the count of them.
    fn changing(found: &'static [&'static [&'static str]]) -> (Resolver, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked);
        let names = names(move |_| {
            Ok(addresses(found[counted.fetch_add(1, Ordering::SeqCst).min(found.len() - 1)]))
        });
        (Resolver::new(PUBLIC, names, LIMIT), asked)
    }

    /// The addresses that the HTTP client gets.
    async fn resolve(resolver: &Resolver) -> Result<Vec<IpAddr>, DeliveryFailure> {
        let resolved = resolver.resolve("receiver.example").await;
        let connectable = resolver.clone().call("receiver.example".parse().unwrap()).await;
        let connectable = connectable.map(Iterator::collect::<Vec<_>>).map_err(|error| error.0);
        assert_eq!(connectable, resolved.map(|addresses| addresses.to_vec()));
        connectable.map(|addresses| addresses.iter().map(SocketAddr::ip).collect())
    }

    #[tokio::test(start_paused = true)]
    async fn the_client_gets_the_allowed_ones_of_several_addresses() {
        let (resolver, _) =
            changing(&[&["10.0.0.1", "8.8.8.8", "::1", "2606:4700::1111", "::ffff:127.0.0.1"]]);
        assert_eq!(resolve(&resolver).await, Ok(addresses(&["8.8.8.8", "2606:4700::1111"])));
        let (resolver, _) = changing(&[&["10.0.0.1", "::1"]]);
        assert_eq!(resolve(&resolver).await, Err(DeliveryFailure::Address));
        let (resolver, _) = changing(&[&[]]);
        assert_eq!(resolve(&resolver).await, Err(DeliveryFailure::Unresolved));
        let resolver =
            Resolver::new(PUBLIC, names(|_| Err(io::Error::other("no such name"))), LIMIT);
        assert_eq!(resolve(&resolver).await, Err(DeliveryFailure::Unresolved));
    }

    #[tokio::test(start_paused = true)]
    async fn a_name_that_moves_into_a_private_network_is_refused_from_then_on() {
        let (resolver, asked) = changing(&[&["8.8.8.8"], &["127.0.0.1"], &["1.1.1.1"]]);
        assert_eq!(resolve(&resolver).await, Ok(addresses(&["8.8.8.8"])));
        advance(KEPT - Duration::from_millis(1)).await;
        assert_eq!(resolve(&resolver).await, Ok(addresses(&["8.8.8.8"])));
        advance(Duration::from_millis(1)).await;
        assert_eq!(resolve(&resolver).await, Err(DeliveryFailure::Address));
        advance(KEPT).await;
        assert_eq!(resolve(&resolver).await, Ok(addresses(&["1.1.1.1"])));
        assert_eq!(asked.load(Ordering::SeqCst), 3);
    }

    /// A look-up that waits for a permit.
    struct Slow {
        may_answer: Arc<Semaphore>,
        asked: Arc<AtomicUsize>,
    }

    #[async_trait]
    impl Lookup for Slow {
        async fn look_up(&self, name: &str) -> io::Result<Vec<IpAddr>> {
            self.asked.fetch_add(1, Ordering::SeqCst);
            self.may_answer.acquire().await.unwrap().forget();
            assert_ne!(name, "panic.example");
            Ok(addresses(&["8.8.8.8"]))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_look_up_outlives_its_callers_is_shared_and_ends_at_the_limit() {
        let (may_answer, asked) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
        let slow = Slow { may_answer: Arc::clone(&may_answer), asked: Arc::clone(&asked) };
        let resolver = Resolver::new(PUBLIC, slow, LIMIT);
        assert!(timeout(LIMIT / 2, resolver.resolve("receiver.example")).await.is_err());
        assert_eq!(resolver.resolve("receiver.example").await, Err(DeliveryFailure::Timeout));
        assert_eq!(asked.load(Ordering::SeqCst), 1);
        // The next attempt makes another look-up.
        may_answer.add_permits(1);
        assert!(resolver.resolve("receiver.example").await.is_ok());
        assert_eq!(asked.load(Ordering::SeqCst), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_look_up_that_panics_fails_and_the_next_is_another() {
        let (may_answer, asked) = (Arc::new(Semaphore::new(9)), Arc::new(AtomicUsize::new(0)));
        let slow = Slow { may_answer, asked: Arc::clone(&asked) };
        let resolver = Resolver::new(PUBLIC, slow, LIMIT);
        for number in 1..=2 {
            assert_eq!(resolver.resolve("panic.example").await, Err(DeliveryFailure::Internal));
            assert_eq!(asked.load(Ordering::SeqCst), number);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn old_look_ups_are_forgotten() {
        let resolver = Resolver::new(PUBLIC, names(|_| Ok(addresses(&["8.8.8.8"]))), LIMIT);
        for number in 0..1000 {
            assert!(resolver.resolve(&format!("{number}.example")).await.is_ok());
            advance(Duration::from_millis(100)).await;
        }
        assert!(resolver.0.names.lock().unwrap().found.len() <= 20);
    }
}
