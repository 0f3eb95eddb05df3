//! Scheduled changelog entries.

use crate::column::{BadRow, Origin};
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::changelog_entry::ScheduledEntry;

/// The row of [`queries::due`](crate::queries::due()).
#[derive(Queryable)]
pub struct ScheduledRow {
    id: Id,
    scheduled_at: Stamp,
    notify: bool,
    show_on_portal: bool,
}

impl TryFrom<ScheduledRow> for ScheduledEntry {
    type Error = BadRow;

    fn try_from(row: ScheduledRow) -> Result<Self, BadRow> {
        let origin = Origin::new("changelog_entries", row.id);
        Ok(Self {
            id: row.id.to(),
            scheduled_at: origin.read::<Time>("scheduled_at", row.scheduled_at)?,
            notify: row.notify,
            show_on_portal: row.show_on_portal,
        })
    }
}
