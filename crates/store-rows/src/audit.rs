//! Entries of the audit log.

use crate::column::{BadRow, Origin};
use crate::schema::audit_entries;
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use hearback_domain::audit::{AuditEntry, Door};
use hearback_domain::record::Kind;
use hearback_domain::{ClosedSet, Time};

/// A row of `audit_entries`.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = audit_entries, treat_none_as_default_value = false)]
pub struct AuditRow {
    id: Id,
    at: Stamp,
    door: String,
    actor_id: Option<Id>,
    action: String,
    target_kind: String,
    target_id: Id,
    data: String,
}

impl From<&AuditEntry> for AuditRow {
    fn from(entry: &AuditEntry) -> Self {
        let (kind, id) = entry.target;
        Self {
            id: Id::of(entry.id),
            at: Stamp::of(entry.at),
            door: entry.door.code().to_owned(),
            actor_id: entry.actor_id.map(Id::of),
            action: entry.action.clone(),
            target_kind: kind.code().to_owned(),
            target_id: Id(id),
            data: entry.data.clone(),
        }
    }
}

impl TryFrom<AuditRow> for AuditEntry {
    type Error = BadRow;

    fn try_from(row: AuditRow) -> Result<Self, BadRow> {
        let origin = Origin::new("audit_entries", row.id);
        Ok(Self {
            id: row.id.to(),
            at: origin.read::<Time>("at", row.at)?,
            door: origin.read::<Door>("door", row.door.into())?,
            actor_id: row.actor_id.map(Id::to),
            action: row.action,
            target: (origin.read::<Kind>("target_kind", row.target_kind.into())?, row.target_id.0),
            data: row.data,
        })
    }
}
