//! Categories.

use crate::SqliteStore;
use crate::stored::{Stored, stored};
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::category::Category;
use hearback_domain::id::{CategoryId, OrganizationId};
use hearback_ports::{CategoryRepository, StoreError};
use hearback_store_rows::rows::CategoryRow;
use hearback_store_rows::schema::categories;
use hearback_store_rows::{Id, all};

#[async_trait]
impl CategoryRepository for SqliteStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<Category>, StoreError> {
        let rows: Vec<CategoryRow<'_>> = self.readers.read("listing categories", |connection| {
            categories::table
                .filter(categories::organization_id.eq(Id::of(organization)))
                .filter(categories::is_active)
                .order((categories::name, categories::id))
                .select(CategoryRow::as_select())
                .load(connection)
        })?;
        Ok(all(rows)?)
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: CategoryId,
    ) -> Result<Option<Category>, StoreError> {
        let found = self.readers.read("finding a category", |connection| {
            Category::find(connection, organization, id.0)
        })?;
        Ok(found.filter(|found| found.is_active))
    }
}

stored!(Category: categories.id as CategoryRow<'static>);
