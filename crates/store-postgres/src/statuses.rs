//! Statuses.

use crate::PgStore;
use crate::readers::Reach;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use hearback_domain::id::OrganizationId;
use hearback_domain::status::{Status, workflow_order};
use hearback_ports::{StatusRepository, StoreError};
use hearback_store_rows::rows::StatusRow;
use hearback_store_rows::schema::statuses;
use hearback_store_rows::{Id, all};

#[async_trait]
impl StatusRepository for PgStore {
    async fn list(&self, organization: OrganizationId) -> Result<Vec<Status>, StoreError> {
        let rows: Vec<StatusRow<'_>> = self
            .list_rows(Reach::Short, "listing statuses", || {
                statuses::table
                    .filter(statuses::organization_id.eq(Id::of(organization)))
                    .filter(statuses::is_active)
                    .select(StatusRow::as_select())
            })
            .await?;
        let mut statuses: Vec<Status> = all(rows)?;
        // The groups have an order that is not that of their codes, so no column sorts them.
        statuses.sort_by(workflow_order);
        Ok(statuses)
    }
}

stored!(Status: statuses.id as StatusRow<'static>);
