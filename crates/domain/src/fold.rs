//! Matching without regard to case: Unicode simple case folding of each character, without
//! normalization.

use crate::text::Query;
use std::borrow::Cow;
use std::ops::Range;

/// A folded text to search for. A record matches if its folded `search_text` contains it.
///
/// `GRÜẞE` and `grüße` fold to the same text. `strasse` and `Straße` do not: simple folding maps
/// one character to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folded(String);

impl Folded {
    /// Folds a text.
    pub fn new(text: &str) -> Self {
        Self(fold(text))
    }

    /// The folded text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The places of this text in another one, from left to right: ranges of its bytes.
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        if self.0.is_empty() {
            return vec![];
        }
        // A folded character may be longer or shorter than the character.
        let (mut folded, mut starts) = (String::with_capacity(text.len()), vec![]);
        for (at, c) in text.char_indices() {
            starts.push((folded.len(), at));
            folded.push(fold_char(c));
        }
        let original = |place: usize| {
            let found = starts.binary_search_by_key(&place, |(folded, _)| *folded);
            found.map_or(text.len(), |found| starts[found].1)
        };
        let found = folded.match_indices(&self.0);
        found.map(|(at, part)| original(at)..original(at + part.len())).collect()
    }
}

impl From<Query> for Folded {
    fn from(query: Query) -> Self {
        Self::new(query.as_str())
    }
}

fn fold(text: &str) -> String {
    text.chars().map(fold_char).collect()
}

/// The folded search text of a record. A separator between its parts keeps a search from matching
/// across two of them.
pub fn search_text<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut all = String::new();
    for part in parts {
        if !all.is_empty() {
            all.push(SEPARATOR);
        }
        all.extend(part.chars().map(fold_char));
    }
    all
}

/// The form in which slugs are compared: ASCII letters in lower case.
pub fn ascii_key(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// The form in which names are compared: folded.
pub fn name_key(name: &str) -> String {
    fold(name)
}

/// The separator between the parts of a search text: the noncharacter U+FFFF. No folded text
/// contains it.
pub const SEPARATOR: char = '\u{ffff}';

/// The folded form of U+FFFF: the noncharacter U+FFFE. So no search finds a [`SEPARATOR`].
const FOLDED_SEPARATOR: char = '\u{fffe}';

fn fold_char(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    if c == SEPARATOR {
        return FOLDED_SEPARATOR;
    }
    unicode_case_mapping::case_folded(c)
        .and_then(|folded| char::from_u32(folded.get()))
        .unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_is_simple_and_covers_unicode() {
        assert_eq!(fold("GRÜẞE"), fold("grüße"));
        assert_eq!(fold("ÅLES"), fold("Åles"));
        assert_eq!(fold("ΣΊΣΥΦΟΣ"), fold("σίσυφος"));
        assert_ne!(fold("strasse"), fold("Straße"));
        assert_eq!(fold("100%_\\"), "100%_\\");
    }

    #[test]
    fn no_query_matches_across_two_parts_or_the_separator() {
        let text = search_text(["Dark", "mode"]);
        for query in ["dark\u{ffff}mode", "\u{ffff}", "k\u{fffe}m"] {
            assert!(!text.contains(&fold(query)), "{query:?}");
        }
        assert!(search_text(["a\u{ffff}b", ""]).contains(&fold("A\u{ffff}B")));
    }

    #[test]
    fn places_are_those_of_the_text_as_it_is() {
        let places = |search: &str, text: &str| -> Vec<String> {
            let places = Folded::new(search).places(text);
            places.into_iter().map(|place| text[place].to_owned()).collect()
        };
        assert_eq!(places("dark MODE", "Dark mode, darK Mode"), ["Dark mode", "darK Mode"]);
        // The sign of the kelvin has three bytes, and folds to a letter of one.
        assert_eq!(places("km", "5 \u{212a}m GRÜẞE"), ["\u{212a}m"]);
        assert_eq!(places("grüße", "5 \u{212a}m GRÜẞE"), ["GRÜẞE"]);
        assert_eq!(places("mode", "Dark"), [""; 0]);
        assert_eq!(places("", "Dark"), [""; 0]);
    }

    #[test]
    fn folding_keeps_the_number_of_characters() {
        let text = "İstanbul Ǆ ﬁ ẞ Ω";
        assert_eq!(fold(text).chars().count(), text.chars().count());
    }
}
