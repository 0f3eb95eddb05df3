//! Amounts of money: the `monthly_spend` of the API, a decimal with two places.

use std::fmt;

/// An amount of money that is not negative, in hundredths: `1.00` is 100.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spend(i64);

/// The text is not a decimal of 1 to 12 digits with at most two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSpend;

impl Spend {
    /// The greatest amount of one company.
    pub const MAX: Self = Self(99_999_999_999_999);

    /// From hundredths. `None` if they are negative.
    pub fn from_hundredths(value: i64) -> Option<Self> {
        (value >= 0).then_some(Self(value))
    }

    /// In hundredths.
    pub fn hundredths(self) -> i64 {
        self.0
    }

    /// Reads a decimal such as `12`, `12.5` or `12.50`.
    pub fn parse(text: &str) -> Result<Self, NoSpend> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if !(1..=12).contains(&whole.len())
            || !(1..=2).contains(&fraction.len())
            || !is_digits(whole)
            || !is_digits(fraction)
        {
            return Err(NoSpend);
        }
        format!("{whole}{fraction:0<2}").parse().map(Self).map_err(|_| NoSpend)
    }
}

impl fmt::Display for Spend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_has_two_places() {
        assert_eq!(Spend::parse("12.5").map(Spend::hundredths), Ok(1_250));
        assert_eq!([-1, 0].map(Spend::from_hundredths), [None, Some(Spend::default())]);
        for (text, shown) in [
            ("0", "0.00"),
            ("12.5", "12.50"),
            ("007.05", "7.05"),
            ("999999999999.99", "999999999999.99"),
        ] {
            assert_eq!(Spend::parse(text).unwrap().to_string(), shown);
        }
        assert_eq!(Spend::parse("999999999999.99"), Ok(Spend::MAX));
        for text in ["", ".5", "5.", "-1", "+1", "1.005", "1e3", "1000000000000", "٣", " 1"] {
            assert_eq!(Spend::parse(text), Err(NoSpend), "{text:?}");
        }
    }
}
