//! One line a request.
//!
//! Bodies, keys, tokens and query strings are in no line. A path is, but only as it is routed: of an unknown one,
//! whatever could be a key is masked.

use crate::failure::Failure;
use actix_web::HttpResponse;
use hearback_app::key_ring::PREFIX;
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;
use std::borrow::Cow;
use std::error::Error;
use std::time::Duration;

/// Writes the line, and before it why the answer was no `200`.
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
            // Not one of ours, so nobody knows what its text holds.
            None => {
                tracing::error!(%id, status = %error.as_response_error().status_code(), "a request was not handled")
            }
        }
    }
    // As texts: what only has a `Display` is formatted into one of its own first.
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

/// An error and what caused it, down to the root.
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

/// A text that a client sent, as it may be shown: `***` where it could hold a key.
///
/// The prefix alone decides. It is also that of a key cut short or with a letter too many, which nobody else should read either.
pub fn mask(text: &str) -> &str {
    if text.contains(PREFIX) { "***" } else { text }
}

/// An unknown path as it may be logged: cut, and without what could be a key, percent-encoded ones included.
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

/// Longer than each segment of our own paths, shorter than a key without its prefix.
const MAX_SEGMENT: usize = 32;
const MAX_SEGMENTS: usize = 8;
