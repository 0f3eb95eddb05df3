//! The servers, the receiver and the signatures of other tests.

/// The support of the API's tests: stores, servers, drafts of organizations.
#[path = "../api/support/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the tests of the API need more of it")]
mod api;
/// The receiver of the tests of webhooks.
#[path = "../webhooks/support/receiver.rs"]
#[expect(dead_code, reason = "the tests of webhooks need more of it")]
mod receiver;
/// The signatures of the tests of webhooks.
#[path = "../webhooks/support/signature.rs"]
mod signature;

pub(crate) use api::forward::{forward, listen};
pub(crate) use api::openapi::check;
pub(crate) use api::{Draft, Installation, Organization, Server, Store};
pub(crate) use receiver::{Receiver, Step, answer};
pub(crate) use signature::{service_signature, standard_signature};

use api::{eventually, now};
use hearback_domain::Uuid;
use receiver::Request;

/// Parses an identifier.
pub(crate) fn uuid(text: &str) -> Uuid {
    Uuid::parse_str(text).expect("an identifier")
}
