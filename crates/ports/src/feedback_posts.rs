//! Feedback posts.

use crate::page::{ByPost, Page, PageRequest};
use crate::{Receipt, Recorded, StoreError};
use async_trait::async_trait;
use hearback_domain::Time;
use hearback_domain::audit::AuditEntry;
use hearback_domain::event::Event;
use hearback_domain::feedback_post::{PostDetails, PostFilter, PostSort};
use hearback_domain::id::{BoardId, OrganizationId, PostId};
use hearback_domain::mail::Mailing;
use hearback_domain::merge::{
    Merge, MergeCase, MergeEffects, MergeRequest, Unmerge, UnmergeEffects,
};

/// What is recorded with a merge or its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attached {
    /// The event. `None` if subscribers do not know the post.
    pub event: Option<Event>,
    /// The entries of the audit log.
    pub audit: Vec<AuditEntry>,
    /// The mailing about it, and when it was.
    pub mailing: Option<(Mailing, Time)>,
    /// The receipt that makes the change safe to repeat.
    pub receipt: Option<Receipt>,
}

/// Stores an organization's feedback posts.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait FeedbackPostRepository: Send + Sync {
    /// An active post, merged or not.
    async fn find(
        &self,
        organization: OrganizationId,
        id: PostId,
    ) -> Result<Option<PostDetails>, StoreError>;

    /// The posts that match `filter`, in the order of `sort` (ties by id in the same direction). An
    /// inactive board, status, category or company in the filter matches nothing, as an unknown one
    /// does. Only [`PostSort::Changes`] comes with deleted posts.
    async fn page(
        &self,
        organization: OrganizationId,
        filter: PostFilter,
        sort: PostSort,
        page: PageRequest<ByPost>,
    ) -> Result<Page<PostDetails, ByPost>, StoreError>;

    /// Posts that may have a [similar](hearback_domain::similar) title, with their titles, in any
    /// order: active, accepted and not merged, of a board if it is given. A post may occur several
    /// times.
    ///
    /// They include the posts that share the rarest [`keys`](hearback_domain::similar::keys) with
    /// the title, and the [`NEWEST`](hearback_domain::similar::NEWEST) posts if these are few.
    async fn candidates(
        &self,
        organization: OrganizationId,
        title: String,
        board: Option<BoardId>,
    ) -> Result<Vec<(PostId, String)>, StoreError>;

    /// Loads the values that a merge depends on, those of inactive posts too.
    async fn merge_case(
        &self,
        organization: OrganizationId,
        request: MergeRequest,
    ) -> Result<MergeCase, StoreError>;

    /// Records a merge. It marks the source and moves its `updated_at`, moves the votes as
    /// [`settle`](hearback_domain::merge::settle) does, redirects the posts that were merged into
    /// the source, and writes the audit record. It keeps the dropped votes, and where the others
    /// were cast. [`Recorded::Stale`] if either post is no longer open.
    async fn merge(
        &self,
        organization: OrganizationId,
        merge: Merge,
        attached: Attached,
    ) -> Result<Recorded, StoreError>;

    /// The effects of a merge of these posts at this moment.
    async fn merge_effects(
        &self,
        organization: OrganizationId,
        source: PostId,
        target: PostId,
    ) -> Result<MergeEffects, StoreError>;

    /// Records the end of a merge. The votes that were cast on the source, or on a post that is
    /// merged into it, go back to the source. Dropped votes are made again as
    /// [`Parting::part`](hearback_domain::merge::Parting::part) decides. The posts that are merged
    /// into the source follow it. [`Recorded::Stale`] if the source is deleted, or no longer merged
    /// into that post, or has changed at that time or later.
    ///
    /// If the record of the merge does not keep its votes, the votes of its `moved_user_ids` are
    /// those that were cast on the source.
    async fn unmerge(
        &self,
        organization: OrganizationId,
        unmerge: Unmerge,
        attached: Attached,
    ) -> Result<Recorded, StoreError>;

    /// The effects of the end of a merge at this moment. `None` where [`Self::unmerge`] returns
    /// [`Recorded::Stale`].
    async fn unmerge_effects(
        &self,
        organization: OrganizationId,
        unmerge: Unmerge,
    ) -> Result<Option<UnmergeEffects>, StoreError>;

    /// Moves a part of the votes of a merge, if [`FeedbackPostRepository::merge`] has left some to
    /// move. They count on the target already. Returns the number of votes, and 0 if none are left.
    ///
    /// A store whose transactions do not hold up each other moves all votes in the merge.
    async fn move_votes(&self) -> Result<usize, StoreError> {
        Ok(0)
    }

    /// Adds some of the posts that are missing there to the indexes by which
    /// [`FeedbackPostRepository::candidates`] and searches find them: posts of an earlier release,
    /// and new texts if the store indexes many at once. Returns the number of posts, and 0 if it is
    /// too early to add more. Searches find posts before they are added.
    async fn index_posts(&self) -> Result<usize, StoreError> {
        Ok(0)
    }
}
