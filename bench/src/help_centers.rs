//! Help centers, drawn by lot: a large one beside many small ones with the same words. The same on
//! every run.

use crate::draw::{DAY, Era, FOUNDED_AT, SLUG, WORDS, identifier};
use crate::failure::Failure;
use crate::portable::{self, Portable};
use fastrand::Rng;
use serde_json::json;
use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::path::Path;
use uuid::Uuid;

/// Writes the file, and returns the identifier of the large organization, whose slug is [`SLUG`].
pub(crate) fn write(path: &Path, articles: usize) -> Result<Uuid, Failure> {
    let mut draw = Draw::new();
    let mut write = || {
        let mut file = Portable::create(path)?;
        // Some small ones come before it and some after it, by the time of their foundation.
        neighbours(&mut file, &mut draw, 0..NEIGHBOURS / 2)?;
        let id = draw.id(FOUNDED_AT);
        file.line(&portable::organization(id, SLUG))?;
        draw.help_center(&mut file, &HelpCenter { articles, ..LARGE })?;
        neighbours(&mut file, &mut draw, NEIGHBOURS / 2..NEIGHBOURS)?;
        file.finish()?;
        Ok(id)
    };
    write().map_err(Failure::machine("writing help centers to a file"))
}

/// Small help centers contain every needle, so an index finds all of them for each.
fn neighbours(file: &mut Portable, draw: &mut Draw, numbers: Range<usize>) -> io::Result<()> {
    for n in numbers {
        let id = draw.id(FOUNDED_AT);
        file.line(&portable::organization(id, &format!("neighbour-{n}")))?;
        draw.help_center(
            file,
            &HelpCenter {
                articles: NEIGHBOURS_ARTICLES,
                needles: |_, _, _| NEEDLES.to_vec(),
                ..LARGE
            },
        )?;
    }
    Ok(())
}

/// The number of small organizations, and the number of articles of each.
pub(crate) const NEIGHBOURS: usize = 400;
pub(crate) const NEIGHBOURS_ARTICLES: usize = 25;

/// Five articles contain it, evenly spread over the times of the last update.
pub(crate) const IN_FIVE: &str = "xylophonist";
/// One article in a thousand contains it.
pub(crate) const IN_A_THOUSANDTH: &str = "quagmire";
/// One article in fifty contains it.
pub(crate) const IN_A_FIFTIETH: &str = "jukebox";
/// One article in ten of the half with the older updates contains it, and none of the other half.
pub(crate) const IN_OLD_ONES: &str = "kryptonite";

/// The words that only needles have.
const NEEDLES: [&str; 4] = [IN_FIVE, IN_A_THOUSANDTH, IN_A_FIFTIETH, IN_OLD_ONES];

/// The length of an article's content, in bytes.
const LENGTH: usize = 2_000;

/// The times of articles and of their updates: each once, in no order.
const WRITTEN: Era = Era { begin: FOUNDED_AT + DAY, length: 180 * DAY };
const UPDATED: Era = Era { begin: WRITTEN.begin + WRITTEN.length, length: 180 * DAY };

/// The parts of a help center.
pub(crate) struct HelpCenter {
    pub(crate) collections: usize,
    /// Categories, in one of the collections each, in turn.
    pub(crate) categories: usize,
    /// Articles, in a category, or in a collection alone.
    pub(crate) articles: usize,
    /// The needles of the article whose update is the `rank`th of this number.
    pub(crate) needles: fn(&mut Draw, rank: usize, articles: usize) -> Vec<&'static str>,
}

/// A large help center without its articles.
pub(crate) const LARGE: HelpCenter =
    HelpCenter { collections: 10, categories: 40, articles: 0, needles: Draw::some_needles };

/// The drawn records.
pub(crate) struct Drawn {
    pub(crate) collections: Vec<Uuid>,
    pub(crate) categories: Vec<Uuid>,
    /// The active articles.
    pub(crate) articles: Vec<Uuid>,
}

/// The random source of help centers.
pub(crate) struct Draw {
    rng: Rng,
    vocabulary: Vec<String>,
    /// For each word the sum of its frequency and those of all words before it.
    frequencies: Vec<f64>,
}

impl Draw {
    /// The n-th word has a frequency like 1 / n^1.05, as in human texts.
    pub(crate) fn new() -> Self {
        let mut rng = Rng::with_seed(2);
        let vocabulary = vocabulary(&mut rng);
        let mut sum = 0.0;
        let frequencies = (1..=vocabulary.len()).map(|rank| {
            sum += (rank as f64).powf(-1.05);
            sum
        });
        Self { frequencies: frequencies.collect(), rng, vocabulary }
    }

