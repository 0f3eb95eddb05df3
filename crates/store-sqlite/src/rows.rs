//! What columns hold, and what the domain has in their place.

use crate::error::BadRow;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{Binary, Text};
use diesel::sqlite::{Sqlite, SqliteValue};
use hearback_domain::slug::Slug;
use hearback_domain::{ClosedSet, Time, Uuid};
use std::collections::HashMap;

/// An identifier as a column holds it: a blob of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, AsExpression, FromSqlRow)]
#[diesel(sql_type = Binary)]
pub(crate) struct Id(pub(crate) Uuid);

impl Id {
    /// From an identifier of the domain.
    pub(crate) fn of(id: impl Into<Uuid>) -> Self {
        Self(id.into())
    }

    /// As an identifier of the domain.
    pub(crate) fn to<T: From<Uuid>>(self) -> T {
        self.0.into()
    }
}

impl ToSql<Binary, Sqlite> for Id {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.as_bytes().as_slice());
        Ok(IsNull::No)
    }
}

impl FromSql<Binary, Sqlite> for Id {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self(Uuid::from_slice(value.read_blob())?))
    }
}

/// Identifiers as one column holds them: 16 bytes each.
pub(crate) fn blob<T: Into<Uuid> + Copy>(ids: &[T]) -> Vec<u8> {
    ids.iter().flat_map(|&id| id.into().into_bytes()).collect()
}

/// Identifiers as a list that SQLite's `json_each` reads: 32 hexadecimal digits each.
pub(crate) fn json_array<T: Into<Uuid> + Copy>(ids: &[T]) -> String {
    let digits: Vec<String> = ids.iter().map(|&id| format!("\"{}\"", id.into().simple())).collect();
    format!("[{}]", digits.join(","))
}

#[diesel::declare_sql_function]
extern "SQL" {
    /// Where `needle` begins in `text`, from 1; 0 where it is not in it.
    fn instr(text: Text, needle: Text) -> Integer;
}

/// The row that values were read from, to name it where one of them is impossible.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    table: &'static str,
    id: Uuid,
}

impl Origin {
    /// A row of a table.
    pub(crate) fn new(table: &'static str, id: Id) -> Self {
        Self { table, id: id.0 }
    }

    /// A time.
    pub(crate) fn time(self, column: &'static str, millis: i64) -> Result<Time, BadRow> {
        Time::from_unix_millis(millis).map_err(|_| self.bad(column))
    }

    /// A time that may be missing.
    pub(crate) fn optional_time(
        self,
        column: &'static str,
        millis: Option<i64>,
    ) -> Result<Option<Time>, BadRow> {
        millis.map(|millis| self.time(column, millis)).transpose()
    }

    /// A value of a closed set.
    pub(crate) fn code<T: ClosedSet>(self, column: &'static str, code: &str) -> Result<T, BadRow> {
        T::parse(code).ok_or_else(|| self.bad(column))
    }

    /// A slug.
    pub(crate) fn slug(self, slug: &str) -> Result<Slug, BadRow> {
        Slug::parse(slug).map_err(|_| self.bad("slug"))
    }

    /// Identifiers of one kind, from what [`blob`] made.
    pub(crate) fn ids<T: From<Uuid>>(
        self,
        column: &'static str,
        blob: &[u8],
    ) -> Result<Vec<T>, BadRow> {
        let (ids, rest) = blob.as_chunks::<16>();
        if !rest.is_empty() {
            return Err(self.bad(column));
        }
        Ok(ids.iter().map(|&id| Uuid::from_bytes(id).into()).collect())
    }

    /// Says that a column's value is impossible.
    pub(crate) fn bad(self, column: &'static str) -> BadRow {
        BadRow { table: self.table, column, id: self.id }
    }
}

/// Converts rows; the first impossible one is the answer.
pub(crate) fn all<R, T>(rows: Vec<R>) -> Result<Vec<T>, BadRow>
where
    T: TryFrom<R, Error = BadRow>,
{
    rows.into_iter().map(T::try_from).collect()
}

/// The seconds of each first, in their order.
pub(crate) fn by_first(pairs: Vec<(Id, Id)>) -> HashMap<Id, Vec<Id>> {
    let mut all: HashMap<Id, Vec<Id>> = HashMap::new();
    for (first, second) in pairs {
        all.entry(first).or_default().push(second);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::id::UserId;

    fn origin() -> Origin {
        Origin::new("merges", Id(Uuid::nil()))
    }

    #[test]
    fn identifiers_are_read_back_from_what_they_are_stored_as() {
        let ids = vec![UserId(Uuid::from_u128(1)), UserId(Uuid::from_u128(u128::MAX))];
        assert_eq!(origin().ids::<UserId>("moved_user_ids", &blob(&ids)).unwrap(), ids);
        assert_eq!(origin().ids::<UserId>("moved_user_ids", &[]).unwrap(), []);
    }

    #[test]
    fn a_row_that_does_not_convert_is_named() {
        let prefix = "row 00000000-0000-0000-0000-000000000000 of merges has an impossible";
        assert_eq!(
            origin().ids::<UserId>("moved_user_ids", &[0; 17]).unwrap_err().to_string(),
            format!("{prefix} moved_user_ids")
        );
        assert_eq!(
            origin().time("created_at", i64::MAX).unwrap_err().to_string(),
            format!("{prefix} created_at")
        );
    }
}
