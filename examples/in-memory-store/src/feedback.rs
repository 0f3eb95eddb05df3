//! Boards, and what is on them.

use crate::page::{Order, map, page};
use crate::tenant::Tenant;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::category::Category;
use hearback_domain::comment::Comment;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::{FeedbackPost, PostDetails, PostFilter};
use hearback_domain::id::{BoardId, CategoryId, CommentId, OrganizationId, PostId};
use hearback_domain::merge::{Merge, MergeCase, MergeRequest};
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::status::{Status, workflow_order};
use hearback_domain::tag::Tag;
use hearback_domain::vote::Target;
use hearback_ports::page::ByTime;
use hearback_ports::record::OfKind;
use hearback_ports::{
    CategoryRepository, CommentRepository, FeedbackBoardRepository, FeedbackPostRepository, Page,
    PageRequest, Receipt, Recorded, RoadmapBoardRepository, StatusRepository, TagRepository,
};

impl MemoryStore {
    /// The active records of a kind, in an order.
    fn sorted<R: OfKind, K: Ord>(
        &self,
        organization: OrganizationId,
        key: impl Fn(&R) -> K,
    ) -> Vec<R> {
        self.read(organization, |tenant| {
            let mut all: Vec<R> = tenant.active().cloned().collect();
            all.sort_by_key(key);
            all
        })
    }
}

#[async_trait]
impl FeedbackBoardRepository for MemoryStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<FeedbackBoard>> {
        Ok(self.sorted(organization, |board: &FeedbackBoard| (board.seq_number, board.id)))
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: BoardId,
    ) -> Result<Option<FeedbackBoard>> {
        Ok(self.read(organization, |tenant| tenant.find(id).cloned()))
    }
}

#[async_trait]
impl RoadmapBoardRepository for MemoryStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<RoadmapBoard>> {
        Ok(self.sorted(organization, |board: &RoadmapBoard| (board.seq_number, board.id)))
    }
}

#[async_trait]
impl StatusRepository for MemoryStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<Status>> {
        Ok(self.read(organization, |tenant| {
            let mut all: Vec<Status> = tenant.active().cloned().collect();
            all.sort_by(workflow_order);
            all
        }))
    }
}

#[async_trait]
impl CategoryRepository for MemoryStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<Category>> {
        Ok(self.sorted(organization, |category: &Category| (category.name.clone(), category.id)))
    }

    async fn find(&self, organization: OrganizationId, id: CategoryId) -> Result<Option<Category>> {
        Ok(self.read(organization, |tenant| tenant.find(id).cloned()))
    }
}

#[async_trait]
impl TagRepository for MemoryStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<Tag>> {
        Ok(self.sorted(organization, |tag: &Tag| (tag.name.clone(), tag.id)))
    }
}

#[async_trait]
impl CommentRepository for MemoryStore {
    async fn find(&self, organization: OrganizationId, id: CommentId) -> Result<Option<Comment>> {
        Ok(self.read(organization, |tenant| tenant.find(id).cloned()))
    }

    async fn page(
        &self,
        organization: OrganizationId,
        post: PostId,
        request: PageRequest<ByTime>,
    ) -> Result<Page<Comment, ByTime>> {
        let key = |comment: &Comment| ByTime { at: comment.created_at, id: comment.id.0 };
        Ok(self.read(organization, |tenant| {
            let post = tenant.find::<FeedbackPost>(post).map(|post| post.id);
            let all = tenant.active::<Comment>();
            let shown = all.filter(|comment| Some(comment.feedback_post_id) == post);
            page(shown.cloned(), Order::Ascending, request, key)
        }))
    }
}

#[async_trait]
impl FeedbackPostRepository for MemoryStore {
    async fn find(&self, organization: OrganizationId, id: PostId) -> Result<Option<PostDetails>> {
        Ok(self.read(organization, |tenant| tenant.find(id).map(|post| details(tenant, post))))
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: PostFilter,
        request: PageRequest<ByTime>,
    ) -> Result<Page<PostDetails, ByTime>> {
        let key = |post: &&FeedbackPost| ByTime { at: post.created_at, id: post.id.0 };
        Ok(self.read(organization, |tenant| {
            let shown = tenant.active().filter(|post| is_shown(tenant, &filter, post));
            let shown = page(shown, Order::Descending, request, key);
            map(shown, |post| Some(details(tenant, post)))
        }))
    }

    async fn merge_case(
        &self,
        organization: OrganizationId,
        request: MergeRequest,
    ) -> Result<MergeCase> {
        Ok(self.read(organization, |tenant| tenant.merge_case(request)))
    }

    async fn merge(
        &self,
        organization: OrganizationId,
        merge: Merge,
        receipt: Option<Receipt>,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            tenant.merge(merge)?;
            tenant.keep(receipt)
        })
    }
}

fn is_shown(tenant: &Tenant, filter: &PostFilter, post: &FeedbackPost) -> bool {
    let PostFilter { board_id, status_id, search } = filter;
    board_id.is_none_or(|id| post.board_id == id && tenant.find::<FeedbackBoard>(id).is_some())
        && status_id.is_none_or(|id| post.status_id == id && tenant.find::<Status>(id).is_some())
        && search.as_ref().is_none_or(|search| post.search_text().contains(search.as_str()))
}

fn details(tenant: &Tenant, post: &FeedbackPost) -> PostDetails {
    let comments = tenant.active::<Comment>().filter(|it| it.feedback_post_id == post.id);
    let comment_count = count(comments);
    let vote_count = count(tenant.votes(Target::Feedback(post.id)));
    PostDetails { post: post.clone(), vote_count, comment_count }
}

/// How many there are, as a counter shows it.
pub(crate) fn count<T>(all: impl Iterator<Item = T>) -> i64 {
    i64::try_from(all.count()).unwrap_or(i64::MAX)
}
