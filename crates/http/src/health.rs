//! The probes: `/healthz` answers while the process lives, `/readyz` while the store answers and
//! the background workers run.

use crate::answer;
use crate::failure::Failure;
use crate::host::Shared;
use crate::routes::get;
use actix_web::HttpResponse;
use actix_web::web::{Data, ServiceConfig};
use serde::Serialize;
use std::sync::Arc;

/// Whether all background workers of the process run. Called often: it must not block.
pub type WorkersRun = Arc<dyn Fn() -> bool + Send + Sync>;

/// Adds the probes.
pub fn probes(workers_run: WorkersRun) -> impl FnOnce(&mut ServiceConfig) {
    move |config| {
        let ready = get("/readyz", ready).app_data(Data::new(workers_run));
        config.service(get("/healthz", alive)).service(ready);
    }
}

#[derive(Serialize)]
struct Status {
    status: &'static str,
}

async fn alive() -> Result<HttpResponse, Failure> {
    answer::object(&Status { status: "ok" })
}

async fn ready(host: Shared, workers_run: Data<WorkersRun>) -> Result<HttpResponse, Failure> {
    if !workers_run() {
        return Err(Failure::WorkersDown);
    }
    host.health.ping().await.map_err(Failure::NotReady)?;
    alive().await
}
