//! Sessions and sign-ins of the portal.

use crate::error::store_error;
use crate::{SqliteStore, organizations, users};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::query_dsl::methods;
use diesel::upsert::excluded;
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
    password_tries, second_factors, sessions, sign_ins, spent_tokens,
};
use hearback_store_rows::sessions::{SessionRow, SignInRow, held};
use hearback_store_rows::{Id, Stamp, all, kept, queries};

#[async_trait]
impl SessionRepository for SqliteStore {
    async fn sign_in(
        &self,
        organization: OrganizationId,
        sign_in: SignIn,
    ) -> Result<Recorded, StoreError> {
        let work =
            move |connection: &mut SqliteConnection| store(connection, organization, &sign_in);
        self.changed("storing a sign-in", work).await
    }

    async fn offered(
        &self,
        organization: OrganizationId,
        link: TokenDigest,
        now: Time,
    ) -> Result<Option<SignIn>, StoreError> {
        let row: Option<SignInRow> = self.readers.read("finding a sign-in", |connection| {
            let this = queries::linked_sign_in(Id::of(organization), held(link));
            this.filter(sign_ins::expires_at.gt(Stamp::of(now)))
                .select(SignInRow::as_select())
                .first(connection)
                .optional()
        })?;
        Ok(row.map(SignIn::try_from).transpose()?)
    }

    async fn invitations(
        &self,
        organization: OrganizationId,
        now: Time,
    ) -> Result<Vec<SignIn>, StoreError> {
        let rows: Vec<SignInRow> = self.readers.read("listing invitations", |connection| {
            queries::open_invitations(Id::of(organization), Stamp::of(now))
                .select(SignInRow::as_select())
                .load(connection)
        })?;
        Ok(rows.into_iter().map(SignIn::try_from).collect::<Result<_, _>>()?)
    }

    async fn redeem(
        &self,
        organization: OrganizationId,
        proof: Proof,
        now: Time,
    ) -> Result<Redeemed, StoreError> {
        let work =
            move |connection: &mut SqliteConnection| redeem(connection, organization, proof, now);
        self.changed("redeeming a sign-in", work).await
    }

    async fn begin(
        &self,
        organization: OrganizationId,
        session: Session,
    ) -> Result<Recorded, StoreError> {
        let work =
            move |connection: &mut SqliteConnection| begin(connection, organization, &session);
        self.changed("beginning a session", work).await
    }

    async fn find(
        &self,
        organization: OrganizationId,
        digest: TokenDigest,
        now: Time,
    ) -> Result<Option<(Session, User)>, StoreError> {
        let row: Option<(SessionRow, UserRow<'_>)> =
            self.readers.read("finding a session", |connection| {
                queries::open_session(Id::of(organization), held(digest), Stamp::of(now))
                    .select((SessionRow::as_select(), UserRow::as_select()))
                    .first(connection)
                    .optional()
            })?;
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
        let work = move |connection: &mut SqliteConnection| {
            let (seen_at, expires_at) = (Stamp::of(seen_at), Stamp::of(expires_at));
            let this = queries::session(Id::of(organization), held(digest));
            let update = diesel::update(this.filter(sessions::seen_at.lt(seen_at)))
                .set((sessions::seen_at.eq(seen_at), sessions::expires_at.eq(expires_at)));
            kept(update).execute(connection)
        };
        self.changed("noting a visit", work).await.map(|_| ())
    }

    async fn end(
        &self,
        organization: OrganizationId,
        digest: TokenDigest,
    ) -> Result<(), StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            let this = queries::session(Id::of(organization), held(digest));
            diesel::delete(this).execute(connection)
        };
        self.changed("ending a session", work).await.map(|_| ())
    }

    async fn of_user(
        &self,
        organization: OrganizationId,
        user: UserId,
        now: Time,
    ) -> Result<Vec<Session>, StoreError> {
        let rows: Vec<SessionRow> = self.readers.read("listing sessions", |connection| {
            let sessions = queries::sessions_of(Id::of(organization), Id::of(user));
            sessions
                .filter(sessions::expires_at.gt(Stamp::of(now)))
                .order((sessions::seen_at.desc(), sessions::digest.desc()))
                .select(SessionRow::as_select())
                .load(connection)
        })?;
        Ok(all(rows)?)
    }

    async fn end_all(
        &self,
        organization: OrganizationId,
        user: UserId,
        except: Option<TokenDigest>,
    ) -> Result<(), StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            end_all(connection, organization, user, except)
        };
        self.changed("ending sessions", work).await.map(|_| ())
    }

    async fn spend(
        &self,
        organization: OrganizationId,
        token: TokenDigest,
        until: Time,
        now: Time,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            spend(connection, organization, token, until, now)
        };
        self.changed("noting a used token", work).await
    }

    async fn prune(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<usize, StoreError> {
        let work =
            move |connection: &mut SqliteConnection| prune(connection, organization, now, limit);
        self.changed("removing what is over", work).await
    }
}

impl SqliteStore {
    /// Runs a change in a transaction, and returns its result after the commit.
    pub(crate) async fn changed<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&mut SqliteConnection) -> QueryResult<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.write(doing, work).await?.map_err(|error| store_error(doing, error))
    }
}

/// Removes the rows of an organization whose keys a query finds. The value is the number of rows.
macro_rules! remove {
    ($table:ident.$key:ident of $organization:expr, $query:expr, $connection:expr) => {{
        let mut removed = 0;
        for key in $query.load::<Vec<u8>>($connection)? {
            let this = $table::table.filter($table::organization_id.eq($organization));
            removed += diesel::delete(this.filter($table::$key.eq(key))).execute($connection)?;
        }
        removed
    }};
}

