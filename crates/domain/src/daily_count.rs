//! The number of records of each day, from which the dashboard draws its insights.

use crate::millis::DAY;
use crate::{ClosedSet, Time, Uuid};

/// A day of the calendar in UTC: the number of days since 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i64);

impl Day {
    /// The day of a moment.
    pub fn of(time: Time) -> Self {
        Self(time.unix_millis().div_euclid(DAY))
    }

    /// The first moment of the day. The first or the last time of all for a day beyond them.
    pub fn start(self) -> Time {
        let edge = if self.0.is_negative() { Time::MIN } else { Time::MAX };
        Time::from_unix_millis(self.0.saturating_mul(DAY)).unwrap_or(edge)
    }
}

/// A kind of record that is counted by day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Daily {
    /// `posts`: the feedback posts of a board, by the day on which each was made.
    Posts,
    /// `votes`: the votes for the posts of a board.
    Votes,
    /// `comments`: the comments on the posts of a board.
    Comments,
    /// `statuses`: the feedback posts that have a status now, by the day on which each was made.
    Statuses,
}

impl ClosedSet for Daily {
    const ALL: &'static [Self] = &[Self::Posts, Self::Votes, Self::Comments, Self::Statuses];

    fn code(self) -> &'static str {
        match self {
            Self::Posts => "posts",
            Self::Votes => "votes",
            Self::Comments => "comments",
            Self::Statuses => "statuses",
        }
    }
}

/// Numbers of some days.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DailyCounts {
    /// The number of each day that has one, of all boards together. Sorted.
    pub by_day: Vec<(Daily, Day, i64)>,
    /// The number of each board, or of each status, that has one, of all days together. Sorted.
    pub by_parent: Vec<(Daily, Uuid, i64)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight_before_1970_too() {
        for (text, day) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01T23:59:59.999Z", 0),
            ("1969-12-31T23:59:59.999Z", -1),
            ("0001-01-01T00:00:00Z", -719_162),
            ("2026-11-27T12:00:00Z", 20_784),
        ] {
            let time = Time::parse(text).unwrap();
            assert_eq!(Day::of(time), Day(day), "{text}");
            let start = Day(day).start();
            assert!(start <= time && Day::of(start) == Day(day), "{text}");
        }
        assert_eq!((Day(i64::MIN).start(), Day(i64::MAX).start()), (Time::MIN, Time::MAX));
    }
}
