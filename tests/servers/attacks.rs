//! Requests that are made to take a server's memory, files or time.

use crate::raw::{connect, get, head, limit_files, open, peak, send, status};
use crate::support::{Draft, eventually};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

const MIB: usize = 1 << 20;
const TWO_WORKERS: (&str, &str) = ("HEARBACK_WORKERS", "2");

/// An organization with this many entries of 1 MiB.
fn entries(count: usize) -> Draft {
    let mut acme = Draft::new();
    for _ in 0..count {
        acme.entry(json!({"content": "x".repeat(MIB)}));
    }
    acme
}

#[tokio::test]
async fn a_connection_whose_client_reads_nothing_is_closed() {
    let (acme, server) = open(&entries(20), &[TWO_WORKERS]).await;
    let body = json!({"api_key": acme.key(), "limit": 100}).to_string();
    let stream = send(&server, "/changelog/list", body.as_bytes()).await;
    // The kernel refuses what the client sends from then on.
    eventually("the end of the connection", async || match stream.try_write(b" ") {
        Err(error) if error.kind() != ErrorKind::WouldBlock => Some(error),
        _ => stream.take_error().expect("the state of the socket"),
    })
    .await;
}

/// The pages are 320 MiB as text.
#[tokio::test]
async fn clients_that_read_nothing_of_long_pages_share_a_bounded_memory() {
    let (acme, server) = open(&entries(20), &[TWO_WORKERS]).await;
    let acme = acme.at(&server);
    let body = json!({"api_key": acme.key(), "limit": 100}).to_string();
    let mut streams =
        join_all((0..16).map(|_| send(&server, "/changelog/list", body.as_bytes()))).await;
    let statuses = join_all(streams.iter_mut().map(status)).await;
    let count = |status| statuses.iter().filter(|other| *other == status).count();
    assert!(count("200") >= 4 && count("200") + count("503") == 16, "{statuses:?}");
    // A worker of a debug build needs seconds for its pages. The server may then take the request of
    // another client for a slow one.
    let body = json!({"api_key": acme.key()}).to_string();
    eventually("a response to another client", async || {
        let mut stream = send(&server, "/tags/list", body.as_bytes()).await;
        let status = status(&mut stream).await;
        (status != "408").then(|| assert_eq!(status, "200"))
    })
    .await;
    assert!(peak(&server) <= 550 * MIB, "{} MiB", peak(&server) / MIB);
    drop(streams);
    let page = acme.post("/changelog/list", json!({"limit": 100})).await.expect(200);
    assert_eq!(page["items"].as_array().map(Vec::len), Some(20));
    assert_eq!((&page["has_next_page"], &page["cursor"]), (&json!(false), &Value::Null));
}

#[tokio::test]
async fn clients_that_keep_connections_lock_no_other_client_out() {
    const FILES: usize = 350;
    let (_, server) = open(&Draft::new(), &[TWO_WORKERS]).await;
    limit_files(&server, FILES);
    let held = join_all((0..FILES).map(|_| get(&server, "/docs/swagger-ui-bundle.js"))).await;
    for _ in 0..10 {
        let answered = timeout(Duration::from_secs(5), async {
            status(&mut get(&server, "/healthz").await).await
        });
        assert_eq!(answered.await.expect("an answer in time"), "200");
    }
    drop(held);
}

#[tokio::test]
async fn the_idlest_connection_of_an_address_gives_way_to_a_further_one() {
    const LIMIT: (&str, &str) = ("HEARBACK_CONNECTIONS_PER_ADDRESS", "3");
    const PROXY: (&str, &str) = ("HEARBACK_TRUSTED_PROXIES", "127.0.0.1");
    for (settings, expected) in [
        (&[TWO_WORKERS, LIMIT][..], [true, false, true, true]),
        (&[TWO_WORKERS, LIMIT, PROXY], [true; 4]),
    ] {
        let (_, server) = open(&Draft::new(), settings).await;
        let mut streams = Vec::new();
        for _ in 0..3 {
            streams.push(connect(&server).await);
            assert!(is_served(streams.last_mut().expect("a stream")).await);
        }
        assert!(is_served(&mut streams[0]).await);
        streams.push(connect(&server).await);
        let mut found = [false; 4];
        // The fourth one first: it is counted when its request is answered.
        for index in [3, 0, 1, 2] {
            found[index] = is_served(&mut streams[index]).await;
        }
        assert_eq!(found, expected, "{settings:?}");
    }
}

/// Returns whether the connection answers a request with `200`, or is at its end.
async fn is_served(stream: &mut TcpStream) -> bool {
    let asked = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await;
    let mut answer = [0; 1024];
    let read = stream.read(&mut answer).await.unwrap_or(0);
    asked.is_ok() && answer[..read].starts_with(b"HTTP/1.1 200")
}

#[tokio::test]
async fn a_chunk_that_is_to_be_too_long_is_refused_before_it_comes() {
    let (_, server) = open(&Draft::new(), &[TWO_WORKERS]).await;
    let head = "POST /api/external/v1/tags/list HTTP/1.1\r\nHost: x\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    for chunks in [&["", "100001\r\n"][..], &["2\r\n{}\r\n", "fffff\r\n"]] {
        let mut stream = connect(&server).await;
        stream.write_all(format!("{head}{}", chunks[0]).as_bytes()).await.expect("is sent");
        tokio::task::yield_now().await;
        stream.write_all(chunks[1].as_bytes()).await.expect("is sent");
        // Otherwise the answer would be a 408 after ten seconds.
        assert_eq!(status(&mut stream).await, "413", "{chunks:?}");
    }
}

#[tokio::test]
async fn a_client_that_has_used_its_limit_up_keeps_its_connection() {
    let limit = ("HEARBACK_RATE_LIMIT_PER_ADDRESS", "1/h");
    let (_, server) = open(&Draft::new(), &[TWO_WORKERS, limit]).await;
    let mut stream = connect(&server).await;
    for expected in ["401", "429", "429"] {
        // Many clients send a body on its own.
        stream.write_all(head("/tags/list", 2).as_bytes()).await.expect("the head is sent");
        tokio::task::yield_now().await;
        stream.write_all(b"{}").await.expect("the body is sent");
        assert_eq!(status(&mut stream).await, expected);
        let mut rest = Vec::new();
        while !rest.ends_with(b"}}") {
            assert!(stream.read_buf(&mut rest).await.expect("the rest") > 0, "{rest:?}");
        }
    }
}

/// A tree of such a body takes about 90 times its size.
#[tokio::test]
async fn a_body_of_small_values_takes_at_most_8_mib_with_or_without_a_key() {
    let (acme, server) = open(&Draft::new(), &[TWO_WORKERS]).await;
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
        assert_eq!(status(&mut send(&server, "/changelog/list", b"{}").await).await, "401");
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
        for mut stream in sent.await {
            assert_eq!(status(&mut stream).await, expected, "{filler}");
        }
        let each = peak(&server).saturating_sub(before) / AT_ONCE;
        assert!(each <= 8 * MIB, "{filler} {expected}: {} KiB", each / 1024);
    }
}
