//! Statuses.

use crate::SqliteStore;
use crate::error::BadRow;
use crate::rows::{Id, Origin, all};
use crate::schema::statuses;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::ClosedSet;
use hearback_domain::id::OrganizationId;
use hearback_domain::position::Position;
use hearback_domain::status::{Status, workflow_order};
use hearback_ports::{StatusRepository, StoreError};
use std::borrow::Cow;

#[async_trait]
impl StatusRepository for SqliteStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<Status>, StoreError> {
        let rows: Vec<StatusRow<'_>> = self.readers.read("listing statuses", |connection| {
            statuses::table
                .filter(statuses::organization_id.eq(Id::of(organization)))
                .filter(statuses::is_active)
                .select(StatusRow::as_select())
                .load(connection)
        })?;
        let mut statuses: Vec<Status> = all(rows)?;
        // The order of the groups is the domain's, not that of their codes.
        statuses.sort_by(workflow_order);
        Ok(statuses)
    }
}

stored!(Status: statuses.id as StatusRow<'static>);

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = statuses,
    check_for_backend(Sqlite),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct StatusRow<'a> {
    id: Id,
    name: Cow<'a, str>,
    code: Cow<'a, str>,
    color: Cow<'a, str>,
    status_group_code: Cow<'a, str>,
    is_default_status: bool,
    show_on_feedback: bool,
    show_on_roadmap: bool,
    is_active: bool,
    seq_number: i64,
    created_at: i64,
}

impl<'a> From<&'a Status> for StatusRow<'a> {
    fn from(status: &'a Status) -> Self {
        Self {
            id: Id::of(status.id),
            name: Cow::from(&status.name),
            code: Cow::from(&status.code),
            color: Cow::from(&status.color),
            status_group_code: Cow::from(status.group.code()),
            is_default_status: status.is_default_status,
            show_on_feedback: status.show_on_feedback,
            show_on_roadmap: status.show_on_roadmap,
            is_active: status.is_active,
            seq_number: status.seq_number.ten_thousandths(),
            created_at: status.created_at.unix_millis(),
        }
    }
}

impl TryFrom<StatusRow<'_>> for Status {
    type Error = BadRow;

    fn try_from(row: StatusRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("statuses", row.id);
        Ok(Self {
            id: row.id.to(),
            name: row.name.into_owned(),
            code: row.code.into_owned(),
            color: row.color.into_owned(),
            group: origin.code("status_group_code", &row.status_group_code)?,
            is_default_status: row.is_default_status,
            show_on_feedback: row.show_on_feedback,
            show_on_roadmap: row.show_on_roadmap,
            is_active: row.is_active,
            seq_number: Position::from_ten_thousandths(row.seq_number),
            created_at: origin.time("created_at", row.created_at)?,
        })
    }
}
