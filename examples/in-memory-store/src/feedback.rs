//! Boards, and the records on them.

use crate::lists::{Order, count, page, sorted};
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::category::Category;
use hearback_domain::comment::{Comment, CommentFilter, Visibility};
use hearback_domain::company::Company;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::{FeedbackPost, PostDetails, PostFilter, PostSort};
use hearback_domain::id::{BoardId, CommentId, CompanyId, OrganizationId, PostId, UserId};
use hearback_domain::merge::{
    Merge, MergeCase, MergeEffects, MergeRequest, Unmerge, UnmergeEffects,
};
use hearback_domain::moderation::Audience;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::spend::Spend;
use hearback_domain::status::{Status, workflow_order};
use hearback_domain::tag::Tag;
use hearback_domain::user::User;
use hearback_domain::vote::Target;
use hearback_ports::feedback_posts::Attached;
use hearback_ports::page::{ByPost, ByTime, PostPlace};
use hearback_ports::record::OfKind;
use hearback_ports::{
    CommentRepository, FeedbackPostRepository, Page, PageRequest, Recorded, WholeLists,
};
use std::collections::BTreeSet;

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
        filter: CommentFilter,
        request: PageRequest<ByTime>,
    ) -> Result<Page<Comment, ByTime>> {
        let key = |comment: &Comment| ByTime { at: filter.time_of(comment), id: comment.id.0 };
        self.read(organization, |tenant| {
            let is_there = |id| tenant.find::<FeedbackPost>(id).is_some();
            let has_post = filter.feedback_post_id.is_none_or(is_there);
            let admitted = |comment: &&Comment| has_post && filter.admits(comment);
            let comments = tenant.all::<Comment>().filter(admitted).cloned();
            page(comments, Order::Ascending, request, key)
        })
    }

    async fn public_counts(
        &self,
        organization: OrganizationId,
        posts: Vec<PostId>,
        audience: Audience,
    ) -> Result<Vec<(PostId, i64)>> {
        self.read(organization, |tenant| {
            let is_seen = |comment: &&Comment| {
                comment.visibility == Visibility::Public
                    && audience.sees(comment.moderation, comment.author_id)
            };
            let counted = |post| (post, count(tenant.comments(post).filter(is_seen)));
            posts.into_iter().map(counted).filter(|(_, count)| *count > 0).collect()
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
        filter: PostFilter,
        sort: PostSort,
        request: PageRequest<ByPost>,
    ) -> Result<Page<PostDetails, ByPost>> {
        self.read(organization, |tenant| {
            let has_board = |id| tenant.find::<FeedbackBoard>(id).is_some();
            let has_status = |id| tenant.find::<Status>(id).is_some();
            let has_category = |id| tenant.find::<Category>(id).is_some();
            let voters = filter.company_id.map(|company| tenant.people_of(company));
            let mut there = filter.clone();
            there.tag_ids.retain(|tag| tenant.find::<Tag>(*tag).is_some());
            if let Some(boards) = &mut there.board_ids {
                boards.retain(|board| has_board(*board));
            }
            let is_possible = filter.board_id.is_none_or(has_board)
                && filter.status_id.is_none_or(has_status)
                && filter.category_id.is_none_or(has_category)
                && there.tag_ids.is_empty() == filter.tag_ids.is_empty();
            let is_of_group = |post: &FeedbackPost| {
                let status: Option<&Status> = tenant.any(post.status_id);
                filter.status_group.is_none_or(|group| status.is_some_and(|it| it.group == group))
            };
            let is_voted = |post: &FeedbackPost| {
                let mut votes = tenant.votes(Target::Feedback(post.id));
                voters.as_ref().is_none_or(|they| votes.any(|vote| they.contains(&vote.user_id)))
            };
            let is_shown = |post: &&FeedbackPost| {
                is_possible && there.admits(post) && is_of_group(post) && is_voted(post)
            };
            let shown = tenant.all().filter(is_shown);
            let key = |post: &&FeedbackPost| tenant.post_place(post, sort);
            let order = match sort {
                PostSort::Oldest | PostSort::Changes => Order::Ascending,
                _ => Order::Descending,
            };
            let Page { items, next } = page(shown, order, request, key);
            Page { items: items.into_iter().map(|post| tenant.post_details(post)).collect(), next }
        })
    }

    async fn candidates(
        &self,
        organization: OrganizationId,
        _title: String,
        board: Option<BoardId>,
    ) -> Result<Vec<(PostId, String)>> {
        self.read(organization, |tenant| {
            let open = tenant.all().filter(|post: &&FeedbackPost| {
                post.is_open() && board.is_none_or(|board| post.board_id == board)
            });
            open.map(|post| (post.id, post.title.clone())).collect()
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
        attached: Attached,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            tenant.merge(merge)?;
            tenant.attach(attached)
        })
    }

    async fn merge_effects(
        &self,
        organization: OrganizationId,
        source: PostId,
        target: PostId,
    ) -> Result<MergeEffects> {
        self.read(organization, |tenant| {
            let voters = |post| tenant.votes(Target::Feedback(post)).map(|vote| vote.user_id);
            let has_voted = |user: &UserId| voters(target).any(|other| other == *user);
            let dropped = count(voters(source).filter(has_voted));
            MergeEffects { moved: count(voters(source)) - dropped, dropped }
        })
    }

    async fn unmerge(
        &self,
        organization: OrganizationId,
        unmerge: Unmerge,
        attached: Attached,
    ) -> Result<Recorded> {
        self.record_in(organization, |tenant| {
            tenant.unmerge(unmerge)?;
            tenant.attach(attached)
        })
    }

    async fn unmerge_effects(
        &self,
        organization: OrganizationId,
        unmerge: Unmerge,
    ) -> Result<Option<UnmergeEffects>> {
        self.read(organization, |tenant| tenant.clone().unmerge(unmerge).ok())
    }
}

impl Tenant {
    fn attach(&mut self, attached: Attached) -> Result<(), Recorded> {
        let Attached { event, audit, mailing, receipt } = attached;
        if let Some((mailing, _)) = mailing {
            self.announce(mailing);
        }
        self.audit.extend(audit.into_iter().map(|entry| (entry.id, entry)));
        self.seal(&event, receipt)
    }

    fn comments(&self, post: PostId) -> impl Iterator<Item = &Comment> {
        self.active::<Comment>().filter(move |comment| comment.feedback_post_id == post)
    }

    /// The place of a post in a list.
    fn post_place(&self, post: &FeedbackPost, sort: PostSort) -> ByPost {
        let votes = || count(self.votes(Target::Feedback(post.id)));
        let place = match sort {
            PostSort::Newest | PostSort::Oldest => PostPlace::Time(post.created_at),
            PostSort::Updated | PostSort::Changes => PostPlace::Time(post.updated_at),
            PostSort::Votes => PostPlace::Votes(votes()),
            PostSort::Spend => PostPlace::Spend(self.spend(post.id).hundredths()),
            PostSort::Trending => {
                let recent = self.trends.get(&post.id).copied().unwrap_or_default();
                PostPlace::Trend { recent, votes: votes() }
            }
        };
        ByPost { place, id: post.id.0 }
    }

    fn post_details(&self, post: &FeedbackPost) -> PostDetails {
        let vote_count = count(self.votes(Target::Feedback(post.id)));
        let comment_count = count(self.comments(post.id));
        let mut post = post.clone();
        post.tag_ids.retain(|tag| !self.deleted_tags.contains(tag));
        let monthly_spend = self.spend(post.id);
        let roadmap_post_ids = self.roadmap_posts_of(post.id);
        PostDetails { post, vote_count, comment_count, monthly_spend, roadmap_post_ids }
    }

    /// The spend of the companies of a post's voters.
    fn spend(&self, post: PostId) -> Spend {
        let voters: BTreeSet<UserId> =
            self.votes(Target::Feedback(post)).map(|vote| vote.user_id).collect();
        let voted = self.all::<User>().filter(|user| voters.contains(&user.user_id));
        let companies: BTreeSet<CompanyId> = voted.filter_map(|user| user.company_id).collect();
        let active = companies.into_iter().filter_map(|id| self.find::<Company>(id));
        let spends = active.map(|company| company.monthly_spend.hundredths());
        Spend::from_hundredths(spends.sum()).unwrap_or_default()
    }
}
