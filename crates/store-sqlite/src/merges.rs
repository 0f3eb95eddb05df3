//! Merges.

use crate::error::BadRow;
use crate::rows::{Id, Origin, blob};
use crate::schema::merges;
use crate::stored::stored;
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::merge::MergeRecord;

stored!(MergeRecord: merges.id as MergeRow);

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = merges,
    check_for_backend(Sqlite),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct MergeRow {
    id: Id,
    merge_post_id: Id,
    into_post_id: Id,
    merger_id: Id,
    moved_user_ids: Vec<u8>,
    dropped_user_ids: Vec<u8>,
    created_at: i64,
}

impl From<&MergeRecord> for MergeRow {
    fn from(merge: &MergeRecord) -> Self {
        Self {
            id: Id::of(merge.id),
            merge_post_id: Id::of(merge.merge_post_id),
            into_post_id: Id::of(merge.into_post_id),
            merger_id: Id::of(merge.merger_id),
            moved_user_ids: blob(&merge.moved_user_ids),
            dropped_user_ids: blob(&merge.dropped_user_ids),
            created_at: merge.created_at.unix_millis(),
        }
    }
}

impl TryFrom<MergeRow> for MergeRecord {
    type Error = BadRow;

    fn try_from(row: MergeRow) -> Result<Self, BadRow> {
        let origin = Origin::new("merges", row.id);
        Ok(Self {
            id: row.id.to(),
            merge_post_id: row.merge_post_id.to(),
            into_post_id: row.into_post_id.to(),
            merger_id: row.merger_id.to(),
            moved_user_ids: origin.ids("moved_user_ids", &row.moved_user_ids)?,
            dropped_user_ids: origin.ids("dropped_user_ids", &row.dropped_user_ids)?,
            created_at: origin.time("created_at", row.created_at)?,
        })
    }
}
