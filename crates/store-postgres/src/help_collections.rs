//! Help collections.

use crate::PgStore;
use crate::error::BadRow;
use crate::readers::Walk;
use crate::rows::{Origin, all, timestamp};
use crate::schema::{help_categories, help_collections};
use crate::stored::stored;
use async_trait::async_trait;
use diesel::dsl::auto_type;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::Uuid;
use hearback_domain::help_collection::{CollectionDetails, HelpCollection};
use hearback_domain::id::{HelpCollectionId, OrganizationId};
use hearback_domain::position::Position;
use hearback_ports::page::{ByPosition, Page, PageRequest};
use hearback_ports::{HelpCollectionRepository, StoreError};
use std::borrow::Cow;

#[async_trait]
impl HelpCollectionRepository for PgStore {
    async fn page(
        &self,
        organization: OrganizationId,
        page: PageRequest<ByPosition>,
    ) -> Result<Page<CollectionDetails, ByPosition>, StoreError> {
        let PageRequest { after, limit } = page;
        let rows: Vec<CountedCollection> = self
            .list_rows(Walk::Short, "listing help collections", || {
                let mut query = help_collections::table
                    .filter(help_collections::organization_id.eq(organization.0))
                    .filter(help_collections::is_active)
                    .order((
                        help_collections::seq_number,
                        help_collections::name,
                        help_collections::id,
                    ))
                    .limit(limit.and_one())
                    .select((HelpCollectionRow::as_select(), category_count()))
                    .into_boxed();
                if let Some(ByPosition { position, name, id }) = after.clone() {
                    let position = position.ten_thousandths();
                    // This form, so that the index is entered at the position.
                    query = query.filter(help_collections::seq_number.ge(position)).filter(
                        help_collections::seq_number
                            .gt(position)
                            .or(help_collections::name.gt(name.clone()))
                            .or(help_collections::name.eq(name).and(help_collections::id.gt(id))),
                    );
                }
                query
            })
            .await?;
        Ok(Page::cut(all(rows)?, limit, |details: &CollectionDetails| ByPosition {
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
                help_collections::table
                    .filter(help_collections::organization_id.eq(organization.0))
                    .filter(help_collections::id.eq(id.0))
                    .filter(help_collections::is_active)
                    .select((HelpCollectionRow::as_select(), category_count()))
            })
            .await?;
        Ok(row.map(CollectionDetails::try_from).transpose()?)
    }
}

#[auto_type]
fn category_count() -> _ {
    help_categories::table
        .filter(help_categories::organization_id.eq(help_collections::organization_id))
        .filter(help_categories::collection_id.eq(help_collections::id))
        .filter(help_categories::is_active)
        .count()
        .single_value()
        .assume_not_null()
}

/// A row with what is counted in another table.
#[derive(Queryable)]
struct CountedCollection {
    row: HelpCollectionRow<'static>,
    category_count: i64,
}

impl TryFrom<CountedCollection> for CollectionDetails {
    type Error = BadRow;

    fn try_from(
        CountedCollection { row, category_count }: CountedCollection,
    ) -> Result<Self, BadRow> {
        Ok(Self { collection: row.try_into()?, category_count })
    }
}

stored!(HelpCollection: help_collections.id as HelpCollectionRow<'static>, slug_key);

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = help_collections,
    check_for_backend(Pg),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct HelpCollectionRow<'a> {
    id: Uuid,
    name: Cow<'a, str>,
    slug: Cow<'a, str>,
    description: Cow<'a, str>,
    icon: Cow<'a, str>,
    color: Cow<'a, str>,
    seq_number: i64,
    is_active: bool,
    created_at: PgTimestamp,
    updated_at: PgTimestamp,
}

impl<'a> From<&'a HelpCollection> for HelpCollectionRow<'a> {
    fn from(collection: &'a HelpCollection) -> Self {
        Self {
            id: collection.id.0,
            name: Cow::from(&collection.name),
            slug: Cow::from(collection.slug.as_str()),
            description: Cow::from(&collection.description),
            icon: Cow::from(&collection.icon),
            color: Cow::from(&collection.color),
            seq_number: collection.seq_number.ten_thousandths(),
            is_active: collection.is_active,
            created_at: timestamp(collection.created_at),
            updated_at: timestamp(collection.updated_at),
        }
    }
}

impl TryFrom<HelpCollectionRow<'_>> for HelpCollection {
    type Error = BadRow;

    fn try_from(row: HelpCollectionRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("help_collections", row.id);
        Ok(Self {
            id: row.id.into(),
            name: row.name.into_owned(),
            slug: origin.slug(&row.slug)?,
            description: row.description.into_owned(),
            icon: row.icon.into_owned(),
            color: row.color.into_owned(),
            seq_number: Position::from_ten_thousandths(row.seq_number),
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
            updated_at: origin.time("updated_at", row.updated_at)?,
        })
    }
}
