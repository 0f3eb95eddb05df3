//! Slugs: the readable last part of a record's address.

use crate::fold::ascii_key;
use std::fmt;

/// A slug as given: 1 to 512 of `A-Z a-z 0-9 - _ . ~`, but not `.` or `..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slug(String);

/// The most characters of a slug.
pub const MAX_SLUG: usize = 512;

/// The text is no slug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSlug {
    /// It is empty.
    Empty,
    /// It has more than [`MAX_SLUG`] characters.
    TooLong,
    /// It has a character that a slug cannot have, or is `.` or `..`, which would change the address.
    Characters,
}

impl Slug {
    /// Checks a slug that somebody gave; it is kept as it is.
    pub fn parse(text: &str) -> Result<Self, NoSlug> {
        if text.is_empty() {
            return Err(NoSlug::Empty);
        }
        if text.chars().count() > MAX_SLUG {
            return Err(NoSlug::TooLong);
        }
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
        if !text.bytes().all(allowed) || text == "." || text == ".." {
            return Err(NoSlug::Characters);
        }
        Ok(Self(text.to_owned()))
    }

    /// The slug as given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form by which slugs are unique within an organization and kind of record.
    pub fn key(&self) -> String {
        ascii_key(&self.0).into_owned()
    }
}

impl From<Slug> for String {
    fn from(slug: Slug) -> Self {
        slug.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_kept_as_given_and_unique_without_regard_to_case() {
        let slug = Slug::parse("Dark-Mode_2.0~x").unwrap();
        assert_eq!(slug.as_str(), "Dark-Mode_2.0~x");
        assert_eq!(slug.key(), "dark-mode_2.0~x");
    }

    #[test]
    fn what_would_not_stand_in_an_address_is_refused() {
        assert_eq!(Slug::parse(""), Err(NoSlug::Empty));
        assert_eq!(Slug::parse(&"a".repeat(513)), Err(NoSlug::TooLong));
        assert!(Slug::parse(&"a".repeat(512)).is_ok());
        for text in [".", "..", "a/b", "a b", "ü", "a%20", "a\n"] {
            assert_eq!(Slug::parse(text), Err(NoSlug::Characters), "{text:?}");
        }
    }
}
