//! A large help center beside many small ones with the same words, as a file of the portable format: the same on every run.

use crate::failure::Failure;
use crate::organization::{DAY, Era, Organization, WORDS, identifier};
use fastrand::Rng;
use hearback_domain::Time;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use uuid::Uuid;

/// Writes the file, and returns the identifier of the large organization, whose slug is [`Organization::SLUG`].
pub(crate) fn write(path: &Path, articles: usize) -> Result<Uuid, Failure> {
    let failed = || Failure::machine("writing help centers to a file");
    let out = BufWriter::new(File::create(path).map_err(failed())?);
    let mut centers = HelpCenters { out, draw: Draw::new() };
    let mut write = || {
        // Some before it and some behind it, as they were founded.
        centers.neighbours(0..NEIGHBOURS / 2)?;
        let id = centers.organization(Organization::SLUG, articles, Draw::some_needles)?;
        centers.neighbours(NEIGHBOURS / 2..NEIGHBOURS)?;
        centers.out.flush()?;
        Ok(id)
    };
    write().map_err(failed())
}

/// How many small organizations there are, and how many articles each has.
pub(crate) const NEIGHBOURS: usize = 400;
pub(crate) const NEIGHBOURS_ARTICLES: usize = 25;

/// Five articles contain it, evenly spread over the times of the last update.
pub(crate) const IN_FIVE: &str = "xylophonist";
/// One article in a thousand contains it.
pub(crate) const IN_A_THOUSANDTH: &str = "quagmire";
/// One article in fifty contains it.
pub(crate) const IN_A_FIFTIETH: &str = "jukebox";
/// One article in ten of the half that was updated first contains it, and none of the other half.
pub(crate) const IN_OLD_ONES: &str = "kryptonite";

/// The words that the articles do not have by themselves.
const NEEDLES: [&str; 4] = [IN_FIVE, IN_A_THOUSANDTH, IN_A_FIFTIETH, IN_OLD_ONES];

/// The length of an article's content, in bytes.
const LENGTH: usize = 2_000;

/// When articles were written, and when they were updated: each once, in no particular order.
const WRITTEN: Era = Era { begin: Organization::FOUNDED_AT + DAY, length: 180 * DAY };
const UPDATED: Era = Era { begin: WRITTEN.begin + WRITTEN.length, length: 180 * DAY };

struct HelpCenters {
    out: BufWriter<File>,
    draw: Draw,
}

/// The needles of the article that was updated as the `rank`th of so many.
type Needles = fn(&mut Draw, rank: usize, articles: usize) -> Vec<&'static str>;

impl HelpCenters {
    /// They contain every needle, so that an index finds them all for each.
    fn neighbours(&mut self, numbers: std::ops::Range<usize>) -> std::io::Result<()> {
        for n in numbers {
            self.organization(&format!("neighbour-{n}"), NEIGHBOURS_ARTICLES, |_, _, _| NEEDLES.to_vec())?;
        }
        Ok(())
    }

    fn organization(&mut self, slug: &str, articles: usize, needles: Needles) -> std::io::Result<Uuid> {
        let founded_at = time(Organization::FOUNDED_AT);
        let id = self.draw.id(Organization::FOUNDED_AT);
        self.line(json!({ "kind": "organization", "id": id, "name": slug, "slug": slug, "created_at": founded_at }))?;
        let parents = self.parents(&founded_at)?;
        let mut updates: Vec<(usize, i64)> = UPDATED.moments(articles).collect();
        self.draw.rng.shuffle(&mut updates);
        for ((n, written_at), (rank, updated_at)) in WRITTEN.moments(articles).zip(updates) {
            let needles = needles(&mut self.draw, rank, articles);
            let (parent, parent_id) = parents[self.draw.rng.usize(..parents.len())];
            let created_at = time(written_at);
            let mut article = json!({
                "kind": "help_article",
                "id": self.draw.id(written_at),
                "title": self.draw.words(5).join(" "),
                "content": self.draw.content(&needles),
                "slug": format!("article-{n}"),
                "is_active": self.draw.rng.usize(..100) > 0,
                "created_at": created_at,
                "updated_at": time(updated_at),
            });
            article[parent] = json!(parent_id);
            if self.draw.rng.usize(..10) > 0 {
                article["status_code"] = json!("published");
                article["published_at"] = json!(created_at);
            }
            self.line(article)?;
        }
        Ok(id)
    }

    /// Ten collections with four categories each: what articles are filed in, and by which member.
    fn parents(&mut self, founded_at: &str) -> std::io::Result<Vec<(&'static str, Uuid)>> {
        let mut parents = Vec::new();
        for n in 0..10 {
            let collection = self.draw.id(Organization::FOUNDED_AT);
            parents.push(("collection_id", collection));
            self.line(json!({
                "kind": "help_collection",
                "id": collection,
                "name": format!("Collection {n}"),
                "slug": format!("collection-{n}"),
                "created_at": founded_at,
            }))?;
        }
        for n in 0..40 {
            let category = self.draw.id(Organization::FOUNDED_AT);
            let (_, collection) = parents[n % 10];
            parents.push(("category_id", category));
            self.line(json!({
                "kind": "help_category",
                "id": category,
                "collection_id": collection,
                "name": format!("Category {n}"),
                "slug": format!("category-{n}"),
                "created_at": founded_at,
            }))?;
        }
        Ok(parents)
    }

    fn line(&mut self, record: Value) -> std::io::Result<()> {
        writeln!(self.out, "{record}")
    }
}

struct Draw {
    rng: Rng,
    vocabulary: Vec<String>,
    /// For each word the sum of its frequency and those of all words before it.
    frequencies: Vec<f64>,
}

impl Draw {
    /// The n-th word has a frequency like 1 / n^1.05, as in texts of people.
    fn new() -> Self {
        let mut rng = Rng::with_seed(2);
        let vocabulary = vocabulary(&mut rng);
        let mut sum = 0.0;
        let frequencies = (1..=vocabulary.len()).map(|rank| {
            sum += (rank as f64).powf(-1.05);
            sum
        });
        Self { frequencies: frequencies.collect(), rng, vocabulary }
    }

    fn some_needles(&mut self, rank: usize, articles: usize) -> Vec<&'static str> {
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
        // Each at a place of its own choice.
        let mut needles: Vec<(usize, &str)> = needles.iter().map(|&needle| (self.rng.usize(..LENGTH), needle)).collect();
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

/// English words, and behind them so many of syllables that there are 60,000. One in fifty of these has a letter beyond ASCII.
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
            word = word.replace('a', "ä").replace('e', "é").replace('i', "и").replace('o', "ø").replace('u', "ü");
        }
        if known.insert(word.clone()) {
            words.push(word);
        }
    }
    words
}

fn time(millis: i64) -> String {
    Time::from_unix_millis(millis).unwrap_or(Time::MIN).to_string()
}
