//! The audit records of merges.

use crate::error::BadRow;
use crate::rows::{Origin, timestamp};
use crate::schema::merges;
use crate::stored::stored;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::Uuid;
use hearback_domain::merge::MergeRecord;

stored!(MergeRecord: merges.id as MergeRow);

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = merges,
    check_for_backend(Pg),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
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
