//! Votes.

use crate::page::{ByTime, Page, PageRequest};
use crate::{Receipt, Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::vote::{Ballot, Target, VoteChange, Voter};

/// Keeps the votes on an organization's posts.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait VoteRepository: Send + Sync {
    /// Loads what a toggle rests on, in one statement. A merged post is answered by the one that it was finally merged into.
    async fn ballot(
        &self,
        organization: OrganizationId,
        target: Target,
        voter: UserId,
    ) -> Result<Ballot, StoreError>;

    /// Records a toggle with its event. A vote is cast only while the voter has none on the post and the post is active and
    /// not merged, withdrawn only while it is there; `Stale` otherwise.
    async fn record(
        &self,
        organization: OrganizationId,
        change: VoteChange,
        receipt: Option<Receipt>,
    ) -> Result<Recorded, StoreError>;

    /// Who voted on exactly this active post, oldest vote first (`created_at`, then the vote's id). Voters who are not linked
    /// any more still count and show.
    async fn voters(
        &self,
        organization: OrganizationId,
        target: Target,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Voter, ByTime>, StoreError>;
}
