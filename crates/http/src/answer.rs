//! Writes JSON, hands long bodies over in pieces, and bounds the memory that they take.

use crate::Failure;
use actix_web::HttpResponse;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::http::header::{CONTENT_TYPE, HeaderValue};
use actix_web::web::Bytes;
use serde::Serialize;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::{Semaphore, SemaphorePermit};

/// `200` with one object.
pub fn object(view: &impl Serialize) -> Result<HttpResponse, Failure> {
    let mut json = Vec::with_capacity(USUAL);
    serde_json::to_writer(&mut json, view)?;
    text(json)
}

/// The length of most objects, in bytes.
const USUAL: usize = 2 * 1024;

/// `200` with a text of JSON.
pub fn text(json: Vec<u8>) -> Result<HttpResponse, Failure> {
    if json.len() <= PIECE {
        return Ok(json_of(BoxBody::new(json)));
    }
    let memory = Memory::reserve(json.len())?;
    Ok(json_of(BoxBody::new(Pieces { rest: json.into(), _memory: Some(memory) })))
}

/// `200` with a body of JSON.
pub fn json_of(body: BoxBody) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")))
        .body(body)
}

/// A body that is a part of the program, and takes no memory.
pub fn fixed(body: Bytes) -> BoxBody {
    BoxBody::new(Pieces { rest: body, _memory: None })
}

/// The longest piece of a body that is handed over at once, in bytes. actix copies each piece into
/// its buffer. Shorter answers are not counted as [`Memory`].
pub const PIECE: usize = 64 * 1024;

/// A part of the memory that all long answers of the process may take: 256 MiB.
pub struct Memory {
    _permit: SemaphorePermit<'static>,
}

static FREE_KIB: Semaphore = Semaphore::const_new(ALL_KIB);
const ALL_KIB: usize = 256 * 1024;

impl Memory {
    /// Takes memory for an answer of this many bytes, until it is dropped. An answer that is longer
    /// than all of the memory takes all of it.
    pub fn reserve(bytes: usize) -> Result<Self, Failure> {
        let kib = u32::try_from((bytes / 1024).min(ALL_KIB)).unwrap_or(u32::MAX);
        let permit = FREE_KIB.try_acquire_many(kib).map_err(|_| Failure::NoMemory)?;
        Ok(Self { _permit: permit })
    }
}

/// A body that is handed over as its client takes it.
struct Pieces {
    rest: Bytes,
    _memory: Option<Memory>,
}

impl MessageBody for Pieces {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.rest.len() as u64)
    }

    fn poll_next(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        let rest = &mut self.get_mut().rest;
        let piece = rest.split_to(rest.len().min(PIECE));
        Poll::Ready((!piece.is_empty()).then_some(Ok(piece)))
    }
}
