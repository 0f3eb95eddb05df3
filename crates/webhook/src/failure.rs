//! The kinds of failures, from the errors of the HTTP client.

use crate::resolver::NoAddress;
use hearback_domain::delivery::DeliveryFailure;
use std::error::Error;
use std::{io, iter};

/// The kind of a failure. The error itself is dropped, since it quotes the URL.
pub(crate) fn of(error: &reqwest::Error) -> DeliveryFailure {
    // The client cannot make a request of the URL.
    if error.is_builder() {
        return DeliveryFailure::Address;
    }
    if error.is_timeout() {
        return DeliveryFailure::Timeout;
    }
    if causes(error).any(|cause| cause.is::<rustls::Error>()) || is_of_handshake(error) {
        return DeliveryFailure::Tls;
    }
    if let Some(failure) = causes(error).find_map(by_type) {
        return failure;
    }
    if error.is_connect() { DeliveryFailure::Connect } else { DeliveryFailure::Broken }
}

fn by_type(cause: &(dyn Error + 'static)) -> Option<DeliveryFailure> {
    if let Some(NoAddress(failure)) = cause.downcast_ref() {
        return Some(*failure);
    }
    let is_of_protocol =
        match (cause.downcast_ref::<hyper::Error>(), cause.downcast_ref::<io::Error>()) {
            (Some(error), _) => error.is_parse(),
            // The errors of hyper about malformed chunks.
            (_, Some(error)) => {
                matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput)
            }
            _ => false,
        };
    is_of_protocol.then_some(DeliveryFailure::Protocol)
}

/// Whether the receiver closed the connection during the TLS handshake. hyper-rustls reports that
/// as an `io::Error`. A failed connection is an error of hyper-util with the `io::Error` as its
/// source.
fn is_of_handshake(error: &reqwest::Error) -> bool {
    let cause = error.source().and_then(Error::source);
    error.is_connect() && cause.is_some_and(|cause| cause.is::<io::Error>())
}

/// The error and its causes. The error inside of an `io::Error` counts, though it is not its
/// source.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |&error| {
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner as _),
            None => error.source(),
        }
    })
}
