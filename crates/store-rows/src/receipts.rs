//! Receipts of writes.

use hearback_domain::id::OrganizationId;
use hearback_ports::receipts::StoredReceipt;
use hearback_ports::{StoreError, WriteResult};

/// A stored receipt cannot be read. The error omits the idempotency key, which is the client's.
#[derive(Debug, thiserror::Error)]
#[error(
    "a row of receipts of organization {organization} and path {path} has an impossible body_digest or answer"
)]
struct BadReceipt {
    organization: OrganizationId,
    path: &'static str,
}

/// The operation that looks for a receipt, as its errors name it.
pub const FINDING: &str = "finding a receipt";

/// Reads a receipt from its columns: the digest of the body, and the answer.
pub fn stored(
    organization: OrganizationId,
    path: &'static str,
    (body, answer): (Vec<u8>, String),
) -> Result<StoredReceipt, StoreError> {
    let kept = body.try_into().ok().zip(WriteResult::decode(&answer));
    kept.map(|(body, answer)| StoredReceipt { body, answer }).ok_or_else(|| StoreError::Backend {
        doing: FINDING,
        source: Box::new(BadReceipt { organization, path }),
    })
}
