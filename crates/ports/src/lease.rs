//! What is handed out to one process at a time.

use hearback_domain::{Time, Uuid};

/// Who has something, and until when nobody else does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The holder, by an identifier that no other holder has.
    pub holder: Uuid,
    /// When the lease runs out.
    pub until: Time,
}
