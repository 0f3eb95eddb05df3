//! Help collections.

use crate::SqliteStore;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::help_collection::{CollectionDetails, HelpCollection};
use hearback_domain::id::{HelpCollectionId, OrganizationId};
use hearback_ports::page::{ByPosition, Page, PageRequest};
use hearback_ports::{HelpCollectionRepository, StoreError};
use hearback_store_rows::help_center::CountedCollection;
use hearback_store_rows::rows::HelpCollectionRow;
use hearback_store_rows::schema::help_collections;
use hearback_store_rows::shown::category_count;
use hearback_store_rows::{Id, all};

#[async_trait]
impl HelpCollectionRepository for SqliteStore {
    async fn page(
        &self,
        organization: OrganizationId,
        page: PageRequest<ByPosition>,
    ) -> Result<Page<CollectionDetails, ByPosition>, StoreError> {
        let rows = self.readers.read("listing help collections", |connection| {
            listed(connection, organization, &page)
        })?;
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
        let row: Option<CountedCollection> =
            self.readers.read("finding a help collection", |connection| {
                help_collections::table
                    .filter(help_collections::organization_id.eq(Id::of(organization)))
                    .filter(help_collections::id.eq(Id::of(id)))
                    .filter(help_collections::is_active)
                    .select((HelpCollectionRow::as_select(), category_count()))
                    .first(connection)
                    .optional()
            })?;
        Ok(row.map(CollectionDetails::try_from).transpose()?)
    }
}

/// The collections of a page and the first collection behind it.
fn listed(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    page: &PageRequest<ByPosition>,
) -> QueryResult<Vec<CountedCollection>> {
    let mut query = help_collections::table
        .filter(help_collections::organization_id.eq(Id::of(organization)))
        .filter(help_collections::is_active)
        .order((help_collections::seq_number, help_collections::name, help_collections::id))
        .limit(page.limit.and_one())
        .select((HelpCollectionRow::as_select(), category_count()))
        .into_boxed();
    if let Some(ByPosition { position, name, id }) = &page.after {
        let position = position.ten_thousandths();
        // The first condition lets SQLite enter the index at the position.
        query = query.filter(help_collections::seq_number.ge(position)).filter(
            help_collections::seq_number
                .gt(position)
                .or(help_collections::name.gt(name))
                .or(help_collections::name.eq(name).and(help_collections::id.gt(Id(*id)))),
        );
    }
    query.load(connection)
}

stored!(HelpCollection: help_collections.id as HelpCollectionRow<'static>, slug_key);
