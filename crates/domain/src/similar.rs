//! Posts with similar titles.
//!
//! A store finds candidates by the [`keys`] that they share with a title. [`best`] ranks them by
//! their titles alone. So all stores rank alike.

use crate::feedback_post::PostDetails;
use crate::id::{OrganizationId, PostId};
use ::slug::slugify;
use std::collections::HashSet;

/// A post, and how similar it is.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarPost {
    /// The post.
    pub details: PostDetails,
    /// The [`score`] of its title.
    pub score: f64,
}

/// The most posts of a key. A key that more posts have distinguishes too little to find candidates.
pub const COMMON: usize = 200;

/// The number of candidates after which no keys of fewer words are looked up.
pub const ENOUGH: usize = 30;

/// The number of the newest posts that are candidates whatever their titles are, unless the keys
/// find as many. They make up for keys that are common or damaged: most duplicates are of recent
/// posts, and a small organization has no others.
pub const NEWEST: usize = 300;

/// The least score of a similar post.
const LEAST: f64 = 0.2;

/// The keys of a title. Titles with the same or nearly the same words share keys, in any order of
/// the words.
pub fn keys(organization: OrganizationId, title: &str) -> Vec<i32> {
    tiers(organization, title).concat()
}

/// The keys of a title by the number of their words, those of most words first. In the order of
/// the tiers, a store looks for candidates until it has [`ENOUGH`].
///
/// A key is a hash of the organization and of the stems of all words, of three or two near words,
/// or of a word. Several words distinguish far more than one, so titles of frequent words have rare
/// keys, too.
pub fn tiers(organization: OrganizationId, title: &str) -> [Vec<i32>; 3] {
    let text = slugify(title);
    let mut stems: Vec<String> = Vec::new();
    for stem in words(&text).map(stem) {
        if !stems.contains(&stem) && stems.len() < MOST_WORDS {
            stems.push(stem);
        }
    }
    let key = |mut stems: Vec<&String>| {
        stems.sort_unstable();
        hash(organization, stems.into_iter().map(String::as_str))
    };
    let [mut most, mut two, mut one] = [Vec::new(), Vec::new(), Vec::new()];
    for (n, first) in stems.iter().enumerate() {
        one.push(key(vec![first]));
        let near = &stems[n + 1..stems.len().min(n + 1 + NEAR)];
        for (n, second) in near.iter().enumerate() {
            two.push(key(vec![first, second]));
            most.extend(near[n + 1..].iter().map(|third| key(vec![first, second, third])));
        }
    }
    // The key of all words has a part that is no stem, so that it is none of the others.
    let none = String::new();
    if !stems.is_empty() {
        most.push(key(stems.iter().chain([&none]).collect()));
    }
    [most, two, one]
}

/// The most distinct words of a title that have keys.
const MOST_WORDS: usize = 16;

/// Words that follow each other at most at this distance are near.
const NEAR: usize = 3;

/// The words of a slug. Transliteration gives each word of any script letters of ASCII.
fn words(slug: &str) -> impl Iterator<Item = &str> {
    slug.split('-').filter(|word| !word.is_empty())
}

/// The part of a word that most typos and endings leave as it is: its first four distinct
/// consonants, in alphabetical order. A word that has fewer than two is its own stem.
fn stem(word: &str) -> String {
    let singular = word.strip_suffix('s').filter(|singular| singular.len() > 2).unwrap_or(word);
    let mut consonants: Vec<char> = Vec::with_capacity(4);
    for letter in singular.chars() {
        if !"aeiouy".contains(letter) && !consonants.contains(&letter) && consonants.len() < 4 {
            consonants.push(letter);
        }
    }
    if consonants.len() < 2 {
        return singular.to_owned();
    }
    consonants.sort_unstable();
    consonants.into_iter().collect()
}

/// FNV-1a of 64 bits, folded to 32. Stores keep the hashes, so the function must not change.
fn hash<'a>(organization: OrganizationId, parts: impl IntoIterator<Item = &'a str>) -> i32 {
    let parts = parts.into_iter().flat_map(|part| part.bytes().chain([0xff]));
    let bytes = organization.0.into_bytes().into_iter().chain(parts);
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let [a, b, c, d, e, f, g, h] = hash.to_be_bytes();
    i32::from_be_bytes([a ^ e, b ^ f, c ^ g, d ^ h])
}

/// The similarity of two titles, from 0 to 1: the share of the trigrams of their words that they
/// have in common (Dice's coefficient). A word begins with two blanks and ends with one, so that its
/// beginning counts most. The order of the words does not matter.
pub fn score(one: &str, other: &str) -> f64 {
    likeness(&trigrams(one), &trigrams(other))
}

