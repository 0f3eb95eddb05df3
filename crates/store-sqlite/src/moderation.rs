//! The queue of moderation.

use crate::SqliteStore;
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::event::Moderated;
use hearback_domain::id::OrganizationId;
use hearback_domain::moderation::{QueueFilter, QueuedItem};
use hearback_ports::moderation::Attention;
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{ModerationQueue, StoreError};
use hearback_store_rows::moderation::{QueuedRow, attention};
use hearback_store_rows::sqlite::lists;

#[async_trait]
impl ModerationQueue for SqliteStore {
    async fn page(
        &self,
        organization: OrganizationId,
        QueueFilter { kind, moderation }: QueueFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<QueuedItem, ByTime>, StoreError> {
        let limit = page.limit;
        let query = move |connection: &mut SqliteConnection| match kind {
            Moderated::Post => {
                lists::queued_posts(organization, moderation, &page).load(connection)
            }
            Moderated::Comment => {
                lists::queued_comments(organization, moderation, &page).load(connection)
            }
        };
        let rows: Vec<QueuedRow> =
            self.slow_readers.read("listing the queue of moderation", query).await?;
        let items: Result<Vec<QueuedItem>, _> =
            rows.into_iter().map(|row| row.item(kind)).collect();
        Ok(Page::cut(items?, limit, |item| ByTime { at: item.created_at, id: item.id }))
    }

    async fn attention(
        &self,
        organization: OrganizationId,
        most: i64,
    ) -> Result<Attention, StoreError> {
        let (waiting, failing) = self.readers.read("counting what waits", |connection| {
            attention::<()>(organization, most).get_result(connection)
        })?;
        Ok(Attention { waiting, failing })
    }
}
