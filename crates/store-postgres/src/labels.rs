//! Labels of changelog entries.

use crate::error::BadRow;
use crate::import::ROWS;
use crate::rows::{Origin, timestamp};
use crate::schema::labels;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;
use hearback_domain::label::Label;
use std::borrow::Cow;

/// Writes them as they are.
pub(crate) async fn insert(connection: &mut AsyncPgConnection, organization: OrganizationId, all: &[Label]) -> QueryResult<()> {
    for some in all.chunks(ROWS) {
        let rows: Vec<_> = some.iter().map(|label| (labels::organization_id.eq(organization.0), LabelRow::from(label))).collect();
        diesel::insert_into(labels::table).values(rows).execute(connection).await?;
    }
    Ok(())
}

/// Those behind `after`, by id.
pub(crate) async fn export(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    after: Option<Uuid>,
    limit: i64,
) -> QueryResult<Vec<LabelRow<'static>>> {
    let mut query = labels::table
        .filter(labels::organization_id.eq(organization.0))
        .order(labels::id)
        .limit(limit)
        .select(LabelRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(labels::id.gt(after));
    }
    query.load(connection).await
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = labels, check_for_backend(Pg), treat_none_as_default_value = false)]
pub(crate) struct LabelRow<'a> {
    id: Uuid,
    name: Cow<'a, str>,
    code: Cow<'a, str>,
    color: Cow<'a, str>,
    description: Option<Cow<'a, str>>,
    is_active: bool,
    created_at: PgTimestamp,
}

impl<'a> From<&'a Label> for LabelRow<'a> {
    fn from(label: &'a Label) -> Self {
        Self {
            id: label.id.0,
            name: Cow::from(&label.name),
            code: Cow::from(&label.code),
            color: Cow::from(&label.color),
            description: label.description.as_deref().map(Cow::from),
            is_active: label.is_active,
            created_at: timestamp(label.created_at),
        }
    }
}

impl TryFrom<LabelRow<'_>> for Label {
    type Error = BadRow;

    fn try_from(row: LabelRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("labels", row.id);
        Ok(Self {
            id: row.id.into(),
            name: row.name.into_owned(),
            code: row.code.into_owned(),
            color: row.color.into_owned(),
            description: row.description.map(Cow::into_owned),
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
        })
    }
}
