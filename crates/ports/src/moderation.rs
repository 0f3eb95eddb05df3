//! The queue of moderation.

use crate::StoreError;
use crate::page::{ByTime, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::id::OrganizationId;
use hearback_domain::moderation::{QueueFilter, QueuedItem};

/// The numbers of what asks for the attention of the team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attention {
    /// The active posts and comments that wait. The post of a comment is active, too.
    pub waiting: i64,
    /// The webhook subscriptions whose receivers fail, given up or not.
    pub failing: i64,
}

/// Reads the posts and comments of an organization by their state of moderation.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ModerationQueue: Send + Sync {
    /// The active posts or comments in a state, oldest first (`created_at`, then id). The post of a
    /// comment is active, too.
    async fn page(
        &self,
        organization: OrganizationId,
        filter: QueueFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<QueuedItem, ByTime>, StoreError>;

    /// Counts the records that ask for the attention of the team: at most `most` of each kind, so
    /// that a long queue costs no more than a short one.
    async fn attention(
        &self,
        organization: OrganizationId,
        most: i64,
    ) -> Result<Attention, StoreError>;
}
