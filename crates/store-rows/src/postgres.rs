//! Conversions between values and PostgreSQL's types, and the lists as PostgreSQL runs them.

use crate::values::{Id, Ids, Json, Keys, SqlId, SqlIds, SqlJson, SqlKeys, SqlStamp, Stamp};
use diesel::deserialize::{self, FromSql};
use diesel::pg::data_types::PgTimestamp;
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{Array, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use std::io::Write;

// What no macro of Diesel has: whether an object of JSON contains another one.
diesel::infix_operator!(Contains, " @> ");

#[diesel::declare_sql_function]
extern "SQL" {
    /// The position of `needle` in `text`, from 1. It is 0 if `text` does not contain `needle`.
    fn strpos(text: Text, needle: Text) -> Integer;
}

/// A condition: a text contains another one.
macro_rules! has_text {
    ($text:expr, $needle:expr) => {
        super::strpos($text, $needle.to_owned()).gt(0)
    };
}

/// A condition: a record has an attribute with a value in its JSON form.
macro_rules! has_attribute {
    ($attributes:expr, $key:expr, $value:expr) => {
        super::Contains::new(
            $attributes,
            crate::Json(format!("{{\"{}\":{}}}", $key, $value)).into_sql::<crate::SqlJson>(),
        )
    };
}

/// A set of identifiers that is found once, before all else. Without an array, the planner may find
/// it anew for each row of a walk: it expects one row if its statistics do not know an organization.
macro_rules! found_once {
    ($ids:expr) => {
        diesel::dsl::array::<crate::SqlId, _>($ids)
    };
}

/// The votes of some users, who are found first. In a join, the planner may begin with all votes.
macro_rules! votes_of {
    ($people:expr) => {
        votes::table.filter(votes::user_id.eq_any(found_once!($people.select(users::user_id))))
    };
}

#[cfg_attr(
    all(feature = "postgres", feature = "sqlite"),
    expect(clippy::duplicate_mod, reason = "the lists name their engine")
)]
#[path = "lists.rs"]
pub mod lists;

type Engine = Pg;

// A time as an expression. No index contains the expression.
diesel::postfix_operator!(Unindexed, " + interval '0'", SqlStamp);

impl ToSql<SqlId, Pg> for Id {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<SqlUuid, Pg>::to_sql(&self.0, out)
    }
}

impl FromSql<SqlId, Pg> for Id {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        FromSql::<SqlUuid, Pg>::from_sql(value).map(Self)
    }
}

impl ToSql<SqlIds, Pg> for Ids {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Nullable<Array<SqlUuid>>, Pg>::to_sql(&self.0, out)
    }
}

impl FromSql<SqlIds, Pg> for Ids {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        FromSql::<Array<SqlUuid>, Pg>::from_sql(value).map(|ids| Self(Some(ids)))
    }
}

impl ToSql<SqlKeys, Pg> for Keys {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Array<Integer>, Pg>::to_sql(&self.0, out)
    }
}

impl ToSql<SqlJson, Pg> for Json {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(&[JSONB_VERSION])?;
        out.write_all(self.0.as_bytes())?;
        Ok(IsNull::No)
    }
}

impl FromSql<SqlJson, Pg> for Json {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        match value.as_bytes() {
            [JSONB_VERSION, text @ ..] => Ok(Self(String::from_utf8(text.to_vec())?)),
            _ => Err("unknown form of jsonb".into()),
        }
    }
}

/// The first byte of a `jsonb` value.
const JSONB_VERSION: u8 = 1;

/// The start of the year 2000 in milliseconds since the Unix epoch. PostgreSQL counts microseconds
/// from there.
const EPOCH_MILLIS: i64 = 946_684_800_000;

impl ToSql<SqlStamp, Pg> for Stamp {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Timestamptz, Pg>::to_sql(&PgTimestamp::from(*self), &mut out.reborrow())
    }
}

impl FromSql<SqlStamp, Pg> for Stamp {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        FromSql::<Timestamptz, Pg>::from_sql(value).map(PgTimestamp::into)
    }
}

impl From<Stamp> for PgTimestamp {
    fn from(Stamp(millis): Stamp) -> Self {
        Self((millis - EPOCH_MILLIS) * 1_000)
    }
}

/// Rounds down to a millisecond.
impl From<PgTimestamp> for Stamp {
    fn from(PgTimestamp(micros): PgTimestamp) -> Self {
        Self(micros.div_euclid(1_000) + EPOCH_MILLIS)
    }
}
