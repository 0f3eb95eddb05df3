//! The middleware and the context of each request: its identifier, its line in the log, its count
//! in the metrics, its rate limits, the `500` of a handler that panicked, and the end of a
//! connection whose client does not end its request.

use crate::connections::Line;
use crate::failure::Failure;
use crate::host::{Host, Shared};
use crate::log;
use crate::rate::RateLimitStatus;
use crate::source::Network;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::error::{InternalError, PayloadError};
use actix_web::http::StatusCode;
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
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// The state of one request that its handler, the log and the metrics share.
pub struct RequestContext {
    pub(crate) host: Shared,
    organization: Cell<Option<OrganizationId>>,
    shown_path: Cell<Option<&'static str>>,
    /// The tighter of the rate limits that the request was counted for.
    rate_limit: Cell<Option<RateLimitStatus>>,
    /// The body. `None` if it was read to its end.
    payload: RefCell<Option<Payload>>,
    /// The connection, if the body comes in chunks.
    pub(crate) chunked: Option<Line>,
}

impl RequestContext {
    fn new(host: Shared, payload: Payload, chunked: Option<Line>) -> Self {
        let payload = if matches!(payload, Payload::None) { None } else { Some(payload) };
        Self {
            host,
            organization: Cell::new(None),
            shown_path: Cell::new(None),
            rate_limit: Cell::new(None),
            payload: RefCell::new(payload),
            chunked,
        }
    }

    /// The host of the request.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The context of a request.
    pub fn of(request: &HttpRequest) -> Result<Rc<Self>, Failure> {
        request.extensions().get::<Rc<Self>>().cloned().ok_or(Failure::Misplaced)
    }

    /// Sets the organization of the request, as soon as it is known.
    pub fn set_organization(&self, organization: OrganizationId) {
        self.organization.set(Some(organization));
    }

    /// Sets the path for the log and the metrics, in place of a path with a secret.
    pub fn show_path(&self, path: &'static str) {
        self.shown_path.set(Some(path));
    }

    /// Counts the request for its address.
    pub fn count_address(&self, request: &HttpRequest) -> Result<(), Failure> {
        self.limit(self.host.rates.of_address(request))
    }

    /// Counts the request for the organization of its key.
    pub fn count_key(&self, organization: OrganizationId) -> Result<(), Failure> {
        self.limit(self.host.rates.of_key(organization))
    }

    /// Counts a form for its address and its network.
    pub fn count_form(&self, request: &HttpRequest) -> Result<(), Failure> {
        let [address, network] = self.host.rates.of_form(request);
        self.limit(address).and(self.limit(network))
    }

    /// Counts a person who is new here for the network: in an hour, a network has as many of them as
    /// it has forms in the period of its limit.
    pub fn count_stranger(&self, request: &HttpRequest) -> Result<(), Failure> {
        self.limit(self.host.rates.of_stranger(request))
    }

    /// The network of the client.
    pub fn network(&self, request: &HttpRequest) -> Network {
        self.host.rates.client(request).into()
    }

    fn limit(&self, status: Option<RateLimitStatus>) -> Result<(), Failure> {
        let Some(status) = status else { return Ok(()) };
        self.rate_limit
            .set(Some(self.rate_limit.get().map_or(status, |other| other.tighter(status))));
        match status.retry_after {
            None => Ok(()),
            Some(seconds) => Err(Failure::Limited { retry_after: seconds }),
        }
    }

    /// The next piece of the body. `None` after the last one.
    pub(crate) async fn next_chunk(&self) -> Option<Result<Bytes, PayloadError>> {
        poll_fn(|context| {
            if self.chunked.as_ref().is_some_and(Line::has_too_long_chunks) {
                return Poll::Ready(Some(Err(PayloadError::Overflow)));
            }
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

    /// Returns whether the body has come to its end. Drops the part that has come.
    fn has_come(&self) -> bool {
        loop {
            match pin!(self.next_chunk()).poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(Some(Ok(_))) => {}
                next => return matches!(next, Poll::Ready(None)),
            }
        }
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
    let chunked = request.chunked().unwrap_or(false);
    let chunked = if chunked { request.conn_data::<Line>().cloned() } else { None };
    let context = Rc::new(RequestContext::new(host, request.take_payload(), chunked));
    let _in_flight = InFlight::begin(context.clone());
    request.extensions_mut().insert(context.clone());

    let served = AssertUnwindSafe(async { next.call(request).await }).catch_unwind().await;

    let finish = |response: &mut HttpResponse| {
        let took = context.host.clock.elapsed().saturating_sub(began);
        let path = context.shown_path.get().unwrap_or(uri.path());
        context.host.meters.answered(path, response.status().as_u16(), took);
        log::write(id, path, response, took, context.organization.get());
        name(response, id);
        if let Some(status) = context.rate_limit.get() {
            status.write(response.headers_mut());
        }
    };
    let failure = match served {
        Ok(Ok(mut response)) => {
            finish(response.response_mut());
            if response.status() == StatusCode::TOO_MANY_REQUESTS {
                context.skip_body().await;
            }
            return Ok(if context.is_unread() {
                keep_request(response, context)
            } else {
                response
            });
        }
        Ok(Err(error)) => error,
        Err(_) => Failure::Panicked.into(),
    };
    // The middleware has no request left to make a response of. An error is written as a response,
    // too.
    let mut response = HttpResponse::from_error(failure);
    finish(&mut response);
    Err(InternalError::from_response("a request failed", response).into())
}

/// The count of a request that is being answered. Its drop takes the request off.
struct InFlight(Rc<RequestContext>);

impl InFlight {
    fn begin(context: Rc<RequestContext>) -> Self {
        context.host.meters.began();
        Self(context)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.host.meters.ended();
    }
}

fn keep_request(response: ServiceResponse, context: Rc<RequestContext>) -> ServiceResponse {
    let line = response.request().conn_data::<Line>().cloned();
    response.map_body(|_, body| BoxBody::new(EarlyResponse { body, context, line }))
}

/// The body of a response to a request whose body was not read to its end. It keeps the rest of the
/// request's body.
///
/// When a response has been written, actix closes the connection if something still has the
/// request's body. Otherwise it waits for the end of a chunked body, even if the client never sends
/// it.
struct EarlyResponse {
    body: BoxBody,
    context: Rc<RequestContext>,
    line: Option<Line>,
}

/// actix drops the body once all of it is written, and has decided by then what becomes of the
/// connection. It keeps the connection if the request's body has come to its end.
impl Drop for EarlyResponse {
    fn drop(&mut self) {
        if let Some(line) = &self.line
            && !self.context.has_come()
        {
            line.end_answers();
        }
    }
}

impl MessageBody for EarlyResponse {
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
