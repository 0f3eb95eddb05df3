//! Points in time, in whole milliseconds.

use std::fmt;
use std::ops::Range;
use time::format_description::BorrowedFormatItem;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, Duration, OffsetDateTime, PrimitiveDateTime};

/// A point in time in UTC, in whole milliseconds, in the years 0001 to 9999.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

/// The text or number is not a time in the years 0001 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoTime;

impl fmt::Display for NoTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a timestamp between the years 0001 and 9999")
    }
}

impl std::error::Error for NoTime {}

impl Time {
    /// 0001-01-01T00:00:00.000Z
    pub const MIN: Self = Self(-62_135_596_800_000);
    /// 9999-12-31T23:59:59.999Z
    pub const MAX: Self = Self(253_402_300_799_999);

    /// The time this number of milliseconds after the Unix epoch. [`NoTime`] outside the years 0001
    /// to 9999.
    pub fn from_unix_millis(millis: i64) -> Result<Self, NoTime> {
        let time = Self(millis);
        if (Self::MIN..=Self::MAX).contains(&time) { Ok(time) } else { Err(NoTime) }
    }

    /// The milliseconds since the Unix epoch.
    pub fn unix_millis(self) -> i64 {
        self.0
    }

    /// Reads a time of RFC 3339. A time without an offset is in UTC, and a date alone is its
    /// midnight. Digits below a millisecond are cut off.
    pub fn parse(text: &str) -> Result<Self, NoTime> {
        // The `time` crate also reads a sign before the year, and any character before the time.
        let has_year = text.starts_with(|first: char| first.is_ascii_digit());
        if !has_year || !matches!(text.as_bytes().get(10), None | Some(b'T' | b't' | b' ')) {
            return Err(NoTime);
        }
        let moment = OffsetDateTime::parse(text, &Rfc3339)
            .or_else(|_| {
                PrimitiveDateTime::parse(text, WITHOUT_OFFSET).map(PrimitiveDateTime::assume_utc)
            })
            .or_else(|_| Date::parse(text, BARE_DATE).map(|date| date.midnight().assume_utc()))
            .map_err(|_| NoTime)?;
        Self::from_offset(moment)
    }

    /// Converts a value of the `time` crate. Digits below a millisecond are cut off.
    pub fn from_offset(moment: OffsetDateTime) -> Result<Self, NoTime> {
        let millis = moment.unix_timestamp_nanos().div_euclid(1_000_000);
        i64::try_from(millis).map_err(|_| NoTime).and_then(Self::from_unix_millis)
    }

    /// The time as a value of the `time` crate, in UTC.
    pub fn to_offset(self) -> OffsetDateTime {
        // `OffsetDateTime` holds every year of a `Time`.
        let seconds = OffsetDateTime::from_unix_timestamp(self.0.div_euclid(1_000))
            .unwrap_or(OffsetDateTime::UNIX_EPOCH);
        seconds + Duration::milliseconds(self.0.rem_euclid(1_000))
    }

    /// This time plus `millis`, which may be negative, but within [`Time::MIN`] and [`Time::MAX`].
    #[must_use]
    pub fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis).clamp(Self::MIN.0, Self::MAX.0))
    }
}

/// ISO 8601 with milliseconds and `Z`: `2026-03-01T09:30:00.000Z`.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let t = self.to_offset();
        // A page of a list shows fifty times. `write!` would format seven numbers for each.
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let mut put = |digits: Range<usize>, mut number: u32| {
            for digit in text[digits].iter_mut().rev() {
                *digit = b'0' + (number % 10) as u8;
                number /= 10;
            }
        };
        put(0..4, t.year().unsigned_abs());
        put(5..7, u8::from(t.month()).into());
        put(8..10, t.day().into());
        put(11..13, t.hour().into());
        put(14..16, t.minute().into());
        put(17..19, t.second().into());
        put(20..23, t.millisecond().into());
        f.write_str(str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

const WITHOUT_OFFSET: &[BorrowedFormatItem<'_>] = format_description!(
    "[first [[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond]] \
            [[year]-[month]-[day]T[hour]:[minute]:[second]]]"
);
const BARE_DATE: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        Time::parse(text).unwrap().to_string()
    }

    #[test]
    fn digits_below_a_millisecond_are_cut_off() {
        assert_eq!(shown("2026-03-01T09:30:00Z"), "2026-03-01T09:30:00.000Z");
        assert_eq!(shown("2026-03-01t09:30:00.1239999z"), "2026-03-01T09:30:00.123Z");
        assert_eq!(shown("2026-03-01 09:30:00Z"), "2026-03-01T09:30:00.000Z");
        assert_eq!(shown("2026-03-01T09:30:00.5+02:00"), "2026-03-01T07:30:00.500Z");
        assert_eq!(shown("1969-12-31T23:59:59.9999Z"), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn the_error_names_the_years() {
        let text = "not a timestamp between the years 0001 and 9999";
        assert_eq!(Time::parse("soon").unwrap_err().to_string(), text);
    }

    #[test]
    fn a_time_without_an_offset_is_in_utc_and_a_date_is_its_midnight() {
        assert_eq!(shown("2026-03-01T09:30:00"), "2026-03-01T09:30:00.000Z");
        assert_eq!(shown("2026-03-01T09:30:00.25"), "2026-03-01T09:30:00.250Z");
        assert_eq!(shown("2026-03-01"), "2026-03-01T00:00:00.000Z");
    }

    #[test]
    fn a_text_that_is_not_rfc_3339_is_refused() {
        for text in [
            "+2026-03-01",
            "+2026-03-01T09:30:00",
            "-2026-03-01",
            "2026-3-1",
            "2026-03-01T09:30",
            "2026-03-01T09:30:00.",
            "2026-03-01T09:30:00+0200",
            "2026-02-30",
            "2026-03-01T24:00:00Z",
            " 2026-03-01",
            "2026-03-01_09:30:00Z",
        ] {
            assert_eq!(Time::parse(text), Err(NoTime), "{text}");
        }
    }

    #[test]
    fn years_are_0001_to_9999() {
        assert_eq!(shown("0001-01-01T00:00:00Z"), Time::MIN.to_string());
        assert_eq!(shown("9999-12-31T23:59:59.999Z"), Time::MAX.to_string());
        for text in [
            "0001-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "0000-12-31",
            "yesterday",
            "",
            "1767225600",
        ] {
            assert_eq!(Time::parse(text), Err(NoTime), "{text}");
        }
    }
}
