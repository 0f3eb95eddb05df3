//! Attributes: values that an organization keeps with its records under names of its own.

use crate::edit::Patch;
use crate::text::Text;
use std::collections::BTreeMap;
use std::fmt;

/// The most attributes of a record.
pub const MOST_ATTRIBUTES: usize = 50;

/// The most characters of a name.
pub const MAX_KEY: usize = 64;

/// The most characters of a text.
pub const MAX_ATTRIBUTE_TEXT: usize = 512;

/// The text of an attribute.
pub type AttributeText = Text<0, MAX_ATTRIBUTE_TEXT>;

/// The attributes of a record, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes(BTreeMap<String, Attribute>);

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// A text.
    Text(String),
    /// A number.
    Number(Number),
    /// `true` or `false`.
    Flag(bool),
}

/// A finite number. Equal numbers are written alike, so that both stores hold the same text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Whole(i64),
    /// Any other number.
    Real(f64),
}

impl Eq for Number {}

/// The text is not a finite number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoNumber;

impl Number {
    /// Reads a number as JSON writes it.
    pub fn parse(text: &str) -> Result<Self, NoNumber> {
        if let Ok(whole) = text.parse() {
            return Ok(Self::Whole(whole));
        }
        let real: f64 = text.parse().map_err(|_| NoNumber)?;
        if !real.is_finite() {
            return Err(NoNumber);
        }
        // The text of a double without a fraction is that of the same integer.
        Ok(real.to_string().parse().map_or(Self::Real(real), Self::Whole))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(whole) => whole.fmt(f),
            Self::Real(real) => real.fmt(f),
        }
    }
}

/// Whether a text is the name of an attribute: 1 to [`MAX_KEY`] of `A-Z a-z 0-9 _ . -`.
pub fn is_key(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (1..=MAX_KEY).contains(&text.len()) && text.bytes().all(is_part)
}

/// The record would have more than [`MOST_ATTRIBUTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyAttributes;

/// New values of attributes, by name. `None` removes an attribute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttributesPatch(pub BTreeMap<String, Option<Attribute>>);

impl Attributes {
    /// The attributes by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Attribute)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all of `wanted` are among these, with the same values.
    pub fn include(&self, wanted: &Self) -> bool {
        wanted.0.iter().all(|(key, value)| self.0.get(key) == Some(value))
    }

    /// The attributes with new values.
    pub fn with(mut self, patch: AttributesPatch) -> Result<Self, TooManyAttributes> {
        for (key, value) in patch.0 {
            match value {
                Some(value) => self.0.insert(key, value),
                None => self.0.remove(&key),
            };
        }
        if self.0.len() > MOST_ATTRIBUTES { Err(TooManyAttributes) } else { Ok(self) }
    }
}

impl FromIterator<(String, Attribute)> for Attributes {
    fn from_iter<I: IntoIterator<Item = (String, Attribute)>>(all: I) -> Self {
        Self(all.into_iter().collect())
    }
}

/// The attributes of a new record. The patch has [`MOST_ATTRIBUTES`] at most.
impl From<AttributesPatch> for Attributes {
    fn from(patch: AttributesPatch) -> Self {
        patch.0.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }
}

impl Patch<AttributesPatch> {
    /// The attributes after the patch.
    pub(crate) fn edit(self, attributes: Attributes) -> Result<Attributes, TooManyAttributes> {
        match self {
            Self::Keep => Ok(attributes),
            Self::Set(patch) => attributes.with(patch),
            Self::Clear => Ok(Attributes::default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(numbers: std::ops::Range<usize>) -> AttributesPatch {
        let flag = |n| (format!("k{n}"), Some(Attribute::Flag(true)));
        AttributesPatch(numbers.map(flag).collect())
    }

    #[test]
    fn a_number_is_written_as_every_equal_one() {
        for (text, written) in [
            ("5", "5"),
            ("5.0", "5"),
            ("-0.0", "0"),
            ("1e3", "1000"),
            ("2.50", "2.5"),
            ("1E-7", "0.0000001"),
            ("9007199254740993", "9007199254740993"),
            ("9223372036854775808", "9223372036854776000"),
        ] {
            let number = Number::parse(text).unwrap();
            assert_eq!(number.to_string(), written, "{text}");
            assert_eq!(Number::parse(written), Ok(number), "{text}");
        }
        for text in ["", "x", "1e999", "NaN"] {
            assert_eq!(Number::parse(text), Err(NoNumber), "{text}");
        }
    }

    #[test]
    fn attributes_are_empty_without_a_name() {
        assert!(Attributes::default().is_empty());
        let one = Attributes::default().with(flags(0..1)).unwrap();
        assert!(!one.is_empty());
    }

    #[test]
    fn a_name_is_short_and_plain() {
        assert!(is_key("plan.Tier_2-x") && is_key(&"k".repeat(64)));
        for text in ["", "a b", "ü", "\"", &"k".repeat(65)] {
            assert!(!is_key(text), "{text:?}");
        }
    }

    #[test]
    fn a_patch_merges_by_name_and_a_record_has_fifty_at_most() {
        let full = Attributes::default().with(flags(0..50)).unwrap();
        assert_eq!(full.clone().with(flags(10..20)), Ok(full.clone()));
        assert_eq!(full.clone().with(flags(50..51)), Err(TooManyAttributes));
        let mut replacing = flags(50..51);
        replacing.0.insert("k0".to_owned(), None);
        let replaced = full.clone().with(replacing).unwrap();
        assert_eq!(replaced.iter().count(), 50);
        assert!(!replaced.include(&full) && full.include(&Attributes::default()));
        assert_eq!(Patch::Clear.edit(full.clone()), Ok(Attributes::default()));
        assert_eq!(Patch::Keep.edit(full.clone()), Ok(full));
    }
}
