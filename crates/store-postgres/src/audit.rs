//! The audit log.

use crate::PgStore;
use crate::readers::Reach;
use crate::sql::ROWS;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::Time;
use hearback_domain::audit::{AuditEntry, AuditFilter};
use hearback_domain::id::OrganizationId;
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{AuditLog, StoreError};
use hearback_store_rows::audit::AuditRow;
use hearback_store_rows::postgres::lists;
use hearback_store_rows::schema::audit_entries;
use hearback_store_rows::{Id, Stamp, all, kept_if_one};

#[async_trait]
impl AuditLog for PgStore {
    async fn page(
        &self,
        organization: OrganizationId,
        filter: AuditFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<AuditEntry, ByTime>, StoreError> {
        let query =
            || lists::audit_entries(organization, &filter, &page).select(AuditRow::as_select());
        let rows: Vec<AuditRow> =
            self.list_rows(Reach::Long, "listing the audit log", query).await?;
        Ok(Page::cut(all(rows)?, page.limit, |entry: &AuditEntry| ByTime {
            at: entry.at,
            id: entry.id.0,
        }))
    }

    async fn prune(
        &self,
        organization: OrganizationId,
        before: Time,
        limit: i64,
    ) -> Result<usize, StoreError> {
        let work = self.writer.write("removing old entries of the audit log", move |connection| {
            async move { prune(connection, organization, before, limit).await }.boxed()
        });
        // `None`: another transaction was faster, and removed them.
        Ok(work.await?.unwrap_or(0))
    }
}

async fn prune(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    before: Time,
    limit: i64,
) -> QueryResult<usize> {
    let old: Vec<Id> = audit_entries::table
        .filter(audit_entries::organization_id.eq(Id::of(organization)))
        .filter(audit_entries::at.lt(Stamp::of(before)))
        .order((audit_entries::at, audit_entries::id))
        .limit(limit)
        .select(audit_entries::id)
        .for_update()
        .skip_locked()
        .load(connection)
        .await?;
    diesel::delete(audit_entries::table)
        .filter(audit_entries::organization_id.eq(Id::of(organization)))
        .filter(audit_entries::id.eq_any(old))
        .execute(connection)
        .await
}

/// Stores the entries of a change, in the change's transaction.
pub(crate) async fn insert(
    mut connection: &AsyncPgConnection,
    organization: OrganizationId,
    entries: &[AuditEntry],
) -> QueryResult<()> {
    for some in entries.chunks(ROWS) {
        let rows: Vec<_> = some
            .iter()
            .map(|entry| {
                (audit_entries::organization_id.eq(Id::of(organization)), AuditRow::from(entry))
            })
            .collect();
        let insert = diesel::insert_into(audit_entries::table).values(rows);
        kept_if_one(some.len(), insert).execute(&mut connection).await?;
    }
    Ok(())
}
