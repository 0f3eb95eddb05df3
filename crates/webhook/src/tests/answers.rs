//! Answers of receivers, and failures in their place.

use super::receiver::Receiver;
use super::{PRIVATE, SHORT, addresses, dispatch, names, sender, with};
use crate::sender::{Limits, MOST_INTERIM};
use async_trait::async_trait;
use hearback_domain::delivery::{DeliveryFailure, Response, RetryAfter};
use hearback_ports::EventSink;
use hearback_ports::event_sink::{KEPT_ANSWER, Reply};
use std::future::pending;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::Instant;

const NOTHING: Reply = Reply {
    response: Response::Nothing(DeliveryFailure::Internal),
    retry_after: None,
    answer: Vec::new(),
};

fn failed(failure: DeliveryFailure) -> Reply {
    Reply { response: Response::Nothing(failure), ..NOTHING }
}

fn status(code: u16, answer: &[u8]) -> Reply {
    Reply {
        response: Response::Status { code, cut: None },
        retry_after: None,
        answer: answer.to_vec(),
    }
}

fn cut(code: u16, failure: DeliveryFailure, answer: &[u8]) -> Reply {
    Reply { response: Response::Status { code, cut: Some(failure) }, ..status(code, answer) }
}

/// The reply to a delivery of a sender with little time, which takes all of it.
async fn reply_at_the_limit(receiver: &Receiver) -> Reply {
    let sender = with(PRIVATE, names(|_| Ok(Vec::new())), SHORT);
    let start = Instant::now();
    let reply = sender.send(dispatch(&receiver.url())).await;
    assert!((SHORT.attempt..SHORT.attempt + Duration::from_secs(5)).contains(&start.elapsed()));
    reply
}

/// The reply to a delivery with this answer.
async fn answered(answer: impl Into<Vec<u8>>) -> Reply {
    let receiver = Receiver::answering(answer).await;
    sender().send(dispatch(&receiver.url())).await
}

#[tokio::test]
async fn each_answer_is_its_status_and_the_beginning_of_its_body_as_it_came() {
    for code in [200, 201, 299, 301, 400, 404, 410, 418, 500, 503, 599, 999] {
        let answer = format!("HTTP/1.1 {code} Whatever\r\nContent-Length: 5\r\n\r\nfine!");
        assert_eq!(answered(answer).await, status(code, b"fine!"), "{code}");
    }
    let later = Reply { retry_after: Some(RetryAfter::Seconds(120)), ..status(429, b"") };
    for (head, body, reply) in [
        (&b"204 No Content"[..], &b""[..], status(204, b"")),
        (b"101 Switching Protocols", b"", status(101, b"")),
        (b"200\r\nTransfer-Encoding: chunked", CHUNKS, status(200, b"fine!")),
        // An interim response is no answer.
        (b"103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0", b"", status(200, b"")),
        (b"500 Oh\r\nContent-Length: 4", b"\0\r\n\x1b", status(500, b"\0\r\n\x1b")),
        (b"200 \xff\r\nX: \xff\r\nContent-Length: 3", b"a\xff\xfe", status(200, b"a\xff\xfe")),
        // The body is neither decompressed nor parsed.
        (b"200\r\nContent-Encoding: gzip\r\nContent-Length: 25", PACKED, status(200, PACKED)),
        (b"429 Later\r\nRetry-After: 120\r\nContent-Length: 0", b"", later),
    ] {
        let answer = [b"HTTP/1.1 ", head, b"\r\n\r\n", body].concat();
        assert_eq!(answered(answer).await, reply, "{}", head.escape_ascii());
    }
}

/// `fine!` in chunks.
const CHUNKS: &[u8] = b"2\r\nfi\r\n3\r\nne!\r\n0\r\n\r\n";
/// `fine!` in the format of gzip.
const PACKED: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\x03K\xcb\xccKU\x04\0\xf3\xd3\xa7\x05\x05\0\0\0";

