//! Receivers of many kinds. An attempt at each of them ends in time, is recorded as it was, and
//! takes little memory.

use super::support::{
    Acme, Attempt, Caller, Database, Delivery, Installation, RETRY_SCHEDULE, Receiver, Server,
    Site, Step, Store, TO_THIS_MACHINE, answer, eventually, import, webhook,
};
use hearback_tests::closed_port::ClosedPort;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, Stream};
use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

/// The bound of an attempt's memory, in KiB.
const MOST_KIB: u64 = 1024;
/// The bound of an attempt's duration, in milliseconds.
const LONGEST: u64 = 31_000;
/// The time within which a receiver that sends a byte per second notices that the server has closed
/// the connection. The first byte sent to a closed connection is lost without an error.
const NOTICED: Duration = Duration::from_secs(3);
/// More bytes than two sockets ever buffer, and fewer than the receiver would send.
const ON_THE_WAY: u64 = 1 << 30;
/// Makes the server's allocator, jemalloc, return freed pages to the system at once. Kept pages
/// already count as used, so later allocations in them would not show.
const NOTHING_KEPT: (&str, &str) = ("MALLOC_CONF", "dirty_decay_ms:0,muzzy_decay_ms:0");
/// A body of 60 bytes. It takes a minute at a byte per second.
const BODY: &[u8] = b"a receiver that has something to say and all the time for it";
/// The length of the stored part of a response, in bytes.
const KEPT: usize = 1024;

/// The receivers are called one after the other, so that each has its own measurement.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_receiver_costs_a_mebibyte_or_more_than_its_time() {
    tokio::join!(visit(Store::Sqlite), visit(Store::Postgres));
}

async fn visit(store: Store) {
    let installation =
        Installation::new(store, &[TO_THIS_MACHINE, (RETRY_SCHEDULE, "1h"), NOTHING_KEPT]).await;
    let server = installation.serve();
    let site = Site { installation, server };
    warm_up(&site).await;

    let quick: Vec<Kind> = zoo().await.into_iter().filter(|kind| !kind.is_slow).collect();
    import(&site.installation, quick.iter().map(|kind| &kind.acme)).await;
    for kind in &quick {
        let memory = Memory::of(&site.server);
        kind.call(&site).await;
        kind.check(&site).await;
        assert!(memory.grown() < MOST_KIB, "{store:?}: {}: {} KiB", kind.name, memory.grown());
    }

    // All receivers are called at once. The slow ones are measured together, while they hang.
    let all = zoo().await;
    import(&site.installation, all.iter().map(|kind| &kind.acme)).await;
    let (slow, quick): (Vec<&Kind>, Vec<&Kind>) = all.iter().partition(|kind| kind.is_slow);
    for kind in &slow {
        let memory = Memory::of(&site.server);
        kind.call(&site).await;
        kind.receiver.as_ref().expect("a receiver").received(1).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(memory.grown() < MOST_KIB, "{store:?}: {}: {} KiB", kind.name, memory.grown());
    }
    let memory = Memory::of(&site.server);
    for kind in &quick {
        kind.call(&site).await;
    }
    for kind in &all {
        kind.check(&site).await;
    }
    assert!(
        memory.grown() < MOST_KIB * all.len() as u64,
        "{store:?}: all at once: {} KiB",
        memory.grown()
    );

    // The response is shown with its control characters escaped.
    let odd =
        quick.iter().find(|kind| kind.name == "invalid UTF-8").expect("a receiver of the zoo");
    let shown = webhook(&site.installation, &odd.acme, &["deliveries", "--attempts"]).await;
    assert!(shown.ends_with(" ms\t\\xff\\xfe\\u{1b}[2J\\xc3(\n"), "{shown}");
}

/// A kind of receiver, with the expected record of an attempt to reach it.
struct Kind {
    name: &'static str,
    acme: Acme,
    /// `None` if no HTTP server listens at the URL.
    receiver: Option<Receiver>,
    /// A receiver that must get no request.
    elsewhere: Option<Receiver>,
    /// Keeps a port closed.
    _closed: Option<ClosedPort>,
    /// Whether an attempt takes all of its time.
    is_slow: bool,
    status: Option<u16>,
    error_class: Option<&'static str>,
    answer: Vec<u8>,
    /// The least number of bytes of the response that arrive in time.
    least: usize,
}

