//! Statuses.

use crate::PgStore;
use crate::error::BadRow;
use crate::readers::Walk;
use crate::rows::{Origin, all, timestamp};
use crate::schema::statuses;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::id::OrganizationId;
use hearback_domain::position::Position;
use hearback_domain::status::{Status, workflow_order};
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::{StatusRepository, StoreError};
use std::borrow::Cow;

#[async_trait]
impl StatusRepository for PgStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<Status>, StoreError> {
        let rows: Vec<StatusRow<'_>> = self
            .list_rows(Walk::Short, "listing statuses", || {
                statuses::table
                    .filter(statuses::organization_id.eq(organization.0))
                    .filter(statuses::is_active)
                    .select(StatusRow::as_select())
            })
            .await?;
        let mut statuses: Vec<Status> = all(rows)?;
        // The order of the groups is not one of their codes.
        statuses.sort_by(workflow_order);
        Ok(statuses)
    }
}

stored!(Status: statuses.id as StatusRow<'static>);

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = statuses,
    check_for_backend(Pg),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct StatusRow<'a> {
    id: Uuid,
    name: Cow<'a, str>,
    code: Cow<'a, str>,
    color: Cow<'a, str>,
    status_group_code: Cow<'a, str>,
    is_default_status: bool,
    show_on_feedback: bool,
    show_on_roadmap: bool,
    is_active: bool,
    seq_number: i64,
    created_at: PgTimestamp,
}

impl<'a> From<&'a Status> for StatusRow<'a> {
    fn from(status: &'a Status) -> Self {
        Self {
            id: status.id.0,
            name: Cow::from(&status.name),
            code: Cow::from(&status.code),
            color: Cow::from(&status.color),
            status_group_code: Cow::from(status.group.code()),
            is_default_status: status.is_default_status,
            show_on_feedback: status.show_on_feedback,
            show_on_roadmap: status.show_on_roadmap,
            is_active: status.is_active,
            seq_number: status.seq_number.ten_thousandths(),
            created_at: timestamp(status.created_at),
        }
    }
}

impl TryFrom<StatusRow<'_>> for Status {
    type Error = BadRow;

    fn try_from(row: StatusRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("statuses", row.id);
        Ok(Self {
            id: row.id.into(),
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
