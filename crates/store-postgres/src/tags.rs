//! Tags.

use crate::PgStore;
use crate::readers::Reach;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::id::OrganizationId;
use hearback_domain::tag::Tag;
use hearback_ports::{StoreError, TagRepository};
use hearback_store_rows::rows::TagRow;
use hearback_store_rows::schema::tags;
use hearback_store_rows::{Id, all};

#[async_trait]
impl TagRepository for PgStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<Tag>, StoreError> {
        let rows: Vec<TagRow<'_>> = self
            .list_rows(Reach::Short, "listing tags", || {
                tags::table
                    .filter(tags::organization_id.eq(Id::of(organization)))
                    .filter(tags::is_active)
                    .order((tags::name, tags::id))
                    .select(TagRow::as_select())
            })
            .await?;
        Ok(all(rows)?)
    }
}

stored!(Tag: tags.id as TagRow<'static>);
