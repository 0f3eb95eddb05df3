//! Servers that share a database share its deliveries.

use super::support::{
    Acme, Attempt, Caller, Database, Delivery, Installation, RETRY_SCHEDULE, Receiver, Server,
    Store, TO_THIS_MACHINE, eventually, import, whole_machine,
};
use futures_util::{StreamExt, stream};
use hearback_domain::Uuid;
use std::collections::BTreeSet;
use std::fs;

const ORGANIZATIONS: usize = 10;
/// The number of events of each organization.
const EVENTS: usize = 1_000;
const POSTS: usize = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_three_servers_on_one_database_sends_each_delivery() {
    let _machine = whole_machine().await;
    let installation =
        Installation::new(Store::Postgres, &[TO_THIS_MACHINE, (RETRY_SCHEDULE, "1s")]).await;
    let mut organizations: Vec<Acme> =
        (0..ORGANIZATIONS).map(|_| Acme::of(POSTS, EVENTS / POSTS / 2)).collect();
    let mut receivers = Vec::new();
    for acme in &mut organizations {
        let receiver = Receiver::start().await;
        acme.subscribed(&receiver.url());
        receivers.push(receiver);
    }
    import(&installation, &organizations).await;
    let servers = [installation.serve(), installation.serve(), installation.serve()];
    let callers = servers.each_ref().map(Caller::of);

    // Each vote is toggled twice, the second time long after the first.
    let all = (0..EVENTS).flat_map(|event| organizations.iter().map(move |acme| (acme, event)));
    let toggles = all.enumerate().map(|(number, (acme, event))| {
        callers[number % 3].toggle_of(acme, event / POSTS % acme.voters.len(), event % POSTS)
    });
    let cast = stream::iter(toggles)
        .buffer_unordered(32)
        .filter(|voted| std::future::ready(*voted))
        .count();
    let all_send = eventually("each server's deliveries", async || {
        servers.iter().all(|server| sends_to(server, &receivers)).then_some(())
    });
    let (cast, ()) = tokio::join!(cast, all_send);
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

/// Whether a receiver got a request over a connection that is still open in the server.
fn sends_to(server: &Server, receivers: &[Receiver]) -> bool {
    connections(server).iter().any(|(from, to)| {
        receivers.iter().any(|receiver| receiver.port() == *to && receiver.sources().contains(from))
    })
}

/// The ports of a server's connections, from Linux: its own and the peer's.
fn connections(server: &Server) -> Vec<(u16, u16)> {
    let files = fs::read_dir(format!("/proc/{}/fd", server.pid)).expect("the server's files");
    // The link of a file closed in the meantime cannot be read.
    let sockets: BTreeSet<String> = files
        .filter_map(|file| fs::read_link(file.ok()?.path()).ok())
        .filter_map(|target| {
            Some(target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
        })
        .collect();
    let table = fs::read_to_string("/proc/net/tcp").expect("the connections of this machine");
    let port = |address: &str| {
        u16::from_str_radix(address.split_once(':').expect("a port").1, 16).expect("hex")
    };
    // The columns are a number, both addresses, the state, queues, timers, retransmissions, the
    // user, time-outs, and the socket.
    let columns = table.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    columns
        .filter(|columns| sockets.contains(columns[9]))
        .map(|columns| (port(columns[1]), port(columns[2])))
        .collect()
}
