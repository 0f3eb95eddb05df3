//! The audit log.

use crate::SqliteStore;
use crate::error::store_error;
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::audit::{AuditEntry, AuditFilter};
use hearback_domain::id::OrganizationId;
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{AuditLog, StoreError};
use hearback_store_rows::audit::AuditRow;
use hearback_store_rows::schema::audit_entries;
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::{Id, Stamp, all};

#[async_trait]
impl AuditLog for SqliteStore {
    async fn page(
        &self,
        organization: OrganizationId,
        filter: AuditFilter,
        page: PageRequest<ByTime>,
    ) -> Result<Page<AuditEntry, ByTime>, StoreError> {
        let limit = page.limit;
        let query = move |connection: &mut SqliteConnection| {
            lists::audit_entries(organization, &filter, &page)
                .select(AuditRow::as_select())
                .load(connection)
        };
        let rows: Vec<AuditRow> = self.slow_readers.read("listing the audit log", query).await?;
        Ok(Page::cut(all(rows)?, limit, |entry: &AuditEntry| ByTime {
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
        let doing = "removing old entries of the audit log";
        let work =
            move |connection: &mut SqliteConnection| prune(connection, organization, before, limit);
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))
    }
}

fn prune(
    connection: &mut SqliteConnection,
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
        .load(connection)?;
    diesel::delete(audit_entries::table)
        .filter(audit_entries::organization_id.eq(Id::of(organization)))
        .filter(audit_entries::id.eq_any(old))
        .execute(connection)
}

/// Stores the entries of a change, in the change's transaction.
pub(crate) fn insert(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    entries: &[AuditEntry],
) -> QueryResult<()> {
    for entry in entries {
        diesel::insert_into(audit_entries::table)
            .values((
                audit_entries::organization_id.eq(Id::of(organization)),
                AuditRow::from(entry),
            ))
            .execute(connection)?;
    }
    Ok(())
}
