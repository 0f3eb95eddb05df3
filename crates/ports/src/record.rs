//! The records that cross between `app` and a store.

pub use hearback_domain::record::{Batch, Key, Kind, Known, OfKind, Record, Reference, Step};
