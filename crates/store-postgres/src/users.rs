//! Users.

use crate::PgStore;
use crate::error::Undone;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::user::{User, UserSelector};
use hearback_ports::{Recorded, StoreError, UserRepository};
use hearback_store_rows::Id;
use hearback_store_rows::rows::UserRow;
use hearback_store_rows::schema::users;

#[async_trait]
impl UserRepository for PgStore {
    async fn find(
        &self,
        organization: OrganizationId,
        selector: UserSelector,
    ) -> Result<Option<User>, StoreError> {
        let linked = || {
            users::table
                .filter(users::organization_id.eq(Id::of(organization)))
                .filter(users::is_active)
                .select(UserRow::as_select())
        };
        let doing = "finding a user";
        let row: Option<UserRow<'_>> = match selector {
            UserSelector::Id(id) => {
                self.readers.row(doing, || linked().filter(users::user_id.eq(Id::of(id)))).await?
            }
            // An empty address is stored as NULL, which equals no value.
            UserSelector::Email(email) => {
                self.readers.row(doing, || linked().filter(users::email.eq(email.clone()))).await?
            }
            UserSelector::ExternalId(id) => {
                let query = || linked().filter(users::external_id.eq(id.clone()));
                self.readers.row(doing, query).await?
            }
        };
        Ok(row.map(User::try_from).transpose()?)
    }

    async fn unsubscribe(
        &self,
        organization: OrganizationId,
        user: UserId,
    ) -> Result<Recorded, StoreError> {
        let record = self.writer.record_alone("unsubscribing a user", move |connection| {
            async move { unsubscribe(connection, organization, user).await }.boxed()
        });
        record.await
    }
}

async fn unsubscribe(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    user: UserId,
) -> Result<(), Undone> {
    diesel::update(users::table)
        .filter(users::organization_id.eq(Id::of(organization)))
        .filter(users::user_id.eq(Id::of(user)))
        .set(users::is_subscribed.eq(false))
        .execute(connection)
        .await?;
    Ok(())
}

stored!(User: users.user_id as UserRow<'static>);
