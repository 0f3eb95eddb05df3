//! Users.

use crate::SqliteStore;
use crate::error::Undone;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::user::{User, UserSelector};
use hearback_ports::{Recorded, StoreError, UserRepository};
use hearback_store_rows::Id;
use hearback_store_rows::rows::UserRow;
use hearback_store_rows::schema::users;

#[async_trait]
impl UserRepository for SqliteStore {
    async fn find(
        &self,
        organization: OrganizationId,
        selector: UserSelector,
    ) -> Result<Option<User>, StoreError> {
        let row: Option<UserRow<'_>> = self.readers.read("finding a user", |connection| {
            let linked = users::table
                .filter(users::organization_id.eq(Id::of(organization)))
                .filter(users::is_active)
                .select(UserRow::as_select());
            match selector {
                UserSelector::Id(id) => {
                    linked.filter(users::user_id.eq(Id::of(id))).first(connection)
                }
                // An empty address is stored as NULL, which equals no value.
                UserSelector::Email(email) => {
                    linked.filter(users::email.eq(email)).first(connection)
                }
                UserSelector::ExternalId(id) => {
                    linked.filter(users::external_id.eq(id)).first(connection)
                }
            }
            .optional()
        })?;
        Ok(row.map(User::try_from).transpose()?)
    }

    async fn unsubscribe(
        &self,
        organization: OrganizationId,
        user: UserId,
    ) -> Result<Recorded, StoreError> {
        let work =
            move |connection: &mut SqliteConnection| unsubscribe(connection, organization, user);
        self.writer.record("unsubscribing a user", work).await
    }
}

fn unsubscribe(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    user: UserId,
) -> Result<(), Undone> {
    diesel::update(users::table)
        .filter(users::organization_id.eq(Id::of(organization)))
        .filter(users::user_id.eq(Id::of(user)))
        .set(users::is_subscribed.eq(false))
        .execute(connection)?;
    Ok(())
}

/// Returns whether a user is linked to the organization.
pub(crate) fn is_linked(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    user: UserId,
) -> QueryResult<bool> {
    diesel::select(exists(
        users::table
            .filter(users::organization_id.eq(Id::of(organization)))
            .filter(users::user_id.eq(Id::of(user)))
            .filter(users::is_active),
    ))
    .get_result(connection)
}

stored!(User: users.user_id as UserRow<'static>);
