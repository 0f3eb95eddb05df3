//! Help categories.

use crate::PgStore;
use crate::readers::Reach;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
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
impl HelpCategoryRepository for PgStore {
    async fn page(
        &self,
        organization: OrganizationId,
        collection: Option<HelpCollectionId>,
        page: PageRequest<ByPosition>,
    ) -> Result<Page<CategoryDetails, ByPosition>, StoreError> {
        let PageRequest { after, limit } = page;
        let rows: Vec<CountedCategory> = self
            .list_rows(Reach::Short, "listing help categories", || {
                let mut query = help_categories::table
                    .filter(help_categories::organization_id.eq(Id::of(organization)))
                    .filter(help_categories::is_active)
                    .order((
                        help_categories::seq_number,
                        help_categories::name,
                        help_categories::id,
                    ))
                    .limit(limit.and_one())
                    .select((HelpCategoryRow::as_select(), article_count()))
                    .into_boxed();
                if let Some(collection) = collection {
                    query = query
                        .filter(help_categories::collection_id.eq(Id::of(collection)))
                        .filter(exists(
                            help_collections::table
                                .filter(help_collections::organization_id.eq(Id::of(organization)))
                                .filter(help_collections::id.eq(Id::of(collection)))
                                .filter(help_collections::is_active),
                        ));
                }
                if let Some(ByPosition { position, name, id }) = after.clone() {
                    let position = position.ten_thousandths();
                    // The first condition lets PostgreSQL enter the index at the position.
                    query = query.filter(help_categories::seq_number.ge(position)).filter(
                        help_categories::seq_number
                            .gt(position)
                            .or(help_categories::name.gt(name.clone()))
                            .or(help_categories::name.eq(name).and(help_categories::id.gt(Id(id)))),
                    );
                }
                query
            })
            .await?;
        Ok(Page::cut(all(rows)?, limit, |details: &CategoryDetails| ByPosition {
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
        let row: Option<CountedCategory> = self
            .readers
            .row("finding a help category", || {
                help_categories::table
                    .filter(help_categories::organization_id.eq(Id::of(organization)))
                    .filter(help_categories::id.eq(Id::of(id)))
                    .filter(help_categories::is_active)
                    .select((HelpCategoryRow::as_select(), article_count()))
            })
            .await?;
        Ok(row.map(CategoryDetails::try_from).transpose()?)
    }
}

stored!(HelpCategory: help_categories.id as HelpCategoryRow<'static>, slug_key);
