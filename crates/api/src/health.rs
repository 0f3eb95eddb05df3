//! The probes: `/healthz` says that the process is alive, `/readyz` that the store answers.

use crate::Api;
use crate::answer::{self, Answer};
use crate::error::{Failure, Methods};
use actix_web::guard::{self, Guard};
use actix_web::web::{self, Data, ServiceConfig};
use serde::Serialize;

/// Adds the probes.
pub(crate) fn routes(config: &mut ServiceConfig) {
    config
        .service(web::resource("/healthz").route(web::route().guard(reading()).to(alive)).default_service(web::to(get_only)))
        .service(web::resource("/readyz").route(web::route().guard(reading()).to(ready)).default_service(web::to(get_only)));
}

#[derive(Serialize)]
struct Status {
    status: &'static str,
}

async fn alive() -> Answer {
    answer::object(&Status { status: "ok" })
}

async fn ready(api: Data<Api>) -> Answer {
    api.ports.health.ping().await.map_err(Failure::NotReady)?;
    answer::object(&Status { status: "ok" })
}

async fn get_only() -> Answer {
    Err(Failure::Method(Methods::Get))
}

fn reading() -> impl Guard {
    guard::Any(guard::Get()).or(guard::Head())
}

#[cfg(test)]
mod tests {
    use crate::testing::{mocks, send};
    use actix_web::http::Method;
    use actix_web::test::TestRequest;
    use hearback_ports::StoreError;

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
        assert_eq!(send(mocks, TestRequest::with_uri("/readyz")).await.shown(), (200, r#"{"status":"ok"}"#));
    }

    #[actix_web::test]
    async fn it_is_not_ready_when_the_store_does_not_answer() {
        let mut mocks = mocks();
        mocks.health.expect_ping().returning(|| Err(StoreError::Backend { doing: "pinging", source: "gone".into() }));
        let reply = send(mocks, TestRequest::with_uri("/readyz")).await;
        assert_eq!(reply.shown(), (503, r#"{"detail":{"error":"temporarily unavailable"}}"#));
        assert_eq!(reply.header("retry-after"), "1");
    }

    #[actix_web::test]
    async fn probes_are_read_only() {
        for path in ["/healthz", "/readyz"] {
            let reply = send(mocks(), TestRequest::post().uri(path)).await;
            assert_eq!(reply.shown(), (405, r#"{"detail":{"error":"method not allowed"}}"#));
            assert_eq!(reply.header("allow"), "GET, HEAD");
        }
    }
}
