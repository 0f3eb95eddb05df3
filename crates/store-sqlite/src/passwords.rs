//! Passwords of users.

use crate::{SqliteStore, organizations, sessions, users};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::query_dsl::methods;
use hearback_domain::Time;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::password::StoredPassword;
use hearback_domain::session::TokenDigest;
use hearback_ports::{PasswordRepository, Recorded, StoreError};
use hearback_store_rows::passwords::PasswordRow;
use hearback_store_rows::schema::{password_tries, passwords};
use hearback_store_rows::sessions::held;
use hearback_store_rows::{Id, Stamp, queries};

#[async_trait]
impl PasswordRepository for SqliteStore {
    async fn find(
        &self,
        organization: OrganizationId,
        user: UserId,
    ) -> Result<Option<StoredPassword>, StoreError> {
        let row: Option<PasswordRow> = self.readers.read("finding a password", |connection| {
            let its = queries::password_of(Id::of(organization), Id::of(user));
            its.select(PasswordRow::as_select()).first(connection).optional()
        })?;
        Ok(row.map(StoredPassword::try_from).transpose()?)
    }

    async fn set(
        &self,
        organization: OrganizationId,
        password: StoredPassword,
        except: Option<TokenDigest>,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            set(connection, organization, &password, except)
        };
        self.changed("setting a password", work).await
    }

    async fn remove(
        &self,
        organization: OrganizationId,
        user: UserId,
        except: Option<TokenDigest>,
    ) -> Result<(), StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            sessions::end_all(connection, organization, user, except)?;
            let its = queries::password_of(Id::of(organization), Id::of(user));
            diesel::delete(its).execute(connection)
        };
        self.changed("removing a password", work).await.map(drop)
    }

    async fn attempt(
        &self,
        organization: OrganizationId,
        whose: TokenDigest,
        most: i32,
        now: Time,
        until: Time,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            attempt(connection, organization, whose, most, now, until)
        };
        self.changed("counting a try of a password", work).await
    }

    async fn forget(
        &self,
        organization: OrganizationId,
        whose: TokenDigest,
    ) -> Result<(), StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            let tries = queries::tries_of(Id::of(organization), held(whose));
            diesel::delete(tries).execute(connection)
        };
        self.changed("forgetting tries of a password", work).await.map(drop)
    }
}

/// Stores a password within a transaction.
fn set(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    password: &StoredPassword,
    except: Option<TokenDigest>,
) -> QueryResult<Recorded> {
    let user = password.user_id;
    if !organizations::is_there(connection, organization)?
        || !users::is_linked(connection, organization, user)?
    {
        return Ok(Recorded::Stale);
    }
    diesel::insert_into(passwords::table)
        .values((passwords::organization_id.eq(Id::of(organization)), PasswordRow::from(password)))
        .on_conflict((passwords::organization_id, passwords::user_id))
        .do_update()
        .set(PasswordRow::from(password))
        .execute(connection)?;
    sessions::end_all(connection, organization, user, except)?;
    Ok(Recorded::Done)
}

/// Counts a try within a transaction.
fn attempt(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    whose: TokenDigest,
    most: i32,
    now: Time,
    until: Time,
) -> QueryResult<Recorded> {
    if !organizations::is_there(connection, organization)? {
        return Ok(Recorded::Stale);
    }
    let id = Id::of(organization);
    let over = queries::tries_of(id, held(whose));
    let over = over.filter(password_tries::expires_at.le(Stamp::of(now)));
    diesel::delete(over).execute(connection)?;
    let attempt = diesel::insert_into(password_tries::table)
        .values((
            password_tries::organization_id.eq(id),
            password_tries::id.eq(held(whose)),
            password_tries::tries.eq(1),
            password_tries::expires_at.eq(Stamp::of(until)),
        ))
        .on_conflict((password_tries::organization_id, password_tries::id))
        .do_update()
        .set(password_tries::tries.eq(password_tries::tries + 1));
    let attempt = methods::FilterDsl::filter(attempt, password_tries::tries.lt(most));
    let counted = attempt.execute(connection)?;
    Ok(if counted == 0 { Recorded::Stale } else { Recorded::Done })
}
