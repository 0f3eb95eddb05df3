//! Writing whole organizations, at bulk speed.

use crate::{Batch, StoreError, Unique};
use async_trait::async_trait;
use hearback_domain::Uuid;
use hearback_domain::id::{HelpArticleId, OrganizationId, PostId};

/// Begins imports.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Importer: Send + Sync {
    /// Begins the one transaction that an import is.
    async fn begin(&self) -> Result<Box<dyn Import>, StoreError>;
}

/// An import under way. Dropped without [`Import::finish`], it leaves nothing behind.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Import: Send {
    /// Appends records of one kind; a batch of organizations ignores `organization`. A post is written as not merged and an
    /// article without related ones, whatever their values say: [`Import::link`] brings both. No event is recorded.
    ///
    /// A batch that breaks a rule is taken back and written again one by one, to name the first record that breaks it.
    async fn put(&mut self, organization: OrganizationId, batch: Batch) -> Result<(), ImportError>;

    /// Writes what may name later records, when all records of the organization are there, and brings the places at the end
    /// of its lists up to date. The index of a [`Fault`] counts the merged posts first, then the articles.
    async fn link(&mut self, organization: OrganizationId, links: Links)
    -> Result<(), ImportError>;

    /// Ends the transaction.
    async fn finish(self: Box<Self>, ending: Ending) -> Result<(), StoreError>;
}

/// How an import ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything is kept.
    Commit,
    /// Everything is taken back: a dry run.
    Discard,
}

/// References to records that may come later in a file.
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
    /// The post that it was directly merged into.
    pub into: PostId,
    /// The post that it was finally merged into.
    pub finally: PostId,
}

/// An import went wrong; only taking it back is left.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A record breaks a rule.
    #[error("record {index} of the batch breaks a rule")]
    Fault {
        /// Its index in the batch or the links.
        index: usize,
        /// The rule.
        fault: Fault,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The rule that a record breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Another record has the same unique value.
    Taken(Unique),
    /// A record that it names is not there.
    Unknown {
        /// The member that names it.
        member: &'static str,
        /// The identifier that it names.
        id: Uuid,
    },
    /// Everything that it names is there, but not together: a parent comment on another post.
    Mismatch {
        /// The member that names it.
        member: &'static str,
    },
}
