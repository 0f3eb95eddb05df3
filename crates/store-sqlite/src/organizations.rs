//! Organizations.

use crate::error::{Undone, store_error};
use crate::export;
use crate::stored::Stored;
use crate::writer::give_way;
use crate::{SqliteStore, article_search, moves, similar};
use async_trait::async_trait;
use diesel::dsl::not;
use diesel::prelude::*;
use hearback_domain::Uuid;
use hearback_domain::fold::ascii_key;
use hearback_domain::id::OrganizationId;
use hearback_domain::organization::Organization;
use hearback_ports::export::{ExportKey, ExportPage};
use hearback_ports::{OrganizationRepository, Recorded, StoreError};
use hearback_store_rows::rows::OrganizationRow;
use hearback_store_rows::schema::organizations;
use hearback_store_rows::statement::{delete_organization, removals, silence};
use hearback_store_rows::{Edited, Id, all, queries};
use std::time::{Duration, Instant};

#[async_trait]
impl OrganizationRepository for SqliteStore {
    async fn find_by_slug(&self, slug: &str) -> Result<Option<Organization>, StoreError> {
        let row =
            self.readers.read("finding an organization", |connection| by_slug(connection, slug))?;
        Ok(row.map(Organization::try_from).transpose()?)
    }

    async fn find_by_host(&self, host: &str) -> Result<Option<Organization>, StoreError> {
        let row =
            self.readers.read("finding an organization", |connection| by_host(connection, host))?;
        Ok(row.map(Organization::try_from).transpose()?)
    }

    async fn list(&self) -> Result<Vec<Organization>, StoreError> {
        let rows: Vec<OrganizationRow<'_>> =
            self.readers.read("listing organizations", |connection| {
                queries::present()
                    .order((organizations::slug, organizations::id))
                    .select(OrganizationRow::as_select())
                    .load(connection)
            })?;
        Ok(all(rows)?)
    }

    async fn insert(&self, organization: Organization) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            Ok(Organization::insert(connection, organization.id, &organization)?)
        };
        self.writer.record("adding an organization", work).await
    }

    async fn delete(&self, id: OrganizationId) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| delete(connection, id);
        self.writer.record("deleting an organization", work).await
    }

    async fn deleted(&self) -> Result<Vec<Organization>, StoreError> {
        let rows: Vec<OrganizationRow<'_>> =
            self.readers.read("listing deleted organizations", |connection| {
                organizations::table
                    .filter(not(organizations::is_active))
                    .order(organizations::id)
                    .select(OrganizationRow::as_select())
                    .load(connection)
            })?;
        Ok(all(rows)?)
    }

    async fn remove(&self, id: OrganizationId) -> Result<usize, StoreError> {
        let doing = "removing an organization";
        let work = move |connection: &mut SqliteConnection| remove(connection, id);
        let removed = self.writer.write(doing, work).await?;
        give_way().await;
        removed.map_err(|error| store_error(doing, error))
    }
}

fn delete(connection: &mut SqliteConnection, id: OrganizationId) -> Result<(), Undone> {
    if delete_organization::<()>(id).execute(connection)? == 0 {
        return Err(Undone::Stale);
    }
    // No slug has a colon.
    diesel::update(organizations::table.find(Id::of(id)))
        .set((organizations::slug_key.eq(format!(":{id}")), organizations::host.eq(None::<String>)))
        .execute(connection)?;
    silence::<()>(id).execute(connection)?;
    Ok(())
}

