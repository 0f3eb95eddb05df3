//! When the server closes a connection.

use crate::testing::{api, mocks};
use actix_web::{App, HttpServer};
use std::net::TcpListener;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Sends `request` to a real server and keeps the connection open. Returns all bytes that the
/// server sends before it closes the connection.
async fn until_closed(request: &str) -> String {
    let api = api(mocks());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server =
        HttpServer::new(move || App::new().configure(crate::configure(api.clone(), |_| {})))
            .workers(1)
            .disable_signals()
            .client_disconnect_timeout(Duration::from_millis(50))
            .listen(listener)
            .unwrap()
            .run();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    let mut connection = TcpStream::connect(address).await.unwrap();
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let closed =
        tokio::time::timeout(Duration::from_secs(10), connection.read_to_string(&mut answer)).await;
    handle.stop(false).await;
    closed.expect("the server should close the connection").unwrap();
    answer
}

#[actix_web::test]
async fn a_client_that_never_ends_its_body_does_not_keep_the_connection_after_the_answer() {
    let head = "host: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n";
    let answer = until_closed(&format!("POST /nowhere HTTP/1.1\r\n{head}")).await;
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    assert!(answer.ends_with(r#"{"detail":{"error":"not found"}}"#), "{answer}");
    let answer = until_closed(&format!("POST /healthz HTTP/1.1\r\n{head}")).await;
    assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");
}

#[actix_web::test]
async fn a_body_that_is_too_long_is_refused_before_it_is_sent() {
    let request =
        "POST /api/external/v1/tags/list HTTP/1.1\r\nhost: x\r\ncontent-length: 40000000\r\n\r\n";
    let answer = until_closed(request).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert!(answer.to_lowercase().contains("connection: close"), "{answer}");
}
