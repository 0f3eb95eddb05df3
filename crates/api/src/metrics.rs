//! What is counted of requests, and `/metrics`, which shows what the process counts.
//!
//! A path is counted as it stands in the route table. Whatever else is asked for is one series, however many paths somebody makes
//! up.

use crate::answer::Answer;
use crate::health::{get_only, reading};
use crate::{unsubscribe, v1};
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use actix_web::web::{self, Data, ServiceConfig};
use futures_util::future::BoxFuture;
use metrics::{Gauge, Histogram, Unit, describe_gauge, describe_histogram, gauge, histogram};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Makes the page that `/metrics` shows, in Prometheus' text format.
pub type MetricsPage = Arc<dyn Fn() -> BoxFuture<'static, String> + Send + Sync>;

/// How long requests took, by `path` and `status`; with it, how many there were.
const DURATION: &str = "hearback_http_request_duration_seconds";
/// What stands for all of the page on which the API can be tried.
const DOCS: &str = "/docs";
const IN_FLIGHT: &str = "hearback_http_requests_in_flight";

/// Adds the page.
pub(crate) fn routes(page: MetricsPage) -> impl FnOnce(&mut ServiceConfig) {
    move |config| {
        let resource = web::resource("/metrics").app_data(Data::new(page));
        config.service(
            resource
                .route(web::route().guard(reading()).to(show))
                .default_service(web::to(get_only)),
        );
    }
}

async fn show(page: Data<MetricsPage>) -> Answer {
    let text = page().await;
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    let mut response = HttpResponse::Ok();
    for header in headers {
        response.insert_header(header);
    }
    Ok(response.body(text))
}

/// Counts requests, for the recorder that was installed before it was made; where none was, nothing is counted.
pub(crate) struct Meters {
    by_path: HashMap<String, Meter>,
    others: Meter,
    in_flight: Gauge,
}

/// The requests to one path. A series is made when it gets its first, and found without a look-up from then on.
struct Meter {
    path: String,
    by_status: [OnceLock<Histogram>; STATUSES.len()],
}

/// Every status that we answer with.
const STATUSES: [u16; 15] =
    [200, 304, 307, 400, 401, 403, 404, 405, 408, 413, 415, 422, 429, 500, 503];

impl Meters {
    pub(crate) fn new() -> Self {
        describe_histogram!(
            DURATION,
            Unit::Seconds,
            "How long requests took until their answer was made"
        );
        describe_gauge!(IN_FLIGHT, Unit::Count, "Requests that are being answered");
        let endpoints = v1::endpoints().map(|endpoint| format!("{}{}", v1::BASE, endpoint.path));
        let others =
            ["/healthz", "/readyz", "/metrics", "/openapi.json", DOCS, unsubscribe::SHOWN_PATH];
        let by_path = endpoints
            .chain(others.map(str::to_owned))
            .map(|path| (path.clone(), Meter::of(path)))
            .collect();
        Self { by_path, others: Meter::of("other".to_owned()), in_flight: gauge!(IN_FLIGHT) }
    }

    /// A request has come.
    pub(crate) fn began(&self) {
        self.in_flight.increment(1);
    }

    /// A request that has come is answered, or is given up.
    pub(crate) fn ended(&self) {
        self.in_flight.decrement(1);
    }

    /// A request to this path was answered.
    pub(crate) fn answered(&self, path: &str, status: u16, took: Duration) {
        // The page is many files.
        let path = if path.starts_with(DOCS) { DOCS } else { path };
        self.by_path.get(path).unwrap_or(&self.others).record(status, took);
    }
}

impl Meter {
    fn of(path: String) -> Self {
        Self { path, by_status: Default::default() }
    }

    fn record(&self, status: u16, took: Duration) {
        match STATUSES.iter().position(|known| *known == status) {
            Some(place) => self.by_status[place].get_or_init(|| self.series(status)).record(took),
            None => self.series(status).record(took),
        }
    }

    fn series(&self, status: u16) -> Histogram {
        histogram!(DURATION, "path" => self.path.clone(), "status" => status.to_string())
    }
}

#[cfg(test)]
mod tests {
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

    /// What was counted: series, and how many values each has or what it is.
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
                let app = init_service(App::new().configure(configure(api(mocks())))).await;
                let requests = [
                    post("/tags/list"),
                    post("/tags/list"),
                    post("/tags/list").method(Method::GET),
                    TestRequest::get().uri("/healthz"),
                    TestRequest::get().uri("/unsubscribe/s3cr3t"),
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
            (format!("{name} /unsubscribe/… 404"), 1),
            (format!("{name} other 404"), 2),
            ("hearback_http_requests_in_flight".to_owned(), 0),
        ];
        assert_eq!(counted(&snapshotter), expected);
    }

    #[actix_web::test]
    async fn the_page_is_shown_where_it_is_wanted() {
        let reply = send(mocks(), TestRequest::get().uri("/metrics")).await;
        assert_eq!(reply.status, 404, "on a listener of its own, or nowhere");

        let app = init_service(App::new().configure(configure_metrics(api(mocks()), page()))).await;
        for (method, status, body) in [(Method::GET, 200, "up 1\n"), (Method::HEAD, 200, "up 1\n")]
        {
            let response =
                call_service(&app, TestRequest::with_uri("/metrics").method(method).to_request())
                    .await;
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
        let app = init_service(App::new().configure(configure(api))).await;
        let response = call_service(&app, TestRequest::get().uri("/metrics").to_request()).await;
        assert_eq!(read_body(response).await, "up 1\n");
    }
}
