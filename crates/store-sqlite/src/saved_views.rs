//! The views of members.

use crate::{SqliteStore, organizations, users};
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::saved_view::SavedView;
use hearback_ports::{Recorded, SavedViewRepository, StoreError};
use hearback_store_rows::saved_views::ViewRow;
use hearback_store_rows::schema::saved_views;
use hearback_store_rows::{Id, queries};

#[async_trait]
impl SavedViewRepository for SqliteStore {
    async fn of_user(
        &self,
        organization: OrganizationId,
        user: UserId,
    ) -> Result<Vec<SavedView>, StoreError> {
        let rows = self.readers.read("reading views", |connection| {
            let its = queries::views_of(Id::of(organization), Id::of(user));
            its.order(saved_views::name).select(ViewRow::as_select()).load(connection)
        })?;
        Ok(rows.into_iter().map(SavedView::from).collect())
    }

    async fn save(
        &self,
        organization: OrganizationId,
        view: SavedView,
        most: i64,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            let (id, user) = (Id::of(organization), Id::of(view.user_id));
            let others = queries::views_of(id, user).filter(saved_views::name.ne(&view.name));
            if !organizations::is_there(connection, organization)?
                || !users::is_linked(connection, organization, view.user_id)?
                || others.count().get_result::<i64>(connection)? >= most
            {
                return Ok(Recorded::Stale);
            }
            let row = ViewRow::from(view.clone());
            diesel::insert_into(saved_views::table)
                .values((saved_views::organization_id.eq(id), row.clone()))
                .on_conflict((
                    saved_views::organization_id,
                    saved_views::user_id,
                    saved_views::name,
                ))
                .do_update()
                .set(row)
                .execute(connection)?;
            Ok(Recorded::Done)
        };
        self.changed("saving a view", work).await
    }

    async fn remove(
        &self,
        organization: OrganizationId,
        user: UserId,
        name: String,
    ) -> Result<(), StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            let its = queries::views_of(Id::of(organization), Id::of(user));
            diesel::delete(its.filter(saved_views::name.eq(&name))).execute(connection)
        };
        self.changed("removing a view", work).await.map(drop)
    }
}
