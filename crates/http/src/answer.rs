//! Writes JSON.

use crate::Failure;
use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue};
use serde::Serialize;

/// `200` with one object.
pub fn object(view: &impl Serialize) -> Result<HttpResponse, Failure> {
    let body = serde_json::to_vec(view)?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")))
        .body(body))
}
