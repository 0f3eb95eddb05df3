//! The parts of organizations, drawn by lot: the same on every run. Times are milliseconds since
//! the Unix epoch.

use crate::failure::Failure;
use fastrand::Rng;
use hearback_domain::fold::search_text;
use std::collections::HashSet;
use std::ops::Range;
use uuid::{Builder, Uuid};

/// The slug of the measured organization.
pub(crate) const SLUG: &str = "bench";
/// When organizations are founded: 2021-12-01.
pub(crate) const FOUNDED_AT: i64 = 1_638_316_800_000;

/// A user.
pub(crate) struct User {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) avatar_url: String,
    pub(crate) company_name: &'static str,
    pub(crate) is_subscribed: bool,
    pub(crate) created_at: i64,
}

/// A board, a status or a tag.
pub(crate) struct Named {
    pub(crate) id: Uuid,
    pub(crate) name: &'static str,
    /// Its slug or code.
    pub(crate) code: String,
    pub(crate) created_at: i64,
}

/// A feedback post.
pub(crate) struct Post {
    pub(crate) id: Uuid,
    pub(crate) title: String,
    pub(crate) description: String,
    /// Lower case, so that it is its own key.
    pub(crate) slug: String,
    /// Folded beforehand, since a bare insert folds no texts.
    pub(crate) search_text: String,
    pub(crate) board_id: Uuid,
    pub(crate) author_id: Uuid,
    pub(crate) owner_id: Option<Uuid>,
    pub(crate) status_id: Uuid,
    pub(crate) tag_ids: Vec<Uuid>,
    pub(crate) is_active: bool,
    pub(crate) created_at: i64,
}

/// A vote on a feedback post.
pub(crate) struct Vote {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) post_id: Uuid,
    pub(crate) created_at: i64,
}

/// An entry of the changelog.
pub(crate) struct Entry {
    pub(crate) id: Uuid,
    pub(crate) title: String,
    pub(crate) content: String,
    pub(crate) slug: String,
    pub(crate) is_published: bool,
    pub(crate) author_id: Uuid,
    pub(crate) entry_type: &'static str,
    pub(crate) label_ids: Vec<Uuid>,
    pub(crate) created_at: i64,
}

/// A vote by the numbers of its user and its post.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Ballot {
    pub(crate) user: u32,
    pub(crate) post: u32,
}

/// A stretch of time, in milliseconds.
pub(crate) struct Era {
    pub(crate) begin: i64,
    pub(crate) length: i64,
}

pub(crate) const DAY: i64 = 24 * 60 * 60 * 1_000;
pub(crate) const FIRST_DAY: Era = Era { begin: FOUNDED_AT, length: DAY };
/// The period in which users came, posted and voted.
pub(crate) const YEAR: Era = Era { begin: FIRST_DAY.begin + DAY, length: 365 * DAY };
/// The same of an organization that the dashboard counts by day: almost five years, until
/// 2026-11-21.
pub(crate) const YEARS: Era = Era { length: 1_815 * DAY, ..YEAR };

impl Era {
    /// `count` moments, evenly spread, each with its number.
    pub(crate) fn moments(self, count: usize) -> impl Iterator<Item = (usize, i64)> {
        let step = self.length / count.max(1) as i64;
        (0..count).map(move |n| (n, self.begin + step * n as i64))
    }
}

/// The least number of users of an organization.
pub(crate) const MIN_USERS: usize = 20;

/// The random source.
pub(crate) struct Draw {
    pub(crate) rng: Rng,
    words: Vec<&'static str>,
    first_names: Vec<&'static str>,
    last_names: Vec<&'static str>,
}

impl Draw {
    pub(crate) fn new() -> Self {
        Self::with_seed(1)
    }

    pub(crate) fn with_seed(seed: u64) -> Self {
        Self {
            rng: Rng::with_seed(seed),
            words: words(WORDS),
            first_names: words(FIRST_NAMES),
            last_names: words(LAST_NAMES),
        }
    }

    pub(crate) fn user(&mut self, n: usize, at: i64) -> User {
        let (first, last) =
            (pick(&mut self.rng, &self.first_names), pick(&mut self.rng, &self.last_names));
        User {
            id: self.id(at),
            user_id: self.id(at),
            name: format!("{first} {last}"),
            email: format!("{}.{n}@example.com", last.to_lowercase()),
            avatar_url: format!("https://avatars.example.com/{n}.png"),
            company_name: pick(&mut self.rng, &self.last_names),
            is_subscribed: self.rng.bool(),
            created_at: at,
        }
    }

