//! The queue of moderation.

use crate::StoreError;
use crate::page::{ByTime, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::id::OrganizationId;
use hearback_domain::moderation::{QueueFilter, QueuedItem};

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
}
