//! What goes round every request: its identifier, its line in the log, its place in the metrics, how the client stands with the
//! rate limits, the `500` of a handler that panicked, and the end of a connection whose client does not end its request.

use crate::Shared;
use crate::error::Failure;
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

/// One request, as the extractor and the log share it.
pub(crate) struct Exchange {
    /// What every request needs.
    pub(crate) api: Shared,
    /// Whose key (or unsubscribe link) the request has, once that is known.
    pub(crate) organization: Cell<Option<OrganizationId>>,
    /// What stands in the log in place of a path that holds a secret.
    pub(crate) shown_path: Cell<Option<&'static str>>,
    /// How the client stands with the limits that it was counted for.
    pub(crate) standing: Cell<Option<Standing>>,
    /// The body; gone when it was read to its end.
    payload: RefCell<Option<Payload>>,
}

impl Exchange {
    fn new(api: Shared, payload: Payload) -> Self {
        let payload = if matches!(payload, Payload::None) { None } else { Some(payload) };
        Self {
            api,
            organization: Cell::new(None),
            shown_path: Cell::new(None),
            standing: Cell::new(None),
            payload: RefCell::new(payload),
        }
    }

    /// The exchange that a request is part of.
    pub(crate) fn of(request: &HttpRequest) -> Result<Rc<Self>, Failure> {
        request.extensions().get::<Rc<Self>>().cloned().ok_or(Failure::Misplaced)
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
    api: Shared,
    mut request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, actix_web::Error> {
    let began = api.ports.clock.elapsed();
    let id = api.ports.ids.fresh();
    let uri = request.uri().clone();
    let exchange = Rc::new(Exchange::new(api, request.take_payload()));
    let _in_flight = InFlight::begin(exchange.clone());
    request.extensions_mut().insert(exchange.clone());

    let served = AssertUnwindSafe(async { next.call(request).await }).catch_unwind().await;

    let finish = |response: &mut HttpResponse| {
        let took = exchange.api.ports.clock.elapsed().saturating_sub(began);
        let path = exchange.shown_path.get().unwrap_or(uri.path());
        exchange.api.meters.answered(path, response.status().as_u16(), took);
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
        exchange.api.meters.began();
        Self(exchange)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.api.meters.ended();
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

#[cfg(test)]
mod tests {
    use crate::testing::{api, mocks};
    use actix_web::{App, HttpServer};
    use std::net::TcpListener;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    /// Sends `request` to a real server, keeps the connection open, and returns all that came until the server closed it.
    async fn until_closed(request: &str) -> String {
        let api = api(mocks());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = HttpServer::new(move || App::new().configure(crate::configure(api.clone())))
            .workers(1)
            .disable_signals()
            .client_disconnect_timeout(Duration::from_millis(50))
            .listen(listener)
            .unwrap()
            .run();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        let mut connection = TcpStream::connect(address).await.unwrap();
        connection.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        let closed =
            tokio::time::timeout(Duration::from_secs(10), connection.read_to_string(&mut answer))
                .await;
        handle.stop(false).await;
        closed.expect("the server should close the connection").unwrap();
        answer
    }

    #[actix_web::test]
    async fn a_client_that_never_ends_its_body_does_not_keep_the_connection_after_the_answer() {
        let head = "host: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n";
        let answer = until_closed(&format!("POST /nowhere HTTP/1.1\r\n{head}")).await;
        assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
        assert!(answer.ends_with(r#"{"detail":{"error":"not found"}}"#), "{answer}");
        let answer = until_closed(&format!("POST /healthz HTTP/1.1\r\n{head}")).await;
        assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");
    }

    #[actix_web::test]
    async fn a_body_that_is_too_long_is_refused_before_it_is_sent() {
        let request = "POST /api/external/v1/tags/list HTTP/1.1\r\nhost: x\r\ncontent-length: 40000000\r\n\r\n";
        let answer = until_closed(request).await;
        assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
        assert!(answer.to_lowercase().contains("connection: close"), "{answer}");
    }
}
