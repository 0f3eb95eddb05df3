//! Votes.

use crate::page::{ByTime, Page, PageRequest};
use crate::{Receipt, Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::vote::{Ballot, Target, VoteChange, Voter};

/// Stores the votes on an organization's posts.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait VoteRepository: Send + Sync {
    /// Loads the values that a toggle depends on, in one statement. If the target is a merged post,
    /// the ballot has the post at the end of its chain of merges.
    async fn ballot(
        &self,
        organization: OrganizationId,
        target: Target,
        voter: UserId,
    ) -> Result<Ballot, StoreError>;

    /// Records a toggle with its event. [`Recorded::Stale`] if the change does not hold any more: a
    /// vote can be cast only while the voter has none on the post and the post is active and not
    /// merged, and withdrawn only while it exists.
    async fn record(
        &self,
        organization: OrganizationId,
        change: VoteChange,
        receipt: Option<Receipt>,
    ) -> Result<Recorded, StoreError>;

    /// The voters of an active post, oldest vote first (`created_at`, then the vote's id). A merged
    /// post is not replaced by its target here. A voter who is no longer linked is included.
    async fn voters(
        &self,
        organization: OrganizationId,
        target: Target,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Voter, ByTime>, StoreError>;
}
