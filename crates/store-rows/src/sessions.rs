//! Sessions and sign-ins of the portal.

use crate::column::{BadRow, Column, Origin};
use crate::schema::{sessions, sign_ins};
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use hearback_domain::permission::Role;
use hearback_domain::session::{Factor, GuestAct, Session, SignIn, TokenDigest, Way};
use hearback_domain::{ClosedSet, Time, Uuid};
use std::borrow::Cow;

/// A row of `sessions`.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = sessions)]
pub struct SessionRow {
    digest: Vec<u8>,
    user_id: Id,
    agent: String,
    way: String,
    factor: String,
    created_at: Stamp,
    seen_at: Stamp,
    expires_at: Stamp,
}

impl From<&Session> for SessionRow {
    fn from(session: &Session) -> Self {
        Self {
            digest: held(session.digest),
            user_id: Id::of(session.user_id),
            agent: session.agent.clone(),
            way: session.way.code().to_owned(),
            factor: session.factor.code().to_owned(),
            created_at: Stamp::of(session.created_at),
            seen_at: Stamp::of(session.seen_at),
            expires_at: Stamp::of(session.expires_at),
        }
    }
}

impl TryFrom<SessionRow> for Session {
    type Error = BadRow;

    fn try_from(row: SessionRow) -> Result<Self, BadRow> {
        let origin = Origin::new("sessions", row.user_id);
        Ok(Self {
            digest: origin.read::<TokenDigest>("digest", row.digest.into())?,
            user_id: row.user_id.to(),
            agent: row.agent,
            way: origin.read::<Way>("way", row.way.into())?,
            factor: origin.read::<Factor>("factor", row.factor.into())?,
            created_at: origin.read::<Time>("created_at", row.created_at)?,
            seen_at: origin.read::<Time>("seen_at", row.seen_at)?,
            expires_at: origin.read::<Time>("expires_at", row.expires_at)?,
        })
    }
}

/// A row of `sign_ins`.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = sign_ins, treat_none_as_default_value = false)]
pub struct SignInRow {
    id: Vec<u8>,
    link: Vec<u8>,
    code: Option<Vec<u8>>,
    email: String,
    role: Option<String>,
    return_to: String,
    guest_name: Option<String>,
    act: Option<String>,
    tries: i32,
    created_at: Stamp,
    expires_at: Stamp,
}

impl From<&SignIn> for SignInRow {
    fn from(sign_in: &SignIn) -> Self {
        Self {
            id: held(sign_in.id),
            link: held(sign_in.link),
            code: sign_in.code.map(held),
            email: sign_in.email.clone(),
            role: Option::<Role>::hold(&sign_in.role).map(Cow::into_owned),
            return_to: sign_in.return_to.clone(),
            guest_name: sign_in.guest.as_ref().map(|guest| guest.name.clone()),
            act: sign_in.guest.as_ref().map(|guest| guest.act.clone()),
            tries: sign_in.tries.into(),
            created_at: Stamp::of(sign_in.created_at),
            expires_at: Stamp::of(sign_in.expires_at),
        }
    }
}

impl TryFrom<SignInRow> for SignIn {
    type Error = BadRow;

    fn try_from(row: SignInRow) -> Result<Self, BadRow> {
        // The row has no identifier that an error may show.
        let origin = Origin::new("sign_ins", Uuid::nil());
        Ok(Self {
            id: origin.read::<TokenDigest>("id", row.id.into())?,
            link: origin.read::<TokenDigest>("link", row.link.into())?,
            code: origin.read::<Option<TokenDigest>>("code", row.code.map(Cow::from))?,
            email: row.email,
            role: origin.read::<Option<Role>>("role", row.role.map(Cow::from))?,
            return_to: row.return_to,
            guest: match (row.guest_name, row.act) {
                (Some(name), Some(act)) => Some(Box::new(GuestAct { name, act })),
                (None, None) => None,
                _ => return Err(origin.bad("act")),
            },
            tries: row.tries.try_into().map_err(|_| origin.bad("tries"))?,
            created_at: origin.read::<Time>("created_at", row.created_at)?,
            expires_at: origin.read::<Time>("expires_at", row.expires_at)?,
        })
    }
}

/// A digest as a column holds it.
pub fn held(digest: TokenDigest) -> Vec<u8> {
    digest.0.to_vec()
}
