//! Roadmap posts and their links, and the subscriptions to feedback posts.

use crate::lists::{Order, count, page, sorted};
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::id::{OrganizationId, PostId, RoadmapPostId, UserId};
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_link::RoadmapLink;
use hearback_domain::roadmap_post::{RoadmapFilter, RoadmapPost, RoadmapPostDetails};
use hearback_domain::subscription::{Subscriber, Subscription};
use hearback_domain::user::User;
use hearback_domain::vote::Target;
use hearback_ports::page::{BySort, ByTime};
use hearback_ports::{Page, PageRequest, RoadmapPostRepository, SubscriptionRepository};

#[async_trait]
impl RoadmapPostRepository for MemoryStore {
    async fn find(
        &self,
        organization: OrganizationId,
        id: RoadmapPostId,
    ) -> Result<Option<RoadmapPostDetails>> {
        self.read(organization, |tenant| tenant.find(id).map(|post| tenant.roadmap_details(post)))
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: RoadmapFilter,
        request: PageRequest<BySort>,
    ) -> Result<Page<RoadmapPostDetails, BySort>> {
        self.read(organization, |tenant| {
            let has_board = |id| tenant.find::<RoadmapBoard>(id).is_some();
            let is_possible = filter.roadmap_board_id.is_none_or(has_board);
            let shown = tenant.all().filter(|post| is_possible && filter.admits(post));
            let key = |post: &&RoadmapPost| BySort::of_roadmap_post(post, &filter);
            let Page { items, next } = page(shown, Order::Ascending, request, key);
            let items = items.into_iter().map(|post| tenant.roadmap_details(post)).collect();
            Page { items, next }
        })
    }

    async fn links(
        &self,
        organization: OrganizationId,
        id: RoadmapPostId,
    ) -> Result<Vec<RoadmapLink>> {
        self.read(organization, |tenant| tenant.links(id).cloned().collect())
    }
}

#[async_trait]
impl SubscriptionRepository for MemoryStore {
    async fn find(
        &self,
        organization: OrganizationId,
        post: PostId,
        user: UserId,
    ) -> Result<Option<Subscription>> {
        self.read(organization, |tenant| {
            let mut of_post = tenant.all().filter(|it: &&Subscription| it.feedback_post_id == post);
            of_post.find(|subscription| subscription.user_id == user).cloned()
        })
    }

    async fn page(
        &self,
        organization: OrganizationId,
        post: PostId,
        request: PageRequest<ByTime>,
    ) -> Result<Page<Subscriber, ByTime>> {
        let key = |it: &Subscriber| ByTime { at: it.subscribed_at, id: it.id.0 };
        self.read(organization, |tenant| {
            let of_post = tenant.all().filter(|it: &&Subscription| it.feedback_post_id == post);
            let subscribers = of_post.filter_map(|subscription| {
                let User { user_id, name, email, .. } =
                    tenant.find(subscription.user_id).cloned()?;
                let Subscription { id, level, created_at, .. } = subscription.clone();
                Some(Subscriber { id, user_id, name, email, level, subscribed_at: created_at })
            });
            page(subscribers, Order::Ascending, request, key)
        })
    }
}

impl Tenant {
    /// The links of a roadmap post, by identifier.
    fn links(&self, id: RoadmapPostId) -> impl Iterator<Item = &RoadmapLink> {
        let links = self.all().filter(move |link: &&RoadmapLink| link.roadmap_post_id == id);
        sorted(links, Order::Ascending, |link| link.id).into_iter()
    }

    /// The active roadmap posts that are linked to a feedback post, in the order of the links.
    pub(crate) fn roadmap_posts_of(&self, post: PostId) -> Vec<RoadmapPostId> {
        let is_here = |link: &&RoadmapLink| {
            link.feedback_post_id == post
                && self.find::<RoadmapPost>(link.roadmap_post_id).is_some()
        };
        let links =
            sorted(self.all().filter(is_here), Order::Ascending, |link| (link.created_at, link.id));
        links.into_iter().map(|link| link.roadmap_post_id).collect()
    }

    fn roadmap_details(&self, post: &RoadmapPost) -> RoadmapPostDetails {
        RoadmapPostDetails {
            post: post.clone(),
            feedback_post_ids: self.links(post.id).map(|link| link.feedback_post_id).collect(),
            vote_count: count(self.votes(Target::Roadmap(post.id))),
        }
    }
}
