//! Requests that are made to take a server's memory, files or time.

use crate::support::{Draft, Installation, Organization, Server, Store, eventually};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::fs;
use std::io::ErrorKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const MIB: usize = 1 << 20;

/// Sends a request, and leaves the response unread.
async fn send(server: &Server, path: &str, body: &[u8]) -> TcpStream {
    let address = server.base().trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let head = format!(
        "POST /api/external/v1{path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.expect("the head is sent");
    stream.write_all(body).await.expect("the body is sent");
    stream
}

/// The status of a response.
async fn status(mut stream: TcpStream) -> String {
    let mut head = [0; 12];
    stream.read_exact(&mut head).await.expect("a response");
    String::from_utf8_lossy(&head[9..]).into_owned()
}

/// The most memory that a server had so far, in bytes.
fn peak(server: &Server) -> usize {
    let process = fs::read_to_string(format!("/proc/{}/status", server.pid)).expect("its state");
    let line = process.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") * 1024
}

async fn open(draft: &Draft) -> (Organization, Server) {
    let installation = Installation::new(Store::Sqlite, &[("HEARBACK_WORKERS", "2")]).await;
    let acme = installation.open(draft.slug(), &draft.lines()).await;
    (acme, installation.serve())
}

#[tokio::test]
async fn a_connection_whose_client_reads_nothing_is_closed() {
    let mut acme = Draft::new();
    for _ in 0..20 {
        acme.entry(json!({"content": "x".repeat(MIB)}));
    }
    let (acme, server) = open(&acme).await;
    let body = json!({"api_key": acme.key(), "limit": 100}).to_string();
    let stream = send(&server, "/changelog/list", body.as_bytes()).await;
    // The kernel closes the connection silently, and refuses what the client sends from then on.
    eventually("the end of the connection", async || match stream.try_write(b" ") {
        Err(error) if error.kind() != ErrorKind::WouldBlock => Some(error),
        _ => stream.take_error().expect("the state of the socket"),
    })
    .await;
}

/// A tree of such a body takes about 90 times its size.
#[tokio::test]
async fn a_body_of_small_values_takes_at_most_8_mib_with_or_without_a_key() {
    let (acme, server) = open(&Draft::new()).await;
    let filled = |filler: &str, key: &str| {
        let mut body = format!(r#"{{"api_key":{},"label_ids":["#, Value::from(key));
        while body.len() < MIB - 100 {
            body.push_str(filler);
        }
        format!("{}]}}", body.trim_end_matches(','))
    };
    let key = acme.key();
    // The first requests take memory that the server keeps for later ones.
    for _ in 0..4 {
        assert_eq!(status(send(&server, "/changelog/list", b"{}").await).await, "401");
    }
    for (filler, key, expected) in [
        (r#"{"a":{}},"#, "none", "401"),
        (r#"[[],{}],"#, "none", "401"),
        (r#"{"a":{}},"#, key, "422"),
        ("0,", key, "422"),
    ] {
        const AT_ONCE: usize = 8;
        let before = peak(&server);
        let body = filled(filler, key);
        let sent =
            join_all((0..AT_ONCE).map(|_| send(&server, "/changelog/list", body.as_bytes())));
        for stream in sent.await {
            assert_eq!(status(stream).await, expected, "{filler}");
        }
        let each = peak(&server).saturating_sub(before) / AT_ONCE;
        assert!(each <= 8 * MIB, "{filler} {expected}: {} KiB", each / 1024);
    }
}
