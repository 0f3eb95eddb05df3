//! Organizations.

use crate::PgStore;
use crate::error::Undone;
use crate::export;
use crate::readers::Readers;
use crate::sql::ROWS;
use crate::stored::Stored;
use async_trait::async_trait;
use diesel::dsl::{auto_type, not};
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::Uuid;
use hearback_domain::fold::ascii_key;
use hearback_domain::id::OrganizationId;
use hearback_domain::organization::Organization;
use hearback_ports::export::{ExportKey, ExportPage};
use hearback_ports::{OrganizationRepository, Recorded, StoreError};
use hearback_store_rows::rows::OrganizationRow;
use hearback_store_rows::schema::{organization_slugs, organizations};
use hearback_store_rows::statement::{delete_organization, removals, silence};
use hearback_store_rows::{Edited, Id, all, queries};
use std::collections::HashSet;

#[async_trait]
impl OrganizationRepository for PgStore {
    async fn find_by_slug(&self, slug: &str) -> Result<Option<Organization>, StoreError> {
        let doing = "finding an organization";
        let key = ascii_key(slug).into_owned();
        let id: Option<Id> = self.readers.row(doing, || id_of(key.clone())).await?;
        match id {
            Some(id) => Organization::find(&self.readers, id.to(), id.0).await,
            None => Ok(None),
        }
    }

    async fn find_by_host(&self, host: &str) -> Result<Option<Organization>, StoreError> {
        let doing = "finding an organization";
        let host = ascii_key(host).into_owned();
        let id: Option<Id> = self.readers.row(doing, || id_at(host.clone())).await?;
        match id {
            Some(id) => Organization::find(&self.readers, id.to(), id.0).await,
            None => Ok(None),
        }
    }

    async fn list(&self) -> Result<Vec<Organization>, StoreError> {
        let rows: Vec<OrganizationRow<'_>> = self
            .readers
            .rows("listing organizations", || {
                queries::present()
                    .order((organizations::slug, organizations::id))
                    .select(OrganizationRow::as_select())
            })
            .await?;
        Ok(all(rows)?)
    }

    async fn insert(&self, organization: Organization) -> Result<Recorded, StoreError> {
        let record = self.writer.record("adding an organization", move |connection| {
            async move {
                Ok(Organization::insert(connection, organization.id, &[organization]).await?)
            }
            .boxed()
        });
        record.await
    }

    async fn delete(&self, id: OrganizationId) -> Result<Recorded, StoreError> {
        let delete = self
            .writer
            .record("deleting an organization", move |connection| delete(connection, id).boxed());
        delete.await
    }

    async fn deleted(&self) -> Result<Vec<Organization>, StoreError> {
        let rows: Vec<OrganizationRow<'_>> = self
            .readers
            .rows("listing deleted organizations", || {
                organizations::table
                    .filter(not(organizations::is_active))
                    .order(organizations::id)
                    .select(OrganizationRow::as_select())
            })
            .await?;
        Ok(all(rows)?)
    }

    async fn remove(&self, id: OrganizationId) -> Result<usize, StoreError> {
        // The dispatcher's sessions read no table from end to end, neither for a part nor for the
        // check of a foreign key.
        let remove = self
            .dispatcher
            .write("removing an organization", move |connection| remove(connection, id).boxed());
        remove.await?.ok_or(StoreError::Busy)
    }
}

async fn delete(connection: &mut AsyncPgConnection, id: OrganizationId) -> Result<(), Undone> {
    // The update waits for transactions that hold the organization, or that have added a row that
    // refers to it. Later ones wait for the update, and then find the organization gone.
    if delete_organization::<()>(id).execute(connection).await? == 0 {
        return Err(Undone::Stale);
    }
    diesel::delete(organization_slugs::table.find(Id::of(id))).execute(connection).await?;
    silence::<()>(id).execute(connection).await?;
    Ok(())
}

