//! The failures that any request may have, with their texts, and a frame for errors that a door
//! words itself.

use actix_web::error::PayloadError;
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use hearback_ports::StoreError;
use serde_json::json;
use std::error::Error;
use std::fmt;

/// The reason why a request is not answered with `200`.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The path is unknown.
    #[error("the path is unknown")]
    UnknownPath,
    /// The path does not take the method.
    #[error("the path takes {0} only")]
    Method(Methods),
    /// The client has used its rate limit up.
    #[error("too many requests")]
    Limited {
        /// The seconds until the next request is allowed.
        retry_after: u64,
    },
    /// The body is longer than the limit.
    #[error("the body is too long")]
    TooLarge,
    /// The body did not arrive in time.
    #[error("the body did not arrive in time")]
    Slow,
    /// The body broke off.
    #[error("reading the body")]
    Broken(#[source] PayloadError),
    /// The store does not answer the readiness probe.
    #[error("asking the store whether it is ready")]
    NotReady(#[source] StoreError),
    /// The background workers do not run.
    #[error("the background workers do not run")]
    WorkersDown,
    /// The long answers under way take all memory that such answers may take.
    #[error("long answers take all of their memory")]
    NoMemory,
    /// The answer could not be written.
    #[error("writing an answer as JSON")]
    Unwritable(#[from] serde_json::Error),
    /// The request reached a handler by another way than through [`crate::configure`].
    #[error("a handler was called outside of its application")]
    Misplaced,
    /// A handler panicked.
    #[error("a handler panicked")]
    Panicked,
    /// An error that a door words itself.
    #[error("{0}")]
    Door(Box<dyn DoorError>),
}

/// An error that a door words itself, as JSON.
pub trait DoorError: Error + 'static {
    /// The status of the answer. A `503` says that the client may try again in a second.
    fn status(&self) -> StatusCode;
    /// The body of the answer.
    fn body(&self) -> Vec<u8>;
}

/// The methods that a path takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Methods {
    /// The methods of an endpoint.
    Post,
    /// The methods of a page.
    Get,
    /// The methods of a form.
    GetPost,
}

impl ResponseError for Failure {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Door(error) => error.status(),
            other => other.words().0,
        }
    }

    fn error_response(&self) -> HttpResponse {
        let status = self.status_code();
        let mut response = HttpResponse::build(status);
        response.insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")));
        if let Self::Method(methods) = self {
            response.insert_header((ALLOW, HeaderValue::from_static(methods.header())));
        }
        if let Self::Limited { retry_after } = self {
            response.insert_header((RETRY_AFTER, HeaderValue::from(*retry_after)));
        }
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.insert_header((RETRY_AFTER, HeaderValue::from_static("1")));
        }
        response.body(self.body())
    }
}

impl Failure {
    /// The body of the answer.
    pub fn body(&self) -> Vec<u8> {
        match self {
            Self::Door(error) => error.body(),
            other => json!({"detail": {"error": other.words().1}}).to_string().into_bytes(),
        }
    }

    /// The error that logs show, with its sources.
    pub(crate) fn reason(&self) -> &dyn Error {
        match self {
            Self::Door(error) => &**error,
            other => other,
        }
    }

    fn words(&self) -> (StatusCode, &'static str) {
        match self {
            Self::UnknownPath => (StatusCode::NOT_FOUND, "not found"),
            Self::Method(_) => (StatusCode::METHOD_NOT_ALLOWED, "method not allowed"),
            Self::Limited { .. } => (StatusCode::TOO_MANY_REQUESTS, "rate limit exceeded"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "request body too large"),
            Self::Slow => (StatusCode::REQUEST_TIMEOUT, "request body not received in time"),
            Self::Broken(_) => (StatusCode::BAD_REQUEST, "request body incomplete"),
            Self::NotReady(_) | Self::WorkersDown | Self::NoMemory => {
                (StatusCode::SERVICE_UNAVAILABLE, "temporarily unavailable")
            }
            Self::Unwritable(_) | Self::Misplaced | Self::Panicked | Self::Door(_) => {
                (StatusCode::INTERNAL_SERVER_ERROR, "internal error")
            }
        }
    }
}

