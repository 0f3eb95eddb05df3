//! Labels.

use crate::error::BadRow;
use crate::rows::{Id, Origin};
use crate::schema::labels;
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::id::OrganizationId;
use hearback_domain::label::Label;
use std::borrow::Cow;

/// Writes one as it is.
pub(crate) fn insert(connection: &mut SqliteConnection, organization: OrganizationId, label: &Label) -> QueryResult<()> {
    diesel::insert_into(labels::table)
        .values((labels::organization_id.eq(Id::of(organization)), LabelRow::from(label)))
        .execute(connection)?;
    Ok(())
}

/// Those behind `after`, by id.
pub(crate) fn export(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    after: Option<Id>,
    limit: i64,
) -> QueryResult<Vec<LabelRow<'static>>> {
    let mut query = labels::table
        .filter(labels::organization_id.eq(Id::of(organization)))
        .order(labels::id)
        .limit(limit)
        .select(LabelRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(labels::id.gt(after));
    }
    query.load(connection)
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = labels, check_for_backend(Sqlite), treat_none_as_default_value = false)]
pub(crate) struct LabelRow<'a> {
    id: Id,
    name: Cow<'a, str>,
    code: Cow<'a, str>,
    color: Cow<'a, str>,
    description: Option<Cow<'a, str>>,
    is_active: bool,
    created_at: i64,
}

impl<'a> From<&'a Label> for LabelRow<'a> {
    fn from(label: &'a Label) -> Self {
        Self {
            id: Id::of(label.id),
            name: Cow::from(&label.name),
            code: Cow::from(&label.code),
            color: Cow::from(&label.color),
            description: label.description.as_deref().map(Cow::from),
            is_active: label.is_active,
            created_at: label.created_at.unix_millis(),
        }
    }
}

impl TryFrom<LabelRow<'_>> for Label {
    type Error = BadRow;

    fn try_from(row: LabelRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("labels", row.id);
        Ok(Self {
            id: row.id.to(),
            name: row.name.into_owned(),
            code: row.code.into_owned(),
            color: row.color.into_owned(),
            description: row.description.map(Cow::into_owned),
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
        })
    }
}
