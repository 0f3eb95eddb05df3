//! Second factors of users.

use crate::{SqliteStore, organizations, sessions, users};
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::ClosedSet;
use hearback_domain::api_key::Sealed;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::second_factor::{FactorProof, SecondFactor};
use hearback_domain::session::{Factor, TokenDigest};
use hearback_ports::instance::SealedSecret;
use hearback_ports::{Recorded, SecondFactorRepository, StoreError};
use hearback_store_rows::schema::{second_factors, sessions as session_rows};
use hearback_store_rows::second_factors::{FactorRow, SecretRow, joined};
use hearback_store_rows::sessions::held;
use hearback_store_rows::sqlite::lists;
use hearback_store_rows::{Id, queries};

#[async_trait]
impl SecondFactorRepository for SqliteStore {
    async fn find(
        &self,
        organization: OrganizationId,
        user: UserId,
    ) -> Result<Option<SecondFactor>, StoreError> {
        let row: Option<FactorRow> =
            self.readers.read("finding a second factor", |connection| {
                let its = queries::second_factor_of(Id::of(organization), Id::of(user));
                its.select(FactorRow::as_select()).first(connection).optional()
            })?;
        Ok(row.map(SecondFactor::try_from).transpose()?)
    }

    async fn add(
        &self,
        organization: OrganizationId,
        factor: SecondFactor,
        session: TokenDigest,
    ) -> Result<Recorded, StoreError> {
        let work =
            move |connection: &mut SqliteConnection| add(connection, organization, factor, session);
        self.changed("storing a second factor", work).await
    }

    async fn show(
        &self,
        organization: OrganizationId,
        user: UserId,
        proof: FactorProof,
        session: TokenDigest,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            show(connection, organization, user, proof, session)
        };
        self.changed("showing a second factor", work).await
    }

    async fn renew(
        &self,
        organization: OrganizationId,
        user: UserId,
        recovery: Vec<TokenDigest>,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            let its = queries::second_factor_of(Id::of(organization), Id::of(user));
            let recovery = second_factors::recovery.eq(joined(&recovery));
            diesel::update(its).set(recovery).execute(connection)
        };
        let renewed = self.changed("replacing recovery codes", work).await?;
        Ok(if renewed == 0 { Recorded::Stale } else { Recorded::Done })
    }

    async fn remove(
        &self,
        organization: OrganizationId,
        user: UserId,
        except: Option<TokenDigest>,
    ) -> Result<Recorded, StoreError> {
        let work =
            move |connection: &mut SqliteConnection| remove(connection, organization, user, except);
        self.changed("removing a second factor", work).await
    }
}

/// Stores a second factor within a transaction.
fn add(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    factor: SecondFactor,
    session: TokenDigest,
) -> QueryResult<Recorded> {
    let user = factor.user_id;
    if !organizations::is_there(connection, organization)?
        || !users::is_linked(connection, organization, user)?
    {
        return Ok(Recorded::Stale);
    }
    let added = diesel::insert_into(second_factors::table)
        .values((second_factors::organization_id.eq(Id::of(organization)), FactorRow::from(factor)))
        .on_conflict_do_nothing()
        .execute(connection)?;
    if added == 0 {
        return Ok(Recorded::Stale);
    }
    sessions::end_all(connection, organization, user, Some(session))?;
    note(connection, organization, session, Factor::Shown)?;
    Ok(Recorded::Done)
}

/// Uses a code up within a transaction, which holds the write lock.
fn show(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    user: UserId,
    proof: FactorProof,
    session: TokenDigest,
) -> QueryResult<Recorded> {
    let its = || queries::second_factor_of(Id::of(organization), Id::of(user));
    let row: Option<FactorRow> =
        its().select(FactorRow::as_select()).first(connection).optional()?;
    let found = row.map(SecondFactor::try_from).transpose()?;
    let Some(shown) = found.and_then(|factor| factor.show(proof)) else {
        return Ok(Recorded::Stale);
    };
    // The secret may be sealed anew meanwhile.
    let used = (
        second_factors::recovery.eq(joined(&shown.recovery)),
        second_factors::last_step.eq(shown.last_step),
    );
    diesel::update(its()).set(used).execute(connection)?;
    note(connection, organization, session, Factor::Shown)?;
    Ok(Recorded::Done)
}

/// Removes a second factor within a transaction.
fn remove(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    user: UserId,
    except: Option<TokenDigest>,
) -> QueryResult<Recorded> {
    let its = queries::second_factor_of(Id::of(organization), Id::of(user));
    if diesel::delete(its).execute(connection)? == 0 {
        return Ok(Recorded::Stale);
    }
    sessions::end_all(connection, organization, user, except)?;
    if let Some(session) = except {
        note(connection, organization, session, Factor::None)?;
    }
    Ok(Recorded::Done)
}

/// Notes whether the second factor was shown in a session.
fn note(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    session: TokenDigest,
    factor: Factor,
) -> QueryResult<usize> {
    diesel::update(queries::session(Id::of(organization), held(session)))
        .set(session_rows::factor.eq(factor.code()))
        .execute(connection)
}

/// Up to `limit` sealed secrets behind `after`, of all organizations, by organization and user.
pub(crate) fn secrets(
    connection: &mut SqliteConnection,
    after: Option<(Id, Id)>,
    limit: i64,
) -> QueryResult<Vec<SealedSecret>> {
    let rows: Vec<SecretRow> = lists::second_factor_secrets(after, limit)
        .select(SecretRow::as_select())
        .load(connection)?;
    Ok(rows.into_iter().map(SealedSecret::from).collect())
}

/// Replaces a sealed secret by `new`, unless it has changed since it was read. Returns the number
/// of secrets that were replaced.
pub(crate) fn replace_secret(
    connection: &mut SqliteConnection,
    secret: &SealedSecret,
    new: &Sealed,
) -> QueryResult<usize> {
    let user = Id(secret.place.record);
    let its = queries::second_factor_of(Id::of(secret.place.organization), user);
    diesel::update(its.filter(second_factors::sealed.eq(&secret.sealed.0)))
        .set(second_factors::sealed.eq(&new.0))
        .execute(connection)
}
