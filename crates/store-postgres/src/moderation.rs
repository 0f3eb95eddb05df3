//! The queue of moderation.

use crate::PgStore;
use crate::readers::Reach;
use async_trait::async_trait;
use hearback_domain::event::Moderated;
use hearback_domain::id::OrganizationId;
use hearback_domain::moderation::{QueueFilter, QueuedItem};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{ModerationQueue, StoreError};
use hearback_store_rows::moderation::QueuedRow;
use hearback_store_rows::postgres::lists;

#[async_trait]
impl ModerationQueue for PgStore {
    async fn page(
        &self,
        organization: OrganizationId,
        QueueFilter { kind, moderation }: QueueFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<QueuedItem, ByTime>, StoreError> {
        let doing = "listing the queue of moderation";
        let rows: Vec<QueuedRow> = match kind {
            Moderated::Post => {
                let query = || lists::queued_posts(organization, moderation, &page);
                self.list_rows(Reach::Long, doing, query).await?
            }
            Moderated::Comment => {
                let query = || lists::queued_comments(organization, moderation, &page);
                self.list_rows(Reach::Long, doing, query).await?
            }
        };
        let items: Result<Vec<QueuedItem>, _> =
            rows.into_iter().map(|row| row.item(kind)).collect();
        Ok(Page::cut(items?, page.limit, |item| ByTime { at: item.created_at, id: item.id }))
    }
}
