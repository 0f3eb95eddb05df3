//! An organization of real size: the same on every run.

use crate::failure::Failure;
use fastrand::Rng;
use hearback_domain::fold::search_text;
use std::collections::HashSet;
use uuid::{Builder, Uuid};

/// An organization with what belongs to it. Times are milliseconds since the Unix epoch.
pub(crate) struct Organization {
    pub(crate) id: Uuid,
    pub(crate) users: Vec<User>,
    pub(crate) boards: Vec<Named>,
    pub(crate) statuses: Vec<Named>,
    pub(crate) tags: Vec<Named>,
    pub(crate) posts: Vec<Post>,
    pub(crate) votes: Vec<Vote>,
}

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
    /// In lower case, so that it is its own key.
    pub(crate) slug: String,
    /// Made beforehand: folding texts is no part of a bare insert.
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

impl Organization {
    /// Its slug.
    pub(crate) const SLUG: &str = "bench";
    /// When it was founded: 2025-01-01.
    pub(crate) const FOUNDED_AT: i64 = 1_735_689_600_000;

    /// As many posts and votes as asked for, and half as many users as posts. A few posts have very many votes, most have few.
    pub(crate) fn generate(posts: usize, votes: usize) -> Result<Self, Failure> {
        let mut draw = Draw::new();
        let users: Vec<User> = YEAR.moments((posts / 2).max(MIN_USERS)).map(|(n, at)| draw.user(n, at)).collect();
        let boards = draw.named(&BOARDS);
        let statuses = draw.named(&STATUSES.map(|(name, _)| name));
        let tags = draw.named(&words(TAGS));
        let counts = draw.vote_counts(posts, votes, users.len() / 2)?;
        let posts: Vec<Post> = YEAR.moments(posts).map(|(n, at)| draw.post(n, at, [&boards, &statuses, &tags], &users)).collect();
        let votes = draw.votes(&counts, &users, &posts);
        Ok(Self { id: draw.id(Self::FOUNDED_AT), users, boards, statuses, tags, posts, votes })
    }
}

const MIN_USERS: usize = 20;

/// A stretch of time, in milliseconds.
pub(crate) struct Era {
    pub(crate) begin: i64,
    pub(crate) length: i64,
}

pub(crate) const DAY: i64 = 24 * 60 * 60 * 1_000;
const FIRST_DAY: Era = Era { begin: Organization::FOUNDED_AT, length: DAY };
const YEAR: Era = Era { begin: FIRST_DAY.begin + DAY, length: 365 * DAY };

impl Era {
    /// So many moments, evenly spread, with the number of each.
    pub(crate) fn moments(self, count: usize) -> impl Iterator<Item = (usize, i64)> {
        let step = self.length / count.max(1) as i64;
        (0..count).map(move |n| (n, self.begin + step * n as i64))
    }
}

struct Draw {
    rng: Rng,
    words: Vec<&'static str>,
    first_names: Vec<&'static str>,
    last_names: Vec<&'static str>,
}

impl Draw {
    fn new() -> Self {
        Self { rng: Rng::with_seed(1), words: words(WORDS), first_names: words(FIRST_NAMES), last_names: words(LAST_NAMES) }
    }

