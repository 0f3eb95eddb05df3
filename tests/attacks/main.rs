//! Attacks on one server that take minutes. Each test prints its figures.

#![expect(clippy::expect_used, clippy::panic, reason = "a failure in a helper must fail the test")]
#![expect(clippy::print_stdout, reason = "the figures of a test")]

#[path = "../servers/raw.rs"]
mod raw;
#[path = "../servers/support.rs"]
#[expect(dead_code, unused_imports, reason = "the tests of several servers need more of it")]
mod support;

use futures_util::future::join_all;
use raw::{connect, get, head, limit_files, open, peak, send, status};
use serde_json::json;
use std::time::{Duration, Instant};
use support::{Draft, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::sleep;

const MIB: usize = 1 << 20;
const BUNDLE: &str = "/docs/swagger-ui-bundle.js";

/// The longest time of a request on a new connection, one after the other for a while.
async fn slowest(server: &Server, duration: Duration) -> Duration {
    let (began, mut slowest) = (Instant::now(), Duration::ZERO);
    while began.elapsed() < duration {
        let asked = Instant::now();
        assert_eq!(status(&mut get(server, "/healthz").await).await, "200");
        slowest = slowest.max(asked.elapsed());
        sleep(Duration::from_millis(100)).await;
    }
    slowest
}

/// A client with a small buffer, which takes up to `count` bytes of a file each 200 ms. Returns the
/// time until the connection ends or most of the file is taken, and the number of bytes taken.
async fn slow_client(server: &Server, count: usize) -> (Duration, usize) {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4096).expect("a small buffer");
    let address = server.base().trim_start_matches("http://").parse().expect("an address");
    let mut stream = socket.connect(address).await.expect("a connection");
    let head = format!("GET {BUNDLE} HTTP/1.1\r\nHost: x\r\n\r\n");
    stream.write_all(head.as_bytes()).await.expect("is sent");
    let (began, mut taken, mut bytes) = (Instant::now(), 0, vec![0; count]);
    while taken < 400_000 && take_error(&stream).is_none() {
        taken += stream.read(&mut bytes).await.unwrap_or(0);
        sleep(Duration::from_millis(200)).await;
    }
    (began.elapsed(), taken)
}

/// The end of a connection, which a client with unread bytes does not see by reading.
fn take_error(stream: &TcpStream) -> Option<std::io::Error> {
    stream.take_error().expect("the state of the socket")
}

#[tokio::test]
async fn a_client_that_takes_a_byte_now_and_then_loses_its_connection() {
    let (_, server) = open(&Draft::new(), &[]).await;
    let (bytes, kilobytes) = tokio::join!(slow_client(&server, 1), slow_client(&server, 2000));
    println!("1 byte each 200 ms: {bytes:?}, 10 KB/s: {kilobytes:?}");
    assert!(bytes.0 < Duration::from_secs(30) && bytes.1 < 1000, "{bytes:?}");
    assert!(kilobytes.1 >= 400_000, "{kilobytes:?}");
}

