//! The probes.

use crate::configure;
use crate::testing::{api, mocks, send};
use actix_web::App;
use actix_web::http::Method;
use actix_web::test::{TestRequest, call_service, init_service, read_body};
use hearback_ports::StoreError;
use std::sync::Arc;

#[actix_web::test]
async fn the_process_is_alive_without_asking_the_store() {
    for method in [Method::GET, Method::HEAD] {
        let reply = send(mocks(), TestRequest::with_uri("/healthz").method(method)).await;
        assert_eq!(reply.shown(), (200, r#"{"status":"ok"}"#));
        assert_eq!(reply.header("content-type"), "application/json");
    }
}

#[actix_web::test]
async fn it_is_ready_when_the_store_answers() {
    let mut mocks = mocks();
    mocks.health.expect_ping().returning(|| Ok(()));
    assert_eq!(
        send(mocks, TestRequest::with_uri("/readyz")).await.shown(),
        (200, r#"{"status":"ok"}"#)
    );
}

#[actix_web::test]
async fn it_is_not_ready_when_the_store_does_not_answer() {
    let mut mocks = mocks();
    mocks
        .health
        .expect_ping()
        .returning(|| Err(StoreError::Backend { doing: "pinging", source: "gone".into() }));
    let reply = send(mocks, TestRequest::with_uri("/readyz")).await;
    assert_eq!(reply.shown(), (503, r#"{"detail":{"error":"temporarily unavailable"}}"#));
    assert_eq!(reply.header("retry-after"), "1");
}

#[actix_web::test]
async fn it_is_not_ready_while_a_worker_does_not_run_and_the_store_is_not_asked() {
    let api = Arc::into_inner(api(mocks())).unwrap().with_workers(Arc::new(|| false));
    let app = init_service(App::new().configure(configure(Arc::new(api), |_| {}))).await;
    let response = call_service(&app, TestRequest::with_uri("/readyz").to_request()).await;
    assert_eq!(
        (response.status().as_u16(), response.headers().get("retry-after").unwrap().as_bytes()),
        (503, &b"1"[..])
    );
    assert_eq!(read_body(response).await, r#"{"detail":{"error":"temporarily unavailable"}}"#);
    let response = call_service(&app, TestRequest::with_uri("/healthz").to_request()).await;
    assert_eq!(response.status(), 200);
}

#[actix_web::test]
async fn probes_are_read_only() {
    for path in ["/healthz", "/readyz"] {
        let reply = send(mocks(), TestRequest::post().uri(path)).await;
        assert_eq!(reply.shown(), (405, r#"{"detail":{"error":"method not allowed"}}"#));
        assert_eq!(reply.header("allow"), "GET, HEAD");
    }
}