/// Removes up to [`PART`] rows of a table, or the organization itself if no table has any.
///
/// A transaction locks rows of one table alone. A change that began before the deletion locks rows
/// of several tables, in another order.
async fn remove(connection: &mut AsyncPgConnection, id: OrganizationId) -> QueryResult<usize> {
    let deleted = organizations::table
        .filter(organizations::id.eq(Id::of(id)))
        .filter(not(organizations::is_active));
    // Several processes may remove the organization. They take turns. The lock does not delay the
    // changes that began before the deletion, which may hold rows that are removed here.
    if deleted.select(organizations::id).for_no_key_update().execute(connection).await? == 0 {
        return Ok(0);
    }
    for removal in removals::<()>(id, PART) {
        let removed = removal.execute(connection).await.map_err(overtaken)?;
        if removed > 0 {
            return Ok(removed);
        }
    }
    diesel::delete(deleted).execute(connection).await.map_err(overtaken)
}

/// The most rows of a table that are removed in one transaction.
const PART: i64 = 500;

/// Treats as a lost race that a change that began before the deletion has added a row, or waits for
/// one that is removed.
fn overtaken(error: Error) -> Error {
    match error {
        Error::DatabaseError(kind, information)
            if matches!(kind, DatabaseErrorKind::ForeignKeyViolation)
                || information.message() == "deadlock detected" =>
        {
            Error::DatabaseError(DatabaseErrorKind::SerializationFailure, information)
        }
        error => error,
    }
}

/// Keeps an organization from being deleted until the transaction ends. Returns `false` if it is
/// gone.
///
/// This is for a change that may add a row that refers to the organization.
pub(crate) async fn hold(
    connection: &mut AsyncPgConnection,
    id: OrganizationId,
) -> QueryResult<bool> {
    let held = queries::present()
        .filter(organizations::id.eq(Id::of(id)))
        .select(organizations::id)
        .for_key_share()
        .execute(connection)
        .await?;
    Ok(held == 1)
}

/// [`hold`] for background steps, without a wait. Returns whether the organization is held.
pub(crate) async fn try_hold(
    connection: &mut AsyncPgConnection,
    id: OrganizationId,
) -> QueryResult<bool> {
    let held = queries::present()
        .filter(organizations::id.eq(Id::of(id)))
        .select(organizations::id)
        .for_key_share()
        .skip_locked()
        .execute(connection)
        .await?;
    Ok(held == 1)
}

/// [`try_hold`] for several organizations, in the order of their identifiers. Returns those that
/// are held.
pub(crate) async fn try_hold_all(
    connection: &mut AsyncPgConnection,
    ids: Vec<Id>,
) -> QueryResult<HashSet<Id>> {
    let held = queries::present()
        .filter(organizations::id.eq_any(ids))
        .order(organizations::id)
        .select(organizations::id)
        .for_key_share()
        .skip_locked()
        .load(connection)
        .await?;
    Ok(held.into_iter().collect())
}

/// Finds the organization with a slug, without regard to ASCII case.
pub(crate) async fn by_slug(
    connection: &mut AsyncPgConnection,
    slug: &str,
) -> QueryResult<Option<OrganizationRow<'static>>> {
    match id_of(ascii_key(slug).into_owned()).first::<Id>(connection).await.optional()? {
        Some(id) => by_id(connection, id.to()).await,
        None => Ok(None),
    }
}

/// The organization that has the slug with this key. It is looked up in a statement of its own: on
/// Citus, the two tables are not on one node.
#[auto_type]
fn id_of(slug_key: String) -> _ {
    organization_slugs::table
        .filter(organization_slugs::slug_key.eq(slug_key))
        .select(organization_slugs::organization_id)
}

/// The organization that has the host.
#[auto_type]
fn id_at(host: String) -> _ {
    organization_slugs::table
        .filter(organization_slugs::host.eq(host))
        .select(organization_slugs::organization_id)
}

/// Finds the organization with an identifier.
pub(crate) async fn by_id(
    connection: &mut AsyncPgConnection,
    id: OrganizationId,
) -> QueryResult<Option<OrganizationRow<'static>>> {
    queries::present()
        .filter(organizations::id.eq(Id::of(id)))
        .select(OrganizationRow::as_select())
        .first(connection)
        .await
        .optional()
}