#[tokio::test]
async fn clients_that_hold_all_connections_lock_no_other_client_out() {
    const FILES: usize = 350;
    let (_, server) = open(&Draft::new(), &[]).await;
    limit_files(&server, FILES);
    let mut held: Vec<TcpStream> = join_all((0..FILES).map(|_| get(&server, BUNDLE))).await;
    let attack = async {
        loop {
            for stream in &mut held {
                if take_error(stream).is_some() {
                    *stream = get(&server, BUNDLE).await;
                }
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    let slowest = tokio::select! {
        () = attack => Duration::MAX,
        slowest = slowest(&server, Duration::from_secs(60)) => slowest,
    };
    println!("slowest of the other requests: {slowest:?}");
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
}

#[tokio::test]
async fn sixteen_clients_that_read_nothing_of_a_hundred_mebibytes() {
    let mut acme = Draft::new();
    for _ in 0..100 {
        acme.entry(json!({"content": "x".repeat(MIB)}));
    }
    let (acme, server) = open(&acme, &[("HEARBACK_WORKERS", "2")]).await;
    let before = peak(&server);
    let body = json!({"api_key": acme.key(), "limit": 100}).to_string();
    let asking = async {
        let mut held = Vec::new();
        for _ in 0..8 {
            let path = "/changelog/list";
            held.extend(join_all((0..16).map(|_| send(&server, path, body.as_bytes()))).await);
            sleep(Duration::from_secs(3)).await;
        }
    };
    let ((), slowest) = tokio::join!(asking, slowest(&server, Duration::from_secs(24)));
    let grown = (peak(&server) - before) / MIB;
    println!("{grown} MiB more, slowest of the other requests: {slowest:?}");
    assert!(grown < 900, "{grown} MiB");
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
}

#[tokio::test]
async fn ten_thousand_clients_ask_at_once_and_stay() {
    const CLIENTS: usize = 10_000;
    let mut acme = Draft::new();
    for _ in 0..20 {
        acme.tag(json!({}));
    }
    let (acme, server) = open(&acme, &[]).await;
    let body = json!({"api_key": acme.key()}).to_string();
    let request = [head("/tags/list", body.len()), body].concat();
    // A hundred connect at a time: a kernel has a limited queue of new connections.
    let mut clients: Vec<TcpStream> = Vec::new();
    while clients.len() < CLIENTS {
        clients.extend(join_all((0..100).map(|_| connect(&server))).await);
    }
    let before = peak(&server);
    for round in ["first", "second"] {
        let began = Instant::now();
        let (times, slowest) = tokio::join!(
            join_all(clients.iter_mut().map(|client| ask(client, request.as_bytes()))),
            slowest(&server, Duration::from_secs(5)),
        );
        let mut times: Vec<Duration> = times.into_iter().map(|end| end - began).collect();
        times.sort();
        let (median, last) = (times[CLIENTS / 2], times[CLIENTS - 1]);
        println!("{round} requests: half after {median:?}, all after {last:?}");
        println!("slowest of the requests of a further client: {slowest:?}");
        assert!(last < Duration::from_secs(30) && slowest < Duration::from_secs(5));
    }
    let grown = (peak(&server) - before) / 1024 / CLIENTS;
    println!("{} MiB, {grown} KiB more for each client", peak(&server) / MIB);
    assert!(grown < 64, "{grown} KiB");
}

/// Sends a request over an open connection, and reads its response. Returns the time of its end.
async fn ask(client: &mut TcpStream, request: &[u8]) -> Instant {
    client.write_all(request).await.expect("is sent");
    let (mut answer, mut piece) = (Vec::new(), [0; 8192]);
    loop {
        let count = client.read(&mut piece).await.expect("a response");
        assert!(count > 0, "the server ended the connection");
        answer.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&answer);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        let line = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if line.expect("a length").parse() == Ok(body.len()) {
            return Instant::now();
        }
    }
}

#[tokio::test]
async fn a_body_that_trickles_is_cut_after_ten_seconds() {
    let (_, server) = open(&Draft::new(), &[]).await;
    let mut stream = connect(&server).await;
    stream.write_all(head("/tags/list", 1000).as_bytes()).await.expect("is sent");
    let began = Instant::now();
    let (mut reading, mut writing) = stream.split();
    let trickle = async {
        while writing.write_all(b" ").await.is_ok() {
            sleep(Duration::from_millis(300)).await;
        }
    };
    let mut answer = String::new();
    let reading = reading.read_to_string(&mut answer);
    let (_, ended) = tokio::join!(trickle, async {
        reading.await.expect("an answer and the end");
        began.elapsed()
    });
    println!("the answer and the end after {ended:?}");
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!((10_000..10_900).contains(&ended.as_millis()), "{ended:?}");
}
