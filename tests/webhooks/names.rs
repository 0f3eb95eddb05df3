//! Host names of receivers, and a DNS server that hangs.

use super::support::{
    Acme, Caller, Installation, RETRY_SCHEDULE, Receiver, Store, TO_THIS_MACHINE, eventually,
    whole_machine,
};
use rstest::rstest;
use std::collections::BTreeSet;
use std::fs;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

/// More than the places of all attempts, and than the threads for blocking work.
const HANGING: usize = 700;
/// The limit of a look-up. A delivery that waits for a name that hangs comes later than that.
const LATEST: Duration = Duration::from_secs(5);

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_that_hang_delay_no_other_receiver(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let _machine = whole_machine().await;
    let (names, healthy) = (NameServer::start().await, Receiver::start().await);
    let mut acme = Acme::new();
    for number in 0..HANGING {
        acme.subscribed(&format!("http://{number}.hangs.example/hook"));
    }
    acme.subscribed(&format!("http://healthy.example:{}/hook", healthy.port()));
    let name_servers = ("HEARBACK_WEBHOOK_NAME_SERVERS", names.address.to_string());
    let settings =
        [TO_THIS_MACHINE, (RETRY_SCHEDULE, "1s,1s,1s"), (name_servers.0, &name_servers.1)];
    let installation = Installation::new(store, &settings).await;
    acme.import(&installation).await;
    let server = installation.serve();
    let caller = Caller::of(&server);

    // The receiver is new at the first event, and known at the others. Meanwhile, names hang for
    // the first time, and again and again.
    for event in 1..=4 {
        let started = Instant::now();
        caller.toggle(&acme).await;
        healthy.received(event).await;
        let took = started.elapsed();
        let status = fs::read_to_string(format!("/proc/{}/status", server.pid)).expect("a status");
        let threads = status.lines().find_map(|line| line.strip_prefix("Threads:"));
        let threads: usize = threads.expect("threads").trim().parse().expect("a number");
        println!("{store:?}: event {event} arrived within {took:?}, {threads} threads");
        assert!(took < LATEST, "{store:?}: event {event} took {took:?}");
        assert!(threads < 64, "{threads} threads");
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    let hanging = eventually("the look-ups of all names", async || {
        let asked = names.asked.lock().expect("not poisoned").clone();
        (asked.len() > HANGING).then_some(asked)
    });
    // No name was asked with a search domain.
    let expected = (0..HANGING).map(|number| format!("{number}.hangs.example"));
    assert_eq!(hanging.await, expected.chain(["healthy.example".to_owned()]).collect());
    // A graceful stop would wait for the running look-ups.
    server.kill();
}

/// A DNS server. `healthy.example` is this machine. Queries of other names get no response.
struct NameServer {
    address: SocketAddr,
    asked: Arc<Mutex<BTreeSet<String>>>,
    serving: JoinHandle<()>,
}

impl NameServer {
    async fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a port");
        let address = socket.local_addr().expect("its address");
        let asked = Arc::new(Mutex::new(BTreeSet::new()));
        let names = Arc::clone(&asked);
        let serving = tokio::spawn(async move {
            let mut query = [0; 512];
            loop {
                let (length, from) = socket.recv_from(&mut query).await.expect("a query");
                let (name, response) = respond(&query[..length]);
                let is_healthy = name == "healthy.example";
                names.lock().expect("not poisoned").insert(name);
                if is_healthy {
                    socket.send_to(&response, from).await.expect("a response");
                }
            }
        });
        Self { address, asked, serving }
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// The name of a query (RFC 1035), and a response with 127.0.0.1 as its only address.
fn respond(query: &[u8]) -> (String, Vec<u8>) {
    let (mut at, mut labels) = (12, Vec::new());
    while query[at] > 0 {
        let end = at + 1 + usize::from(query[at]);
        labels.push(String::from_utf8_lossy(&query[at + 1..end]).to_lowercase());
        at = end;
    }
    // The name ends with a zero. A type and a class follow.
    let is_of_v4 = query[at + 1..at + 3] == [0, 1];
    let mut response = query[..at + 5].to_vec();
    // A response without error, with recursion, one question and as many answers as addresses.
    response[2..12].copy_from_slice(&[0x81, 0x80, 0, 1, 0, is_of_v4.into(), 0, 0, 0, 0]);
    if is_of_v4 {
        // The name of the question, type A, class IN, 60 seconds, 4 bytes.
        response.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
    }
    (labels.join("."), response)
}
