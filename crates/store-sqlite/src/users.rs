//! Users.

use crate::SqliteStore;
use crate::error::{BadRow, Undone};
use crate::rows::{Id, Origin};
use crate::schema::users;
use crate::stored::stored;
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::user::{User, UserSelector};
use hearback_ports::{Recorded, StoreError, UserRepository};
use std::borrow::Cow;

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
                // An empty address is kept as NULL, which equals nothing.
                UserSelector::Email(email) => {
                    linked.filter(users::email.eq(email)).first(connection)
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

/// Whether a user is linked to the organization.
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

#[derive(AsChangeset, Insertable, Queryable, Selectable)]
#[diesel(
    table_name = users,
    check_for_backend(Sqlite),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub(crate) struct UserRow<'a> {
    id: Id,
    user_id: Id,
    email: Option<Cow<'a, str>>,
    name: Cow<'a, str>,
    avatar_url: Cow<'a, str>,
    portal_role: Cow<'a, str>,
    company_name: Cow<'a, str>,
    customer_status: Cow<'a, str>,
    is_subscribed: bool,
    is_active: bool,
    created_at: i64,
}

impl<'a> From<&'a User> for UserRow<'a> {
    fn from(user: &'a User) -> Self {
        Self {
            id: Id::of(user.id),
            user_id: Id::of(user.user_id),
            email: (!user.email.is_empty()).then(|| Cow::from(&user.email)),
            name: Cow::from(&user.name),
            avatar_url: Cow::from(&user.avatar_url),
            portal_role: Cow::from(&user.portal_role),
            company_name: Cow::from(&user.company_name),
            customer_status: Cow::from(&user.customer_status),
            is_subscribed: user.is_subscribed,
            is_active: user.is_active,
            created_at: user.created_at.unix_millis(),
        }
    }
}

impl TryFrom<UserRow<'_>> for User {
    type Error = BadRow;

    fn try_from(row: UserRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("users", row.id);
        Ok(Self {
            id: row.id.to(),
            user_id: row.user_id.to(),
            email: row.email.map(Cow::into_owned).unwrap_or_default(),
            name: row.name.into_owned(),
            avatar_url: row.avatar_url.into_owned(),
            portal_role: row.portal_role.into_owned(),
            company_name: row.company_name.into_owned(),
            customer_status: row.customer_status.into_owned(),
            is_subscribed: row.is_subscribed,
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
        })
    }
}
