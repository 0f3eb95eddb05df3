//! Changelog entries.

use crate::StoreError;
use crate::page::{ByOptionalTime, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryFilter, EntrySort, Publication, ScheduledEntry,
};
use hearback_domain::id::OrganizationId;

/// Keeps an organization's changelog.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ChangelogEntryRepository: Send + Sync {
    /// The active ones in any state that the filter lets through, in the order of `sort` ([`EntrySort::time`]; ties by id in
    /// the same direction), without the first `skip` of them. With `page.after`, `skip` is 0.
    async fn page(
        &self,
        organization: OrganizationId,
        filter: EntryFilter,
        sort: EntrySort,
        skip: u64,
        page: PageRequest<ByOptionalTime>,
    ) -> Result<Page<ChangelogEntry, ByOptionalTime>, StoreError>;

    /// Up to `limit` active scheduled entries with `scheduled_at` not after `now`, earliest first, then by id.
    async fn due(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ScheduledEntry>, StoreError>;

    /// Publishes entries that are still scheduled, for a time not after the publication's, and active, and queues the mailings
    /// of those that are announced, all in one transaction. Answers how many it published: others may have been faster, with some
    /// or all of them.
    async fn publish(
        &self,
        organization: OrganizationId,
        publications: Vec<Publication>,
    ) -> Result<usize, StoreError>;
}
