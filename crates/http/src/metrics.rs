//! The metrics of requests, and the page at `/metrics`.
//!
//! The host knows the paths that have a series. All other paths share one, so a client cannot make
//! more series.

use crate::failure::Failure;
use crate::routes::get;
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use actix_web::web::{Data, ServiceConfig};
use futures_util::future::BoxFuture;
use metrics::{Gauge, Histogram, Unit, describe_gauge, describe_histogram, gauge, histogram};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Makes the page at `/metrics`, in Prometheus' text format.
pub type MetricsPage = Arc<dyn Fn() -> BoxFuture<'static, String> + Send + Sync>;

/// The duration of requests, by `path` and `status`. Its count is the number of requests.
const DURATION: &str = "hearback_http_request_duration_seconds";
const IN_FLIGHT: &str = "hearback_http_requests_in_flight";

/// Adds the page at `/metrics`.
pub fn metrics_page(page: MetricsPage) -> impl FnOnce(&mut ServiceConfig) {
    move |config| {
        config.service(get("/metrics", show).app_data(Data::new(page)));
    }
}

async fn show(page: Data<MetricsPage>) -> Result<HttpResponse, Failure> {
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

/// Counts requests for the recorder that is installed when this is made. Without one, nothing is
/// counted.
pub(crate) struct Meters {
    by_path: HashMap<String, Meter>,
    folders: Vec<String>,
    others: Meter,
    in_flight: Gauge,
}

/// The series of one path. Its first request makes a series, and later ones find it without a
/// look-up.
struct Meter {
    path: String,
    by_status: [OnceLock<Histogram>; STATUSES.len()],
}

/// All statuses of answers.
const STATUSES: [u16; 15] =
    [200, 304, 307, 400, 401, 403, 404, 405, 408, 413, 415, 422, 429, 500, 503];

impl Meters {
    pub(crate) fn new(paths: impl IntoIterator<Item = String>) -> Self {
        describe_histogram!(
            DURATION,
            Unit::Seconds,
            "How long requests took until their answer was made"
        );
        describe_gauge!(IN_FLIGHT, Unit::Count, "Requests that are being answered");
        let (folders, paths): (Vec<_>, Vec<_>) =
            paths.into_iter().partition(|path| path.len() > 1 && path.ends_with('/'));
        let folders: Vec<_> =
            folders.iter().map(|path| path.trim_end_matches('/').to_owned()).collect();
        let own = ["/healthz", "/readyz", "/metrics"].map(str::to_owned);
        let by_path = own
            .into_iter()
            .chain(paths)
            .chain(folders.iter().cloned())
            .map(|path| (path.clone(), Meter::of(path)))
            .collect();
        let others = Meter::of("other".to_owned());
        Self { by_path, folders, others, in_flight: gauge!(IN_FLIGHT) }
    }

    /// Counts a request that has come.
    pub(crate) fn began(&self) {
        self.in_flight.increment(1);
    }

    /// Counts the end of a request, answered or given up.
    pub(crate) fn ended(&self) {
        self.in_flight.decrement(1);
    }

    /// Counts the answer to a request.
    pub(crate) fn answered(&self, path: &str, status: u16, took: Duration) {
        let folder = self.folders.iter().find(|folder| path.starts_with(*folder));
        let path = folder.map_or(path, String::as_str);
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
