//! Writes whole organizations at bulk speed.

use crate::{Batch, StoreError, Unique};
use async_trait::async_trait;
use hearback_domain::Uuid;
use hearback_domain::id::{HelpArticleId, OrganizationId, PostId};

/// Begins imports.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Importer: Send + Sync {
    /// Begins an import, which is one transaction.
    async fn begin(&self) -> Result<Box<dyn Import>, StoreError>;
}

/// An import in progress. Dropped without [`Import::finish`], it changes nothing.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Import: Send {
    /// Removes the boards and statuses of an organization, and the ends of its lists, so that those
    /// of a file take their places. Returns `false`, and removes nothing, if other records refer to
    /// them.
    async fn make_way(&mut self, organization: OrganizationId) -> Result<bool, StoreError>;

    /// Appends records of one kind. A batch of organizations ignores `organization`. Every post is
    /// written as not merged, and every article without related articles: [`Import::link`] writes
    /// both. No event is recorded.
    ///
    /// If records of the batch break a rule, the error names the first of them.
    async fn put(&mut self, organization: OrganizationId, batch: Batch) -> Result<(), PutError>;

    /// Writes the references that may point to later records, once all records of the organization
    /// are written. The index of a [`PutFault`] counts the merged posts first, then the articles.
    async fn link(&mut self, organization: OrganizationId, links: Links) -> Result<(), PutError>;

    /// Ends the transaction.
    async fn finish(self: Box<Self>, ending: Ending) -> Result<(), StoreError>;
}

/// The end of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The import is committed.
    Commit,
    /// The import is rolled back: a dry run.
    Discard,
}

/// References that may point to later records of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// The merged posts.
    pub merged_posts: Vec<MergedPost>,
    /// The related articles of each article that has any, in the order given, without duplicates.
    pub related_articles: Vec<(HelpArticleId, Vec<HelpArticleId>)>,
}

/// A merged post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergedPost {
    /// The post.
    pub id: PostId,
    /// The post that it was merged into directly.
    pub into: PostId,
    /// The post at the end of the chain of merges.
    pub finally: PostId,
}

/// An import failed. It can only be rolled back.
#[derive(Debug, thiserror::Error)]
pub enum PutError {
    /// A record breaks a rule.
    #[error("record {index} of the batch breaks a rule")]
    Fault {
        /// The index of the record in the batch or the links.
        index: usize,
        /// The rule.
        fault: PutFault,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The rule that a record breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutFault {
    /// Another record has the same unique value.
    Taken(Unique),
    /// A referenced record is missing.
    Unknown {
        /// The member with the reference.
        member: &'static str,
        /// The identifier in the reference.
        id: Uuid,
    },
    /// The referenced records exist, but do not belong together: a parent comment on another post.
    Mismatch {
        /// The member with the reference.
        member: &'static str,
    },
}
