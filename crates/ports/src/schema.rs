//! The schema of a store: its version and its migration.

use crate::StoreError;
use async_trait::async_trait;

/// The version of a store's schema, compared to the one that this binary has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaState {
    /// The same version.
    Current,
    /// Migrations are pending; on an empty store, all of them.
    Old,
    /// The store has migrations of a newer release, which this binary does not know.
    Newer,
}

/// Migrates the schema of a store.
#[async_trait]
pub trait Schema: Send + Sync {
    /// Compares the versions. Changes nothing.
    async fn state(&self) -> Result<SchemaState, StoreError>;

    /// Applies the pending migrations. Several processes may call this at once.
    async fn migrate(&self) -> Result<(), StoreError>;
}
