//! Help collections.

use crate::PgStore;
use crate::readers::Reach;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::help_collection::{CollectionDetails, HelpCollection};
use hearback_domain::id::{HelpCollectionId, OrganizationId};
use hearback_ports::page::{ByPosition, Page, PageRequest};
use hearback_ports::{HelpCollectionRepository, StoreError};
use hearback_store_rows::help_center::CountedCollection;
use hearback_store_rows::postgres::lists;
use hearback_store_rows::rows::HelpCollectionRow;
use hearback_store_rows::schema::help_collections;
use hearback_store_rows::shown::category_count;
use hearback_store_rows::{Id, all, one};

#[async_trait]
impl HelpCollectionRepository for PgStore {
    async fn page(
        &self,
        organization: OrganizationId,
        page: PageRequest<ByPosition>,
    ) -> Result<Page<CollectionDetails, ByPosition>, StoreError> {
        let rows: Vec<CountedCollection> = self
            .list_rows(Reach::Short, "listing help collections", || {
                lists::help_collections(organization, &page)
                    .select((HelpCollectionRow::as_select(), category_count(Id::of(organization))))
            })
            .await?;
        Ok(Page::cut(all(rows)?, page.limit, |details: &CollectionDetails| ByPosition {
            position: details.collection.seq_number,
            name: details.collection.name.clone(),
            id: details.collection.id.0,
        }))
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpCollectionId,
    ) -> Result<Option<CollectionDetails>, StoreError> {
        let row: Option<CountedCollection> = self
            .readers
            .row("finding a help collection", || {
                one!(help_collections, organization, Id::of(id))
                    .filter(help_collections::is_active)
                    .select((HelpCollectionRow::as_select(), category_count(Id::of(organization))))
            })
            .await?;
        Ok(row.map(CollectionDetails::try_from).transpose()?)
    }
}

stored!(HelpCollection: help_collections.id as HelpCollectionRow<'static>, slug_key);
