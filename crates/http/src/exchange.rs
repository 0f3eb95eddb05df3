//! What goes round every request: its identifier, its line in the log, its place in the metrics, how the client stands with the
//! rate limits, the `500` of a handler that panicked, and the end of a connection whose client does not end its request.

use crate::failure::Failure;
use crate::host::Shared;
use crate::log;
use crate::rate::Standing;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::error::{InternalError, PayloadError};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{HttpMessage, HttpRequest, HttpResponse};
use futures_util::{FutureExt, Stream};
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;
use std::cell::{Cell, RefCell};
use std::error::Error;
use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

/// One request, as its handler, the log and the metrics share it.
pub struct Exchange {
    pub(crate) host: Shared,
    organization: Cell<Option<OrganizationId>>,
    shown_path: Cell<Option<&'static str>>,
    /// How the client stands with the limits that it was counted for.
    standing: Cell<Option<Standing>>,
    /// The body; gone when it was read to its end.
    payload: RefCell<Option<Payload>>,
}

impl Exchange {
    fn new(host: Shared, payload: Payload) -> Self {
        let payload = if matches!(payload, Payload::None) { None } else { Some(payload) };
        Self {
            host,
            organization: Cell::new(None),
            shown_path: Cell::new(None),
            standing: Cell::new(None),
            payload: RefCell::new(payload),
        }
    }

    /// The exchange that a request is part of.
    pub fn of(request: &HttpRequest) -> Result<Rc<Self>, Failure> {
        request.extensions().get::<Rc<Self>>().cloned().ok_or(Failure::Misplaced)
    }

    /// Tells the organization that the request belongs to, as soon as it is known.
    pub fn set_organization(&self, organization: OrganizationId) {
        self.organization.set(Some(organization));
    }

    /// Names the path in the log and in the metrics, in place of one that holds a secret.
    pub fn show_path(&self, path: &'static str) {
        self.shown_path.set(Some(path));
    }

    /// Counts the request for the address that it comes from.
    pub fn count_address(&self, request: &HttpRequest) -> Result<(), Failure> {
        self.stand(self.host.rates.of_address(request))
    }

    /// Counts the request for the organization whose key it has.
    pub fn count_key(&self, organization: OrganizationId) -> Result<(), Failure> {
        self.stand(self.host.rates.of_key(organization))
    }

    fn stand(&self, standing: Option<Standing>) -> Result<(), Failure> {
        let Some(standing) = standing else { return Ok(()) };
        self.standing
            .set(Some(self.standing.get().map_or(standing, |other| other.tighter(standing))));
        match standing.retry_after {
            None => Ok(()),
            Some(seconds) => Err(Failure::Limited { retry_after: seconds }),
        }
    }

    /// The next piece of the body, `None` behind the last one.
    pub(crate) async fn next_chunk(&self) -> Option<Result<Bytes, PayloadError>> {
        poll_fn(|context| {
            let mut payload = self.payload.borrow_mut();
            let Some(stream) = payload.as_mut() else { return Poll::Ready(None) };
            let next = Pin::new(stream).poll_next(context);
            if matches!(next, Poll::Ready(None)) {
                *payload = None;
            }
            next
        })
        .await
    }

    fn is_unread(&self) -> bool {
        self.payload.borrow().is_some()
    }
}

/// The middleware.
pub(crate) async fn around(
    host: Shared,
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, actix_web::Error> {
    let began = host.clock.elapsed();
    let id = host.ids.fresh();
    let uri = request.uri().clone();
    let exchange = Rc::new(Exchange::new(host, request.take_payload()));
    let _in_flight = InFlight::begin(exchange.clone());
    request.extensions_mut().insert(exchange.clone());

    let served = AssertUnwindSafe(async { next.call(request).await }).catch_unwind().await;

    let finish = |response: &mut HttpResponse| {
        let took = exchange.host.clock.elapsed().saturating_sub(began);
        let path = exchange.shown_path.get().unwrap_or(uri.path());
        exchange.host.meters.answered(path, response.status().as_u16(), took);
        log::write(id, path, response, took, exchange.organization.get());
        name(response, id);
        if let Some(standing) = exchange.standing.get() {
            standing.write(response.headers_mut());
        }
    };
    let failure = match served {
        Ok(Ok(mut response)) => {
            finish(response.response_mut());
            return Ok(if exchange.is_unread() { hold(response, exchange) } else { response });
        }
        Ok(Err(error)) => error,
        Err(_) => Failure::Panicked.into(),
    };
    // The request is gone, and with it the way to return an answer as one; as an error it is written all the same.
    let mut response = HttpResponse::from_error(failure);
    finish(&mut response);
    Err(InternalError::from_response("a request failed", response).into())
}

/// A request that is being answered until this is dropped.
struct InFlight(Rc<Exchange>);

impl InFlight {
    fn begin(exchange: Rc<Exchange>) -> Self {
        exchange.host.meters.began();
        Self(exchange)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.host.meters.ended();
    }
}

fn hold(response: ServiceResponse, exchange: Rc<Exchange>) -> ServiceResponse {
    response.map_body(|_, body| BoxBody::new(Held { body, _exchange: exchange }))
}

/// An answer that was given before the request's body was read to its end, together with the rest of that body.
///
/// actix looks whether somebody still holds the body when the answer has been written. If so it closes the connection after
/// a moment. If not it waits for the end of a chunked body, for ever, even from a client that never sends it.
struct Held {
    body: BoxBody,
    _exchange: Rc<Exchange>,
}

impl MessageBody for Held {
    type Error = Box<dyn Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_next(context)
    }
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

fn name(response: &mut HttpResponse, id: Uuid) {
    let mut buffer = Uuid::encode_buffer();
    // Hex digits and hyphens can stand in every header.
    if let Ok(id) = HeaderValue::from_str(id.hyphenated().encode_lower(&mut buffer)) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
}
