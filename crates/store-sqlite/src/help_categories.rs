//! Help categories.

use crate::SqliteStore;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::help_category::{CategoryDetails, HelpCategory};
use hearback_domain::id::{HelpCategoryId, HelpCollectionId, OrganizationId};
use hearback_ports::page::{ByPosition, Page, PageRequest};
use hearback_ports::{HelpCategoryRepository, StoreError};
use hearback_store_rows::help_center::CountedCategory;
use hearback_store_rows::rows::HelpCategoryRow;
use hearback_store_rows::schema::help_categories;
use hearback_store_rows::shown::article_count;
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::{Id, all, one};

#[async_trait]
impl HelpCategoryRepository for SqliteStore {
    async fn page(
        &self,
        organization: OrganizationId,
        collection: Option<HelpCollectionId>,
        page: PageRequest<ByPosition>,
    ) -> Result<Page<CategoryDetails, ByPosition>, StoreError> {
        let rows: Vec<CountedCategory> =
            self.readers.read("listing help categories", |connection| {
                lists::help_categories(organization, collection, &page)
                    .select((HelpCategoryRow::as_select(), article_count(Id::of(organization))))
                    .load(connection)
            })?;
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
                one!(help_categories, organization, Id::of(id))
                    .filter(help_categories::is_active)
                    .select((HelpCategoryRow::as_select(), article_count(Id::of(organization))))
                    .first(connection)
                    .optional()
            })?;
        Ok(row.map(CategoryDetails::try_from).transpose()?)
    }
}

stored!(HelpCategory: help_categories.id as HelpCategoryRow<'static>, slug_key);