    /// Draws the help center of an organization that the file has begun.
    pub(crate) fn help_center(
        &mut self,
        file: &mut Portable,
        center: &HelpCenter,
    ) -> io::Result<Drawn> {
        let founded_at = portable::time(FOUNDED_AT);
        let collections: Vec<Uuid> = (0..center.collections).map(|_| self.id(FOUNDED_AT)).collect();
        for (n, id) in collections.iter().enumerate() {
            file.line(&json!({
                "kind": "help_collection",
                "id": id,
                "name": format!("Collection {n}"),
                "slug": format!("collection-{n}"),
                "created_at": founded_at,
            }))?;
        }
        let categories: Vec<Uuid> = (0..center.categories).map(|_| self.id(FOUNDED_AT)).collect();
        for (n, (id, collection)) in categories.iter().zip(collections.iter().cycle()).enumerate() {
            file.line(&json!({
                "kind": "help_category",
                "id": id,
                "collection_id": collection,
                "name": format!("Category {n}"),
                "slug": format!("category-{n}"),
                "created_at": founded_at,
            }))?;
        }
        let filed_in_collection = collections.iter().map(|id| ("collection_id", *id));
        let filed_in_category = categories.iter().map(|id| ("category_id", *id));
        let parents: Vec<(&str, Uuid)> = filed_in_collection.chain(filed_in_category).collect();
        let articles = self.articles(file, center, &parents)?;
        Ok(Drawn { collections, categories, articles })
    }

    /// Draws the articles, each with one of the parents, and returns the active ones.
    fn articles(
        &mut self,
        file: &mut Portable,
        center: &HelpCenter,
        parents: &[(&str, Uuid)],
    ) -> io::Result<Vec<Uuid>> {
        let mut active = Vec::with_capacity(center.articles);
        let mut updates: Vec<(usize, i64)> = UPDATED.moments(center.articles).collect();
        self.rng.shuffle(&mut updates);
        for ((n, written_at), (rank, updated_at)) in WRITTEN.moments(center.articles).zip(updates) {
            let needles = (center.needles)(self, rank, center.articles);
            let (parent, parent_id) = parents[self.rng.usize(..parents.len())];
            let (id, created_at) = (self.id(written_at), portable::time(written_at));
            let is_active = self.rng.usize(..100) > 0;
            let mut article = json!({
                "kind": "help_article",
                "id": id,
                "title": self.words(5).join(" "),
                "content": self.content(&needles),
                "slug": format!("article-{n}"),
                "is_active": is_active,
                "created_at": created_at,
                "updated_at": portable::time(updated_at),
            });
            article[parent] = json!(parent_id);
            if self.rng.usize(..10) > 0 {
                article["status_code"] = json!("published");
                article["published_at"] = json!(created_at);
            }
            file.line(&article)?;
            if is_active {
                active.push(id);
            }
        }
        Ok(active)
    }

    pub(crate) fn some_needles(&mut self, rank: usize, articles: usize) -> Vec<&'static str> {
        let mut needles = Vec::new();
        if (0..5).any(|n| rank == articles * (2 * n + 1) / 10) {
            needles.push(IN_FIVE);
        }
        if self.rng.usize(..1_000) == 0 {
            needles.push(IN_A_THOUSANDTH);
        }
        if self.rng.usize(..50) == 0 {
            needles.push(IN_A_FIFTIETH);
        }
        if rank < articles / 2 && self.rng.usize(..10) == 0 {
            needles.push(IN_OLD_ONES);
        }
        needles
    }

    fn content(&mut self, needles: &[&str]) -> String {
        let mut text = String::with_capacity(LENGTH + 100);
        // Each needle has a random place.
        let mut needles: Vec<(usize, &str)> =
            needles.iter().map(|&needle| (self.rng.usize(..LENGTH), needle)).collect();
        while text.len() < LENGTH {
            let needle = needles.iter().position(|(place, _)| *place <= text.len());
            text += match needle {
                Some(n) => needles.swap_remove(n).1,
                None => self.word(),
            };
            text.push(' ');
        }
        for (_, needle) in needles {
            text += needle;
            text.push(' ');
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn words(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.word().to_owned()).collect()
    }

    fn word(&mut self) -> &str {
        let all = self.frequencies.last().copied().unwrap_or_default();
        let place = self.rng.f64() * all;
        let n = self.frequencies.partition_point(|&sum| sum <= place);
        self.vocabulary.get(n).map_or("", String::as_str)
    }

    fn id(&mut self, at: i64) -> Uuid {
        identifier(&mut self.rng, at)
    }
}

/// English words, and words of syllables up to 60,000 in all. One in fifty of these has a letter
/// beyond ASCII.
fn vocabulary(rng: &mut Rng) -> Vec<String> {
    const CONSONANTS: &[u8] = b"bdfgklmnprstv";
    const VOWELS: &[u8] = b"aeiou";
    let mut words: Vec<String> = WORDS.split_whitespace().map(str::to_owned).collect();
    let mut known: HashSet<String> = words.iter().cloned().collect();
    while words.len() < 60_000 {
        let mut word = String::new();
        for _ in 0..rng.usize(2..5) {
            word.push(CONSONANTS[rng.usize(..CONSONANTS.len())].into());
            word.push(VOWELS[rng.usize(..VOWELS.len())].into());
        }
        if words.len().is_multiple_of(50) {
            word = word
                .replace('a', "ä")
                .replace('e', "é")
                .replace('i', "и")
                .replace('o', "ø")
                .replace('u', "ü");
        }
        if known.insert(word.clone()) {
            words.push(word);
        }
    }
    words
}
