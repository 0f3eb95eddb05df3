//! Votes.

use crate::page::{ByTime, Page, PageRequest};
use crate::{Receipt, Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::event::Event;
use hearback_domain::id::{CompanyId, OrganizationId, UserId};
use hearback_domain::user::User;
use hearback_domain::vote::{Ballot, Target, Vote, VoteChange, Voter};

/// Changes of the votes on one post: all of them are stored, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoteChanges {
    /// The post.
    pub target: Target,
    /// The users whom the change makes, each with the event.
    pub newcomers: Vec<(User, Event)>,
    /// The changes. No voter occurs twice.
    pub changes: Vec<VoteChange>,
    /// The receipt that makes the change safe to repeat.
    pub receipt: Option<Receipt>,
}

/// Which votes a list has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VoteFilter {
    /// The votes of this user.
    pub user_id: Option<UserId>,
    /// The votes of the linked users of this company, if it is active.
    pub company_id: Option<CompanyId>,
    /// The votes on this post.
    pub target: Option<Target>,
    /// The votes that were cast after this time.
    pub created_after: Option<Time>,
    /// Only votes on active posts. Otherwise votes on posts of any state.
    pub on_active_posts: bool,
}

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

    /// [`Self::ballot`] of several voters, in their order.
    async fn ballots(
        &self,
        organization: OrganizationId,
        target: Target,
        voters: Vec<UserId>,
    ) -> Result<Vec<Ballot>, StoreError>;

    /// Records changes of votes with their events. [`Recorded::Stale`] if one of them does not hold
    /// any more, as in [`Self::record`], and [`Recorded::Taken`] if a newcomer breaks a unique rule.
    async fn record_all(
        &self,
        organization: OrganizationId,
        changes: VoteChanges,
    ) -> Result<Recorded, StoreError>;

    /// The votes that the filter admits, oldest first (`created_at`, then the vote's id).
    async fn page(
        &self,
        organization: OrganizationId,
        filter: VoteFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Vote, ByTime>, StoreError>;

    /// Those of the targets on which the user has a vote, in no order.
    async fn voted(
        &self,
        organization: OrganizationId,
        user: UserId,
        targets: Vec<Target>,
    ) -> Result<Vec<Target>, StoreError>;

    /// The voters of an active post, oldest vote first (`created_at`, then the vote's id). A merged
    /// post is not replaced by its target here. A voter who is no longer linked is included.
    async fn voters(
        &self,
        organization: OrganizationId,
        target: Target,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Voter, ByTime>, StoreError>;
}
