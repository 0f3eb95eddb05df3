//! The metrics.

use crate::testing::{api, mocks, post, send};
use crate::{configure, configure_metrics};
use actix_web::App;
use actix_web::http::Method;
use actix_web::test::{TestRequest, call_service, init_service, read_body};
use futures_util::FutureExt;
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use std::sync::Arc;

fn page() -> crate::MetricsPage {
    Arc::new(|| async { "up 1\n".to_owned() }.boxed())
}

/// The series, each with the number of its values, or with its value.
fn counted(snapshotter: &Snapshotter) -> Vec<(String, usize)> {
    let mut all: Vec<(String, usize)> = Vec::new();
    for (key, _, _, value) in snapshotter.snapshot().into_vec() {
        let labels: Vec<&str> = key.key().labels().map(metrics::Label::value).collect();
        let value = match value {
            DebugValue::Histogram(values) => values.len(),
            DebugValue::Gauge(value) => value.0 as usize,
            DebugValue::Counter(value) => value as usize,
        };
        all.push(([&[key.key().name()], &labels[..]].concat().join(" "), value));
    }
    all.sort();
    all
}

#[test]
fn requests_are_counted_by_path_and_status() {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    metrics::with_local_recorder(&recorder, || {
        actix_web::rt::System::new().block_on(async {
            let app = init_service(App::new().configure(configure(api(mocks()), |_| {}))).await;
            let requests = [
                post("/tags/list"),
                post("/tags/list"),
                post("/tags/list").method(Method::GET),
                TestRequest::get().uri("/healthz"),
                TestRequest::get().uri("/s3cr3t"),
                TestRequest::get().uri("/api/external/v1/s3cr3t?x"),
            ];
            for request in requests {
                call_service(&app, request.to_request()).await;
            }
        });
    });
    let name = "hearback_http_request_duration_seconds";
    let expected = [
        (format!("{name} /api/external/v1/tags/list 401"), 2),
        (format!("{name} /api/external/v1/tags/list 405"), 1),
        (format!("{name} /healthz 200"), 1),
        (format!("{name} other 404"), 2),
        ("hearback_http_requests_in_flight".to_owned(), 0),
    ];
    assert_eq!(counted(&snapshotter), expected);
}

#[actix_web::test]
async fn the_page_is_shown_by_a_configured_app_alone() {
    let reply = send(mocks(), TestRequest::get().uri("/metrics")).await;
    assert_eq!(reply.status, 404, "on a listener of its own, or nowhere");

    let app = init_service(App::new().configure(configure_metrics(api(mocks()), page()))).await;
    for (method, status, body) in [(Method::GET, 200, "up 1\n"), (Method::HEAD, 200, "up 1\n")] {
        let response =
            call_service(&app, TestRequest::with_uri("/metrics").method(method).to_request()).await;
        assert_eq!(response.status(), status);
        assert_eq!(
            response.headers().get("content-type").unwrap(),
            "text/plain; version=0.0.4; charset=utf-8"
        );
        assert!(response.headers().contains_key("x-request-id"));
        assert_eq!(read_body(response).await, body);
    }
    let response = call_service(&app, TestRequest::post().uri("/metrics").to_request()).await;
    assert_eq!(
        (response.status().as_u16(), response.headers().get("allow").unwrap().as_bytes()),
        (405, &b"GET, HEAD"[..])
    );
    let response = call_service(&app, post("/tags/list").to_request()).await;
    assert_eq!(response.status(), 404, "nothing else is there");
}

#[actix_web::test]
async fn it_may_be_beside_the_api() {
    let api = Arc::new(Arc::into_inner(api(mocks())).unwrap().with_metrics(page()));
    let app = init_service(App::new().configure(configure(api, |_| {}))).await;
    let response = call_service(&app, TestRequest::get().uri("/metrics").to_request()).await;
    assert_eq!(read_body(response).await, "up 1\n");
}
