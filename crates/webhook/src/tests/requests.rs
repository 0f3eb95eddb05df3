//! The requests of deliveries.

use super::receiver::Receiver;
use super::{DATA, PRIVATE, SECRET, addresses, dispatch, names, secret, sender, with};
use crate::sender::Limits;
use hearback_domain::Time;
use hearback_domain::delivery::{DeliveryFailure, Response};
use hearback_ports::EventSink;
use hearback_ports::event_sink::{Dispatch, Reply, SigningSecrets};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;
use tokio::time;

const OK: Reply = Reply {
    response: Response::Status { code: 200, cut: None },
    retry_after: None,
    answer: Vec::new(),
};
const EMPTY: &str = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

#[tokio::test]
async fn a_delivery_is_the_contracts_request() {
    let receiver = Receiver::answering(EMPTY).await;
    let url = format!("{}/a%20b?token=x%2Fy#part", receiver.url());
    assert_eq!(sender().send(Dispatch { attempt: 3, ..dispatch(&url) }).await, OK);
    let request = format!(
        "POST /hook/a%20b?token=x%2Fy HTTP/1.1\r\n\
         Content-Type: application/json\r\n\
         X-Service-Event: vote.created\r\n\
         X-Service-Signature: sha256=fe7999d14fee0ade4d9b46b2f6f8eba496e566393fdcf3f477e74dc49bb895f1\r\n\
         X-Service-Webhook-Id: 0191b0e4-0000-7000-8000-000000000002\r\n\
         X-Service-Delivery-Id: 0191b0e4-0000-5000-8000-000000000003\r\n\
         X-Service-Attempt: 3\r\n\
         Webhook-Id: 0191b0e4-0000-5000-8000-000000000003\r\n\
         Webhook-Timestamp: 1772357405\r\n\
         Webhook-Signature: v1,jJJSaf3dYwLyqL6EjEcH+tZWW9KPiY9B58JKlMc0b/k=\r\n\
         Accept: */*\r\n\
         User-Agent: Hearback/{version}\r\n\
         Host: 127.0.0.1:{port}\r\n\
         Content-Length: 219\r\n\
         \r\n\
         {{\"event\":\"vote.created\",\"organization_id\":\"0191b0e4-0000-7000-8000-000000000001\",\
         \"occurred_at\":\"2026-03-01T09:30:00.120Z\",\
         \"data\":{DATA}}}",
        version = env!("CARGO_PKG_VERSION"),
        port = receiver.port(),
    );
    assert_eq!(receiver.requests(), [request]);
}

fn body(request: &str) -> &str {
    request.split_once("\r\n\r\n").unwrap().1
}

fn header<'a>(request: &'a str, name: &str) -> Option<&'a str> {
    request.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[tokio::test]
async fn a_later_attempt_has_the_same_body_and_identifier_and_a_signature_of_its_own_time() {
    let receiver = Receiver::answering(EMPTY).await;
    let first = dispatch(&receiver.url());
    let later =
        Dispatch { attempt: 2, at: Time::parse("2026-03-02T00:00:00Z").unwrap(), ..first.clone() };
    let sender = sender();
    sender.send(first).await;
    sender.send(later).await;
    let [first, later] = <[String; 2]>::try_from(receiver.requests()).unwrap();
    assert_eq!(body(&first), body(&later));
    for same in ["X-Service-Delivery-Id", "X-Service-Signature", "Webhook-Id"] {
        assert_eq!(header(&first, same), header(&later, same));
    }
    assert_eq!(header(&later, "X-Service-Attempt"), Some("2"));
    assert_eq!(header(&later, "Webhook-Timestamp"), Some("1772409600"));
    assert_ne!(header(&first, "Webhook-Signature"), header(&later, "Webhook-Signature"));
}

#[tokio::test]
async fn a_secret_of_another_form_makes_no_headers_of_the_specification() {
    let receiver = Receiver::answering(EMPTY).await;
    let secrets = SigningSecrets { current: secret("imported"), previous: Some(secret(SECRET)) };
    sender().send(Dispatch { secrets, ..dispatch(&receiver.url()) }).await;
    let requests = receiver.requests();
    assert_eq!(
        header(&requests[0], "X-Service-Signature"),
        Some("sha256=1d610718aa8e8b31c917833c2d8fc926ad2513f08a11f49f3d06325b7bfafbd2")
    );
    assert!(!requests[0].to_lowercase().contains("\r\nwebhook-"));
}

#[tokio::test]
async fn a_connection_serves_the_next_delivery() {
    let receiver = Receiver::answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfine!").await;
    let sender = sender();
    for _ in 0..3 {
        assert_eq!(
            sender.send(dispatch(&receiver.url())).await,
            Reply { answer: b"fine!".to_vec(), ..OK }
        );
    }
    assert_eq!((receiver.requests().len(), receiver.connections()), (3, 1));
}

#[tokio::test]
async fn a_connection_that_the_receiver_has_closed_is_replaced() {
    let (tell, mut ended) = mpsc::unbounded_channel();
    let receiver = Receiver::start(move |mut connection| {
        let tell = tell.clone();
        async move {
            connection.request().await;
            connection.say(EMPTY).await;
            connection.stream.shutdown().await.unwrap();
            connection.wait_for_end().await;
            tell.send(()).unwrap();
        }
    })
    .await;
    let sender = sender();
    for _ in 0..3 {
        assert_eq!(sender.send(dispatch(&receiver.url())).await, OK);
        ended.recv().await.unwrap();
    }
    assert_eq!(receiver.connections(), 3);
}

#[tokio::test]
async fn an_open_connection_does_not_replace_the_look_up() {
    let receiver = Receiver::answering(EMPTY).await;
    let is_gone = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&is_gone);
    let names = names(move |_| {
        Ok(addresses(if asked.load(Ordering::SeqCst) { &[] } else { &["127.0.0.1"] }))
    });
    let sender = with(PRIVATE, names, Limits::default());
    let delivery = dispatch(&format!("http://receiver.example:{}/", receiver.port()));
    for _ in 0..2 {
        assert_eq!(sender.send(delivery.clone()).await, OK);
    }
    is_gone.store(true, Ordering::SeqCst);
    time::pause();
    time::advance(Duration::from_secs(1)).await;
    assert_eq!(
        sender.send(delivery).await.response,
        Response::Nothing(DeliveryFailure::Unresolved)
    );
    assert_eq!((receiver.requests().len(), receiver.connections()), (2, 1));
}

#[tokio::test]
async fn a_delivery_goes_to_the_address_that_was_found_and_names_the_host() {
    let receiver = Receiver::answering(EMPTY).await;
    let names = names(|name| match name {
        "receiver.example" | "xn--bcher-kva.example" => Ok(addresses(&["127.0.0.1"])),
        _ => Ok(Vec::new()),
    });
    let sender = with(PRIVATE, names, Limits::default());
    for host in ["Receiver.example", "bücher.example"] {
        let url = format!("http://{host}:{}/", receiver.port());
        assert_eq!(sender.send(dispatch(&url)).await, OK, "{host}");
    }
    let requests = receiver.requests();
    let hosts: Vec<_> = requests.iter().map(|request| header(request, "Host").unwrap()).collect();
    assert_eq!(
        hosts,
        ["receiver.example", "xn--bcher-kva.example"]
            .map(|name| format!("{name}:{}", receiver.port()))
    );
}
