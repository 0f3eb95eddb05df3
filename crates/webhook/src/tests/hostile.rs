//! Addresses to which no delivery may be sent.

use super::receiver::{Connection, Receiver};
use super::{PRIVATE, PUBLIC, SHORT, addresses, dispatch, names, with};
use crate::lookup::Network;
use crate::sender::Limits;
use hearback_domain::delivery::{DeliveryFailure, Response};
use hearback_ports::EventSink;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::net::TcpListener;

/// Hosts that are [`Ours`], in every spelling. Without the guard the client would connect to each
/// of them.
const OURS: [&str; 36] = [
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "127.1.",
    "2130706433",
    "2130706433.",
    "0x7f000001",
    "0X7F000001",
    "0x7F.1",
    "0x7f.0x0.0x0.0x1",
    "0x7f.0.0.1",
    "017700000001",
    "0177.1",
    "0177.0.0.1",
    "0177.0000.0000.0001",
    "00000000177.0.0.1",
    "0177.0x0.0.1",
    "127.0x000001",
    "0",
    "0.0.0.0",
    "0x0",
    "00",
    "１２７.０.０.１",
    "127。0。0。1",
    "127．0．0．1",
    "①②⑦.⓪.⓪.①",
    "𝟏𝟐𝟕.𝟎.𝟎.𝟏",
    "１２７。１",
    "０x７f.1",
    "127.0.0.\u{ad}1",
    // Names of the tests' look-up.
    "localhost",
    "LOCALHOST",
    "localhost.",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "127.0.0.1.nip.example",
];

/// Such hosts on a machine with IPv6.
const OURS_V6: [&str; 10] = [
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000:0000:0000:0000:0000:0000:0000:0001]",
    "[::0.0.0.1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:FFFF:127.0.0.1]",
    "[::ffff:0:0]",
    "mapped.example",
];

/// Names of hosts in private networks, for the tests' look-up.
const PRIVATE_NAMES: [&str; 6] = [
    "metadata.example",
    "intranet.example",
    "unique-local.example",
    "link-local.example",
    "nat64.example",
    "tunnel.example",
];

/// URLs that only seem to lead elsewhere, or have no host. `{}` is a port of [`Ours`].
const TRICKS: [&str; 42] = [
    "http://127.0.0.1:{}/",
    "http://[::1]:{}/",
    "http://receiver.example:{}/",
    "http://8.8.8.8:{}/",
    "HTTP://localhost:{}/",
    "https://receiver.example@127.0.0.1:{}/",
    "https://receiver.example:443@127.0.0.1:{}/",
    "https://me:secret@receiver.example:{}/",
    "https://@127.0.0.1:{}/",
    "https://:@127.0.0.1:{}/",
    "https://127.0.0.1:{}@receiver.example/",
    "https://receiver.example%40127.0.0.1:{}/",
    "https://receiver.example%2f@127.0.0.1:{}/",
    "https://a@b@127.0.0.1:{}/",
    "https://[::1]@receiver.example:{}/",
    "https://127.0.0.1:{}\\@receiver.example/",
    "https://receiver.example\\@127.0.0.1:{}/",
    "https:\\\\127.0.0.1:{}\\",
    "https:/\\127.0.0.1:{}/",
    "https:127.0.0.1:{}/",
    "https:/127.0.0.1:{}/",
    "https:///127.0.0.1:{}/",
    "https:////127.0.0.1:{}/",
    "//127.0.0.1:{}/",
    "127.0.0.1:{}",
    " https://127.0.0.1:{}/",
    "https://127.0.0.1:{}/ ",
    "https://127.0.0.1 :{}/",
    "ht\ntps://127.0.0.1:{}/",
    "https://127.0.\t0.1:{}/",
    "https://127.0.0.1\0:{}/",
    "https://127.0.0.1%00:{}/",
    "https://%31%32%37.0.0.1:{}/",
    "https://127%2e0%2e0%2e1:{}/",
    "https://%6cocalhost:{}/",
    "https://[::1%25lo]:{}/",
    "https://[::1:{}/",
    "https://[127.0.0.1]:{}/",
    "https://127.0.0.1:{}:443/",
    "ftp://127.0.0.1:{}/",
    "gopher://127.0.0.1:{}/_POST",
    "file://127.0.0.1:{}/etc/passwd",
];

