//! Help categories.

use crate::PgStore;
use crate::error::BadRow;
use crate::readers::Walk;
use crate::rows::{Origin, all, timestamp};
use crate::schema::{help_articles, help_categories, help_collections};
use crate::stored::stored;
use async_trait::async_trait;
use diesel::dsl::{auto_type, exists};
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::Uuid;
use hearback_domain::help_category::{CategoryDetails, HelpCategory};
use hearback_domain::id::{HelpCategoryId, HelpCollectionId, OrganizationId};
use hearback_domain::position::Position;
use hearback_ports::page::{ByPosition, Page, PageRequest};
use hearback_ports::{HelpCategoryRepository, StoreError};
use std::borrow::Cow;

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
            .list_rows(Walk::Short, "listing help categories", || {
                let mut query = help_categories::table
                    .filter(help_categories::organization_id.eq(organization.0))
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
                    query = query.filter(help_categories::collection_id.eq(collection.0)).filter(
                        exists(
                            help_collections::table
                                .filter(help_collections::organization_id.eq(organization.0))
                                .filter(help_collections::id.eq(collection.0))
                                .filter(help_collections::is_active),
                        ),
                    );
                }
                if let Some(ByPosition { position, name, id }) = after.clone() {
                    let position = position.ten_thousandths();
                    // This form, so that the index is entered at the position.
                    query = query.filter(help_categories::seq_number.ge(position)).filter(
                        help_categories::seq_number
                            .gt(position)
                            .or(help_categories::name.gt(name.clone()))
                            .or(help_categories::name.eq(name).and(help_categories::id.gt(id))),
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
                    .filter(help_categories::organization_id.eq(organization.0))
                    .filter(help_categories::id.eq(id.0))
                    .filter(help_categories::is_active)
                    .select((HelpCategoryRow::as_select(), article_count()))
            })
            .await?;
        Ok(row.map(CategoryDetails::try_from).transpose()?)
    }
}

#[auto_type]
fn article_count() -> _ {
    help_articles::table
        .filter(help_articles::organization_id.eq(help_categories::organization_id))
        .filter(help_articles::category_id.eq(help_categories::id.nullable()))
        .filter(help_articles::is_active)
        .count()
        .single_value()
        .assume_not_null()
}

/// A row with what is counted in another table.
#[derive(Queryable)]
struct CountedCategory {
    row: HelpCategoryRow<'static>,
    article_count: i64,
}

impl TryFrom<CountedCategory> for CategoryDetails {
    type Error = BadRow;

    fn try_from(CountedCategory { row, article_count }: CountedCategory) -> Result<Self, BadRow> {
        Ok(Self { category: row.try_into()?, article_count })
    }
}

stored!(HelpCategory: help_categories.id as HelpCategoryRow<'static>, slug_key);

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = help_categories,
    check_for_backend(Pg),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct HelpCategoryRow<'a> {
    id: Uuid,
    collection_id: Uuid,
    name: Cow<'a, str>,
    slug: Cow<'a, str>,
    description: Option<Cow<'a, str>>,
    icon: Option<Cow<'a, str>>,
    color: Option<Cow<'a, str>>,
    seq_number: i64,
    is_active: bool,
    created_at: PgTimestamp,
    updated_at: PgTimestamp,
}

impl<'a> From<&'a HelpCategory> for HelpCategoryRow<'a> {
    fn from(category: &'a HelpCategory) -> Self {
        Self {
            id: category.id.0,
            collection_id: category.collection_id.0,
            name: Cow::from(&category.name),
            slug: Cow::from(category.slug.as_str()),
            description: category.description.as_deref().map(Cow::from),
            icon: category.icon.as_deref().map(Cow::from),
            color: category.color.as_deref().map(Cow::from),
            seq_number: category.seq_number.ten_thousandths(),
            is_active: category.is_active,
            created_at: timestamp(category.created_at),
            updated_at: timestamp(category.updated_at),
        }
    }
}

impl TryFrom<HelpCategoryRow<'_>> for HelpCategory {
    type Error = BadRow;

    fn try_from(row: HelpCategoryRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("help_categories", row.id);
        Ok(Self {
            id: row.id.into(),
            collection_id: row.collection_id.into(),
            name: row.name.into_owned(),
            slug: origin.slug(&row.slug)?,
            description: row.description.map(Cow::into_owned),
            icon: row.icon.map(Cow::into_owned),
            color: row.color.map(Cow::into_owned),
            seq_number: Position::from_ten_thousandths(row.seq_number),
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
            updated_at: origin.time("updated_at", row.updated_at)?,
        })
    }
}
