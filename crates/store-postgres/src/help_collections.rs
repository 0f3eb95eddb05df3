//! Help collections.

use crate::error::BadRow;
use crate::import::ROWS;
use crate::rows::{Origin, timestamp};
use crate::schema::help_collections;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::Uuid;
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::id::OrganizationId;
use hearback_domain::position::Position;
use std::borrow::Cow;

/// Writes them as they are.
pub(crate) async fn insert(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    all: &[HelpCollection],
) -> QueryResult<()> {
    for some in all.chunks(ROWS) {
        let rows: Vec<_> = some
            .iter()
            .map(|collection| {
                (
                    help_collections::organization_id.eq(organization.0),
                    help_collections::slug_key.eq(collection.slug.key()),
                    help_collections::last_category_position.eq(Position::START.ten_thousandths()),
                    help_collections::last_article_position.eq(Position::START.ten_thousandths()),
                    HelpCollectionRow::from(collection),
                )
            })
            .collect();
        diesel::insert_into(help_collections::table).values(rows).execute(connection).await?;
    }
    Ok(())
}

/// Those behind `after`, by id.
pub(crate) async fn export(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    after: Option<Uuid>,
    limit: i64,
) -> QueryResult<Vec<HelpCollectionRow<'static>>> {
    let mut query = help_collections::table
        .filter(help_collections::organization_id.eq(organization.0))
        .order(help_collections::id)
        .limit(limit)
        .select(HelpCollectionRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(help_collections::id.gt(after));
    }
    query.load(connection).await
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = help_collections, check_for_backend(Pg), treat_none_as_default_value = false)]
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