/// The posts whose titles are most similar to a title, best first, with their scores. A candidate
/// may occur several times.
pub fn best(
    title: &str,
    candidates: impl IntoIterator<Item = (PostId, String)>,
    most: usize,
) -> Vec<(PostId, f64)> {
    let wanted = trigrams(title);
    let scored =
        candidates.into_iter().map(|(id, title)| (id, likeness(&wanted, &trigrams(&title))));
    let mut found: Vec<(PostId, f64)> = scored.filter(|(_, score)| *score >= LEAST).collect();
    found.sort_by(|(id, score), (other, better)| better.total_cmp(score).then(id.cmp(other)));
    let mut seen = HashSet::new();
    found.retain(|(id, _)| seen.insert(*id));
    found.truncate(most);
    found
}

/// The trigrams of the words of a title, sorted.
fn trigrams(title: &str) -> Vec<[u8; 3]> {
    let text = slugify(title);
    let mut trigrams = Vec::with_capacity(text.len() + 8);
    for word in words(&text) {
        let mut trigram = [b' '; 3];
        for letter in word.bytes().chain([b' ']) {
            trigram = [trigram[1], trigram[2], letter];
            trigrams.push(trigram);
        }
    }
    trigrams.sort_unstable();
    trigrams
}

/// Dice's coefficient of two sorted lists.
fn likeness(one: &[[u8; 3]], other: &[[u8; 3]]) -> f64 {
    let (mut shared, mut rest) = (0_u32, other);
    for trigram in one {
        let smaller = rest.partition_point(|it| it < trigram);
        rest = &rest[smaller..];
        if rest.first() == Some(trigram) {
            shared += 1;
            rest = &rest[1..];
        }
    }
    let all = one.len() + other.len();
    if all == 0 { 0.0 } else { f64::from(2 * shared) / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));

    fn shared(one: &str, other: &str) -> usize {
        let other = keys(ACME, other);
        keys(ACME, one).iter().filter(|key| other.contains(key)).count()
    }

    #[test]
    fn the_order_of_words_and_their_case_change_neither_keys_nor_scores() {
        for (one, other) in [
            ("Export reports as CSV", "CSV: reports as export"),
            ("Größere Schrift", "schrift, GRÖSSERE"),
            ("ダークモード", "ダークモード"),
        ] {
            assert_eq!(shared(one, other), keys(ACME, one).len(), "{one}");
            assert_eq!(score(one, other), 1.0, "{one}");
        }
    }

    #[test]
    fn most_typos_and_endings_keep_the_key_of_a_word() {
        for (word, other) in [
            ("export", "exprot"),
            ("notification", "notifcations"),
            ("calendar", "calender"),
            ("Benachrichtigung", "Benachrichtigungen"),
            ("préférences", "preferance"),
            ("posts", "post"),
        ] {
            assert!(shared(word, other) > 0, "{word} {other}");
        }
        assert_eq!(shared("export", "import"), 0);
    }

    #[test]
    fn several_near_words_and_all_words_have_keys_of_their_own() {
        assert_eq!(keys(ACME, "dark").len(), 2);
        assert_eq!(keys(ACME, "dark mode").len(), 4);
        assert_eq!(shared("dark mode", "mode of the dark"), 3);
        let long = (0..1_000).map(|n| format!("{n} ")).collect::<String>();
        assert_eq!(tiers(ACME, &long).map(|tier| tier.len()), [13 * 3 + 1 + 1, 13 * 3 + 2 + 1, 16]);
        for nothing in ["", " ", "?!", "\u{ffff}"] {
            assert!(keys(ACME, nothing).is_empty(), "{nothing:?}");
            assert_eq!(score(nothing, nothing), 0.0, "{nothing:?}");
        }
    }

    #[test]
    fn keys_are_of_one_organization_and_stay_as_they_are() {
        let other = OrganizationId(Uuid::from_u128(2));
        let theirs = keys(other, "dark mode");
        assert!(keys(ACME, "dark mode").iter().all(|key| !theirs.contains(key)));
        assert_eq!(
            tiers(ACME, "Dark mode"),
            [vec![696_430_444], vec![-532_395_579], vec![746_537_619, -1_185_658_072]]
        );
    }

    #[test]
    fn the_best_come_first_and_unlike_titles_not_at_all() {
        let titles = ["Dark theme", "Invoices", "Dark mode", "Dark mdoe", "dark mode"];
        let candidates = titles
            .iter()
            .zip(1_u128..)
            .map(|(title, n)| (PostId::from(Uuid::from_u128(n)), (*title).to_owned()));
        let found = best("Dark mode", candidates.clone().chain(candidates), 9);
        let places: Vec<u128> = found.iter().map(|(id, _)| id.0.as_u128()).collect();
        assert_eq!(places, [3, 5, 4, 1]);
        assert_eq!(found[0].1, 1.0);
        assert!(found.iter().all(|(_, score)| *score >= LEAST));
        let candidates = [(PostId::from(Uuid::nil()), "dark mode".to_owned())];
        assert_eq!(best("Dark mode", candidates, 0), []);
    }

    #[test]
    fn a_word_has_the_stem_of_its_plural_but_a_short_one_keeps_its_end() {
        assert_eq!(stem("reports"), stem("report"));
        assert_eq!(stem("apps"), stem("app"));
        assert_ne!(stem("bus"), stem("bu"));
    }
}
