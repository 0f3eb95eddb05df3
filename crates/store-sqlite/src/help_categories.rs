//! Help categories.

use crate::error::BadRow;
use crate::rows::{Id, Origin};
use crate::schema::help_categories;
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::help_category::HelpCategory;
use hearback_domain::id::OrganizationId;
use hearback_domain::position::Position;
use std::borrow::Cow;

/// Writes one as it is.
pub(crate) fn insert(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    category: &HelpCategory,
) -> QueryResult<()> {
    diesel::insert_into(help_categories::table)
        .values((
            help_categories::organization_id.eq(Id::of(organization)),
            help_categories::slug_key.eq(category.slug.key()),
            help_categories::last_article_position.eq(Position::START.ten_thousandths()),
            HelpCategoryRow::from(category),
        ))
        .execute(connection)?;
    Ok(())
}

/// Those behind `after`, by id.
pub(crate) fn export(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    after: Option<Id>,
    limit: i64,
) -> QueryResult<Vec<HelpCategoryRow<'static>>> {
    let mut query = help_categories::table
        .filter(help_categories::organization_id.eq(Id::of(organization)))
        .order(help_categories::id)
        .limit(limit)
        .select(HelpCategoryRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(help_categories::id.gt(after));
    }
    query.load(connection)
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = help_categories, check_for_backend(Sqlite), treat_none_as_default_value = false)]
pub(crate) struct HelpCategoryRow<'a> {
    id: Id,
    collection_id: Id,
    name: Cow<'a, str>,
    slug: Cow<'a, str>,
    description: Option<Cow<'a, str>>,
    icon: Option<Cow<'a, str>>,
    color: Option<Cow<'a, str>>,
    seq_number: i64,
    is_active: bool,
    created_at: i64,
    updated_at: i64,
}

impl<'a> From<&'a HelpCategory> for HelpCategoryRow<'a> {
    fn from(category: &'a HelpCategory) -> Self {
        Self {
            id: Id::of(category.id),
            collection_id: Id::of(category.collection_id),
            name: Cow::from(&category.name),
            slug: Cow::from(category.slug.as_str()),
            description: category.description.as_deref().map(Cow::from),
            icon: category.icon.as_deref().map(Cow::from),
            color: category.color.as_deref().map(Cow::from),
            seq_number: category.seq_number.ten_thousandths(),
            is_active: category.is_active,
            created_at: category.created_at.unix_millis(),
            updated_at: category.updated_at.unix_millis(),
        }
    }
}

impl TryFrom<HelpCategoryRow<'_>> for HelpCategory {
    type Error = BadRow;

    fn try_from(row: HelpCategoryRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("help_categories", row.id);
        Ok(Self {
            id: row.id.to(),
            collection_id: row.collection_id.to(),
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
