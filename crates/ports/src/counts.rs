//! Stored counts.

use crate::StoreError;
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::daily_count::{DailyCounts, Day};
use hearback_domain::help_article::ArticleAnswers;
use hearback_domain::id::OrganizationId;
use hearback_domain::missed_search::MissedSearch;
use std::collections::BTreeMap;

/// Checks the counts that are stored with records. Every change moves them with what they count.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait CountRepository: Send + Sync {
    /// The number of an organization's records whose counts are not what the store has of the
    /// counted records.
    async fn miscounted(&self, organization: OrganizationId) -> Result<u64, StoreError>;

    /// Counts anew, and stores the counts of the records that had wrong ones. Returns their number.
    /// Other changes may be made meanwhile.
    async fn recount(&self, organization: OrganizationId) -> Result<u64, StoreError>;

    /// Stores how many votes of each feedback post are recent: cast at `since` or later. Until the
    /// next call, these numbers stay.
    /// [`PostSort::Trending`](hearback_domain::feedback_post::PostSort::Trending) sorts by them. Its
    /// second key, the number of all votes, may be that of the last call, too. Returns the number
    /// of posts with a new place.
    async fn refresh_trends(
        &self,
        organization: OrganizationId,
        since: Time,
    ) -> Result<u64, StoreError>;

    /// Sums the spend on up to `limit` feedback posts whose voters, or the companies of these, have
    /// changed: the `monthly_spend` of the companies, each company once. Returns the number of
    /// posts. [`PostSort::Spend`](hearback_domain::feedback_post::PostSort::Spend) sorts by the
    /// last sum.
    async fn sum_spends(&self, organization: OrganizationId, limit: i64)
    -> Result<u64, StoreError>;

    /// Counts the posts, votes and comments of each day, and stores the numbers. Until the next call,
    /// they stay. Posts that are deleted, merged or not accepted do not count, nor do their votes and
    /// comments; neither do deleted comments and those that are not accepted. Returns the number of
    /// counts that have changed.
    async fn refresh_days(&self, organization: OrganizationId) -> Result<u64, StoreError>;

    /// The stored numbers of the days from `from` to `until`, both included.
    async fn days(
        &self,
        organization: OrganizationId,
        from: Day,
        until: Day,
    ) -> Result<DailyCounts, StoreError>;

    /// Adds the numbers of searches that have found nothing to those of a day. A day has at most
    /// `most` different searches: [`fitting`](hearback_domain::missed_search::fitting) chooses them.
    /// An organization that is gone takes none.
    async fn add_misses(
        &self,
        organization: OrganizationId,
        day: Day,
        misses: BTreeMap<MissedSearch, i64>,
        most: i64,
    ) -> Result<(), StoreError>;

    /// Up to `limit` searches that have found nothing from the day `from` to the day `until`, both
    /// included, with the numbers of these days together: by number, greatest first, then by their
    /// words.
    async fn misses(
        &self,
        organization: OrganizationId,
        from: Day,
        until: Day,
        limit: i64,
    ) -> Result<Vec<(String, i64)>, StoreError>;

    /// Removes up to `limit` numbers of searches on days that began before `before`, the oldest
    /// first. Returns their number.
    async fn prune_misses(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<usize, StoreError>;

    /// Up to `limit` active articles of the help center that have answers: by the number of readers
    /// who did not find the article helpful, greatest first, then by that of the others, least
    /// first, then by identifier.
    async fn answers(
        &self,
        organization: OrganizationId,
        limit: i64,
    ) -> Result<Vec<ArticleAnswers>, StoreError>;
}
