//! Boards, and the records on them.

use crate::lists::{Order, count, page, sorted};
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::category::Category;
use hearback_domain::comment::Comment;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::{FeedbackPost, PostDetails, PostFilter};
use hearback_domain::id::{CommentId, OrganizationId, PostId};
use hearback_domain::merge::{Merge, MergeCase, MergeRequest};
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::status::{Status, workflow_order};
use hearback_domain::tag::Tag;
use hearback_domain::user::User;
use hearback_domain::vote::Target;
use hearback_ports::page::ByTime;
use hearback_ports::record::OfKind;
use hearback_ports::{
    CommentRepository, FeedbackPostRepository, Page, PageRequest, Receipt, Recorded, WholeLists,
};

impl MemoryStore {
    /// The active records of a kind, in the order of a key.
    fn sorted<R: OfKind, K: Ord>(
        &self,
        organization: OrganizationId,
        key: impl Fn(&R) -> K,
    ) -> Result<Vec<R>> {
        self.read(organization, |tenant| sorted(tenant.active().cloned(), Order::Ascending, key))
    }
}

#[async_trait]
impl WholeLists for MemoryStore {
    async fn categories(&self, organization: OrganizationId) -> Result<Vec<Category>> {
        self.sorted(organization, |category: &Category| (category.name.clone(), category.id))
    }

    async fn feedback_boards(&self, organization: OrganizationId) -> Result<Vec<FeedbackBoard>> {
        self.sorted(organization, |board: &FeedbackBoard| (board.seq_number, board.id))
    }

    async fn roadmap_boards(&self, organization: OrganizationId) -> Result<Vec<RoadmapBoard>> {
        self.sorted(organization, |board: &RoadmapBoard| (board.seq_number, board.id))
    }

    async fn statuses(&self, organization: OrganizationId) -> Result<Vec<Status>> {
        let mut all = self.sorted(organization, |status: &Status| status.id)?;
        all.sort_by(workflow_order);
        Ok(all)
    }

    async fn tags(&self, organization: OrganizationId) -> Result<Vec<Tag>> {
        self.sorted(organization, |tag: &Tag| (tag.name.clone(), tag.id))
    }
}

#[async_trait]
impl CommentRepository for MemoryStore {
    async fn find(&self, organization: OrganizationId, id: CommentId) -> Result<Option<Comment>> {
        self.read(organization, |tenant| tenant.find(id).cloned())
    }

    async fn pinned(&self, organization: OrganizationId, post: PostId) -> Result<Option<Comment>> {
        self.read(organization, |tenant| {
            tenant.comments(post).find(|comment| comment.is_pinned).cloned()
        })
    }

    async fn page(
        &self,
        organization: OrganizationId,
        post: PostId,
        request: PageRequest<ByTime>,
    ) -> Result<Page<Comment, ByTime>> {
        let key = |comment: &Comment| ByTime { at: comment.created_at, id: comment.id.0 };
        self.read(organization, |tenant| {
            let post: Option<&FeedbackPost> = tenant.find(post);
            let comments = post.into_iter().flat_map(|post| tenant.comments(post.id)).cloned();
            page(comments, Order::Ascending, request, key)
        })
    }
}

#[async_trait]
impl FeedbackPostRepository for MemoryStore {
    async fn find(&self, organization: OrganizationId, id: PostId) -> Result<Option<PostDetails>> {
        self.read(organization, |tenant| tenant.find(id).map(|post| tenant.post_details(post)))
    }

    async fn page(
        &self,
        organization: OrganizationId,
        PostFilter { board_id, status_id, search, attributes }: PostFilter,
        request: PageRequest<ByTime>,
    ) -> Result<Page<PostDetails, ByTime>> {
        let key = |post: &&FeedbackPost| ByTime { at: post.created_at, id: post.id.0 };
        self.read(organization, |tenant| {
            let has_board = |id| tenant.find::<FeedbackBoard>(id).is_some();
            let has_status = |id| tenant.find::<Status>(id).is_some();
            let is_shown = |post: &&FeedbackPost| {
                board_id.is_none_or(|id| post.board_id == id && has_board(id))
                    && post.attributes.include(&attributes)
                    && status_id.is_none_or(|id| post.status_id == id && has_status(id))
                    && search.as_ref().is_none_or(|it| post.search_text().contains(it.as_str()))
            };
            let shown = tenant.active().filter(is_shown);
            let Page { items, next } = page(shown, Order::Descending, request, key);
            Page { items: items.into_iter().map(|post| tenant.post_details(post)).collect(), next }
        })
    }

    async fn merge_case(
        &self,
        organization: OrganizationId,
        MergeRequest { source, target, merger }: MergeRequest,
    ) -> Result<MergeCase> {
        self.read(organization, |tenant| MergeCase {
            source: tenant.post_state(source),
            target: tenant.post_state(target),
            merger_linked: tenant.find::<User>(merger).is_some(),
        })
    }

    async fn merge(
        &self,
        organization: OrganizationId,
        merge: Merge,
        receipt: Option<Receipt>,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            tenant.merge(merge)?;
            tenant.seal([], receipt)
        })
    }
}

impl Tenant {
    fn comments(&self, post: PostId) -> impl Iterator<Item = &Comment> {
        self.active::<Comment>().filter(move |comment| comment.feedback_post_id == post)
    }

    fn post_details(&self, post: &FeedbackPost) -> PostDetails {
        let vote_count = count(self.votes(Target::Feedback(post.id)));
        let comment_count = count(self.comments(post.id));
        let mut post = post.clone();
        post.tag_ids.retain(|tag| !self.deleted_tags.contains(tag));
        PostDetails { post, vote_count, comment_count }
    }
}
