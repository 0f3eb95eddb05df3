//! The values of columns: identifiers and times, in the types of both engines.

use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::query_builder::QueryId;
use diesel::sql_types::{SqlOrd, SqlType};
use hearback_domain::{Time, Uuid};

/// The type of a column that holds an identifier: `uuid` in PostgreSQL, a blob of 16 bytes in
/// SQLite.
#[derive(Clone, Copy, Debug, Default, QueryId, SqlType)]
#[diesel(postgres_type(oid = 2950, array_oid = 2951), sqlite_type(name = "Binary"))]
pub struct SqlId;

/// The type of a column that holds identifiers: `uuid[]` in PostgreSQL, 16 bytes each in SQLite.
#[derive(Clone, Copy, Debug, Default, QueryId, SqlType)]
#[diesel(postgres_type(oid = 2951, array_oid = 0), sqlite_type(name = "Binary"))]
pub struct SqlIds;

/// The type of a column that holds a time: `timestamptz` in PostgreSQL, milliseconds since the Unix
/// epoch in SQLite.
#[derive(Clone, Copy, Debug, Default, QueryId, SqlType)]
#[diesel(postgres_type(oid = 1184, array_oid = 1185), sqlite_type(name = "Long"))]
pub struct SqlStamp;

/// The type of a column that holds the keys of a title: `integer[]` in PostgreSQL.
#[derive(Clone, Copy, Debug, Default, QueryId, SqlType)]
#[diesel(postgres_type(oid = 1007, array_oid = 0))]
pub struct SqlKeys;

/// The type of a column that holds an object of JSON: `jsonb` in PostgreSQL, a text in SQLite.
#[derive(Clone, Copy, Debug, Default, QueryId, SqlType)]
#[diesel(postgres_type(oid = 3802, array_oid = 3807), sqlite_type(name = "Text"))]
pub struct SqlJson;

impl SqlOrd for SqlId {}
impl SqlOrd for SqlStamp {}

/// An identifier as a column holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, AsExpression, FromSqlRow)]
#[diesel(sql_type = SqlId)]
pub struct Id(pub Uuid);

impl Id {
    /// Converts an identifier of the domain.
    pub fn of(id: impl Into<Uuid>) -> Self {
        Self(id.into())
    }

    /// Converts to an identifier of the domain.
    pub fn to<T: From<Uuid>>(self) -> T {
        self.0.into()
    }
}

impl From<Id> for Uuid {
    fn from(Id(id): Id) -> Self {
        id
    }
}

/// Identifiers as one column holds them. `None` if the blob's length is not a multiple of 16 bytes.
#[derive(Clone, Debug, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = SqlIds)]
pub struct Ids(pub Option<Vec<Uuid>>);

/// The keys of a title as a column holds them.
#[derive(Clone, Debug, PartialEq, Eq, AsExpression)]
#[diesel(sql_type = SqlKeys)]
pub struct Keys(pub Vec<i32>);

/// An object of JSON as a column holds it.
#[derive(Clone, Debug, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = SqlJson)]
pub struct Json(pub String);

/// A time as a column holds it: milliseconds since the Unix epoch. Another program may have written
/// a time that is outside the domain's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, AsExpression, FromSqlRow)]
#[diesel(sql_type = SqlStamp)]
pub struct Stamp(pub i64);

impl Stamp {
    /// Converts a time of the domain.
    pub fn of(time: Time) -> Self {
        Self(time.unix_millis())
    }
}
