//! The failures of stores, and the results of changes.

use hearback_domain::record::Key;
use std::error::Error;

/// The source of a store's failure.
pub type Source = Box<dyn Error + Send + Sync>;

/// A failure of a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store is overloaded: its queue or pool was full until the time limit. Nothing was done.
    /// A retry is safe.
    #[error("the store is busy")]
    Busy,
    /// The database cannot be reached, or the connection was lost before anything was done. A retry
    /// is safe.
    #[error("the store cannot be reached: {doing}")]
    Unreachable {
        /// The operation.
        doing: &'static str,
        /// The cause.
        source: Source,
    },
    /// The disk of the database is full. Nothing was done. A retry is safe, and succeeds once there
    /// is room.
    #[error("the disk of the store is full: {doing}")]
    Full {
        /// The operation.
        doing: &'static str,
        /// The error of the database.
        source: Source,
    },
    /// The connection was lost or a time limit ran out during a write. The outcome is unknown, so
    /// that the write is never retried.
    #[error("the outcome is unknown: {doing}")]
    Lost {
        /// The operation.
        doing: &'static str,
        /// The error of the database.
        source: Source,
    },
    /// The database failed or refused the operation. Nothing was done.
    #[error("the store failed: {doing}")]
    Backend {
        /// The operation.
        doing: &'static str,
        /// The error of the database.
        source: Source,
    },
}

/// The result of recording a change. Only [`Recorded::Done`] changes the store.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// The change, its events and its receipt are committed.
    Done,
    /// The loaded values have changed since: load and decide again.
    Stale,
    /// The change breaks a unique rule.
    Taken(Unique),
    /// A record that the change needs is missing or not active.
    Missing(Key),
    /// Active records refer to a record that must be unused.
    InUse(Key),
}

/// The unique rules. An adapter maps its indexes to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unique {
    /// The identifier of a record.
    Id,
    /// The slug of a record.
    Slug,
    /// The host name of a portal.
    Host,
    /// The code of a status, category, tag or label.
    Code,
    /// The name of a tag.
    Name,
    /// The identifier that another tool gave a record.
    ExternalId,
    /// The email address of a user.
    Email,
    /// A person's link to an organization.
    UserId,
    /// One vote for each voter and post.
    Vote,
    /// One pinned comment for each post.
    PinnedComment,
    /// One link for each roadmap post and feedback post.
    Link,
    /// One subscription for each user and post.
    Subscription,
    /// The path that a redirect begins at.
    Path,
    /// The number of a version of an article.
    Version,
    /// One default status for each organization.
    DefaultStatus,
    /// One active API key for each organization.
    ActiveKey,
    /// The digest of an API key.
    KeyDigest,
    /// One receipt for each organization, path and idempotency key.
    Receipt,
}
