//! Changelog entries.

use crate::StoreError;
use crate::page::{ByOptionalTime, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::changelog_entry::{EntryDetails, EntryFilter, EntrySort};
use hearback_domain::entry_link::EntryLink;
use hearback_domain::id::{ChangelogEntryId, OrganizationId};

/// Reads an organization's changelog.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ChangelogEntryRepository: Send + Sync {
    /// An active entry.
    async fn find(
        &self,
        organization: OrganizationId,
        id: ChangelogEntryId,
    ) -> Result<Option<EntryDetails>, StoreError>;

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
    ) -> Result<Page<EntryDetails, ByOptionalTime>, StoreError>;

    /// The links of an entry, in the order of their identifiers.
    async fn links(
        &self,
        organization: OrganizationId,
        id: ChangelogEntryId,
    ) -> Result<Vec<EntryLink>, StoreError>;

    /// Up to `limit` active scheduled entries with a `scheduled_at` not after `now`, by
    /// `scheduled_at`, then id.
    async fn due(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ChangelogEntryId>, StoreError>;
}
