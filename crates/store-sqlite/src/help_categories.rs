//! Help categories.

use crate::SqliteStore;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use hearback_domain::help_category::{CategoryDetails, HelpCategory};
use hearback_domain::id::{HelpCategoryId, HelpCollectionId, OrganizationId};
use hearback_ports::page::{ByPosition, Page, PageRequest};
use hearback_ports::{HelpCategoryRepository, StoreError};
use hearback_store_rows::help_center::CountedCategory;
use hearback_store_rows::rows::HelpCategoryRow;
use hearback_store_rows::schema::{help_categories, help_collections};
use hearback_store_rows::shown::article_count;
use hearback_store_rows::{Id, all};

#[async_trait]
impl HelpCategoryRepository for SqliteStore {
    async fn page(
        &self,
        organization: OrganizationId,
        collection: Option<HelpCollectionId>,
        page: PageRequest<ByPosition>,
    ) -> Result<Page<CategoryDetails, ByPosition>, StoreError> {
        let listed =
            |connection: &mut SqliteConnection| listed(connection, organization, collection, &page);
        let rows = self.readers.read("listing help categories", listed)?;
        Ok(Page::cut(all(rows)?, page.limit, |details: &CategoryDetails| ByPosition {
            position: details.category.seq_number,
            name: details.category.name.clone(),
            id: details.category.id.0,
        }))
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpCategoryId,
    ) -> Result<Option<CategoryDetails>, StoreError> {
        let row: Option<CountedCategory> =
            self.readers.read("finding a help category", |connection| {
                help_categories::table
                    .filter(help_categories::organization_id.eq(Id::of(organization)))
                    .filter(help_categories::id.eq(Id::of(id)))
                    .filter(help_categories::is_active)
                    .select((HelpCategoryRow::as_select(), article_count()))
                    .first(connection)
                    .optional()
            })?;
        Ok(row.map(CategoryDetails::try_from).transpose()?)
    }
}

/// The categories of a page and the first category behind it.
fn listed(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    collection: Option<HelpCollectionId>,
    page: &PageRequest<ByPosition>,
) -> QueryResult<Vec<CountedCategory>> {
    let mut query = help_categories::table
        .filter(help_categories::organization_id.eq(Id::of(organization)))
        .filter(help_categories::is_active)
        .order((help_categories::seq_number, help_categories::name, help_categories::id))
        .limit(page.limit.and_one())
        .select((HelpCategoryRow::as_select(), article_count()))
        .into_boxed();
    if let Some(collection) = collection {
        query = query.filter(help_categories::collection_id.eq(Id::of(collection))).filter(exists(
            help_collections::table
                .filter(help_collections::organization_id.eq(Id::of(organization)))
                .filter(help_collections::id.eq(Id::of(collection)))
                .filter(help_collections::is_active),
        ));
    }
    if let Some(ByPosition { position, name, id }) = &page.after {
        let position = position.ten_thousandths();
        // The first condition lets SQLite enter the index at the position.
        query = query.filter(help_categories::seq_number.ge(position)).filter(
            help_categories::seq_number
                .gt(position)
                .or(help_categories::name.gt(name))
                .or(help_categories::name.eq(name).and(help_categories::id.gt(Id(*id)))),
        );
    }
    query.load(connection)
}

stored!(HelpCategory: help_categories.id as HelpCategoryRow<'static>, slug_key);
