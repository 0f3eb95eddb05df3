//! Leases: a record under a lease belongs to one process.

use hearback_domain::{Time, Uuid};

/// The right of one process to a record, until a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The identifier of the holder. No other holder has it.
    pub holder: Uuid,
    /// When the lease runs out.
    pub until: Time,
}