/// Removes what is over within a transaction.
fn prune(
    connection: &mut SqliteConnection,
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

/// Stores a sign-in within a transaction. It holds the write lock, so that no address gets too many
/// at once.
fn store(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    sign_in: &SignIn,
) -> QueryResult<Recorded> {
    if !organizations::is_there(connection, organization)? {
        return Ok(Recorded::Stale);
    }
    let (id, now) = (Id::of(organization), Stamp::of(sign_in.created_at));
    let same = queries::sign_ins_of(id, sign_in.email.clone());
    if sign_in.role.is_some() {
        let invitations = same.filter(sign_ins::role.is_not_null());
        diesel::delete(invitations).execute(connection)?;
    } else {
        let open = same.filter(sign_ins::role.is_null());
        let open = open.filter(sign_ins::act.is_not_null().eq(sign_in.guest.is_some()));
        let open = open.filter(sign_ins::expires_at.gt(now)).count();
        if open.get_result::<i64>(connection)? >= MOST_SIGN_INS {
            return Ok(Recorded::Stale);
        }
    }
    remove!(sign_ins.id of id, queries::ended_sign_ins(id, now, MOST_REMOVED), connection);
    diesel::insert_into(sign_ins::table)
        .values((sign_ins::organization_id.eq(id), SignInRow::from(sign_in)))
        .execute(connection)?;
    Ok(Recorded::Done)
}

/// Redeems a sign-in within a transaction, which holds the write lock.
fn redeem(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    proof: Proof,
    now: Time,
) -> QueryResult<Redeemed> {
    let organization = Id::of(organization);
    let found: Option<SignInRow> = match proof {
        Proof::Link(link) => {
            let this = queries::linked_sign_in(organization, held(link));
            this.select(SignInRow::as_select()).first(connection).optional()?
        }
        Proof::Code { id, .. } => {
            let this = queries::sign_in(organization, held(id));
            this.select(SignInRow::as_select()).first(connection).optional()?
        }
    };
    let Some(row) = found else { return Ok(Redeemed::Gone) };
    let sign_in = SignIn::try_from(row)?;
    let (id, tries) = (held(sign_in.id), sign_in.tries);
    let (answer, rest) = sign_in.redeem(proof, now);
    let this = queries::sign_in(organization, id);
    match rest {
        None => {
            diesel::delete(this).execute(connection)?;
        }
        Some(rest) if rest.tries != tries => {
            let set = sign_ins::tries.eq(i32::from(rest.tries));
            diesel::update(this).set(set).execute(connection)?;
        }
        Some(_) => {}
    }
    Ok(answer)
}

/// Stores a session within a transaction.
fn begin(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    session: &Session,
) -> QueryResult<Recorded> {
    if !organizations::is_there(connection, organization)?
        || !users::is_linked(connection, organization, session.user_id)?
    {
        return Ok(Recorded::Stale);
    }
    let (id, user) = (Id::of(organization), Id::of(session.user_id));
    let over = sessions::expires_at.le(Stamp::of(session.created_at));
    let ended = queries::sessions_of(id, user).filter(over);
    diesel::delete(ended).execute(connection)?;
    let others = MOST_SESSIONS as i64 - 1;
    let oldest: Vec<Vec<u8>> = queries::oldest_sessions(id, user, others).load(connection)?;
    for oldest in oldest {
        diesel::delete(queries::session(id, oldest)).execute(connection)?;
    }
    let factor = queries::second_factor_of(id, user).select(second_factors::user_id);
    let has_factor = factor.first::<Id>(connection).optional()?.is_some();
    let factor = if has_factor { Factor::Wanted } else { session.factor };
    let session = Session { factor, ..session.clone() };
    diesel::insert_into(sessions::table)
        .values((sessions::organization_id.eq(id), SessionRow::from(&session)))
        .execute(connection)?;
    Ok(Recorded::Done)
}

pub(crate) fn end_all(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    user: UserId,
    except: Option<TokenDigest>,
) -> QueryResult<usize> {
    let all = queries::sessions_of(Id::of(organization), Id::of(user));
    match except {
        None => diesel::delete(all).execute(connection),
        Some(except) => {
            let others = all.filter(sessions::digest.ne(held(except)));
            diesel::delete(others).execute(connection)
        }
    }
}

/// Ends the sessions of a user who is no longer linked, and removes the other ways to sign in and the
/// views, in the transaction of that change.
pub(crate) fn unlink(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    user: UserId,
) -> QueryResult<()> {
    let (organization, user) = (Id::of(organization), Id::of(user));
    diesel::delete(queries::sessions_of(organization, user)).execute(connection)?;
    diesel::delete(queries::password_of(organization, user)).execute(connection)?;
    diesel::delete(queries::second_factor_of(organization, user)).execute(connection)?;
    diesel::delete(queries::views_of(organization, user)).execute(connection)?;
    diesel::delete(queries::accounts_of(organization, user)).execute(connection)?;
    Ok(())
}

fn spend(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    token: TokenDigest,
    until: Time,
    now: Time,
) -> QueryResult<Recorded> {
    if !organizations::is_there(connection, organization)? {
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
    let spent = spend.execute(connection)?;
    Ok(if spent == 0 { Recorded::Stale } else { Recorded::Done })
}