impl Methods {
    fn header(self) -> &'static str {
        match self {
            Self::Post => "POST",
            Self::Get => "GET, HEAD",
            Self::GetPost => "GET, HEAD, POST",
        }
    }
}

impl fmt::Display for Methods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.header())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::body::MessageBody;

    /// Status, `Allow`, `Retry-After` and body.
    fn written(failure: &Failure) -> (u16, Option<String>, Option<String>, String) {
        let response = failure.error_response();
        assert_eq!(response.status(), failure.status_code());
        assert_eq!(response.headers().get(CONTENT_TYPE).unwrap(), "application/json");
        let header =
            |name| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        let (allow, retry_after) = (header(ALLOW), header(RETRY_AFTER));
        let status = response.status().as_u16();
        let body = response.into_body().try_into_bytes().ok().unwrap();
        (status, allow, retry_after, String::from_utf8(body.to_vec()).unwrap())
    }

    #[derive(Debug, thiserror::Error)]
    #[error("worded elsewhere")]
    struct Worded(StatusCode);

    impl DoorError for Worded {
        fn status(&self) -> StatusCode {
            self.0
        }

        fn body(&self) -> Vec<u8> {
            b"[]".to_vec()
        }
    }

    #[test]
    fn each_failure_has_its_status_its_words_and_its_headers() {
        let gone = || StoreError::Backend { doing: "reading", source: "secret".into() };
        let unwritable = serde_json::from_str::<()>("secret").unwrap_err();
        let one = Some("1");
        let expected = [
            (Failure::UnknownPath, 404, None, None, "not found"),
            (Failure::Method(Methods::Post), 405, Some("POST"), None, "method not allowed"),
            (Failure::Method(Methods::Get), 405, Some("GET, HEAD"), None, "method not allowed"),
            (
                Failure::Method(Methods::GetPost),
                405,
                Some("GET, HEAD, POST"),
                None,
                "method not allowed",
            ),
            (Failure::Limited { retry_after: 7 }, 429, None, Some("7"), "rate limit exceeded"),
            (Failure::TooLarge, 413, None, None, "request body too large"),
            (Failure::Slow, 408, None, None, "request body not received in time"),
            (Failure::Broken(PayloadError::Overflow), 400, None, None, "request body incomplete"),
            (Failure::NotReady(gone()), 503, None, one, "temporarily unavailable"),
            (Failure::WorkersDown, 503, None, one, "temporarily unavailable"),
            (Failure::NoMemory, 503, None, one, "temporarily unavailable"),
            (Failure::Unwritable(unwritable), 500, None, None, "internal error"),
            (Failure::Misplaced, 500, None, None, "internal error"),
            (Failure::Panicked, 500, None, None, "internal error"),
        ];
        for (failure, status, allow, retry_after, message) in expected {
            let body = format!(r#"{{"detail":{{"error":"{message}"}}}}"#);
            let (allow, retry_after) = (allow.map(str::to_owned), retry_after.map(str::to_owned));
            assert_eq!(written(&failure), (status, allow, retry_after, body));
        }
    }

    #[test]
    fn a_door_has_words_of_its_own() {
        let of = |status| written(&Failure::Door(Box::new(Worded(status))));
        assert_eq!(of(StatusCode::CONFLICT), (409, None, None, "[]".to_owned()));
        let busy = (503, None, Some("1".to_owned()), "[]".to_owned());
        assert_eq!(of(StatusCode::SERVICE_UNAVAILABLE), busy);
        let failure = Failure::Door(Box::new(Worded(StatusCode::CONFLICT)));
        assert_eq!(failure.reason().to_string(), "worded elsewhere");
    }
}
