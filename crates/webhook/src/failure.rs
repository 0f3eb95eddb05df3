//! What kind of failure an error of the HTTP client is.

use crate::resolver::NoAddress;
use hearback_domain::delivery::DeliveryFailure;
use std::error::Error;
use std::{io, iter};

/// The kind of failure. The error itself is kept nowhere: it quotes the URL.
pub(crate) fn of(error: &reqwest::Error) -> DeliveryFailure {
    // A URL that this client cannot make a request of.
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
            // What hyper says of chunks that are none.
            (_, Some(error)) => {
                matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput)
            }
            _ => false,
        };
    is_of_protocol.then_some(DeliveryFailure::Protocol)
}

/// Whether the other side went away while TLS was negotiated. Of a failed handshake hyper-rustls makes an `io::Error`; a failed
/// connection is an error of hyper-util's own, with the `io::Error` behind it.
fn is_of_handshake(error: &reqwest::Error) -> bool {
    let cause = error.source().and_then(Error::source);
    error.is_connect() && cause.is_some_and(|cause| cause.is::<io::Error>())
}

/// The error and its causes. What an `io::Error` was made of is one of them, though it is not its source.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |&error| {
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner as _),
            None => error.source(),
        }
    })
}
