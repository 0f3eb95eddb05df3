//! Categories.

use crate::PgStore;
use crate::readers::Reach;
use crate::stored::{Stored, stored};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::category::Category;
use hearback_domain::id::{CategoryId, OrganizationId};
use hearback_ports::{CategoryRepository, StoreError};
use hearback_store_rows::rows::CategoryRow;
use hearback_store_rows::schema::categories;
use hearback_store_rows::{Id, all};

#[async_trait]
impl CategoryRepository for PgStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<Category>, StoreError> {
        let rows: Vec<CategoryRow<'_>> = self
            .list_rows(Reach::Short, "listing categories", || {
                categories::table
                    .filter(categories::organization_id.eq(Id::of(organization)))
                    .filter(categories::is_active)
                    .order((categories::name, categories::id))
                    .select(CategoryRow::as_select())
            })
            .await?;
        Ok(all(rows)?)
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: CategoryId,
    ) -> Result<Option<Category>, StoreError> {
        let found = Category::find(&self.readers, organization, id.0).await?;
        Ok(found.filter(|found| found.is_active))
    }
}

stored!(Category: categories.id as CategoryRow<'static>);
