//! Reads a whole organization as of one moment.

use crate::{Batch, Kind, StoreError};
use async_trait::async_trait;
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;

/// Begins exports.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Exporter: Send + Sync {
    /// Takes a snapshot. All reads through it are of the moment of this call. Later writes do not
    /// show.
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError>;
}

/// The key behind which the next page of a kind begins: depth (0 for all kinds but comments), then
/// identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExportKey {
    /// The number of comments above a comment. Parents come before their replies.
    pub depth: i32,
    /// The identifier.
    pub id: Uuid,
}

/// A page of records of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportPage {
    /// The records.
    pub batch: Batch,
    /// The key behind which the next page begins. `None` on the last page.
    pub next: Option<ExportKey>,
}

/// A snapshot of the store.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Snapshot: Send {
    /// The organization with a slug. ASCII case does not count.
    async fn organization(
        &mut self,
        slug: &str,
    ) -> Result<Option<hearback_domain::organization::Organization>, StoreError>;

    /// Up to `limit` records of a kind, active or not, by depth and id. Of [`Kind::ApiKey`], only
    /// the active one.
    async fn page(
        &mut self,
        organization: OrganizationId,
        kind: Kind,
        after: Option<ExportKey>,
        limit: i64,
    ) -> Result<ExportPage, StoreError>;
}
