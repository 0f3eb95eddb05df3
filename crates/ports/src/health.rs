//! Whether the store can be reached.

use crate::StoreError;
use async_trait::async_trait;

/// Answers the readiness probe.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Health: Send + Sync {
    /// `Ok` when the store answers a query now.
    async fn ping(&self) -> Result<(), StoreError>;
}
