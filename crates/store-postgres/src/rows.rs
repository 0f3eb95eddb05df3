//! What columns hold, and what the domain has in their place.

use crate::error::BadRow;
use diesel::pg::data_types::PgTimestamp;
use diesel::sql_types::Text;
use hearback_domain::slug::Slug;
use hearback_domain::{ClosedSet, Time, Uuid};

/// The most rows that one statement inserts. They spread its cost thin, have far fewer values than the
/// 65,535 that a statement can have, and take some 30 MiB if each has a long text.
pub(crate) const ROWS: usize = 500;

/// A time as a `timestamptz` holds it.
pub(crate) fn timestamp(time: Time) -> PgTimestamp {
    PgTimestamp((time.unix_millis() - EPOCH_MILLIS) * 1_000)
}

/// PostgreSQL counts microseconds from the beginning of the year 2000.
const EPOCH_MILLIS: i64 = 946_684_800_000;

/// The row that values were read from, to name it where one of them is impossible.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    table: &'static str,
    id: Uuid,
}

impl Origin {
    /// A row of a table.
    pub(crate) fn new(table: &'static str, id: Uuid) -> Self {
        Self { table, id }
    }

    /// A time; finer than a millisecond is cut off.
    pub(crate) fn time(
        self,
        column: &'static str,
        PgTimestamp(micros): PgTimestamp,
    ) -> Result<Time, BadRow> {
        Time::from_unix_millis(micros.div_euclid(1_000) + EPOCH_MILLIS)
            .map_err(|_| self.bad(column))
    }

    /// A time that may be missing.
    pub(crate) fn optional_time(
        self,
        column: &'static str,
        time: Option<PgTimestamp>,
    ) -> Result<Option<Time>, BadRow> {
        time.map(|time| self.time(column, time)).transpose()
    }

    /// A value of a closed set.
    pub(crate) fn code<T: ClosedSet>(self, column: &'static str, code: &str) -> Result<T, BadRow> {
        T::parse(code).ok_or_else(|| self.bad(column))
    }

    /// A slug.
    pub(crate) fn slug(self, slug: &str) -> Result<Slug, BadRow> {
        Slug::parse(slug).map_err(|_| self.bad("slug"))
    }

    /// Says that a column's value is impossible.
    pub(crate) fn bad(self, column: &'static str) -> BadRow {
        BadRow { table: self.table, column, id: self.id }
    }
}

/// The pattern of all texts that contain this one.
pub(crate) fn containing(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

#[diesel::declare_sql_function]
extern "SQL" {
    /// Where `needle` begins in `text`, from 1; 0 where it is not in it.
    fn strpos(text: Text, needle: Text) -> Integer;
}

/// Converts rows; the first impossible one is the answer.
pub(crate) fn all<R, T>(rows: Vec<R>) -> Result<Vec<T>, BadRow>
where
    T: TryFrom<R, Error = BadRow>,
{
    rows.into_iter().map(T::try_from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin() -> Origin {
        Origin::new("tags", Uuid::nil())
    }

    #[test]
    fn every_time_is_read_back_from_what_it_is_stored_as() {
        for text in [
            "0001-01-01",
            "1969-12-31T23:59:59.999Z",
            "2000-01-01",
            "2026-03-01T09:30:00.123Z",
            "9999-12-31T23:59:59.999Z",
        ] {
            let time = Time::parse(text).unwrap();
            assert_eq!(origin().time("created_at", timestamp(time)).unwrap(), time);
        }
    }

    #[test]
    fn what_is_searched_for_is_no_pattern() {
        assert_eq!(containing(r"100%_\o/"), r"%100\%\_\\o/%");
    }

    #[test]
    fn what_others_wrote_finer_than_a_millisecond_is_cut_off() {
        let time = Time::parse("1999-12-31T23:59:59.998Z").unwrap();
        assert_eq!(origin().time("created_at", PgTimestamp(-1_001)).unwrap(), time);
    }

    #[test]
    fn an_impossible_time_names_its_row() {
        for infinity in [i64::MIN, i64::MAX] {
            let error = origin().time("created_at", PgTimestamp(infinity)).unwrap_err();
            assert_eq!(
                error.to_string(),
                "row 00000000-0000-0000-0000-000000000000 of tags has an impossible created_at"
            );
        }
    }
}
