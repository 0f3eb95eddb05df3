//! Positions in a list: the `seq_number` of the API, a decimal with four places.

use std::fmt;

/// A position in a list, in ten-thousandths: `1.0000` is 10,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(i64);

/// The text is not a decimal with exactly four places and 1 to 14 digits before the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPosition;

impl Position {
    /// The position before the first record of a list.
    pub const START: Self = Self(0);

    /// The last position. It has 14 digits before the point, the most that [`Position::parse`]
    /// reads.
    pub const LAST: Self = Self(999_999_999_999_999_999);

    /// The distance from the last record of a list to one that is appended.
    pub const STEP: i64 = 10_000;

    /// From ten-thousandths.
    pub fn from_ten_thousandths(value: i64) -> Self {
        Self(value)
    }

    /// In ten-thousandths.
    pub fn ten_thousandths(self) -> i64 {
        self.0
    }

    /// The position of a record appended behind this one. [`Position::LAST`] is followed by itself.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(Self::STEP)).min(Self::LAST)
    }

    /// The position of the record that counts as number `place` of a list, from 1.
    pub fn of_place(place: i64) -> Self {
        Self(place.saturating_mul(Self::STEP)).min(Self::LAST)
    }

    /// The number of the record in its list, from 1, as long as no record before it was removed.
    pub fn place(self) -> i64 {
        self.0.div_euclid(Self::STEP)
    }

    /// Reads a decimal with exactly four places, such as `12.5000`.
    pub fn parse(text: &str) -> Result<Self, NoPosition> {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (whole, fraction) = digits.split_once('.').ok_or(NoPosition)?;
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let canonical = whole == "0" || !whole.starts_with('0');
        if whole.is_empty()
            || whole.len() > 14
            || fraction.len() != 4
            || !is_digits(whole)
            || !is_digits(fraction)
            || !canonical
        {
            return Err(NoPosition);
        }
        let value: i64 = format!("{whole}{fraction}").parse().map_err(|_| NoPosition)?;
        if negative && value == 0 {
            return Err(NoPosition);
        }
        Ok(Self(if negative { -value } else { value }))
    }
}

/// Makes room for a record at a position. `others` are the positions of the other records of the
/// list, in ascending order. Returns the index and the new position of each record that moves back.
pub fn make_room(position: Position, others: &[Position]) -> Vec<(usize, Position)> {
    let (mut last, mut moved) = (position, Vec::new());
    for (index, &other) in others.iter().enumerate().filter(|(_, other)| **other >= position) {
        if other > last {
            break;
        }
        last = last.next();
        moved.push((index, last));
    }
    moved
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}.{:04}", self.0.unsigned_abs() / 10_000, self.0.unsigned_abs() % 10_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_position_is_read_back_from_its_text(
            value in -Position::LAST.0..=Position::LAST.0
        ) {
            let position = Position::from_ten_thousandths(value);
            prop_assert_eq!(Position::parse(&position.to_string()), Ok(position));
            prop_assert_eq!(position.ten_thousandths(), value);
        }
    }

    #[test]
    fn room_is_made_by_as_few_moves_as_possible() {
        let at = Position::of_place;
        assert_eq!(make_room(at(2), &[at(1), at(2), at(3), at(5)]), [(1, at(3)), (2, at(4))]);
        assert_eq!(make_room(at(4), &[at(1), at(5)]), []);
        assert_eq!(make_room(at(1), &[at(1)]), [(0, at(2))]);
        assert_eq!((at(3).place(), at(3).to_string()), (3, "3.0000".to_owned()));
    }

    #[test]
    fn the_position_behind_the_last_one_can_still_be_read() {
        assert_eq!(Position::parse(&Position::LAST.next().to_string()), Ok(Position::LAST));
        assert_eq!(Position::START.next().to_string(), "1.0000");
    }

    #[test]
    fn a_decimal_without_four_places_is_refused() {
        for text in [
            "",
            "1",
            "1.0",
            "1.00000",
            ".0000",
            "01.0000",
            "+1.0000",
            "-0.0000",
            "1,0000",
            "1.000a",
            "123456789012345.0000",
        ] {
            assert_eq!(Position::parse(text), Err(NoPosition), "{text:?}");
        }
    }
}
