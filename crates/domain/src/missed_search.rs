//! Searches of the help center without a hit. The dashboard shows them.

use crate::fold::name_key;
use crate::millis::days;
use std::collections::{BTreeMap, BTreeSet};

/// The words of a search that has found nothing: folded, with one space between two of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MissedSearch(String);

/// The most characters of a search that are kept.
const MOST_CHARS: usize = 100;

/// The most different searches of a day. A program that searches for anything does not fill the
/// disk.
pub const MOST_SEARCHES: i64 = 1_000;

/// The time for which the numbers of searches are kept, in milliseconds: five years, the longest
/// span of the insights.
pub const MISSES_KEPT: i64 = days(1_826);

impl MissedSearch {
    /// The words of a text. `None` if it has none, or if it may have the address of a person.
    pub fn new(text: &str) -> Option<Self> {
        if text.contains('@') {
            return None;
        }
        // A text of PostgreSQL takes no NUL.
        let words = text.split(|c: char| c.is_whitespace() || c.is_control());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let words: String = name_key(&words.join(" ")).chars().take(MOST_CHARS).collect();
        let words = words.trim_end();
        (!words.is_empty()).then(|| Self(words.to_owned()))
    }

    /// The words.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The searches of which a day takes the numbers: those that it has, and of the others as many as
/// fit. `known` has the words of the day.
pub fn fitting(
    misses: BTreeMap<MissedSearch, i64>,
    known: BTreeSet<String>,
    most: i64,
) -> impl Iterator<Item = (MissedSearch, i64)> {
    let taken = i64::try_from(known.len()).unwrap_or(i64::MAX);
    let mut room = most.saturating_sub(taken).max(0);
    misses.into_iter().filter(move |(search, _)| {
        let is_known = known.contains(search.as_str());
        let fits = is_known || room > 0;
        room -= i64::from(fits && !is_known);
        fits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_and_have_one_space_between_them() {
        let words = |text: &str| MissedSearch::new(text).map(|search| search.0);
        for (text, expected) in [
            ("  Reset\t my \n PASSWORD ", "reset my password"),
            ("GRÜẞE", "grüße"),
            ("a\0b\u{7f}c", "a b c"),
            ("=1+1", "=1+1"),
        ] {
            assert_eq!(words(text).as_deref(), Some(expected), "{text:?}");
        }
        for nothing in ["", " \u{3000}\0 ", "eve@example.com", "mail to eve@example.com"] {
            assert_eq!(words(nothing), None, "{nothing:?}");
        }
        assert_eq!(words(&"ä".repeat(101)), Some("ä".repeat(100)));
        assert_eq!(words(&format!("{} b", "a".repeat(99))), Some("a".repeat(99)));
    }

    #[test]
    fn a_full_day_takes_the_searches_that_it_has_and_no_others() {
        let searches = ["a", "b", "c", "d"].map(|text| (MissedSearch::new(text).unwrap(), 1));
        let fitting = |known: &[&str], most| -> String {
            let known = known.iter().map(|words| (*words).to_owned()).collect();
            fitting(searches.clone().into(), known, most).map(|(search, _)| search.0).collect()
        };
        assert_eq!(fitting(&[], 4), "abcd");
        assert_eq!(fitting(&["c"], 3), "abc");
        assert_eq!(fitting(&["c", "x"], 2), "c");
        assert_eq!(fitting(&["c", "x"], 1), "c");
        assert_eq!(fitting(&[], 0), "");
    }
}
