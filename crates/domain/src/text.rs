//! Texts of bounded length, counted in Unicode scalar values.

/// A text of `MIN` to `MAX` characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<const MIN: usize, const MAX: usize>(String);

/// The text is too short or too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongLength {
    /// The text has fewer characters than this.
    Below(usize),
    /// The text has more characters than this.
    Above(usize),
}

/// A name: 1 to 512 characters.
pub type Name = Text<1, 512>;
/// A title: 1 to 512 characters.
pub type Title = Text<1, 512>;
/// A description, an excerpt or the name of an icon: at most 512 characters.
pub type ShortText = Text<0, 512>;
/// A long description: at most 65,536 characters.
pub type LongText = Text<0, 65_536>;
/// The text of a comment: 1 to 65,536 characters.
pub type Content = Text<1, 65_536>;
/// A text to search for: 1 to 512 characters.
pub type Query = Text<1, 512>;
/// The identifier that another tool gave a record.
pub type ExternalId = Text<1, 255>;

impl<const MIN: usize, const MAX: usize> Text<MIN, MAX> {
    /// Checks the length. The text is kept as it is.
    pub fn parse(text: &str) -> Result<Self, WrongLength> {
        let length = text.chars().count();
        if length < MIN {
            return Err(WrongLength::Below(MIN));
        }
        if length > MAX {
            return Err(WrongLength::Above(MAX));
        }
        Ok(Self(text.to_owned()))
    }

    /// A text of the program whose length is known to be right.
    pub(crate) fn literal(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The empty text.
impl<const MAX: usize> Default for Text<0, MAX> {
    fn default() -> Self {
        Self(String::new())
    }
}

impl<const MIN: usize, const MAX: usize> From<Text<MIN, MAX>> for String {
    fn from(text: Text<MIN, MAX>) -> Self {
        text.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_not_bytes() {
        assert!(Name::parse(&"é".repeat(512)).is_ok());
        assert_eq!(Name::parse(&"é".repeat(513)), Err(WrongLength::Above(512)));
        assert_eq!(Name::parse(""), Err(WrongLength::Below(1)));
        assert!(Name::parse("é").is_ok());
        assert!(ShortText::parse("").is_ok());
    }
}
