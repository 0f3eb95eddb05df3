//! Slugs and codes: the readable names of records in addresses and requests.

use crate::Uuid;
use crate::fold::ascii_key;
use ::slug::slugify;
use std::fmt;

/// A slug: 1 to 512 of `A-Z a-z 0-9 - _ . ~`, but not `.` or `..`. Its case is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slug(String);

/// The most characters of a slug.
pub const MAX_SLUG: usize = 512;

/// The text is not a slug, or not a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSlug {
    /// The text is empty.
    Empty,
    /// The text has more characters than [`MAX_SLUG`] or [`MAX_CODE`].
    TooLong,
    /// The text has a character that is not allowed, or is `.` or `..`, which would change the
    /// address.
    Characters,
}

impl Slug {
    /// Checks a slug. The text is kept as it is.
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

    /// The slug of a record that has given up its own: the identifier.
    pub(crate) fn of_id(id: Uuid) -> Self {
        Self(id.to_string())
    }

    /// Derives a slug from a name, by transliteration: lower-case ASCII letters, digits and `-`,
    /// cut at a word. `nameless` is the slug of a name that leaves no characters.
    pub fn derive(name: &str, nameless: &'static str) -> Self {
        let mut slug = slugify(name);
        if slug.is_empty() {
            return Self(nameless.to_owned());
        }
        cut(&mut slug, MAX_SLUG);
        Self(slug)
    }

    /// This slug with a number, for use if the slug itself is taken: `dark-mode-2`. The slug is cut
    /// so that the number fits.
    #[must_use]
    pub fn numbered(&self, number: u64) -> Self {
        Self(numbered(&self.0, number, MAX_SLUG))
    }

    /// The slug as given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form in which slugs are compared. It is unique among the records of a kind in an
    /// organization.
    pub fn key(&self) -> String {
        ascii_key(&self.0).into_owned()
    }
}

/// A code: 1 to 100 of `a-z 0-9 _ -`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code(String);

/// The most characters of a code.
pub const MAX_CODE: usize = 100;

impl Code {
    /// Checks a code.
    pub fn parse(text: &str) -> Result<Self, NoSlug> {
        if text.is_empty() {
            return Err(NoSlug::Empty);
        }
        if text.chars().count() > MAX_CODE {
            return Err(NoSlug::TooLong);
        }
        let allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
        if !text.bytes().all(allowed) {
            return Err(NoSlug::Characters);
        }
        Ok(Self(text.to_owned()))
    }

    /// Derives a code from a name, as [`Slug::derive`] does.
    pub fn derive(name: &str, nameless: &'static str) -> Self {
        let Slug(mut code) = Slug::derive(name, nameless);
        cut(&mut code, MAX_CODE);
        Self(code)
    }

    /// This code with a number, as [`Slug::numbered`] makes it.
    #[must_use]
    pub fn numbered(&self, number: u64) -> Self {
        Self(numbered(&self.0, number, MAX_CODE))
    }

    /// The code as given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Code> for String {
    fn from(code: Code) -> Self {
        code.0
    }
}

fn numbered(text: &str, number: u64, most: usize) -> String {
    let suffix = format!("-{number}");
    let mut text = text.to_owned();
    cut(&mut text, most - suffix.len());
    text + &suffix
}

/// Cuts a slug to at most `most` characters, at the end of a word if there is one.
fn cut(slug: &mut String, most: usize) {
    if slug.len() <= most {
        return;
    }
    let is_whole = slug.as_bytes()[most] == b'-';
    let word_end = slug[..most].rfind('-').filter(|end| *end > 0);
    slug.truncate(word_end.filter(|_| !is_whole).unwrap_or(most));
}

/// Searches a free number for a taken slug. The number of questions grows with the logarithm of the
/// numbers taken.
///
/// It finds a free number whose predecessor is taken; the slug without a number counts as number 1.
/// If no slug was ever freed, that is the smallest free number.
#[derive(Clone, Copy, Debug)]
pub struct NumberSearch {
    taken: u64,
    free: Option<u64>,
}

impl Default for NumberSearch {
    /// The slug without a number is taken.
    fn default() -> Self {
        Self { taken: 1, free: None }
    }
}

impl NumberSearch {
    /// The free number, once it is found.
    pub fn found(&self) -> Option<u64> {
        self.free.filter(|free| *free == self.taken + 1)
    }

    /// The next numbers to look up, in ascending order.
    pub fn questions(&self) -> Vec<u64> {
        match self.free {
            None if self.taken < FAR => {
                (1..=QUESTIONS).map(|doublings| self.taken << doublings).collect()
            }
            None => (1..=QUESTIONS).map(|steps| self.taken + steps).collect(),
            Some(free) => {
                let step = (free - self.taken).div_ceil(QUESTIONS + 1);
                (1..)
                    .map(|steps| self.taken + steps * step)
                    .take_while(|number| *number < free)
                    .collect()
            }
        }
    }

    /// Continues the search. `taken` has those numbers of [`NumberSearch::questions`] that are
    /// taken.
    #[must_use]
    pub fn answered(self, taken: &[u64]) -> Self {
        let mut search = self;
        for number in self.questions() {
            if !taken.contains(&number) {
                search.free = Some(number);
                break;
            }
            search.taken = number;
        }
        search
    }
}

/// The most numbers that are looked up at once. It finds one number among millions in a few rounds.
const QUESTIONS: u64 = 16;

