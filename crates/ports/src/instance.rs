//! Facts about the installation as a whole.

use crate::StoreError;
use async_trait::async_trait;

/// Keeps a few named values that belong to no organization, such as the master key's check value.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait InstanceRepository: Send + Sync {
    /// The value of a name.
    async fn find(&self, name: &'static str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Keeps `value` under `name` unless there is one; answers what is kept now. The first of several at once wins.
    async fn keep_first(&self, name: &'static str, value: Vec<u8>) -> Result<Vec<u8>, StoreError>;
}