    fn user(&mut self, n: usize, at: i64) -> User {
        let (first, last) = (pick(&mut self.rng, &self.first_names), pick(&mut self.rng, &self.last_names));
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

    fn named(&mut self, names: &[&'static str]) -> Vec<Named> {
        let named = |((_, at), &name)| Named { id: self.id(at), name, code: slug(name), created_at: at };
        FIRST_DAY.moments(names.len()).zip(names).map(named).collect()
    }

    fn post(&mut self, n: usize, at: i64, [boards, statuses, tags]: [&[Named]; 3], users: &[User]) -> Post {
        let length = self.rng.usize(3..9);
        let title = self.sentence(length);
        let description = self.description();
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
            author_id: users[self.rng.usize(..users.len())].user_id,
            owner_id: is_owned.then(|| users[self.rng.usize(..MIN_USERS)].user_id),
            status_id: pick_early(&mut self.rng, statuses).id,
            tag_ids,
            is_active: self.rng.usize(..50) > 0,
            created_at: at,
        }
    }

    /// How many votes each post has: in all as many as asked for, `most` at most for one post.
    ///
    /// The n-th popular post has a share like 1 / (n + 10): of a million votes on 100,000 posts the first has some 10,000.
    fn vote_counts(&mut self, posts: usize, votes: usize, most: usize) -> Result<Vec<usize>, Failure> {
        if votes > posts * most {
            return Err(Failure::TooManyVotes { votes, posts, most: posts * most });
        }
        let shares = || (10..posts + 10).map(|rank| 1.0 / rank as f64);
        let all: f64 = shares().sum();
        let mut counts: Vec<usize> = shares().map(|share| ((votes as f64 * share / all) as usize).min(most)).collect();
        let mut left = votes - counts.iter().sum::<usize>();
        while left > 0 {
            for count in counts.iter_mut().filter(|count| **count < most).take(left) {
                *count += 1;
                left -= 1;
            }
        }
        // An old post is popular as easily as a new one.
        self.rng.shuffle(&mut counts);
        Ok(counts)
    }

    /// The votes as they were cast: by all users, on all posts in turn.
    fn votes(&mut self, counts: &[usize], users: &[User], posts: &[Post]) -> Vec<Vote> {
        let mut cast: Vec<(Uuid, Uuid)> = Vec::with_capacity(counts.iter().sum());
        for (post, &count) in posts.iter().zip(counts) {
            let mut voters = HashSet::with_capacity(count);
            while voters.len() < count {
                let voter = self.rng.usize(..users.len());
                if voters.insert(voter) {
                    cast.push((post.id, users[voter].user_id));
                }
            }
        }
        self.rng.shuffle(&mut cast);
        let vote = |((_, at), (post_id, user_id))| Vote { id: self.id(at), user_id, post_id, created_at: at };
        YEAR.moments(cast.len()).zip(cast).map(vote).collect()
    }

    fn id(&mut self, at: i64) -> Uuid {
        identifier(&mut self.rng, at)
    }

    /// One to nine sentences.
    fn description(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.rng.usize(1..10) {
            let length = self.rng.usize(5..16);
            text += &self.sentence(length);
            text.push_str(". ");
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn sentence(&mut self, words: usize) -> String {
        let words: Vec<&str> = (0..words).map(|_| *pick_early(&mut self.rng, &self.words)).collect();
        let text = words.join(" ");
        let mut rest = text.chars();
        rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
    }
}

/// An identifier of version 7 that was made at this time.
pub(crate) fn identifier(rng: &mut Rng, at: i64) -> Uuid {
    let mut random = [0; 10];
    rng.fill(&mut random);
    Builder::from_unix_timestamp_millis(at.unsigned_abs(), &random).into_uuid()
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

fn pick<'a>(rng: &mut Rng, all: &[&'a str]) -> &'a str {
    all[rng.usize(..all.len())]
}

/// One of all, an early one more often than a late one.
fn pick_early<'a, T>(rng: &mut Rng, all: &'a [T]) -> &'a T {
    &all[rng.usize(..all.len()).min(rng.usize(..all.len()))]
}

fn slug(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
}

const BOARDS: [&str; 6] = ["Ideas", "Bugs", "Integrations", "Mobile app", "Reports", "API"];

/// In the order of the workflow, each with its group. The first is the default.
pub(crate) const STATUSES: [(&str, &str); 6] = [
    ("Open", "open"),
    ("Under review", "open"),
    ("Planned", "in-progress"),
    ("In progress", "in-progress"),
    ("Done", "completed"),
    ("Declined", "closed"),
];

const TAGS: &str = "\
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
