//! The signatures of a delivery, computed independently.

use super::Request;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::hmac::{self, HMAC_SHA256, Key};

/// The contract's signature.
pub(crate) fn service_signature(secret: &str, request: &Request) -> String {
    let tag = hmac::sign(&Key::new(HMAC_SHA256, secret.as_bytes()), &request.body);
    format!("sha256={}", hex::encode(tag))
}

/// The signature of the Standard Webhooks specification.
pub(crate) fn standard_signature(secret: &str, request: &Request) -> String {
    let key = STANDARD
        .decode(secret.strip_prefix("whsec_").expect("the form of a secret"))
        .expect("Base64");
    let signed = format!(
        "{}.{}.{}",
        request.header("webhook-id"),
        request.header("webhook-timestamp"),
        request.text()
    );
    let tag = hmac::sign(&Key::new(HMAC_SHA256, &key), signed.as_bytes());
    format!("v1,{}", STANDARD.encode(tag))
}
