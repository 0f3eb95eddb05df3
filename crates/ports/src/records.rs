//! Records of every kind: loaded by their keys, and changed together.

use crate::{Receipt, Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::event::Event;
use hearback_domain::id::{ChangelogEntryId, OrganizationId, PostId, TagId};
use hearback_domain::record::{Key, Kind, Known, Step};
use hearback_domain::{Time, Uuid};

/// A change of records: all of it is stored, or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The records that are made, edited and removed, in this order. No record occurs twice.
    pub steps: Vec<Step>,
    /// The records that must exist and be active when the change is stored.
    pub needs: Vec<Key>,
    /// The events of the change.
    pub events: Vec<Event>,
    /// The changelog entries whose subscribers are mailed.
    pub announced: Vec<ChangelogEntryId>,
    /// The receipt that makes the change safe to repeat.
    pub receipt: Option<Receipt>,
    /// When the change is made.
    pub at: Time,
}

/// The names that are unique among the records of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    /// The slug, by [`Slug::key`](hearback_domain::slug::Slug::key). A deleted record keeps its
    /// slug.
    Slug,
    /// The code. The code of a deleted tag is free; other deleted records keep theirs.
    Code,
    /// The identifier of another tool. That of a deleted record is free.
    ExternalId,
}

/// Changes records of every kind. Toggles of votes and merges of posts have ports of their own.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait RecordRepository: Send + Sync {
    /// The records with these keys, active or not. They may be of different moments:
    /// [`Self::apply`] guards against that.
    async fn load(&self, organization: OrganizationId, keys: Vec<Key>)
    -> Result<Known, StoreError>;

    /// Those of `names` that a record of the kind has, each with the record's identifier, in any
    /// order.
    async fn named(
        &self,
        organization: OrganizationId,
        kind: Kind,
        name: Name,
        names: Vec<String>,
    ) -> Result<Vec<(String, Uuid)>, StoreError>;

    /// Stores a change, with a delivery of each event to each subscription that receives it.
    ///
    /// In this order:
    ///
    /// * [`Recorded::Missing`] with the first of `needs` that is missing or not active;
    /// * [`Recorded::Stale`] if an edited or removed record is not
    ///   [unchanged](hearback_domain::record::Record::is_unchanged), or the organization no longer
    ///   exists;
    /// * [`Recorded::Taken`] if a record breaks a unique rule.
    ///
    /// A record with a [new parent](Step::new_parent) gets the position behind the last one that
    /// was ever given there. An edit never writes counters of readers.
    ///
    /// From the edit that deletes a tag on, [`FeedbackPostRepository`] shows no post with the tag,
    /// and [`Self::tag_removals`] returns the posts that still have it.
    ///
    /// [`FeedbackPostRepository`]: crate::FeedbackPostRepository
    async fn apply(
        &self,
        organization: OrganizationId,
        change: Change,
    ) -> Result<Recorded, StoreError>;

    /// Up to `limit` posts that still have a deleted tag, each behind the tag. If there is none,
    /// the removal of the deleted tags ends.
    async fn tag_removals(
        &self,
        organization: OrganizationId,
        limit: i64,
    ) -> Result<Vec<(TagId, PostId)>, StoreError>;
}
