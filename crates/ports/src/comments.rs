//! Comments.

use crate::StoreError;
use crate::page::{ByTime, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::comment::Comment;
use hearback_domain::id::{CommentId, OrganizationId, PostId};

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

    /// The active comments on an active post, oldest first (`created_at`, then id). Empty if there
    /// is no such post.
    async fn page(
        &self,
        organization: OrganizationId,
        post: PostId,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Comment, ByTime>, StoreError>;
}
