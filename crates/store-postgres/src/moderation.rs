//! The queue of moderation.

use crate::PgStore;
use crate::readers::Reach;
use async_trait::async_trait;
use hearback_domain::event::Moderated;
use hearback_domain::id::OrganizationId;
use hearback_domain::moderation::{QueueFilter, QueuedItem};
use hearback_ports::moderation::Attention;
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{ModerationQueue, StoreError};
use hearback_store_rows::moderation::{QueuedRow, attention};
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

    async fn attention(
        &self,
        organization: OrganizationId,
        most: i64,
    ) -> Result<Attention, StoreError> {
        let counting =
            self.readers.row("counting what waits", || attention::<()>(organization, most));
        let (waiting, failing) = counting.await?.unwrap_or_default();
        Ok(Attention { waiting, failing })
    }
}
