//! Help categories.

use crate::error::BadRow;
use crate::import::ROWS;
use crate::rows::{Origin, timestamp};
use crate::schema::help_categories;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::Uuid;
use hearback_domain::help_category::HelpCategory;
use hearback_domain::id::OrganizationId;
use hearback_domain::position::Position;
use std::borrow::Cow;

/// Writes them as they are.
pub(crate) async fn insert(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    all: &[HelpCategory],
) -> QueryResult<()> {
    for some in all.chunks(ROWS) {
        let rows: Vec<_> = some
            .iter()
            .map(|category| {
                (
                    help_categories::organization_id.eq(organization.0),
                    help_categories::slug_key.eq(category.slug.key()),
                    help_categories::last_article_position.eq(Position::START.ten_thousandths()),
                    HelpCategoryRow::from(category),
                )
            })
            .collect();
        diesel::insert_into(help_categories::table).values(rows).execute(connection).await?;
    }
    Ok(())
}

/// Those behind `after`, by id.
pub(crate) async fn export(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    after: Option<Uuid>,
    limit: i64,
) -> QueryResult<Vec<HelpCategoryRow<'static>>> {
    let mut query = help_categories::table
        .filter(help_categories::organization_id.eq(organization.0))
        .order(help_categories::id)
        .limit(limit)
        .select(HelpCategoryRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(help_categories::id.gt(after));
    }
    query.load(connection).await
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = help_categories, check_for_backend(Pg), treat_none_as_default_value = false)]
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