    pub(crate) fn named(&mut self, names: &[&'static str]) -> Vec<Named> {
        let named =
            |((_, at), &name)| Named { id: self.id(at), name, code: slug(name), created_at: at };
        FIRST_DAY.moments(names.len()).zip(names).map(named).collect()
    }

    /// A post by one of some users. One post in ten has one of the first users as owner, and one in
    /// fifty is not active.
    pub(crate) fn post(
        &mut self,
        n: usize,
        at: i64,
        [boards, statuses, tags]: [&[Named]; 3],
        users: &[Uuid],
    ) -> Post {
        let length = self.rng.usize(3..9);
        let title = self.sentence(length);
        let description = self.text(1..10);
        let mut tag_ids = Vec::new();
        for _ in 0..self.rng.usize(1..4) {
            let tag = pick_early(&mut self.rng, tags).id;
            if !tag_ids.contains(&tag) {
                tag_ids.push(tag);
            }
        }
        let is_owned = self.rng.usize(..10) == 0;
        Post {
            id: self.id(at),
            slug: slug(&format!("{title} {n}")),
            search_text: search_text([title.as_str(), description.as_str()]),
            title,
            description,
            board_id: pick_early(&mut self.rng, boards).id,
            author_id: users[self.rng.usize(..users.len())],
            owner_id: is_owned.then(|| users[self.rng.usize(..MIN_USERS)]),
            status_id: pick_early(&mut self.rng, statuses).id,
            tag_ids,
            is_active: self.rng.usize(..50) > 0,
            created_at: at,
        }
    }

    /// The number of votes of each post: `most` at most, and the asked number in all.
    ///
    /// The n-th popular post has a share like 1 / (n + 10): of a million votes on 100,000 posts the
    /// first has some 10,000.
    pub(crate) fn vote_counts(
        &mut self,
        posts: usize,
        votes: usize,
        most: usize,
    ) -> Result<Vec<usize>, Failure> {
        if votes > posts * most {
            return Err(Failure::TooManyVotes { votes, posts, most: posts * most });
        }
        let shares = || (10..posts + 10).map(|rank| 1.0 / rank as f64);
        let all: f64 = shares().sum();
        let mut counts: Vec<usize> =
            shares().map(|share| ((votes as f64 * share / all) as usize).min(most)).collect();
        let mut left = votes - counts.iter().sum::<usize>();
        while left > 0 {
            for count in counts.iter_mut().filter(|count| **count < most).take(left) {
                *count += 1;
                left -= 1;
            }
        }
        // The age of a post does not decide its popularity.
        self.rng.shuffle(&mut counts);
        Ok(counts)
    }

    /// The votes in the order of their times: by all users, on all posts in turn. Post number n
    /// gets the n-th count.
    pub(crate) fn ballots(&mut self, counts: &[usize], users: usize) -> Vec<Ballot> {
        let mut cast = Vec::with_capacity(counts.iter().sum());
        for (post, &count) in (0..).zip(counts) {
            let mut voters = HashSet::with_capacity(count);
            while voters.len() < count {
                let user = self.rng.u32(..users as u32);
                if voters.insert(user) {
                    cast.push(Ballot { user, post });
                }
            }
        }
        self.rng.shuffle(&mut cast);
        cast
    }

    pub(crate) fn vote(&mut self, at: i64, user_id: Uuid, post_id: Uuid) -> Vote {
        Vote { id: self.id(at), user_id, post_id, created_at: at }
    }

    pub(crate) fn id(&mut self, at: i64) -> Uuid {
        identifier(&mut self.rng, at)
    }

    /// A changelog entry of 1 KB, published in nine of ten cases, with up to two labels.
    pub(crate) fn entry(&mut self, n: usize, at: i64, labels: &[Named], authors: &[Uuid]) -> Entry {
        let mut label_ids: Vec<Uuid> =
            (0..self.rng.usize(..3)).map(|_| labels[self.rng.usize(..labels.len())].id).collect();
        label_ids.dedup();
        Entry {
            id: self.id(at),
            title: self.sentence(6),
            content: self.text(16..19),
            slug: format!("entry-{n}"),
            is_published: self.rng.usize(..10) > 0,
            author_id: authors[self.rng.usize(..authors.len())],
            entry_type: ENTRY_TYPES[self.rng.usize(..ENTRY_TYPES.len())],
            label_ids,
            created_at: at,
        }
    }

    /// This number of sentences.
    pub(crate) fn text(&mut self, sentences: Range<usize>) -> String {
        let mut text = String::new();
        for _ in 0..self.rng.usize(sentences) {
            let length = self.rng.usize(5..16);
            text += &self.sentence(length);
            text.push_str(". ");
        }
        text.truncate(text.trim_end().len());
        text
    }

    pub(crate) fn sentence(&mut self, words: usize) -> String {
        let words: Vec<&str> =
            (0..words).map(|_| *pick_early(&mut self.rng, &self.words)).collect();
        let text = words.join(" ");
        let mut rest = text.chars();
        rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
    }
}

/// An identifier of version 7 with this time.
pub(crate) fn identifier(rng: &mut Rng, at: i64) -> Uuid {
    let mut random = [0; 10];
    rng.fill(&mut random);
    Builder::from_unix_timestamp_millis(at.unsigned_abs(), &random).into_uuid()
}

pub(crate) fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

fn pick<'a>(rng: &mut Rng, all: &[&'a str]) -> &'a str {
    all[rng.usize(..all.len())]
}

