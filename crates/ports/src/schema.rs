//! The schema of a store: how old it is, and bringing it up to date.

use crate::StoreError;
use async_trait::async_trait;

/// How a store's schema compares to the one that this binary was built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaState {
    /// The same.
    Current,
    /// Migrations are pending (on an empty store: all of them).
    Old,
    /// The store has migrations that this binary does not know: a newer release made them.
    Newer,
}

/// Brings a store's schema up to date.
#[async_trait]
pub trait Schema: Send + Sync {
    /// Compares; changes nothing.
    async fn state(&self) -> Result<SchemaState, StoreError>;

    /// Applies what is pending. Safe when several processes do it at once.
    async fn migrate(&self) -> Result<(), StoreError>;
}