/// The look-up of the tests. An unknown name is [`Ours`], so that no spelling is refused for a
/// failed look-up.
fn look_up(name: &str) -> Vec<IpAddr> {
    addresses(match name {
        "metadata.example" => &["169.254.169.254"],
        "intranet.example" => &["10.0.0.1", "172.16.0.1", "192.168.0.1"],
        "unique-local.example" => &["fd00::1"],
        "link-local.example" => &["fe80::1"],
        "nat64.example" => &["64:ff9b::a00:1"],
        "tunnel.example" => &["2002:7f00:1::", "2001::1"],
        "mapped.example" => &["::ffff:127.0.0.1"],
        _ => &["127.0.0.1", "::1"],
    })
}

/// A receiver for both versions of IP, on one port.
struct Ours {
    v4: Receiver,
    /// `None` on a machine without IPv6.
    v6: Option<Receiver>,
}

impl Ours {
    async fn start() -> Self {
        // A port that is free for one version may be taken for the other.
        for _ in 0..100 {
            let v4 = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let port = v4.local_addr().unwrap().port();
            let v6 = match TcpListener::bind(("::1", port)).await {
                Ok(v6) => Some(Receiver::listen(v6, hang_up)),
                Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => continue,
                Err(_) => None,
            };
            return Self { v4: Receiver::listen(v4, hang_up), v6 };
        }
        panic!("no port is free");
    }

    fn port(&self) -> String {
        self.v4.port().to_string()
    }

    fn connections(&self) -> usize {
        self.v4.connections() + self.v6.as_ref().map_or(0, Receiver::connections)
    }
}

async fn hang_up(_: Connection) {}

#[tokio::test]
async fn nothing_is_sent_to_a_hostile_address() {
    let ours = Ours::start().await;
    let hosts = OURS
        .iter()
        .chain(&OURS_V6)
        .chain(&PRIVATE_NAMES)
        .map(|host| format!("https://{host}:{}/hook", ours.port()));
    let urls: Vec<String> =
        hosts.chain(TRICKS.iter().map(|url| url.replace("{}", &ours.port()))).collect();
    let sender = with(PUBLIC, names(|name| Ok(look_up(name))), Limits::default());
    for url in &urls {
        let reply = sender.send(dispatch(url)).await;
        assert_eq!(reply.response, Response::Nothing(DeliveryFailure::Address), "{url:?}");
        assert_eq!((reply.retry_after, reply.answer.len()), (None, 0));
    }
    assert_eq!(ours.connections(), 0);
}

#[tokio::test]
async fn without_the_guard_the_same_hosts_are_ours() {
    let ours = Ours::start().await;
    let sender = with(PRIVATE, names(|name| Ok(look_up(name))), SHORT);
    let v6 = if ours.v6.is_some() { &OURS_V6[..] } else { &[] };
    for host in OURS.iter().chain(v6) {
        let before = ours.connections();
        let reply = sender.send(dispatch(&format!("https://{host}:{}/hook", ours.port()))).await;
        assert_eq!(reply.response, Response::Nothing(DeliveryFailure::Tls), "{host}");
        assert_eq!(ours.connections(), before + 1, "{host}");
    }
}

#[tokio::test]
async fn the_names_of_this_machine_are_refused() {
    let ours = Ours::start().await;
    let sender = with(PUBLIC, Network::new(Vec::new()), Limits::default());
    let reply = sender.send(dispatch(&format!("https://localhost:{}/", ours.port()))).await;
    assert_eq!(reply.response, Response::Nothing(DeliveryFailure::Address));
    assert_eq!(ours.connections(), 0);
}

#[tokio::test]
async fn one_look_up_serves_the_check_and_the_connection() {
    let ours = Ours::start().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    // A second look-up would lead to an address without a listener.
    let names = names(move |_| {
        Ok(addresses(if counted.fetch_add(1, Ordering::SeqCst) == 0 {
            &["127.0.0.1"]
        } else {
            &[]
        }))
    });
    let reply = with(PRIVATE, names, SHORT)
        .send(dispatch(&format!("https://rebound.example:{}/", ours.port())))
        .await;
    assert_eq!(reply.response, Response::Nothing(DeliveryFailure::Tls));
    assert_eq!((asked.load(Ordering::SeqCst), ours.connections()), (1, 1));
}
