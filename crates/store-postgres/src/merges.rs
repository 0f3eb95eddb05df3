//! The audit records of merges.

use crate::error::BadRow;
use crate::rows::{Origin, ROWS, timestamp};
use crate::schema::merges;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;
use hearback_domain::merge::MergeRecord;

/// Writes them as they are.
pub(crate) async fn insert(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    all: &[MergeRecord],
) -> QueryResult<()> {
    for some in all.chunks(ROWS) {
        let rows: Vec<_> = some
            .iter()
            .map(|merge| (merges::organization_id.eq(organization.0), MergeRow::from(merge)))
            .collect();
        diesel::insert_into(merges::table).values(rows).execute(connection).await?;
    }
    Ok(())
}

/// Those behind `after`, by id.
pub(crate) async fn export(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    after: Option<Uuid>,
    limit: i64,
) -> QueryResult<Vec<MergeRow>> {
    let mut query = merges::table
        .filter(merges::organization_id.eq(organization.0))
        .order(merges::id)
        .limit(limit)
        .select(MergeRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(merges::id.gt(after));
    }
    query.load(connection).await
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = merges, check_for_backend(Pg), treat_none_as_default_value = false)]
pub(crate) struct MergeRow {
    id: Uuid,
    merge_post_id: Uuid,
    into_post_id: Uuid,
    merger_id: Uuid,
    moved_user_ids: Vec<Uuid>,
    dropped_user_ids: Vec<Uuid>,
    created_at: PgTimestamp,
}

impl From<&MergeRecord> for MergeRow {
    fn from(merge: &MergeRecord) -> Self {
        Self {
            id: merge.id.0,
            merge_post_id: merge.merge_post_id.0,
            into_post_id: merge.into_post_id.0,
            merger_id: merge.merger_id.0,
            moved_user_ids: merge.moved_user_ids.iter().map(|user| user.0).collect(),
            dropped_user_ids: merge.dropped_user_ids.iter().map(|user| user.0).collect(),
            created_at: timestamp(merge.created_at),
        }
    }
}

impl TryFrom<MergeRow> for MergeRecord {
    type Error = BadRow;

    fn try_from(row: MergeRow) -> Result<Self, BadRow> {
        let origin = Origin::new("merges", row.id);
        Ok(Self {
            id: row.id.into(),
            merge_post_id: row.merge_post_id.into(),
            into_post_id: row.into_post_id.into(),
            merger_id: row.merger_id.into(),
            moved_user_ids: row.moved_user_ids.into_iter().map(Into::into).collect(),
            dropped_user_ids: row.dropped_user_ids.into_iter().map(Into::into).collect(),
            created_at: origin.time("created_at", row.created_at)?,
        })
    }
}
