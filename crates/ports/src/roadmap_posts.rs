//! Roadmap posts and their links.

use crate::StoreError;
use crate::page::{BySort, Page, PageRequest};
use async_trait::async_trait;
use hearback_domain::id::{OrganizationId, RoadmapPostId};
use hearback_domain::roadmap_link::RoadmapLink;
use hearback_domain::roadmap_post::{RoadmapFilter, RoadmapPostDetails};

/// Reads an organization's roadmap posts.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait RoadmapPostRepository: Send + Sync {
    /// An active post.
    async fn find(
        &self,
        organization: OrganizationId,
        id: RoadmapPostId,
    ) -> Result<Option<RoadmapPostDetails>, StoreError>;

    /// The posts that match `filter`, by position, or by their last change if the filter asks for
    /// changes. Ties are in the order of identifiers.
    async fn page(
        &self,
        organization: OrganizationId,
        filter: RoadmapFilter,
        page: PageRequest<BySort>,
    ) -> Result<Page<RoadmapPostDetails, BySort>, StoreError>;

    /// The links of a post, in the order of their identifiers.
    async fn links(
        &self,
        organization: OrganizationId,
        id: RoadmapPostId,
    ) -> Result<Vec<RoadmapLink>, StoreError>;
}
