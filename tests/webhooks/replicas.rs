//! Servers that share a database share its deliveries.

use super::support::{
    Acme, Attempt, Caller, Database, Delivery, Installation, RETRY_SCHEDULE, Receiver, Store, TO_THIS_MACHINE, eventually, import,
};
use futures_util::{StreamExt, stream};
use hearback_domain::Uuid;
use std::collections::BTreeSet;

const ORGANIZATIONS: usize = 10;
/// Of each.
const EVENTS: usize = 1_000;
const POSTS: usize = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_three_servers_on_one_database_one_sends_each_delivery() {
    let installation = Installation::new(Store::Postgres, &[TO_THIS_MACHINE, (RETRY_SCHEDULE, "1s")]).await;
    let mut organizations: Vec<Acme> = (0..ORGANIZATIONS).map(|_| Acme::of(POSTS, EVENTS / POSTS / 2)).collect();
    let mut receivers = Vec::new();
    for acme in &mut organizations {
        let receiver = Receiver::start().await;
        acme.subscribed(&receiver.url());
        receivers.push(receiver);
    }
    import(&installation, &organizations).await;
    let servers = [installation.serve(), installation.serve(), installation.serve()];
    let callers = servers.each_ref().map(Caller::of);

    // Each vote twice, the second time when the first is long done.
    let all = (0..EVENTS).flat_map(|event| organizations.iter().map(move |acme| (acme, event)));
    let toggles = all
        .enumerate()
        .map(|(number, (acme, event))| callers[number % 3].toggle_of(acme, event / POSTS % acme.voters.len(), event % POSTS));
    let cast = stream::iter(toggles).buffer_unordered(32).filter(|voted| std::future::ready(*voted)).count().await;
    assert_eq!(cast, ORGANIZATIONS * EVENTS / 2);

    let mut database = Database::of(&installation).await;
    for (acme, receiver) in organizations.iter().zip(&receivers) {
        let deliveries = eventually("all deliveries", async || {
            let deliveries: Vec<Delivery> = database.rows(&acme.id).await;
            deliveries.iter().all(|delivery| delivery.state == "delivered").then_some(deliveries)
        })
        .await;
        assert_eq!(deliveries.len(), EVENTS);
        assert!(deliveries.iter().all(|delivery| delivery.attempt_count == 1));
        assert_eq!(database.rows::<Attempt>(&acme.id).await.len(), EVENTS);
        let expected: BTreeSet<Uuid> = deliveries.iter().map(Delivery::id).collect();
        let requests = receiver.requests();
        let received: BTreeSet<Uuid> = requests.iter().map(|request| request.delivery()).collect();
        assert_eq!((requests.len(), received), (EVENTS, expected));
        assert!(requests.iter().all(|request| request.attempt() == 1));
    }
}
