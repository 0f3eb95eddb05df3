//! Subscriptions of users to feedback posts.

use crate::StoreError;
use crate::page::{ByTime, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::id::{OrganizationId, PostId, UserId};
use hearback_domain::subscription::{Subscriber, Subscription};

/// Reads the subscriptions to an organization's feedback posts.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SubscriptionRepository: Send + Sync {
    /// The subscription of a user to a post.
    async fn find(
        &self,
        organization: OrganizationId,
        post: PostId,
        user: UserId,
    ) -> Result<Option<Subscription>, StoreError>;

    /// The subscribers of a post who are linked to the organization, oldest subscription first
    /// (`created_at`, then the subscription's id).
    async fn page(
        &self,
        organization: OrganizationId,
        post: PostId,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Subscriber, ByTime>, StoreError>;
}
