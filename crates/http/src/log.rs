//! The line of each request in the log.
//!
//! No line has a body, a key, a token or a query string. It has the path as it is routed. In an
//! unknown path, texts that could be keys are masked.

use crate::failure::Failure;
use actix_web::{HttpResponse, ResponseError};
use hearback_app::key_ring::PREFIX;
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;
use std::borrow::Cow;
use std::error::Error;
use std::time::Duration;

/// Writes the line of a request, and before it the error of a request without a `200`.
pub(crate) fn write(
    id: Uuid,
    path: &str,
    response: &HttpResponse,
    took: Duration,
    organization: Option<OrganizationId>,
) {
    let failure = response.error().and_then(|error| error.as_error::<Failure>());
    let path = if matches!(failure, Some(Failure::UnknownPath)) {
        Cow::Owned(masked(path))
    } else {
        Cow::Borrowed(path)
    };
    let status = response.status();
    if let Some(error) = response.error() {
        match failure {
            Some(failure) if status.is_server_error() => {
                tracing::error!(%id, error = chain(failure.reason()), "a request failed")
            }
            Some(failure) => {
                tracing::debug!(%id, reason = chain(failure.reason()), "a request was refused")
            }
            // An error of another crate may quote anything.
            None => {
                tracing::error!(%id, status = %error.as_response_error().status_code(), "a request was not handled")
            }
        }
    }
    // Strings, since a value that only has `Display` is formatted into a string of its own first.
    let (mut id_text, mut organization_text) = (Uuid::encode_buffer(), Uuid::encode_buffer());
    tracing::info!(
        id = &*id.hyphenated().encode_lower(&mut id_text),
        path = &*path,
        status = status.as_u16(),
        duration_ms = took.as_micros() as f64 / 1000.0,
        organization = organization
            .map(|organization| &*organization.0.hyphenated().encode_lower(&mut organization_text)),
        "request"
    );
}

/// Logs a failure of a call within the process, if the server is at fault.
pub fn log_fault(failure: &Failure) {
    if failure.status_code().is_server_error() {
        tracing::error!(error = chain(failure.reason()), "a call failed");
    }
}

/// An error and its causes, down to the root.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}

/// A client's text for the log: `***` if it could hold a key.
///
/// The prefix decides alone, since a key that is cut short or has a letter too many is a secret,
/// too.
pub fn mask(text: &str) -> &str {
    if text.contains(PREFIX) { "***" } else { text }
}

/// An unknown path for the log: cut, and with possible keys masked, percent-encoded ones included.
fn masked(path: &str) -> String {
    let mut shown = String::new();
    for (index, segment) in path.split('/').enumerate() {
        if index == MAX_SEGMENTS {
            shown.push_str("/…");
            break;
        }
        if index > 0 {
            shown.push('/');
        }
        shown.push_str(if segment.len() > MAX_SEGMENT { "***" } else { mask(segment) });
    }
    shown
}

/// Longer than each segment of a known path, shorter than a key without its prefix.
const MAX_SEGMENT: usize = 32;
const MAX_SEGMENTS: usize = 8;
