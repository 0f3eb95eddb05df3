//! Users.

use crate::PgStore;
use crate::error::{BadRow, Undone};
use crate::rows::{Origin, ROWS, timestamp};
use crate::schema::users;
use async_trait::async_trait;
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::Uuid;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::user::{User, UserSelector};
use hearback_ports::{Recorded, StoreError, UserRepository};
use std::borrow::Cow;

#[async_trait]
impl UserRepository for PgStore {
    async fn find(
        &self,
        organization: OrganizationId,
        selector: UserSelector,
    ) -> Result<Option<User>, StoreError> {
        let linked = || {
            users::table
                .filter(users::organization_id.eq(organization.0))
                .filter(users::is_active)
                .select(UserRow::as_select())
        };
        let doing = "finding a user";
        let row: Option<UserRow<'_>> = match selector {
            UserSelector::Id(id) => {
                self.readers.row(doing, || linked().filter(users::user_id.eq(id.0))).await?
            }
            // An empty address is kept as NULL, which equals nothing.
            UserSelector::Email(email) => {
                self.readers.row(doing, || linked().filter(users::email.eq(email.clone()))).await?
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
        .filter(users::organization_id.eq(organization.0))
        .filter(users::user_id.eq(user.0))
        .set(users::is_subscribed.eq(false))
        .execute(connection)
        .await?;
    Ok(())
}

/// Writes them as they are.
pub(crate) async fn insert(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    all: &[User],
) -> QueryResult<()> {
    for some in all.chunks(ROWS) {
        let rows: Vec<_> = some
            .iter()
            .map(|user| (users::organization_id.eq(organization.0), UserRow::from(user)))
            .collect();
        diesel::insert_into(users::table).values(rows).execute(connection).await?;
    }
    Ok(())
}

/// Those behind `after`, by id.
pub(crate) async fn export(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    after: Option<Uuid>,
    limit: i64,
) -> QueryResult<Vec<UserRow<'static>>> {
    let mut query = users::table
        .filter(users::organization_id.eq(organization.0))
        .order(users::id)
        .limit(limit)
        .select(UserRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(users::id.gt(after));
    }
    query.load(connection).await
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = users, check_for_backend(Pg), treat_none_as_default_value = false)]
pub(crate) struct UserRow<'a> {
    id: Uuid,
    user_id: Uuid,
    email: Option<Cow<'a, str>>,
    name: Cow<'a, str>,
    avatar_url: Cow<'a, str>,
    portal_role: Cow<'a, str>,
    company_name: Cow<'a, str>,
    customer_status: Cow<'a, str>,
    is_subscribed: bool,
    is_active: bool,
    created_at: PgTimestamp,
}

impl<'a> From<&'a User> for UserRow<'a> {
    fn from(user: &'a User) -> Self {
        Self {
            id: user.id.0,
            user_id: user.user_id.0,
            email: Some(Cow::from(&user.email)).filter(|email| !email.is_empty()),
            name: Cow::from(&user.name),
            avatar_url: Cow::from(&user.avatar_url),
            portal_role: Cow::from(&user.portal_role),
            company_name: Cow::from(&user.company_name),
            customer_status: Cow::from(&user.customer_status),
            is_subscribed: user.is_subscribed,
            is_active: user.is_active,
            created_at: timestamp(user.created_at),
        }
    }
}

impl TryFrom<UserRow<'_>> for User {
    type Error = BadRow;

    fn try_from(row: UserRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("users", row.id);
        Ok(Self {
            id: row.id.into(),
            user_id: row.user_id.into(),
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
