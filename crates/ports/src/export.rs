//! Reading a whole organization as of one moment.

use crate::{Batch, Kind, StoreError};
use async_trait::async_trait;
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;

/// Begins exports.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Exporter: Send + Sync {
    /// A snapshot: everything read through it is of the moment at which it was made, whatever is written meanwhile.
    async fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError>;
}

/// The key behind which the next records of a kind begin: depth (0 for all kinds but comments), then identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExportKey {
    /// How many comments are above a comment; parents come before their replies.
    pub depth: i32,
    /// The identifier.
    pub id: Uuid,
}

/// Records of one kind, with where the next ones begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportPage {
    /// The records.
    pub batch: Batch,
    /// Where the next page begins; `None` behind the last one.
    pub next: Option<ExportKey>,
}

/// A snapshot of the store.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Snapshot: Send {
    /// The organization of a slug, without regard to ASCII case.
    async fn organization(
        &mut self,
        slug: &str,
    ) -> Result<Option<hearback_domain::organization::Organization>, StoreError>;

    /// The next records of a kind, inactive ones too, by depth and id; of [`Kind::ApiKey`] only the active one.
    async fn page(
        &mut self,
        organization: OrganizationId,
        kind: Kind,
        after: Option<ExportKey>,
        limit: i64,
    ) -> Result<ExportPage, StoreError>;
}
