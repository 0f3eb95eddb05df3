//! Passwords of users.

use crate::{PgStore, organizations, sessions};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::query_dsl::methods;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
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
impl PasswordRepository for PgStore {
    async fn find(
        &self,
        organization: OrganizationId,
        user: UserId,
    ) -> Result<Option<StoredPassword>, StoreError> {
        let query = || {
            let its = queries::password_of(Id::of(organization), Id::of(user));
            its.select(PasswordRow::as_select())
        };
        let row: Option<PasswordRow> = self.readers.row("finding a password", query).await?;
        Ok(row.map(StoredPassword::try_from).transpose()?)
    }

    async fn set(
        &self,
        organization: OrganizationId,
        password: StoredPassword,
        except: Option<TokenDigest>,
    ) -> Result<Recorded, StoreError> {
        let work = self.writer.write("setting a password", move |connection| {
            async move { set(connection, organization, &password, except).await }.boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }

    async fn remove(
        &self,
        organization: OrganizationId,
        user: UserId,
        except: Option<TokenDigest>,
    ) -> Result<(), StoreError> {
        let work = self.writer.write("removing a password", move |connection| {
            async move {
                // The lock of the user comes first, as in a change of the password.
                sessions::end_all(connection, organization, user, except).await?;
                let its = queries::password_of(Id::of(organization), Id::of(user));
                diesel::delete(its).execute(connection).await
            }
            .boxed()
        });
        work.await?.map(drop).ok_or(StoreError::Busy)
    }

    async fn attempt(
        &self,
        organization: OrganizationId,
        whose: TokenDigest,
        most: i32,
        now: Time,
        until: Time,
    ) -> Result<Recorded, StoreError> {
        let work = self.writer.write("counting a try of a password", move |connection| {
            attempt(connection, organization, whose, most, now, until).boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }

    async fn forget(
        &self,
        organization: OrganizationId,
        whose: TokenDigest,
    ) -> Result<(), StoreError> {
        let work = self.writer.write_alone("forgetting tries of a password", move |connection| {
            let tries = queries::tries_of(Id::of(organization), held(whose));
            async move { diesel::delete(tries).execute(connection).await }.boxed()
        });
        work.await?.map(drop).ok_or(StoreError::Busy)
    }
}

/// Stores a password within a transaction. The lock of the user keeps the user linked. The
/// organization is locked first, as in changes of records.
async fn set(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    password: &StoredPassword,
    except: Option<TokenDigest>,
) -> QueryResult<Recorded> {
    let user = password.user_id;
    if !organizations::hold(connection, organization).await?
        || !sessions::lock(connection, organization, user).await?
    {
        return Ok(Recorded::Stale);
    }
    diesel::insert_into(passwords::table)
        .values((passwords::organization_id.eq(Id::of(organization)), PasswordRow::from(password)))
        .on_conflict((passwords::organization_id, passwords::user_id))
        .do_update()
        .set(PasswordRow::from(password))
        .execute(connection)
        .await?;
    sessions::end_all(connection, organization, user, except).await?;
    Ok(Recorded::Done)
}

/// Counts a try within a transaction.
async fn attempt(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    whose: TokenDigest,
    most: i32,
    now: Time,
    until: Time,
) -> QueryResult<Recorded> {
    if !organizations::hold(connection, organization).await? {
        return Ok(Recorded::Stale);
    }
    let id = Id::of(organization);
    let over = queries::tries_of(id, held(whose));
    let over = over.filter(password_tries::expires_at.le(Stamp::of(now)));
    diesel::delete(over).execute(connection).await?;
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
    let counted = attempt.execute(connection).await?;
    Ok(if counted == 0 { Recorded::Stale } else { Recorded::Done })
}
