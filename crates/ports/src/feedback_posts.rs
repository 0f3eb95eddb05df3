//! Feedback posts.

use crate::page::{ByTime, Page, PageRequest};
use crate::{Receipt, Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::feedback_post::{PostDetails, PostFilter};
use hearback_domain::id::{OrganizationId, PostId};
use hearback_domain::merge::{Merge, MergeCase, MergeRequest};

/// Keeps an organization's feedback posts.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait FeedbackPostRepository: Send + Sync {
    /// An active one, merged or not.
    async fn find(
        &self,
        organization: OrganizationId,
        id: PostId,
    ) -> Result<Option<PostDetails>, StoreError>;

    /// The active ones that the filter lets through, newest first (`created_at`, then id, both descending). An inactive
    /// board or status in the filter matches nothing, as an unknown one does.
    async fn page(
        &self,
        organization: OrganizationId,
        filter: PostFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<PostDetails, ByTime>, StoreError>;

    /// Loads what a merge rests on; inactive posts count as there.
    async fn merge_case(
        &self,
        organization: OrganizationId,
        request: MergeRequest,
    ) -> Result<MergeCase, StoreError>;

    /// Records a merge: marks the source (its `updated_at` too), moves the votes as `hearback_domain::merge::settle` says,
    /// redirects what had been merged into the source, and writes the audit record. `Stale` where either post is not open any more.
    async fn merge(
        &self,
        organization: OrganizationId,
        merge: Merge,
        receipt: Option<Receipt>,
    ) -> Result<Recorded, StoreError>;
}
