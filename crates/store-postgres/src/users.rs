//! Users.

use crate::PgStore;
use crate::error::Undone;
use crate::readers::Reach;
use crate::stored::{Stored, finds, inserts, updates};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::Time;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::user::{User, UserFilter, UserSelector, UserSort};
use hearback_ports::page::{BySort, Page, PageRequest};
use hearback_ports::{Recorded, StoreError, UserRepository};
use hearback_store_rows::postgres::lists;
use hearback_store_rows::rows::UserRow;
use hearback_store_rows::schema::users;
use hearback_store_rows::{Id, Stamp, all, queries};

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
            UserSelector::AnyCase(email) => {
                let query = || {
                    let (id, lower) = (Id::of(organization), email.to_ascii_lowercase());
                    let found = queries::users_in_any_case(id, email.clone(), lower);
                    found.select(UserRow::as_select()).limit(1)
                };
                self.readers.row(doing, query).await?
            }
            UserSelector::ExternalId(id) => {
                let query = || linked().filter(users::external_id.eq(id.clone()));
                self.readers.row(doing, query).await?
            }
        };
        Ok(row.map(User::try_from).transpose()?)
    }

    async fn find_any(
        &self,
        organization: OrganizationId,
        selector: UserSelector,
    ) -> Result<Option<User>, StoreError> {
        let query = || {
            let query = lists::selected_user(organization, &selector);
            query.select(UserRow::as_select())
        };
        let row: Option<UserRow<'_>> =
            self.readers.row("finding a user, linked or not", query).await?;
        Ok(row.map(User::try_from).transpose()?)
    }

    async fn page(
        &self,
        organization: OrganizationId,
        filter: UserFilter,
        sort: UserSort,
        page: PageRequest<BySort>,
    ) -> Result<Page<User, BySort>, StoreError> {
        // No index serves most filters, so a filtered list may have to read all users.
        let is_plain = filter == UserFilter::default();
        let reach = if is_plain { Reach::Short } else { Reach::Long };
        let query = || {
            let query = lists::users(organization, &filter, sort, &page);
            query.select(UserRow::as_select())
        };
        let rows: Vec<UserRow<'_>> = self.list_rows(reach, "listing users", query).await?;
        Ok(Page::cut(all(rows)?, page.limit, |user: &User| BySort::of_user(user, sort)))
    }

    async fn team(
        &self,
        organization: OrganizationId,
        limit: i64,
    ) -> Result<Vec<User>, StoreError> {
        let team = || queries::team(Id::of(organization), limit).select(UserRow::as_select());
        let rows: Vec<UserRow<'_>> = self.readers.rows("listing the team", team).await?;
        Ok(all(rows)?)
    }

    async fn unsubscribe(
        &self,
        organization: OrganizationId,
        user: UserId,
        at: Time,
    ) -> Result<Recorded, StoreError> {
        let record = self.writer.record_alone("unsubscribing a user", move |connection| {
            async move { unsubscribe(connection, organization, user, at).await }.boxed()
        });
        record.await
    }
}

async fn unsubscribe(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    user: UserId,
    at: Time,
) -> Result<(), Undone> {
    diesel::update(users::table)
        .filter(users::organization_id.eq(Id::of(organization)))
        .filter(users::user_id.eq(Id::of(user)))
        .filter(users::is_subscribed)
        .set((users::is_subscribed.eq(false), users::updated_at.eq(Stamp::of(at))))
        .execute(connection)
        .await?;
    Ok(())
}

impl Stored for User {
    inserts!(users, |user| (users::search_text.eq(user.search_text()), UserRow::from(user)));
    updates!(users, |user| (
        users::search_text.eq(user.after.search_text()),
        UserRow::from(user.after)
    ));
    finds!(users.user_id, UserRow::as_select() => UserRow<'static>);
}
