//! Users.

use crate::SqliteStore;
use crate::error::Undone;
use crate::stored::{Stored, finds, inserts, updates};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::user::{User, UserFilter, UserSelector, UserSort};
use hearback_ports::page::{BySort, Page, PageRequest};
use hearback_ports::{Recorded, StoreError, UserRepository};
use hearback_store_rows::rows::{EditedRow, UserRow};
use hearback_store_rows::schema::users;
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::{Id, Stamp, all, queries};

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
                UserSelector::AnyCase(email) => {
                    let lower = email.to_ascii_lowercase();
                    queries::users_in_any_case(Id::of(organization), email, lower)
                        .select(UserRow::as_select())
                        .first(connection)
                }
                UserSelector::ExternalId(id) => {
                    linked.filter(users::external_id.eq(id)).first(connection)
                }
            }
            .optional()
        })?;
        Ok(row.map(User::try_from).transpose()?)
    }

    async fn find_any(
        &self,
        organization: OrganizationId,
        selector: UserSelector,
    ) -> Result<Option<User>, StoreError> {
        let doing = "finding a user, linked or not";
        let row: Option<UserRow<'_>> = self.readers.read(doing, |connection| {
            let query = lists::selected_user(organization, &selector);
            query.select(UserRow::as_select()).first(connection).optional()
        })?;
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
        let (is_plain, limit) = (filter == UserFilter::default(), page.limit);
        let query = move |connection: &mut SqliteConnection| {
            let query = lists::users(organization, &filter, sort, &page);
            query.select(UserRow::as_select()).load::<UserRow<'static>>(connection)
        };
        let rows = if is_plain {
            self.readers.read("listing users", query)?
        } else {
            self.slow_readers.read("listing users", query).await?
        };
        Ok(Page::cut(all(rows)?, limit, |user: &User| BySort::of_user(user, sort)))
    }

    async fn team(
        &self,
        organization: OrganizationId,
        limit: i64,
    ) -> Result<Vec<User>, StoreError> {
        let rows: Vec<UserRow<'_>> = self.readers.read("listing the team", |connection| {
            let team = queries::team(Id::of(organization), limit);
            team.select(UserRow::as_select()).load(connection)
        })?;
        Ok(all(rows)?)
    }

    async fn unsubscribe(
        &self,
        organization: OrganizationId,
        user: UserId,
        at: Time,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            unsubscribe(connection, organization, user, at)
        };
        self.writer.record("unsubscribing a user", work).await
    }
}

fn unsubscribe(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    user: UserId,
    at: Time,
) -> Result<(), Undone> {
    diesel::update(users::table)
        .filter(users::organization_id.eq(Id::of(organization)))
        .filter(users::user_id.eq(Id::of(user)))
        .filter(users::is_subscribed)
        .set((users::is_subscribed.eq(false), users::updated_at.eq(Stamp::of(at))))
        .execute(connection)?;
    Ok(())
}

/// Whether a user is linked to the organization.
pub(crate) fn is_linked(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    user: UserId,
) -> QueryResult<bool> {
    let linked = users::table
        .filter(users::organization_id.eq(Id::of(organization)))
        .filter(users::user_id.eq(Id::of(user)))
        .filter(users::is_active);
    diesel::select(exists(linked)).get_result(connection)
}

impl Stored for User {
    inserts!(users, |user| (users::search_text.eq(user.search_text()), UserRow::from(user)));
    updates!(users, |user| (
        user.changed(User::search_text).map(|text| users::search_text.eq(text)),
        EditedRow::changes(&user)
    ));
    finds!(users.user_id, UserRow::as_select() => UserRow<'static>);
}