/// The row of an organization has no `organization_id`. Its `id` stands for it.
impl Stored for Organization {
    const TABLE: &'static str = "organizations";
    const KEY: &'static str = "id";

    async fn insert(
        mut connection: &AsyncPgConnection,
        _: OrganizationId,
        all: &[Self],
    ) -> QueryResult<()> {
        for some in all.chunks(ROWS) {
            let rows: Vec<_> = some.iter().map(OrganizationRow::from).collect();
            diesel::insert_into(organizations::table).values(rows).execute(&mut connection).await?;
            let slugs: Vec<_> = some
                .iter()
                .map(|it| {
                    (
                        organization_slugs::organization_id.eq(Id::of(it.id)),
                        organization_slugs::slug_key.eq(it.slug.key()),
                        organization_slugs::host.eq(it.portal.host.as_deref()),
                    )
                })
                .collect();
            diesel::insert_into(organization_slugs::table)
                .values(slugs)
                .execute(&mut connection)
                .await?;
        }
        Ok(())
    }

    async fn insert_new(
        connection: &AsyncPgConnection,
        organization: OrganizationId,
        record: &Self,
    ) -> QueryResult<bool> {
        Self::insert(connection, organization, std::slice::from_ref(record)).await?;
        Ok(true)
    }

    async fn update(
        mut connection: &AsyncPgConnection,
        id: OrganizationId,
        organization: Edited<'_, Self>,
    ) -> QueryResult<()> {
        diesel::update(organizations::table)
            .filter(organizations::id.eq(Id::of(id)))
            .set(OrganizationRow::from(organization.after))
            .execute(&mut connection)
            .await?;
        diesel::update(organization_slugs::table.find(Id::of(id)))
            .set((
                organization_slugs::slug_key.eq(organization.after.slug.key()),
                organization_slugs::host.eq(organization.after.portal.host.as_deref()),
            ))
            .execute(&mut connection)
            .await?;
        Ok(())
    }

    async fn find(
        readers: &Readers,
        id: OrganizationId,
        key: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let query = || {
            queries::present()
                .filter(organizations::id.eq(Id::of(id)))
                .filter(organizations::id.eq(Id(key)))
                .select(OrganizationRow::as_select())
        };
        let row: Option<OrganizationRow<'_>> =
            readers.row("finding an organization", query).await?;
        Ok(row.map(Self::try_from).transpose()?)
    }

    async fn lock(
        connection: &mut AsyncPgConnection,
        id: OrganizationId,
        keys: Vec<Uuid>,
    ) -> Result<Vec<Self>, Undone> {
        let keys: Vec<Id> = keys.into_iter().map(Id).collect();
        let rows: Vec<OrganizationRow<'_>> = queries::present()
            .filter(organizations::id.eq(Id::of(id)))
            .filter(organizations::id.eq_any(keys))
            .select(OrganizationRow::as_select())
            .for_no_key_update()
            .load(connection)
            .await?;
        Ok(all(rows)?)
    }

    async fn page(
        connection: &mut AsyncPgConnection,
        id: OrganizationId,
        after: Option<ExportKey>,
        limit: i64,
    ) -> Result<ExportPage, StoreError> {
        let found = if after.is_none() { by_id(connection, id).await } else { Ok(None) };
        export::cut::<Self, _>(found.map(Vec::from_iter), limit)
    }
}

/// Keeps an organization from being deleted until the transaction ends, for one transaction at a
/// time: another call waits. Fails with [`Undone::Stale`] if the organization is gone.
pub(crate) async fn take_turns(
    connection: &AsyncPgConnection,
    id: OrganizationId,
) -> Result<(), Undone> {
    if hold_alone(connection, id).await? { Ok(()) } else { Err(Undone::Stale) }
}

/// [`hold`] for one transaction at a time: another call waits.
pub(crate) async fn hold_alone(
    mut connection: &AsyncPgConnection,
    id: OrganizationId,
) -> QueryResult<bool> {
    let held = queries::present()
        .filter(organizations::id.eq(Id::of(id)))
        .select(organizations::id)
        .for_no_key_update()
        .execute(&mut connection)
        .await?;
    Ok(held == 1)
}
