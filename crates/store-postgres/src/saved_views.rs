//! The views of members.

use crate::{PgStore, organizations, sessions};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::saved_view::SavedView;
use hearback_ports::{Recorded, SavedViewRepository, StoreError};
use hearback_store_rows::saved_views::ViewRow;
use hearback_store_rows::schema::saved_views;
use hearback_store_rows::{Id, queries};

#[async_trait]
impl SavedViewRepository for PgStore {
    async fn of_user(
        &self,
        organization: OrganizationId,
        user: UserId,
    ) -> Result<Vec<SavedView>, StoreError> {
        let query = || {
            let its = queries::views_of(Id::of(organization), Id::of(user));
            its.order(saved_views::name).select(ViewRow::as_select())
        };
        let rows: Vec<ViewRow> = self.readers.rows("reading views", query).await?;
        Ok(rows.into_iter().map(SavedView::from).collect())
    }

    async fn save(
        &self,
        organization: OrganizationId,
        view: SavedView,
        most: i64,
    ) -> Result<Recorded, StoreError> {
        let work = self.writer.write("saving a view", move |connection| {
            let view = view.clone();
            async move { save(connection, organization, view, most).await }.boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }

    async fn remove(
        &self,
        organization: OrganizationId,
        user: UserId,
        name: String,
    ) -> Result<(), StoreError> {
        let work = self.writer.write_alone("removing a view", move |connection| {
            let its = queries::views_of(Id::of(organization), Id::of(user));
            let its = its.filter(saved_views::name.eq(name.clone()));
            async move { diesel::delete(its).execute(connection).await }.boxed()
        });
        work.await?.map(drop).ok_or(StoreError::Busy)
    }
}

/// Stores a view within a transaction. The lock of the user makes two views wait for each other.
async fn save(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    view: SavedView,
    most: i64,
) -> QueryResult<Recorded> {
    let (id, user) = (Id::of(organization), Id::of(view.user_id));
    if !organizations::hold(connection, organization).await?
        || !sessions::lock(connection, organization, view.user_id).await?
    {
        return Ok(Recorded::Stale);
    }
    let others = queries::views_of(id, user).filter(saved_views::name.ne(view.name.clone()));
    if others.count().get_result::<i64>(connection).await? >= most {
        return Ok(Recorded::Stale);
    }
    let row = ViewRow::from(view);
    diesel::insert_into(saved_views::table)
        .values((saved_views::organization_id.eq(id), row.clone()))
        .on_conflict((saved_views::organization_id, saved_views::user_id, saved_views::name))
        .do_update()
        .set(row)
        .execute(connection)
        .await?;
    Ok(Recorded::Done)
}
