//! Hex colours.

/// A hex colour: `#` and 3, 4, 6 or 8 hex digits. Its case is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Color(String);

/// The text is not a hex colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoColor;

impl Color {
    /// The colour of a record that is made without one.
    pub const DEFAULT: &'static str = "#64748b";

    /// A colour of the program.
    pub(crate) fn literal(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    /// Checks a hex colour.
    pub fn parse(text: &str) -> Result<Self, NoColor> {
        let digits = text.strip_prefix('#').ok_or(NoColor)?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hex && matches!(digits.len(), 3 | 4 | 6 | 8) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NoColor)
        }
    }
}

impl From<Color> for String {
    fn from(color: Color) -> Self {
        color.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_color_is_a_hash_and_three_four_six_or_eight_hex_digits() {
        for text in ["#fff", "#FFFA", "#64748b", "#64748bFF"] {
            assert_eq!(Color::parse(text).map(String::from).as_deref(), Ok(text));
        }
        for text in [
            "",
            "#",
            "fff",
            "#ff",
            "#fffff",
            "#64748b0",
            "#64748bFF0",
            "#ggg",
            "#ééé",
            "red",
            "##ff",
        ] {
            assert_eq!(Color::parse(text), Err(NoColor), "{text}");
        }
    }
}
