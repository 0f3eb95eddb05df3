//! Conversions between values and SQLite's types, and the lists as SQLite runs them.

use crate::values::{Id, Ids, Json, SqlId, SqlIds, SqlJson, SqlStamp, Stamp};
use diesel::deserialize::{self, FromSql};
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{BigInt, Text};
use diesel::sqlite::{Sqlite, SqliteValue};
use hearback_domain::Uuid;

#[diesel::declare_sql_function]
extern "SQL" {
    /// The position of `needle` in `text`, from 1. It is 0 if `text` does not contain `needle`.
    fn instr(text: Text, needle: Text) -> Integer;

    /// The text without these characters at its end.
    fn rtrim(text: SqlJson, characters: Text) -> Text;
}

/// A condition: a text contains another one.
macro_rules! has_text {
    ($text:expr, $needle:expr) => {
        super::instr($text, $needle.to_owned()).gt(0)
    };
}

/// A condition: a record has an attribute with a value in its JSON form. Equal values have equal
/// texts. A quote in a text is escaped, so that only a name begins with a plain one.
macro_rules! has_attribute {
    ($attributes:expr, $key:expr, $value:expr) => {
        super::instr(
            super::rtrim($attributes, "}").concat(","),
            format!("\"{}\":{},", $key, $value),
        )
        .gt(0)
    };
}

/// A set of identifiers that is found once. SQLite keeps each set that refers to no other table.
macro_rules! found_once {
    ($ids:expr) => {
        $ids
    };
}

/// The votes of some users. For a set of users, SQLite would expect so many votes that it walked
/// over all posts.
macro_rules! votes_of {
    ($people:expr) => {
        $people.inner_join(
            votes::table.on(votes::organization_id
                .eq(users::organization_id)
                .and(votes::user_id.eq(users::user_id))),
        )
    };
}

#[cfg_attr(
    all(feature = "postgres", feature = "sqlite"),
    expect(clippy::duplicate_mod, reason = "the lists name their engine")
)]
#[path = "lists.rs"]
pub mod lists;

type Engine = Sqlite;

// A time as an expression. No index contains the expression.
diesel::postfix_operator!(Unindexed, " + 0", SqlStamp);

impl ToSql<SqlId, Sqlite> for Id {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.as_bytes().as_slice());
        Ok(IsNull::No)
    }
}

impl FromSql<SqlId, Sqlite> for Id {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self(Uuid::from_slice(value.read_blob())?))
    }
}

impl ToSql<SqlIds, Sqlite> for Ids {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(Vec::from(self));
        Ok(IsNull::No)
    }
}

impl FromSql<SqlIds, Sqlite> for Ids {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self::from(value.read_blob()))
    }
}

impl From<&Ids> for Vec<u8> {
    fn from(Ids(ids): &Ids) -> Self {
        ids.iter().flatten().flat_map(|id| *id.as_bytes()).collect()
    }
}

impl From<&[u8]> for Ids {
    fn from(blob: &[u8]) -> Self {
        let (ids, rest) = blob.as_chunks::<16>();
        let ids = ids.iter().map(|&id| Uuid::from_bytes(id)).collect();
        Self(rest.is_empty().then_some(ids))
    }
}

impl ToSql<SqlJson, Sqlite> for Json {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.as_str());
        Ok(IsNull::No)
    }
}

impl FromSql<SqlJson, Sqlite> for Json {
    fn from_sql(value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        FromSql::<Text, Sqlite>::from_sql(value).map(Self)
    }
}

impl ToSql<SqlStamp, Sqlite> for Stamp {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0);
        Ok(IsNull::No)
    }
}

impl FromSql<SqlStamp, Sqlite> for Stamp {
    fn from_sql(value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        FromSql::<BigInt, Sqlite>::from_sql(value).map(Self)
    }
}
