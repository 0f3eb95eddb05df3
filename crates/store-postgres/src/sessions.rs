//! Sessions and sign-ins of the portal.

use crate::{PgStore, organizations};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::query_dsl::methods;
use diesel::upsert::excluded;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::Time;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::session::{
    Factor, MOST_SESSIONS, MOST_SIGN_INS, Proof, Redeemed, Session, SignIn, TokenDigest,
};
use hearback_domain::user::User;
use hearback_ports::sessions::MOST_REMOVED;
use hearback_ports::{Recorded, SessionRepository, StoreError};
use hearback_store_rows::rows::UserRow;
use hearback_store_rows::schema::{
    password_tries, second_factors, sessions, sign_ins, spent_tokens, users,
};
use hearback_store_rows::sessions::{SessionRow, SignInRow, held};
use hearback_store_rows::{Id, Stamp, all, kept, queries};

#[async_trait]
impl SessionRepository for PgStore {
    async fn sign_in(
        &self,
        organization: OrganizationId,
        sign_in: SignIn,
    ) -> Result<Recorded, StoreError> {
        let work = self.writer.write("storing a sign-in", move |connection| {
            async move { store(connection, organization, &sign_in).await }.boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }

    async fn offered(
        &self,
        organization: OrganizationId,
        link: TokenDigest,
        now: Time,
    ) -> Result<Option<SignIn>, StoreError> {
        let query = || {
            queries::linked_sign_in(Id::of(organization), held(link))
                .filter(sign_ins::expires_at.gt(Stamp::of(now)))
                .select(SignInRow::as_select())
        };
        let row: Option<SignInRow> = self.readers.row("finding a sign-in", query).await?;
        Ok(row.map(SignIn::try_from).transpose()?)
    }

    async fn invitations(
        &self,
        organization: OrganizationId,
        now: Time,
    ) -> Result<Vec<SignIn>, StoreError> {
        let query = || {
            queries::open_invitations(Id::of(organization), Stamp::of(now))
                .select(SignInRow::as_select())
        };
        let rows: Vec<SignInRow> = self.readers.rows("listing invitations", query).await?;
        Ok(rows.into_iter().map(SignIn::try_from).collect::<Result<_, _>>()?)
    }

    async fn redeem(
        &self,
        organization: OrganizationId,
        proof: Proof,
        now: Time,
    ) -> Result<Redeemed, StoreError> {
        let work = self.writer.write("redeeming a sign-in", move |connection| {
            redeem(connection, organization, proof, now).boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }

    async fn begin(
        &self,
        organization: OrganizationId,
        session: Session,
    ) -> Result<Recorded, StoreError> {
        let work = self.writer.write("beginning a session", move |connection| {
            async move { begin(connection, organization, &session).await }.boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }

    async fn find(
        &self,
        organization: OrganizationId,
        digest: TokenDigest,
        now: Time,
    ) -> Result<Option<(Session, User)>, StoreError> {
        let query = || {
            queries::open_session(Id::of(organization), held(digest), Stamp::of(now))
                .select((SessionRow::as_select(), UserRow::as_select()))
        };
        let row: Option<(SessionRow, UserRow<'_>)> =
            self.readers.row("finding a session", query).await?;
        let Some((session, user)) = row else { return Ok(None) };
        Ok(Some((session.try_into()?, user.try_into()?)))
    }

    async fn touch(
        &self,
        organization: OrganizationId,
        digest: TokenDigest,
        seen_at: Time,
        expires_at: Time,
    ) -> Result<(), StoreError> {
        let work = self.writer.write_alone("noting a visit", move |connection| {
            let (seen_at, expires_at) = (Stamp::of(seen_at), Stamp::of(expires_at));
            let this = queries::session(Id::of(organization), held(digest));
            let update = diesel::update(this.filter(sessions::seen_at.lt(seen_at)))
                .set((sessions::seen_at.eq(seen_at), sessions::expires_at.eq(expires_at)));
            async move { kept(update).execute(connection).await }.boxed()
        });
        // `None`: another transaction was faster, which noted a visit or ended the session.
        work.await?;
        Ok(())
    }

    async fn end(
        &self,
        organization: OrganizationId,
        digest: TokenDigest,
    ) -> Result<(), StoreError> {
        let work = self.writer.write_alone("ending a session", move |connection| {
            let this = queries::session(Id::of(organization), held(digest));
            async move { diesel::delete(this).execute(connection).await }.boxed()
        });
        work.await?.map(|_| ()).ok_or(StoreError::Busy)
    }

    async fn of_user(
        &self,
        organization: OrganizationId,
        user: UserId,
        now: Time,
    ) -> Result<Vec<Session>, StoreError> {
        let query = || {
            let sessions = queries::sessions_of(Id::of(organization), Id::of(user));
            sessions
                .filter(sessions::expires_at.gt(Stamp::of(now)))
                .order((sessions::seen_at.desc(), sessions::digest.desc()))
                .select(SessionRow::as_select())
        };
        let rows: Vec<SessionRow> = self.readers.rows("listing sessions", query).await?;
        Ok(all(rows)?)
    }

    async fn end_all(
        &self,
        organization: OrganizationId,
        user: UserId,
        except: Option<TokenDigest>,
    ) -> Result<(), StoreError> {
        let work = self.writer.write("ending sessions", move |connection| {
            end_all(connection, organization, user, except).boxed()
        });
        work.await?.map(|_| ()).ok_or(StoreError::Busy)
    }

    async fn spend(
        &self,
        organization: OrganizationId,
        token: TokenDigest,
        until: Time,
        now: Time,
    ) -> Result<Recorded, StoreError> {
        let work = self.writer.write("noting a used token", move |connection| {
            spend(connection, organization, token, until, now).boxed()
        });
        work.await?.ok_or(StoreError::Busy)
    }

    async fn prune(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<usize, StoreError> {
        let work = self.writer.write("removing what is over", move |connection| {
            async move { prune(connection, organization, now, limit).await }.boxed()
        });
        // `None`: another transaction was faster, and removed it.
        Ok(work.await?.unwrap_or(0))
    }
}

/// Removes the rows of an organization whose keys a query finds. Rows that are locked are left out.
/// The value is the number of rows.
macro_rules! remove {
    ($table:ident.$key:ident of $organization:expr, $query:expr, $connection:expr) => {{
        let keys: Vec<Vec<u8>> = $query.for_update().skip_locked().load($connection).await?;
        match keys.is_empty() {
            true => 0,
            false => {
                let these = $table::table.filter($table::organization_id.eq($organization));
                diesel::delete(these.filter($table::$key.eq_any(keys))).execute($connection).await?
            }
        }
    }};
}

/// Removes what is over within a transaction.
async fn prune(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    now: Time,
    limit: i64,
) -> QueryResult<usize> {
    let (id, now) = (Id::of(organization), Stamp::of(now));
    Ok(remove!(sessions.digest of id, queries::ended_sessions(id, now, limit), connection)
        + remove!(sign_ins.id of id, queries::ended_sign_ins(id, now, limit), connection)
        + remove!(spent_tokens.digest of id, queries::ended_tokens(id, now, limit), connection)
        + remove!(password_tries.id of id, queries::ended_tries(id, now, limit), connection))
}

/// Stores a sign-in within a transaction. The sign-ins of an organization take turns, so that no
/// address gets too many at once.
async fn store(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    sign_in: &SignIn,
) -> QueryResult<Recorded> {
    if !organizations::hold_alone(connection, organization).await? {
        return Ok(Recorded::Stale);
    }
    let (id, now) = (Id::of(organization), Stamp::of(sign_in.created_at));
    let same = queries::sign_ins_of(id, sign_in.email.clone());
    if sign_in.role.is_some() {
        let invitations = same.filter(sign_ins::role.is_not_null());
        diesel::delete(invitations).execute(connection).await?;
    } else {
        let open = same.filter(sign_ins::role.is_null());
        let open = open.filter(sign_ins::act.is_not_null().eq(sign_in.guest.is_some()));
        let open = open.filter(sign_ins::expires_at.gt(now)).count();
        if open.get_result::<i64>(connection).await? >= MOST_SIGN_INS {
            return Ok(Recorded::Stale);
        }
    }
    remove!(sign_ins.id of id, queries::ended_sign_ins(id, now, MOST_REMOVED), connection);
    diesel::insert_into(sign_ins::table)
        .values((sign_ins::organization_id.eq(id), SignInRow::from(sign_in)))
        .execute(connection)
        .await?;
    Ok(Recorded::Done)
}

/// Redeems a sign-in within a transaction.
async fn redeem(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    proof: Proof,
    now: Time,
) -> QueryResult<Redeemed> {
    let organization = Id::of(organization);
    // The others wait for the lock, and then find the sign-in changed or gone.
    let found: Option<SignInRow> = match proof {
        Proof::Link(link) => {
            let this = queries::linked_sign_in(organization, held(link));
            this.select(SignInRow::as_select()).for_update().first(connection).await.optional()?
        }
        Proof::Code { id, .. } => {
            let this = queries::sign_in(organization, held(id));
            this.select(SignInRow::as_select()).for_update().first(connection).await.optional()?
        }
    };
    let Some(row) = found else { return Ok(Redeemed::Gone) };
    let sign_in = SignIn::try_from(row)?;
    let (id, tries) = (held(sign_in.id), sign_in.tries);
    let (answer, rest) = sign_in.redeem(proof, now);
    let this = queries::sign_in(organization, id);
    match rest {
        None => {
            diesel::delete(this).execute(connection).await?;
        }
        Some(rest) if rest.tries != tries => {
            let set = sign_ins::tries.eq(i32::from(rest.tries));
            diesel::update(this).set(set).execute(connection).await?;
        }
        Some(_) => {}
    }
    Ok(answer)
}

/// Stores a session within a transaction. The lock of the user keeps the user linked. The
/// organization is locked first, as in changes of records.
async fn begin(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    session: &Session,
) -> QueryResult<Recorded> {
    if !organizations::hold(connection, organization).await?
        || !lock(connection, organization, session.user_id).await?
    {
        return Ok(Recorded::Stale);
    }
    let (id, user) = (Id::of(organization), Id::of(session.user_id));
    let over = sessions::expires_at.le(Stamp::of(session.created_at));
    let ended = queries::sessions_of(id, user).filter(over);
    diesel::delete(ended).execute(connection).await?;
    let others = MOST_SESSIONS as i64 - 1;
    let oldest: Vec<Vec<u8>> = queries::oldest_sessions(id, user, others).load(connection).await?;
    if !oldest.is_empty() {
        let its = sessions::digest.eq_any(oldest);
        let oldest = queries::sessions_of(id, user).filter(its);
        diesel::delete(oldest).execute(connection).await?;
    }
    let factor = queries::second_factor_of(id, user).select(second_factors::user_id);
    let has_factor = factor.first::<Id>(connection).await.optional()?.is_some();
    let factor = if has_factor { Factor::Wanted } else { session.factor };
    let session = Session { factor, ..session.clone() };
    diesel::insert_into(sessions::table)
        .values((sessions::organization_id.eq(id), SessionRow::from(&session)))
        .execute(connection)
        .await?;
    Ok(Recorded::Done)
}

/// Locks a user until the transaction ends, so that only one transaction at a time changes the
/// user's sessions. Returns whether the user is linked.
pub(crate) async fn lock(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    user: UserId,
) -> QueryResult<bool> {
    let this = users::table.filter(users::organization_id.eq(Id::of(organization)));
    let this = this.filter(users::user_id.eq(Id::of(user)));
    let is_active: Option<bool> =
        this.select(users::is_active).for_no_key_update().first(connection).await.optional()?;
    Ok(is_active == Some(true))
}

pub(crate) async fn end_all(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    user: UserId,
    except: Option<TokenDigest>,
) -> QueryResult<usize> {
    lock(connection, organization, user).await?;
    let all = queries::sessions_of(Id::of(organization), Id::of(user));
    match except {
        None => diesel::delete(all).execute(connection).await,
        Some(except) => {
            let others = all.filter(sessions::digest.ne(held(except)));
            diesel::delete(others).execute(connection).await
        }
    }
}

/// Ends the sessions of a user who is no longer linked, and removes the other ways to sign in and the
/// views, in the transaction of that change. It has locked the user.
pub(crate) async fn unlink(
    mut connection: &AsyncPgConnection,
    organization: OrganizationId,
    user: UserId,
) -> QueryResult<()> {
    let (organization, user) = (Id::of(organization), Id::of(user));
    diesel::delete(queries::sessions_of(organization, user)).execute(&mut connection).await?;
    diesel::delete(queries::password_of(organization, user)).execute(&mut connection).await?;
    diesel::delete(queries::second_factor_of(organization, user)).execute(&mut connection).await?;
    diesel::delete(queries::views_of(organization, user)).execute(&mut connection).await?;
    diesel::delete(queries::accounts_of(organization, user)).execute(&mut connection).await?;
    Ok(())
}

async fn spend(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    token: TokenDigest,
    until: Time,
    now: Time,
) -> QueryResult<Recorded> {
    if !organizations::hold(connection, organization).await? {
        return Ok(Recorded::Stale);
    }
    let (id, now) = (Id::of(organization), Stamp::of(now));
    remove!(spent_tokens.digest of id, queries::ended_tokens(id, now, MOST_REMOVED), connection);
    let spend = diesel::insert_into(spent_tokens::table)
        .values((
            spent_tokens::organization_id.eq(id),
            spent_tokens::digest.eq(held(token)),
            spent_tokens::until.eq(Stamp::of(until)),
        ))
        .on_conflict((spent_tokens::organization_id, spent_tokens::digest))
        .do_update()
        .set(spent_tokens::until.eq(excluded(spent_tokens::until)));
    let spend = methods::FilterDsl::filter(spend, spent_tokens::until.le(now));
    let spent = spend.execute(connection).await?;
    Ok(if spent == 0 { Recorded::Stale } else { Recorded::Done })
}