#[tokio::test]
async fn an_answer_is_kept_to_1024_bytes_and_read_to_65536() {
    for (length, is_read) in [
        (1023, true),
        (1024, true),
        (1025, true),
        (65_536, true),
        (65_537, false),
        (1_000_000, false),
    ] {
        let body = "x".repeat(length);
        let kept = &body.as_bytes()[..length.min(KEPT_ANSWER)];
        let expected =
            if is_read { status(200, kept) } else { cut(200, DeliveryFailure::Protocol, kept) };
        assert_eq!(
            answered(format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}")).await,
            expected,
            "{length}"
        );
        let chunks: String = body
            .as_bytes()
            .chunks(1000)
            .map(|chunk| format!("{:x}\r\n{}\r\n", chunk.len(), "x".repeat(chunk.len())))
            .collect();
        let chunked =
            format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n");
        assert_eq!(answered(chunked).await, expected, "{length}");
    }
}

#[tokio::test]
async fn an_endless_answer_is_cut_off() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let receiver = Receiver::start(move |mut connection| {
        let sent = Arc::clone(&counted);
        async move {
            connection.request().await;
            connection.say("HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n").await;
            while connection.say([b'x'; 65_536]).await {
                sent.fetch_add(65_536, Ordering::SeqCst);
            }
        }
    })
    .await;
    let sender = sender();
    for _ in 0..2 {
        assert_eq!(
            sender.send(dispatch(&receiver.url())).await,
            cut(200, DeliveryFailure::Protocol, &[b'x'; KEPT_ANSWER])
        );
    }
    // The connection was dropped with the rest of the answer. The system's buffers have the bytes
    // that were sent and not read.
    assert_eq!(receiver.connections(), 2);
    assert!(sent.load(Ordering::SeqCst) < 64 << 20);
}

#[tokio::test]
async fn interim_responses_without_end_are_cut_off() {
    const CONTINUE: &str = "HTTP/1.1 100 Continue\r\n\r\n";
    let few = format!("{}HTTP/1.1 204 No Content\r\n\r\n", CONTINUE.repeat(MOST_INTERIM));
    assert_eq!(answered(few).await, status(204, b""));

    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let many = CONTINUE.repeat(1_000);
    let receiver = Receiver::start(move |mut connection| {
        let (sent, many) = (Arc::clone(&counted), many.clone());
        async move {
            connection.request().await;
            while connection.say(&many).await {
                sent.fetch_add(many.len(), Ordering::SeqCst);
            }
        }
    })
    .await;
    let reply = sender().send(dispatch(&receiver.url())).await;
    assert_eq!(reply, failed(DeliveryFailure::Protocol));
    assert!(sent.load(Ordering::SeqCst) < 64 << 20);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let target = Receiver::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    for code in [301, 302, 303, 307, 308] {
        for location in [
            target.url(),
            format!("//127.0.0.1:{}/", target.port()),
            "/elsewhere".to_owned(),
            "\u{ff}:".to_owned(),
        ] {
            let answer = format!(
                "HTTP/1.1 {code} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
            );
            let receiver = Receiver::answering(answer).await;
            assert_eq!(
                sender().send(dispatch(&receiver.url())).await,
                status(code, b""),
                "{location}"
            );
            assert_eq!(receiver.requests().len(), 1);
        }
    }
    assert_eq!(target.connections(), 0);
}

#[tokio::test]
async fn a_receiver_that_is_silent_costs_its_time_and_no_more() {
    let silent = Receiver::start(|mut connection| async move {
        connection.request().await;
        connection.wait_for_end().await;
    })
    .await;
    let deaf = Receiver::start(|connection| async move {
        let _held = connection;
        pending().await
    })
    .await;
    for receiver in [silent, deaf] {
        assert_eq!(reply_at_the_limit(&receiver).await, failed(DeliveryFailure::Timeout));
    }
}

