//! Categories.

use crate::PgStore;
use crate::error::BadRow;
use crate::readers::Walk;
use crate::rows::{Origin, all, timestamp};
use crate::schema::categories;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::Uuid;
use hearback_domain::category::Category;
use hearback_domain::id::{CategoryId, OrganizationId};
use hearback_ports::{CategoryRepository, StoreError};
use std::borrow::Cow;

#[async_trait]
impl CategoryRepository for PgStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<Category>, StoreError> {
        let rows: Vec<CategoryRow<'_>> = self
            .list_rows(Walk::Short, "listing categories", || {
                categories::table
                    .filter(categories::organization_id.eq(organization.0))
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
        let row: Option<CategoryRow<'_>> = self
            .readers
            .row("finding a category", || {
                categories::table
                    .filter(categories::organization_id.eq(organization.0))
                    .filter(categories::id.eq(id.0))
                    .filter(categories::is_active)
                    .select(CategoryRow::as_select())
            })
            .await?;
        Ok(row.map(Category::try_from).transpose()?)
    }
}

stored!(Category: categories.id as CategoryRow<'static>);

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = categories,
    check_for_backend(Pg),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct CategoryRow<'a> {
    id: Uuid,
    name: Cow<'a, str>,
    code: Cow<'a, str>,
    description: Option<Cow<'a, str>>,
    color: Cow<'a, str>,
    show_on_feedback: bool,
    show_on_roadmap: bool,
    is_active: bool,
    created_at: PgTimestamp,
}

impl<'a> From<&'a Category> for CategoryRow<'a> {
    fn from(category: &'a Category) -> Self {
        Self {
            id: category.id.0,
            name: Cow::from(&category.name),
            code: Cow::from(&category.code),
            description: category.description.as_deref().map(Cow::from),
            color: Cow::from(&category.color),
            show_on_feedback: category.show_on_feedback,
            show_on_roadmap: category.show_on_roadmap,
            is_active: category.is_active,
            created_at: timestamp(category.created_at),
        }
    }
}

impl TryFrom<CategoryRow<'_>> for Category {
    type Error = BadRow;

    fn try_from(row: CategoryRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("categories", row.id);
        Ok(Self {
            id: row.id.into(),
            name: row.name.into_owned(),
            code: row.code.into_owned(),
            description: row.description.map(Cow::into_owned),
            color: row.color.into_owned(),
            show_on_feedback: row.show_on_feedback,
            show_on_roadmap: row.show_on_roadmap,
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
        })
    }
}
