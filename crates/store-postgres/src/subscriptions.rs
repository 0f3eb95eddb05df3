//! Subscriptions of users to posts.

use crate::PgStore;
use crate::readers::Reach;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::id::{OrganizationId, PostId, UserId};
use hearback_domain::subscription::{Subscriber, Subscription};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{StoreError, SubscriptionRepository};
use hearback_store_rows::postgres::lists;
use hearback_store_rows::rows::SubscriptionRow;
use hearback_store_rows::schema::post_subscriptions;
use hearback_store_rows::subscriptions::SubscriberRow;
use hearback_store_rows::{Id, all};

#[async_trait]
impl SubscriptionRepository for PgStore {
    async fn find(
        &self,
        organization: OrganizationId,
        post: PostId,
        user: UserId,
    ) -> Result<Option<Subscription>, StoreError> {
        let row: Option<SubscriptionRow<'_>> = self
            .readers
            .row("finding a subscription", || {
                post_subscriptions::table
                    .filter(post_subscriptions::organization_id.eq(Id::of(organization)))
                    .filter(post_subscriptions::feedback_post_id.eq(Id::of(post)))
                    .filter(post_subscriptions::user_id.eq(Id::of(user)))
                    .select(SubscriptionRow::as_select())
            })
            .await?;
        Ok(row.map(Subscription::try_from).transpose()?)
    }

    async fn page(
        &self,
        organization: OrganizationId,
        post: PostId,
        page: PageRequest<ByTime>,
    ) -> Result<Page<Subscriber, ByTime>, StoreError> {
        let query = || lists::subscribers(organization, post, &page);
        let rows: Vec<SubscriberRow> =
            self.list_rows(Reach::Short, "listing subscribers", query).await?;
        Ok(Page::cut(all(rows)?, page.limit, |subscriber: &Subscriber| ByTime {
            at: subscriber.subscribed_at,
            id: subscriber.id.0,
        }))
    }
}

stored!(Subscription: post_subscriptions.id as SubscriptionRow<'static>);