/// The number from which the search no longer doubles. No organization has so many records: numbers
/// as high were given on purpose, one by one, so that the next free one is near.
const FAR: u64 = 1 << 32;

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
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_slug_is_kept_as_given_and_unique_without_regard_to_case() {
        let slug = Slug::parse("Dark-Mode_2.0~x").unwrap();
        assert_eq!((slug.as_str(), &*slug.to_string()), ("Dark-Mode_2.0~x", "Dark-Mode_2.0~x"));
        assert_eq!(slug.key(), "dark-mode_2.0~x");
    }

    #[test]
    fn a_name_is_transliterated() {
        for (name, slug) in [
            ("Über Größe", "uber-grosse"),
            ("日本語", "ri-ben-yu"),
            ("  What's new?  ", "what-s-new"),
            ("C++ & Rust — 2.0", "c-rust-2-0"),
            ("Привет, мир", "privet-mir"),
            ("", "article"),
            ("!?… \u{200b}", "article"),
            ("\u{e000}", "article"),
        ] {
            assert_eq!(Slug::derive(name, "article").as_str(), slug, "{name}");
        }
    }

    #[test]
    fn a_long_name_is_cut_at_a_word() {
        let derived = |name: &str| String::from(Slug::derive(name, "article"));
        assert_eq!(
            derived(&format!("{} word", "a".repeat(507))),
            format!("{}-word", "a".repeat(507))
        );
        assert_eq!(derived(&format!("{} words", "a".repeat(507))), "a".repeat(507));
        assert_eq!(derived(&format!("{} b", "a".repeat(512))), "a".repeat(512));
        assert_eq!(derived(&"a".repeat(600)), "a".repeat(512));
    }

    #[test]
    fn a_number_fits_behind_any_slug() {
        assert_eq!(Slug::parse("Dark-Mode").unwrap().numbered(2).as_str(), "Dark-Mode-2");
        let long = Slug::parse(&"a".repeat(512)).unwrap();
        assert_eq!(long.numbered(12).as_str(), format!("{}-12", "a".repeat(509)));
        assert_eq!(long.numbered(u64::MAX).as_str().len(), 512);
        let words = Slug::parse(&format!("{}-bcd", "a".repeat(508))).unwrap();
        assert_eq!(words.numbered(2).as_str(), format!("{}-2", "a".repeat(508)));
        let dash = Slug::parse(&format!("-{}", "a".repeat(511))).unwrap();
        assert_eq!(dash.numbered(2).as_str(), format!("-{}-2", "a".repeat(509)));
    }

    /// Searches with these numbers taken. Returns the number found and the number of rounds.
    fn search(taken: &BTreeSet<u64>) -> (u64, u32) {
        let (mut search, mut rounds) = (NumberSearch::default(), 0);
        loop {
            if let Some(number) = search.found() {
                return (number, rounds);
            }
            rounds += 1;
            let answer: Vec<u64> =
                search.questions().into_iter().filter(|number| taken.contains(number)).collect();
            search = search.answered(&answer);
        }
    }

    #[test]
    fn the_first_free_number_is_found_in_few_rounds() {
        for (last, most) in [(1, 1), (2, 2), (3, 2), (50, 3), (5_000, 4), (1_000_000, 7)] {
            let (number, rounds) = search(&(2..=last).collect());
            assert_eq!(number, last + 1);
            assert!(rounds <= most, "{rounds} rounds for {last}");
        }
    }

    #[test]
    fn a_number_is_found_even_if_all_powers_of_two_are_taken() {
        let doublings: BTreeSet<u64> = (0..64).map(|doublings| 1 << doublings).collect();
        assert_eq!(search(&doublings).0, (1 << 32) + 1);
        let run: BTreeSet<u64> = doublings.into_iter().chain((1 << 32)..(1 << 32) + 100).collect();
        assert_eq!(search(&run).0, (1 << 32) + 100);
    }

    proptest! {
        #[test]
        fn the_number_found_is_free_and_follows_a_taken_one(
            taken in proptest::collection::btree_set(2_u64..400, 0..300)
        ) {
            let (number, _) = search(&taken);
            prop_assert!(!taken.contains(&number));
            prop_assert!(number == 2 || taken.contains(&(number - 1)));
        }

        #[test]
        fn every_name_makes_a_slug_and_so_does_every_number(name in "\\PC{0,600}", number: u64) {
            let slug = Slug::derive(&name, "article");
            prop_assert_eq!(Slug::parse(slug.as_str()), Ok(slug.clone()));
            let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
            prop_assert!(slug.as_str().bytes().all(is_plain));
            let numbered = slug.numbered(number);
            prop_assert_eq!(Slug::parse(numbered.as_str()), Ok(numbered));
        }
    }

    #[test]
    fn a_text_that_would_change_an_address_is_refused() {
        assert_eq!(Slug::parse(""), Err(NoSlug::Empty));
        assert_eq!(Slug::parse(&"a".repeat(513)), Err(NoSlug::TooLong));
        assert!(Slug::parse(&"a".repeat(512)).is_ok());
        for text in [".", "..", "a/b", "a b", "ü", "a%20", "a\n"] {
            assert_eq!(Slug::parse(text), Err(NoSlug::Characters), "{text:?}");
        }
    }

    #[test]
    fn a_code_has_up_to_100_of_its_characters() {
        let code = "b-2_c".repeat(20);
        assert_eq!(Code::parse(&code).unwrap().as_str(), code);
        for more in ["d", "de"] {
            assert_eq!(Code::parse(&format!("{code}{more}")), Err(NoSlug::TooLong));
        }
        assert_eq!(Code::parse(""), Err(NoSlug::Empty));
        assert_eq!(Code::parse("B"), Err(NoSlug::Characters));
    }

    #[test]
    fn behind_numbers_that_were_given_on_purpose_the_next_ones_are_looked_up() {
        let far = NumberSearch { taken: FAR, free: None };
        assert_eq!(far.questions().first(), Some(&(FAR + 1)));
        assert_eq!(far.questions().last(), Some(&(FAR + QUESTIONS)));
    }
}
