//! Lengths of time in milliseconds.

/// A second.
pub const SECOND: i64 = 1_000;
/// A minute.
pub const MINUTE: i64 = 60_000;
/// An hour.
pub const HOUR: i64 = 3_600_000;
/// A day of 24 hours.
pub const DAY: i64 = 86_400_000;

/// This many seconds.
pub const fn seconds(number: i64) -> i64 {
    number * SECOND
}

/// This many minutes.
pub const fn minutes(number: i64) -> i64 {
    number * MINUTE
}

/// This many hours.
pub const fn hours(number: i64) -> i64 {
    number * HOUR
}

/// This many days of 24 hours.
pub const fn days(number: i64) -> i64 {
    number * DAY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_a_number_of_units() {
        assert_eq!(seconds(90), 90_000);
        assert_eq!(minutes(60), HOUR);
        assert_eq!(hours(24), DAY);
        assert_eq!(days(-2), -172_800_000);
    }
}
