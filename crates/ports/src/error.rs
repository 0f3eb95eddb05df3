//! How a store answers when it did not do what was asked.

use hearback_domain::record::Key;
use std::error::Error;

/// The source of a store's failure.
pub type Source = Box<dyn Error + Send + Sync>;

/// A store could not answer.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store is overloaded and surely did nothing: its queue or pool was full until the wait ran out. May be tried again.
    #[error("the store is busy")]
    Busy,
    /// The database cannot be reached, or went away before anything was done. May be tried again.
    #[error("the store cannot be reached: {doing}")]
    Unreachable {
        /// What was to be done.
        doing: &'static str,
        /// What stood in the way.
        source: Source,
    },
    /// The connection was lost or a time limit ran out during a write: whether it was done is unknown. Never tried again by us.
    #[error("the outcome is unknown: {doing}")]
    Lost {
        /// What was being done.
        doing: &'static str,
        /// What the database said.
        source: Source,
    },
    /// The database refused or failed; nothing was done.
    #[error("the store failed: {doing}")]
    Backend {
        /// What was being done.
        doing: &'static str,
        /// What the database said.
        source: Source,
    },
}

/// What became of a change. Every answer but [`Recorded::Done`] left nothing behind.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// The change, its event and its receipt are committed.
    Done,
    /// What was loaded does not hold any more: load and decide again.
    Stale,
    /// A unique rule was in the way.
    Taken(Unique),
    /// A record that the change needs is not there, or not active.
    Missing(Key),
}

/// The unique rules, whatever an adapter calls their indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unique {
    /// The identifier of a record.
    Id,
    /// The slug of a record.
    Slug,
    /// The code of a status, category, tag or label.
    Code,
    /// The name of a tag.
    Name,
    /// The identifier that another tool gave a record.
    ExternalId,
    /// The address of a user.
    Email,
    /// A person's link to an organization.
    UserId,
    /// One vote a voter and post.
    Vote,
    /// One default status.
    DefaultStatus,
    /// One active API key an organization.
    ActiveKey,
    /// No two keys alike.
    KeyDigest,
    /// One receipt an organization, path and idempotency key.
    Receipt,
}
