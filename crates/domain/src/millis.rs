//! Lengths of time in milliseconds.

/// A second.
pub const SECOND: i64 = 1_000;
/// A minute.
pub const MINUTE: i64 = 60_000;
/// An hour.
pub const HOUR: i64 = 3_600_000;
/// A day of 24 hours.
pub const DAY: i64 = 86_400_000;
