//! Resources that take some methods, and refuse all others.

use crate::failure::{Failure, Methods};
use actix_web::guard::{self, Guard};
use actix_web::{FromRequest, Handler, HttpResponse, Resource, Responder, web};

/// A resource that can only be read.
pub fn get<F, A>(path: &str, handler: F) -> Resource
where
    F: Handler<A, Output: Responder + 'static>,
    A: FromRequest + 'static,
{
    web::resource(path)
        .route(web::route().guard(reading()).to(handler))
        .default_service(web::to(async || refuse(Methods::Get)))
}

/// A resource that takes `POST` alone.
pub fn post<F, A>(path: &str, handler: F) -> Resource
where
    F: Handler<A, Output: Responder + 'static>,
    A: FromRequest + 'static,
{
    web::resource(path)
        .route(web::post().to(handler))
        .default_service(web::to(async || refuse(Methods::Post)))
}

fn reading() -> impl Guard {
    guard::Any(guard::Get()).or(guard::Head())
}

fn refuse(methods: Methods) -> Result<HttpResponse, Failure> {
    Err(Failure::Method(methods))
}

pub(crate) async fn unknown_path() -> Result<HttpResponse, Failure> {
    Err(Failure::UnknownPath)
}
