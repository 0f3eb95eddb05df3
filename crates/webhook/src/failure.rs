//! The kinds of failures, from the errors of the HTTP client.

use crate::resolver::NoAddress;
use hearback_domain::delivery::DeliveryFailure;
use hyper_util::client::legacy;
use std::error::Error;
use std::{io, iter};
use tokio::time::error::Elapsed;

/// The kind of a failure before the status. The error itself is dropped, since it quotes the host.
pub(crate) fn of(error: &legacy::Error) -> DeliveryFailure {
    if let Some(failure) = known(error) {
        return failure;
    }
    // hyper-rustls reports a connection that is closed during the TLS handshake as an `io::Error`.
    // A failed connection is an error of hyper-util with the `io::Error` as its source.
    match error.source() {
        Some(cause) if error.is_connect() && cause.is::<io::Error>() => DeliveryFailure::Tls,
        _ if error.is_connect() => DeliveryFailure::Connect,
        _ => DeliveryFailure::Broken,
    }
}

/// The kind of a failure within a body.
pub(crate) fn of_body(error: &hyper::Error) -> DeliveryFailure {
    known(error).unwrap_or(DeliveryFailure::Broken)
}

/// The kind of the outermost cause that has one.
fn known(error: &(dyn Error + 'static)) -> Option<DeliveryFailure> {
    causes(error).find_map(|cause| {
        if let Some(NoAddress(failure)) = cause.downcast_ref() {
            return Some(*failure);
        }
        if cause.is::<Elapsed>() {
            return Some(DeliveryFailure::Timeout);
        }
        if cause.is::<rustls::Error>() {
            return Some(DeliveryFailure::Tls);
        }
        if cause.downcast_ref().is_some_and(hyper::Error::is_parse) {
            return Some(DeliveryFailure::Protocol);
        }
        match cause.downcast_ref().map(io::Error::kind)? {
            io::ErrorKind::TimedOut => Some(DeliveryFailure::Timeout),
            // The errors of hyper about malformed chunks. rustls has its errors inside of such ones.
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
                if !causes(cause).any(|cause| cause.is::<rustls::Error>()) =>
            {
                Some(DeliveryFailure::Protocol)
            }
            _ => None,
        }
    })
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
