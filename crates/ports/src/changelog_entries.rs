//! Changelog entries.

use crate::StoreError;
use crate::page::{ByOptionalTime, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryFilter, EntrySort, Publication, ScheduledEntry,
};
use hearback_domain::id::OrganizationId;

/// Stores an organization's changelog.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ChangelogEntryRepository: Send + Sync {
    /// The active entries that match `filter`, in any state, in the order of `sort`
    /// ([`EntrySort::time`]; ties by id in the same direction). The first `skip` entries are left
    /// out; `skip` is 0 if `page.after` is given.
    async fn page(
        &self,
        organization: OrganizationId,
        filter: EntryFilter,
        sort: EntrySort,
        skip: u64,
        page: PageRequest<ByOptionalTime>,
    ) -> Result<Page<ChangelogEntry, ByOptionalTime>, StoreError>;

    /// Up to `limit` active scheduled entries with a `scheduled_at` not after `now`, by
    /// `scheduled_at`, then id.
    async fn due(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ScheduledEntry>, StoreError>;

    /// Publishes entries and queues the mailings of those that are announced, in one transaction.
    /// An entry is published if it is active and still scheduled for a time not after its
    /// publication. Returns the number of entries published: other processes may have published the
    /// rest.
    async fn publish(
        &self,
        organization: OrganizationId,
        publications: Vec<Publication>,
    ) -> Result<usize, StoreError>;
}
