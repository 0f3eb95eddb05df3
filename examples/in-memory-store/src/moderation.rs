//! The queue of moderation.

use crate::lists::{Order, count, page, size};
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::comment::Comment;
use hearback_domain::event::Moderated;
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::id::OrganizationId;
use hearback_domain::moderation::{QueueFilter, QueuedItem};
use hearback_domain::webhook_subscription::{Health, WebhookSubscription};
use hearback_ports::moderation::Attention;
use hearback_ports::page::ByTime;
use hearback_ports::{ModerationQueue, Page, PageRequest};

#[async_trait]
impl ModerationQueue for MemoryStore {
    async fn page(
        &self,
        organization: OrganizationId,
        filter: QueueFilter,
        request: PageRequest<ByTime>,
    ) -> Result<Page<QueuedItem, ByTime>> {
        let key = |item: &QueuedItem| ByTime { at: item.created_at, id: item.id };
        self.read(organization, |tenant| {
            let items = match filter.kind {
                Moderated::Post => tenant.active().map(post_item).collect(),
                Moderated::Comment => tenant.comment_items(),
            };
            let items = items.into_iter().filter(|it| it.moderation == filter.moderation);
            page(items, Order::Ascending, request, key)
        })
    }

    async fn attention(&self, organization: OrganizationId, most: i64) -> Result<Attention> {
        self.read(organization, |tenant| {
            let waits = |item: &QueuedItem| item.moderation == Moderation::Pending;
            let posts = tenant.active().map(post_item).filter(waits);
            let comments = tenant.comment_items().into_iter().filter(waits);
            let fails = |it: &&WebhookSubscription| {
                tenant.standings.get(&it.id).is_some_and(|it| it.health != Health::Well)
            };
            let most = size(most);
            Attention {
                waiting: count(posts.take(most)) + count(comments.take(most)),
                failing: count(tenant.all().filter(fails).take(most)),
            }
        })
    }
}

impl Tenant {
    /// The active comments on active posts.
    fn comment_items(&self) -> Vec<QueuedItem> {
        let item = |comment: &Comment| {
            let post: &FeedbackPost = self.find(comment.feedback_post_id)?;
            Some(QueuedItem {
                kind: Moderated::Comment,
                id: comment.id.0,
                author_id: comment.author_id,
                content: comment.content.clone(),
                moderation: comment.moderation,
                created_at: comment.created_at,
                ..post_item(post)
            })
        };
        self.active().filter_map(item).collect()
    }
}

fn post_item(post: &FeedbackPost) -> QueuedItem {
    QueuedItem {
        kind: Moderated::Post,
        id: post.id.0,
        post_id: post.id,
        board_id: post.board_id,
        author_id: post.author_id,
        title: post.title.clone(),
        content: post.description.clone(),
        moderation: post.moderation,
        created_at: post.created_at,
    }
}