async fn zoo() -> Vec<Kind> {
    let elsewhere = Receiver::start().await;
    let closed = ClosedPort::choose();
    let nobody = format!("http://{}/", closed.address());
    let redirect = format!("301 Moved Permanently\r\nLocation: {}", elsewhere.url());
    let bomb = gzip_bomb();
    let whole = |head: &str, body: &[u8]| vec![answer(head, body)];
    let half = || Step::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf".to_vec());
    let of_length = |length: u64, more: &str| {
        Step::Send(
            format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n{more}\r\n").into_bytes(),
        )
    };
    let odd =
        b"HTTP/1.1 500 \xff\r\nX-Odd: \xe9\xff\r\nContent-Length: 8\r\n\r\n\xff\xfe\x1b[2J\xc3(";
    let at_once = Duration::ZERO;
    // After this pause, everything sent before has been read when the connection breaks.
    let moment = Step::Pause(Duration::from_secs(1));
    vec![
        Kind::new("200", whole("200 OK", b"thanks")).await.gives(200, None, b"thanks"),
        Kind::new("204", vec![Step::Send(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec())])
            .await
            .gives(204, None, b""),
        Kind::new("299", whole("299 Odd", b"odd")).await.gives(299, None, b"odd"),
        Kind {
            elsewhere: Some(elsewhere),
            ..Kind::new("301 to a private address", whole(&redirect, b"there"))
                .await
                .gives(301, None, b"there")
        },
        Kind::new("400", whole("400 Bad Request", b"no")).await.gives(400, None, b"no"),
        Kind::new("404", whole("404 Not Found", b"")).await.gives(404, None, b""),
        Kind::new("410", whole("410 Gone", b"bye")).await.gives(410, None, b"bye"),
        Kind::new("429", whole("429 Slowly\r\nRetry-After: 7200", b"")).await.gives(429, None, b""),
        Kind::new("500", whole("500 Oh", &[b'x'; 3000])).await.gives(500, None, &[b'x'; KEPT]),
        Kind::new("503", whole("503 Later", b"later")).await.gives(503, None, b"later"),
        Kind::new("hanging headers", vec![Step::Wait]).await.slow().fails("timeout"),
        Kind::new("hanging body", vec![half(), Step::Wait]).await.slow().gives(
            200,
            Some("timeout"),
            b"half",
        ),
        Kind::new(
            "one byte of the head a second",
            drops(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        )
        .await
        .slow()
        .fails("timeout"),
        Kind {
            least: 20,
            ..Kind::new(
                "one byte of the body a second",
                [vec![of_length(BODY.len() as u64, "")], drops(BODY)].concat(),
            )
            .await
            .slow()
            .gives(200, Some("timeout"), BODY)
        },
        Kind::new(
            "reset in the head",
            vec![Step::Send(b"HTTP/1.1 200 OK\r\nCont".to_vec()), moment.clone(), Step::Reset],
        )
        .await
        .fails("broken"),
        Kind::new("reset in the body", vec![half(), moment, Step::Reset]).await.gives(
            200,
            Some("broken"),
            b"half",
        ),
        Kind::new(
            "10 GiB",
            vec![
                of_length(10 << 30, ""),
                Step::Repeat(vec![b'x'; 1 << 16], (10 << 30) >> 16, at_once),
            ],
        )
        .await
        .gives(200, Some("protocol"), &[b'x'; KEPT]),
        Kind::new(
            "gzip bomb",
            vec![
                of_length(bomb.len() as u64, "Content-Encoding: gzip\r\n"),
                Step::Send(bomb.clone()),
            ],
        )
        .await
        .gives(200, Some("protocol"), &bomb[..KEPT]),
        Kind::new(
            "100,000 headers",
            vec![
                Step::Send(b"HTTP/1.1 200 OK\r\n".to_vec()),
                Step::Repeat(b"X-Header: x\r\n".to_vec(), 100_000, at_once),
            ],
        )
        .await
        .fails("protocol"),
        Kind::new("invalid UTF-8", vec![Step::Send(odd.to_vec())]).await.gives(
            500,
            None,
            b"\xff\xfe\x1b[2J\xc3(",
        ),
        Kind {
            _closed: Some(closed),
            ..Kind::new("closed port", Vec::new()).await.at(&nobody).fails("connect")
        },
        Kind::new("bad certificate", Vec::new()).await.at(&bad_certificate()).fails("tls"),
    ]
}

impl Kind {
    /// A receiver that takes these steps.
    async fn new(name: &'static str, steps: Vec<Step>) -> Self {
        let (receiver, mut acme) = (Receiver::with(steps).await, Acme::new());
        acme.subscribed(&receiver.url());
        let receiver = Some(receiver);
        let (status, error_class, answer) = (None, None, Vec::new());
        Self {
            name,
            acme,
            receiver,
            elsewhere: None,
            _closed: None,
            is_slow: false,
            status,
            error_class,
            answer,
            least: 0,
        }
    }

    /// The same kind at another URL.
    fn at(self, url: &str) -> Self {
        let mut acme = Acme::new();
        acme.subscribed(url);
        Self { acme, receiver: None, ..self }
    }

    fn slow(self) -> Self {
        Self { is_slow: true, ..self }
    }

    fn gives(self, status: u16, error_class: Option<&'static str>, answer: &[u8]) -> Self {
        Self {
            status: Some(status),
            error_class,
            answer: answer.to_vec(),
            least: answer.len(),
            ..self
        }
    }

    fn fails(self, error_class: &'static str) -> Self {
        Self { error_class: Some(error_class), ..self }
    }

    /// Causes a delivery to the receiver.
    async fn call(&self, site: &Site) {
        assert!(Caller::of(&site.server).toggle(&self.acme).await);
    }

    /// Waits until the attempt is recorded, and checks the record.
    async fn check(&self, site: &Site) {
        let (name, mut database) = (self.name, Database::of(&site.installation).await);
        let attempt =
            eventually(name, async || database.rows::<Attempt>(&self.acme.id).await.pop()).await;
        assert_eq!(
            (attempt.attempt, attempt.status, attempt.error_class.as_deref()),
            (1, self.status, self.error_class),
            "{name}"
        );
        let answer = hex::decode(&attempt.answer).expect("hex");
        assert!(
            self.answer.starts_with(&answer) && answer.len() >= self.least,
            "{name}: {answer:?}"
        );
        let expected = if self.is_slow { 29_000..=LONGEST } else { 0..=LONGEST };
        assert!(expected.contains(&attempt.duration_ms), "{name}: {} ms", attempt.duration_ms);

        let deliveries: Vec<Delivery> = database.rows(&self.acme.id).await;
        let [delivery] = &deliveries[..] else { panic!("{name}: {deliveries:?}") };
        let is_taken = self.status.is_some_and(|status| (200..300).contains(&status));
        assert_eq!(delivery.state, if is_taken { "delivered" } else { "pending" }, "{name}");
        assert_eq!(delivery.attempt_count, 1, "{name}");
        // The schedule's pause is 1 hour. The receiver with status 429 asks for 2 hours.
        let pause = delivery.next_attempt_at.map(|at| (at - attempt.started_at) / 3_600_000);
        assert_eq!(
            pause,
            (!is_taken).then_some(if self.status == Some(429) { 2 } else { 1 }),
            "{name}"
        );

        if let Some(receiver) = &self.receiver {
            assert_eq!(receiver.count(), 1, "{name}");
        }
        // The server has closed the connection, and has not read the whole response.
        if let (Some(receiver), Some(_)) = (&self.receiver, self.error_class) {
            let closing = eventually(name, async || receiver.closings().pop()).await;
            assert!(
                closing.after <= Duration::from_millis(LONGEST) + NOTICED,
                "{name}: {closing:?}"
            );
            assert!(closing.sent < ON_THE_WAY, "{name}: {closing:?}");
        }
        assert!(
            self.elsewhere.as_ref().is_none_or(|elsewhere| elsewhere.connections() == 0),
            "{name}"
        );
    }
}

/// Makes a server send 50 deliveries, so that its first use of memory is not measured.
async fn warm_up(site: &Site) {
    let (mut acme, receiver, caller) =
        (Acme::new(), Receiver::start().await, Caller::of(&site.server));
    acme.subscribed(&receiver.url());
    acme.import(&site.installation).await;
    for toggled in 1..=50 {
        caller.toggle(&acme).await;
        receiver.received(toggled).await;
    }
}

/// Steps that send a byte each second.
fn drops(bytes: &[u8]) -> Vec<Step> {
    bytes.iter().map(|byte| Step::Repeat(vec![*byte], 1, Duration::from_secs(1))).collect()
}

/// The beginning of a gzip file that expands to 160 times its length.
fn gzip_bomb() -> Vec<u8> {
    // A block with fixed codes (RFC 1951, 3.2.6): a zero, then repeatedly a copy of the last byte,
    // 258 times.
    const START: [u8; 11] = [1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0];
    const REPEAT: [u8; 13] = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0];
    const LENGTH: usize = 256 * 1024;
    let mut bits = START.iter().chain(REPEAT.iter().cycle());
    // The first bit of a byte is its lowest bit.
    let byte = |_| bits.by_ref().take(8).zip(0..).map(|(bit, place)| bit << place).sum::<u8>();
    let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    header.into_iter().chain((0..LENGTH).map(byte)).collect()
}

