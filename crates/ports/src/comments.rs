//! Comments.

use crate::StoreError;
use crate::page::{ByTime, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::comment::{Comment, CommentFilter};
use hearback_domain::id::{CommentId, OrganizationId, PostId};
use hearback_domain::moderation::Audience;

/// Stores the comments on an organization's feedback posts.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait CommentRepository: Send + Sync {
    /// An active comment of any visibility and moderation. Its post may be inactive.
    async fn find(
        &self,
        organization: OrganizationId,
        id: CommentId,
    ) -> Result<Option<Comment>, StoreError>;

    /// The active comment that is pinned on a post.
    async fn pinned(
        &self,
        organization: OrganizationId,
        post: PostId,
    ) -> Result<Option<Comment>, StoreError>;

    /// The comments that the filter admits, oldest first ([`CommentFilter::time_of`], then id).
    async fn page(
        &self,
        organization: OrganizationId,
        filter: CommentFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Comment, ByTime>, StoreError>;

    /// The number of active public comments of each post that the audience sees, in no order. Posts
    /// without any are left out. A post may be inactive.
    async fn public_counts(
        &self,
        organization: OrganizationId,
        posts: Vec<PostId>,
        audience: Audience,
    ) -> Result<Vec<(PostId, i64)>, StoreError>;
}