/// Removes rows until [`PART`] has passed, at least one.
fn remove(connection: &mut SqliteConnection, id: OrganizationId) -> QueryResult<usize> {
    let deleted = organizations::table
        .filter(organizations::id.eq(Id::of(id)))
        .filter(not(organizations::is_active));
    if deleted.count().get_result::<i64>(connection)? == 0 {
        return Ok(0);
    }
    let began = Instant::now();
    let mut removed = moves::forget(connection, id)?;
    while article_search::forget_one(connection, id)? || similar::forget_one(connection, id)? {
        removed += 1;
        if began.elapsed() > PART {
            return Ok(removed);
        }
    }
    for removal in removals::<()>(id, STEP) {
        loop {
            let some = removal.clone().execute(connection)?;
            removed += some;
            if removed > 0 && began.elapsed() > PART {
                return Ok(removed);
            }
            if some < STEP as usize {
                break;
            }
        }
    }
    Ok(removed + diesel::delete(deleted).execute(connection)?)
}

/// The time after which a part ends. Other writes wait for the part.
const PART: Duration = Duration::from_millis(5);

/// The most rows that are removed between two looks at the time. A row may have a megabyte.
const STEP: i64 = 20;

/// Whether there is an organization with an identifier.
pub(crate) fn is_there(connection: &mut SqliteConnection, id: OrganizationId) -> QueryResult<bool> {
    Ok(by_id(connection, id)?.is_some())
}

/// Finds the organization with a slug, without regard to ASCII case.
pub(crate) fn by_slug(
    connection: &mut SqliteConnection,
    slug: &str,
) -> QueryResult<Option<OrganizationRow<'static>>> {
    queries::present()
        .filter(organizations::slug_key.eq(ascii_key(slug)))
        .select(OrganizationRow::as_select())
        .first(connection)
        .optional()
}

/// Finds the organization with a host, without regard to ASCII case.
fn by_host(
    connection: &mut SqliteConnection,
    host: &str,
) -> QueryResult<Option<OrganizationRow<'static>>> {
    queries::present()
        .filter(organizations::host.eq(ascii_key(host)))
        .select(OrganizationRow::as_select())
        .first(connection)
        .optional()
}

/// Finds the organization with an identifier.
pub(crate) fn by_id(
    connection: &mut SqliteConnection,
    id: OrganizationId,
) -> QueryResult<Option<OrganizationRow<'static>>> {
    queries::present()
        .filter(organizations::id.eq(Id::of(id)))
        .select(OrganizationRow::as_select())
        .first(connection)
        .optional()
}

/// The row of an organization has no `organization_id`. Its `id` stands for it.
impl Stored for Organization {
    const TABLE: &'static str = "organizations";
    const KEY: &'static str = "id";

    fn insert(
        connection: &mut SqliteConnection,
        _: OrganizationId,
        organization: &Self,
    ) -> QueryResult<()> {
        diesel::insert_into(organizations::table)
            .values((
                organizations::slug_key.eq(organization.slug.key()),
                organizations::host.eq(organization.portal.host.as_deref()),
                OrganizationRow::from(organization),
            ))
            .execute(connection)?;
        Ok(())
    }

    fn update(
        connection: &mut SqliteConnection,
        id: OrganizationId,
        organization: Edited<'_, Self>,
    ) -> QueryResult<()> {
        diesel::update(organizations::table)
            .filter(organizations::id.eq(Id::of(id)))
            .set((
                organizations::slug_key.eq(organization.after.slug.key()),
                organizations::host.eq(organization.after.portal.host.as_deref()),
                OrganizationRow::from(organization.after),
            ))
            .execute(connection)?;
        Ok(())
    }

    fn find(
        connection: &mut SqliteConnection,
        id: OrganizationId,
        key: Uuid,
    ) -> QueryResult<Option<Self>> {
        let row = by_id(connection, id)?.filter(|row| row.id.0 == key);
        Ok(row.map(Self::try_from).transpose()?)
    }

    fn page(
        connection: &mut SqliteConnection,
        id: OrganizationId,
        after: Option<ExportKey>,
        limit: i64,
    ) -> Result<ExportPage, StoreError> {
        let found = if after.is_none() { by_id(connection, id) } else { Ok(None) };
        export::cut::<Self, _>(found.map(Vec::from_iter), limit)
    }
}