#[tokio::test]
async fn a_receiver_that_stops_within_its_answer_has_given_its_status() {
    for (code, head) in [
        (200, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfi"),
        (503, "HTTP/1.1 503 Oh\r\n\r\nfi"),
    ] {
        let receiver = Receiver::start(move |mut connection| async move {
            connection.request().await;
            connection.say(head).await;
            connection.wait_for_end().await;
        })
        .await;
        let reply = reply_at_the_limit(&receiver).await;
        assert_eq!(reply, cut(code, DeliveryFailure::Timeout, b"fi"));
        assert_eq!(reply.response.is_success(), code == 200);
    }
}

#[tokio::test]
async fn a_receiver_that_drips_gets_no_more_time() {
    for (head, response) in [
        ("", Response::Nothing(DeliveryFailure::Timeout)),
        ("HTTP/1.1 200 OK\r\n", Response::Nothing(DeliveryFailure::Timeout)),
        (
            "HTTP/1.1 200 OK\r\n\r\n",
            Response::Status { code: 200, cut: Some(DeliveryFailure::Timeout) },
        ),
    ] {
        let receiver = Receiver::start(move |mut connection| async move {
            connection.request().await;
            connection.say(head).await;
            // The first line of an answer may follow empty lines.
            let drop = if head.is_empty() { "\r\n" } else { "x" };
            while connection.say(drop).await {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
        assert_eq!(reply_at_the_limit(&receiver).await.response, response, "{head}");
    }
}

#[tokio::test]
async fn a_connection_that_breaks_after_the_status_has_given_its_status() {
    for (said, reply) in [
        ("", failed(DeliveryFailure::Broken)),
        ("HTTP/1.1 200 OK\r\nContent-Le", failed(DeliveryFailure::Broken)),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfi",
            cut(200, DeliveryFailure::Broken, b"fi"),
        ),
        (
            "HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nfi\r\n",
            cut(500, DeliveryFailure::Broken, b"fi"),
        ),
    ] {
        // By an end and by a reset.
        for resets in [false, true] {
            let receiver = Receiver::start(move |mut connection| async move {
                connection.request().await;
                connection.say(said).await;
                if resets {
                    connection.stream.set_zero_linger().unwrap();
                }
            })
            .await;
            assert_eq!(sender().send(dispatch(&receiver.url())).await, reply, "{said:?}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_is_not_http_is_a_failure_of_the_protocol() {
    let endless = format!("HTTP/1.1 200 OK\r\nX: {}", "x".repeat(1 << 20));
    let many: String = (0..100_000).map(|number| format!("X-{number}: x\r\n")).collect();
    let many = format!("HTTP/1.1 200 OK\r\n{many}Content-Length: 0\r\n\r\n");
    for answer in [
        "SSH-2.0-OpenSSH_9.9\r\n",
        "<html>",
        "HTTP/2 200\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 000 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        &endless,
        &many,
    ] {
        let start = &answer[..answer.len().min(60)];
        assert_eq!(answered(answer).await, failed(DeliveryFailure::Protocol), "{start:?}");
    }
    let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nfi\r\nzz\r\n";
    assert_eq!(answered(chunks).await, cut(200, DeliveryFailure::Protocol, b"fi"));
}

struct Hangs;

#[async_trait]
impl crate::lookup::Lookup for Hangs {
    async fn look_up(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_name_is_looked_up_for_five_seconds() {
    let sender = with(PRIVATE, Hangs, Limits::default());
    let start = Instant::now();
    assert_eq!(
        sender.send(dispatch("https://receiver.example/")).await,
        failed(DeliveryFailure::Timeout)
    );
    assert_eq!(start.elapsed().as_secs(), 5);
}

#[tokio::test]
async fn the_limit_of_a_connection_includes_tls() {
    // The system accepts the connection, and TLS never begins.
    let receiver = Receiver::start(|connection| connection.wait_for_end()).await;
    let names = names(|_| Ok(addresses(&["127.0.0.1"])));
    let limits = Limits { connect: Duration::from_millis(300), attempt: Duration::from_secs(30) };
    let start = Instant::now();
    let reply = with(PRIVATE, names, limits)
        .send(dispatch(&format!("https://receiver.example:{}/", receiver.port())))
        .await;
    assert_eq!(reply, failed(DeliveryFailure::Timeout));
    assert!(start.elapsed() < Duration::from_secs(5));
}
