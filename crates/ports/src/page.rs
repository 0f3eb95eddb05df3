//! Pages of a list, by keyset: the last record's sort key is where the next page begins.

use hearback_domain::help_article::{ArticleSort, ArticleSummary};
use hearback_domain::position::Position;
use hearback_domain::{Time, Uuid};

/// How many records a page holds: 1 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(u8);

impl Limit {
    /// The smallest page.
    pub const MIN: i64 = 1;
    /// The largest page.
    pub const MAX: i64 = 100;
    /// The page that is given when none is asked for.
    pub const DEFAULT: Self = Self(25);

    /// `None` outside 1 to 100.
    pub fn new(limit: i64) -> Option<Self> {
        u8::try_from(limit).ok().filter(|_| (Self::MIN..=Self::MAX).contains(&limit)).map(Self)
    }

    /// How many records the page holds at most.
    pub fn get(self) -> usize {
        usize::from(self.0)
    }

    /// One more than the page holds: what an adapter fetches to learn whether there is a next page.
    pub fn and_one(self) -> i64 {
        i64::from(self.0) + 1
    }
}

/// Which page is asked for. `K` is the sort key of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest<K> {
    /// The key behind which the page begins; `None` for the first page.
    pub after: Option<K>,
    /// How many records.
    pub limit: Limit,
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T, K> {
    /// The records, at most `limit`.
    pub items: Vec<T>,
    /// The key of the last record, where more records follow it.
    pub next: Option<K>,
}

impl<T, K> Page<T, K> {
    /// Cuts what an adapter fetched (one record more than asked for, see [`Limit::and_one`]) to a page.
    pub fn cut(mut fetched: Vec<T>, limit: Limit, key: impl FnOnce(&T) -> K) -> Self {
        let has_next = fetched.len() > limit.get();
        fetched.truncate(limit.get());
        let next = if has_next { fetched.last().map(key) } else { None };
        Self { items: fetched, next }
    }
}

/// The key of a list by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByTime {
    /// The time that the list is ordered by.
    pub at: Time,
    /// The record's identifier.
    pub id: Uuid,
}

/// The key of a list by a time that a record may not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByOptionalTime {
    /// The time that the list is ordered by.
    pub at: Option<Time>,
    /// The record's identifier.
    pub id: Uuid,
}

/// The key of a list by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByName {
    /// The record's name.
    pub name: String,
    /// The record's identifier.
    pub id: Uuid,
}

/// The key of a list by curated position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByPosition {
    /// The record's place.
    pub position: Position,
    /// The record's name.
    pub name: String,
    /// The record's identifier.
    pub id: Uuid,
}

/// The key of a list of articles: an article's place in one of the orders, and its identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByArticle {
    /// The place.
    pub place: ArticlePlace,
    /// The article's identifier.
    pub id: Uuid,
}

/// What an order of articles goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArticlePlace {
    /// A time: `updated_at` or `created_at`.
    Time(Time),
    /// The title.
    Title(String),
    /// The curated position.
    Position(Position),
}

impl ByArticle {
    /// Where an article stands in an order.
    pub fn of(article: &ArticleSummary, sort: ArticleSort) -> Self {
        let place = match sort {
            ArticleSort::Updated => ArticlePlace::Time(article.updated_at),
            ArticleSort::Newest | ArticleSort::Oldest => ArticlePlace::Time(article.created_at),
            ArticleSort::Title => ArticlePlace::Title(article.title.clone()),
            ArticleSort::Position => ArticlePlace::Position(article.seq_number),
        };
        Self { place, id: article.id.0 }
    }
}
