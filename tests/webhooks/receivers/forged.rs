//! Deliveries that Hearback has not sent.

use crate::support::{Request, service_signature, standard_signature};

/// The request with signatures by this secret.
pub(super) fn signed(request: Request, secret: &str) -> Request {
    let (service, standard) =
        (service_signature(secret, &request), standard_signature(secret, &request));
    let request = with_header(request, "x-service-signature", &service);
    with_header(request, "webhook-signature", &standard)
}

/// The request with another value of a header.
pub(super) fn with_header(mut request: Request, name: &str, value: &str) -> Request {
    for header in &mut request.headers {
        if header.0 == name {
            value.clone_into(&mut header.1);
        }
    }
    assert_eq!(request.header(name), value);
    request
}

/// The request without a header.
pub(super) fn without_header(mut request: Request, name: &str) -> Request {
    request.headers.retain(|header| header.0 != name);
    request
}

/// The request with another text in its body.
pub(super) fn with_text(mut request: Request, text: &str, other: &str) -> Request {
    assert!(request.text().contains(text), "{}", request.text());
    request.body = request.text().replace(text, other).into_bytes();
    request
}
