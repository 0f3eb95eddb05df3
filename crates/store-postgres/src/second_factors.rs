//! Second factors of users.

use crate::{PgStore, organizations, sessions};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::ClosedSet;
use hearback_domain::api_key::Sealed;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::second_factor::{FactorProof, SecondFactor};
use hearback_domain::session::{Factor, TokenDigest};
use hearback_ports::instance::SealedSecret;
use hearback_ports::{Recorded, SecondFactorRepository, StoreError};
use hearback_store_rows::postgres::lists;
use hearback_store_rows::schema::{second_factors, sessions as session_rows};
use hearback_store_rows::second_factors::{FactorRow, SecretRow, joined};
use hearback_store_rows::sessions::held;
use hearback_store_rows::{Id, queries};

#[async_trait]
impl SecondFactorRepository for PgStore {
    async fn find(
        &self,
        organization: OrganizationId,
        user: UserId,
    ) -> Result<Option<SecondFactor>, StoreError> {
        let query = || {
            let its = queries::second_factor_of(Id::of(organization), Id::of(user));
            its.select(FactorRow::as_select())
        };
        let row: Option<FactorRow> = self.readers.row("finding a second factor", query).await?;
        Ok(row.map(SecondFactor::try_from).transpose()?)
    }

    async fn add(
        &self,
        organization: OrganizationId,
        factor: SecondFactor,
        session: TokenDigest,
    ) -> Result<Recorded, StoreError> {
        let work = self.writer.write("storing a second factor", move |connection| {
            async move { add(connection, organization, factor, session).await }.boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }

    async fn show(
        &self,
        organization: OrganizationId,
        user: UserId,
        proof: FactorProof,
        session: TokenDigest,
    ) -> Result<Recorded, StoreError> {
        let work = self.writer.write("showing a second factor", move |connection| {
            show(connection, organization, user, proof, session).boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }

    async fn renew(
        &self,
        organization: OrganizationId,
        user: UserId,
        recovery: Vec<TokenDigest>,
    ) -> Result<Recorded, StoreError> {
        let work = self.writer.write("replacing recovery codes", move |connection| {
            async move {
                // The lock of the user comes first, as in the other changes of the second factor.
                sessions::lock(connection, organization, user).await?;
                let its = queries::second_factor_of(Id::of(organization), Id::of(user));
                let recovery = second_factors::recovery.eq(joined(&recovery));
                diesel::update(its).set(recovery).execute(connection).await
            }
            .boxed()
        });
        let renewed = work.await?.ok_or(StoreError::Busy)?;
        Ok(if renewed == 0 { Recorded::Stale } else { Recorded::Done })
    }

    async fn remove(
        &self,
        organization: OrganizationId,
        user: UserId,
        except: Option<TokenDigest>,
    ) -> Result<Recorded, StoreError> {
        let work = self.writer.write("removing a second factor", move |connection| {
            remove(connection, organization, user, except).boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }
}

/// Stores a second factor within a transaction. The lock of the user keeps the user linked. The
/// organization is locked first, as in changes of records.
async fn add(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    factor: SecondFactor,
    session: TokenDigest,
) -> QueryResult<Recorded> {
    let user = factor.user_id;
    if !organizations::hold(connection, organization).await?
        || !sessions::lock(connection, organization, user).await?
    {
        return Ok(Recorded::Stale);
    }
    let added = diesel::insert_into(second_factors::table)
        .values((second_factors::organization_id.eq(Id::of(organization)), FactorRow::from(factor)))
        .on_conflict_do_nothing()
        .execute(connection)
        .await?;
    if added == 0 {
        return Ok(Recorded::Stale);
    }
    sessions::end_all(connection, organization, user, Some(session)).await?;
    note(connection, organization, session, Factor::Shown).await?;
    Ok(Recorded::Done)
}

/// Uses a code up within a transaction. The others wait for the lock of the user, and then find the
/// code used.
async fn show(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    user: UserId,
    proof: FactorProof,
    session: TokenDigest,
) -> QueryResult<Recorded> {
    sessions::lock(connection, organization, user).await?;
    let its = || queries::second_factor_of(Id::of(organization), Id::of(user));
    let row: Option<FactorRow> =
        its().select(FactorRow::as_select()).first(connection).await.optional()?;
    let found = row.map(SecondFactor::try_from).transpose()?;
    let Some(shown) = found.and_then(|factor| factor.show(proof)) else {
        return Ok(Recorded::Stale);
    };
    // The secret may be sealed anew meanwhile.
    let used = (
        second_factors::recovery.eq(joined(&shown.recovery)),
        second_factors::last_step.eq(shown.last_step),
    );
    diesel::update(its()).set(used).execute(connection).await?;
    note(connection, organization, session, Factor::Shown).await?;
    Ok(Recorded::Done)
}

/// Removes a second factor within a transaction.
async fn remove(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    user: UserId,
    except: Option<TokenDigest>,
) -> QueryResult<Recorded> {
    // The lock of the user comes first, as in the other changes of the second factor.
    sessions::lock(connection, organization, user).await?;
    let its = queries::second_factor_of(Id::of(organization), Id::of(user));
    if diesel::delete(its).execute(connection).await? == 0 {
        return Ok(Recorded::Stale);
    }
    sessions::end_all(connection, organization, user, except).await?;
    if let Some(session) = except {
        note(connection, organization, session, Factor::None).await?;
    }
    Ok(Recorded::Done)
}

/// Notes whether the second factor was shown in a session.
async fn note(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    session: TokenDigest,
    factor: Factor,
) -> QueryResult<usize> {
    diesel::update(queries::session(Id::of(organization), held(session)))
        .set(session_rows::factor.eq(factor.code()))
        .execute(connection)
        .await
}

/// Up to `limit` sealed secrets behind `after`, of all organizations, by organization and user.
pub(crate) async fn secrets(
    connection: &mut AsyncPgConnection,
    after: Option<(Id, Id)>,
    limit: i64,
) -> QueryResult<Vec<SealedSecret>> {
    let rows: Vec<SecretRow> = lists::second_factor_secrets(after, limit)
        .select(SecretRow::as_select())
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(SealedSecret::from).collect())
}

/// Replaces a sealed secret by `new`, unless it has changed since it was read. Returns the number
/// of secrets that were replaced.
pub(crate) async fn replace_secret(
    connection: &mut AsyncPgConnection,
    secret: &SealedSecret,
    new: &Sealed,
) -> QueryResult<usize> {
    let user = Id(secret.place.record);
    let its = queries::second_factor_of(Id::of(secret.place.organization), user);
    diesel::update(its.filter(second_factors::sealed.eq(&secret.sealed.0)))
        .set(second_factors::sealed.eq(&new.0))
        .execute(connection)
        .await
}