/// One of all, more often an early one.
fn pick_early<'a, T>(rng: &mut Rng, all: &'a [T]) -> &'a T {
    &all[rng.usize(..all.len()).min(rng.usize(..all.len()))]
}

pub(crate) fn slug(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .collect()
}

pub(crate) const BOARDS: [&str; 6] =
    ["Ideas", "Bugs", "Integrations", "Mobile app", "Reports", "API"];

/// In the order of the workflow, each with its group. The first is the default.
pub(crate) const STATUSES: [(&str, &str); 6] = [
    ("Open", "open"),
    ("Under review", "open"),
    ("Planned", "in-progress"),
    ("In progress", "in-progress"),
    ("Done", "completed"),
    ("Declined", "closed"),
];

pub(crate) const LABELS: [&str; 8] =
    ["Web", "iOS", "Android", "API", "Editor", "Billing", "Security", "Performance"];

const ENTRY_TYPES: [&str; 3] = ["fixed", "new", "improvement"];

pub(crate) const TAGS: &str = "\
    usability speed mobile export billing email search calendar permissions design dashboard security onboarding offline \
    translation accessibility import webhooks notifications documentation";

const FIRST_NAMES: &str = "\
    Ada Aino Björn Carla Chloé Dmitri Elif Emeka Farah Giulia Hana Henrik Ines Ivan Jamal Jorge Kaya Kenji Lena Luis Łucja \
    Maya Mei Nadia Noah Olga Omar Priya Ravi Sofía Søren Tara";

const LAST_NAMES: &str = "\
    Abara Andersen Bauer Bianchi Chen Costa Dubois Eriksson Fischer Garcia Haddad Ito Jansen Kaur Kowalski Larsen Lopez \
    Martin Meyer Nakamura Novak Okafor Olsen Petrov Rossi Santos Silva Singh Tanaka Virtanen Weber Yilmaz";

/// The most frequent ones first.
pub(crate) const WORDS: &str = "\
    the to a of and in is it we when for that on with not our can would be this from I as but all at page have customers \
    list export filter team board report only button see email new every date search more add user project calendar \
    invoice comment post vote status dark mode mobile app keyboard shortcut should could please which there after before \
    without notification setting default column table sort order slow faster loading attachment upload image file download \
    spreadsheet integration webhook token permission role admin guest language translation time zone week month year \
    dashboard chart widget theme colour font size screen window scroll menu sidebar template automation rule reminder \
    deadline assign owner label tag archive restore duplicate merge split bulk select undo history version draft publish \
    preview share link embed privacy security password login account billing subscription price currency discount tax \
    receipt refund onboarding tutorial documentation example library offline sync conflict backup accessibility contrast \
    voice reader tooltip placeholder validation error message wording typo crash freeze memory battery latency timeout \
    retry queue schedule quarterly estimate roadmap";