/// The URL of a server with a self-signed certificate.
fn bad_certificate() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("https://{}/", listener.local_addr().expect("its address"));
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).expect("a key");
    let _ = rustls::crypto::ring::default_provider().install_default();
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key);
    let config = Arc::new(config.expect("a configuration"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut connection = ServerConnection::new(Arc::clone(&config)).expect("a connection");
            // Ends when the peer closes the connection.
            let _ = Stream::new(&mut connection, &mut stream).read(&mut [0]);
        }
    });
    url
}

/// The growth of a server's memory, from Linux.
struct Memory {
    process: String,
    before: u64,
}

impl Memory {
    /// Starts to measure.
    fn of(server: &Server) -> Self {
        let process = format!("/proc/{}", server.pid);
        // Resets the peak to the current memory.
        fs::write(format!("{process}/clear_refs"), "5").expect("the peak is reset");
        let memory = Self { process, before: 0 };
        Self { before: memory.kib("VmRSS:"), ..memory }
    }

    /// The greatest growth so far, in KiB.
    fn grown(&self) -> u64 {
        self.kib("VmHWM:").saturating_sub(self.before)
    }

    fn kib(&self, name: &str) -> u64 {
        let status =
            fs::read_to_string(format!("{}/status", self.process)).expect("the server's status");
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("its memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number of KiB")
    }
}
