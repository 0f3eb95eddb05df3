//! New identifiers as a port, so that tests can foresee them.

use hearback_domain::Uuid;

/// Makes identifiers.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Ids: Send + Sync {
    /// A new UUID of version 7. It sorts behind all earlier ones.
    fn fresh(&self) -> Uuid;
}
