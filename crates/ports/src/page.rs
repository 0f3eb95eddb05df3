//! Pages of a list, by keyset: the next page begins behind the sort key of a page's last record.

use crate::deliveries::Delivery;
use hearback_domain::company::{Company, CompanySort};
use hearback_domain::help_article::{ArticleSort, ArticleSummary};
use hearback_domain::id::{EventId, SubscriptionId};
use hearback_domain::position::Position;
use hearback_domain::roadmap_post::{RoadmapFilter, RoadmapPost};
use hearback_domain::user::{User, UserSort};
use hearback_domain::{Time, Uuid};

/// The size of a page: 1 to 100 records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(u8);

impl Limit {
    /// The smallest size.
    pub const MIN: i64 = 1;
    /// The largest size.
    pub const MAX: i64 = 100;
    /// The size of a page that is requested without one.
    pub const DEFAULT: Self = Self(25);

    /// A size of 1 to 100. `None` for any other number.
    pub fn new(limit: i64) -> Option<Self> {
        u8::try_from(limit).ok().filter(|_| (Self::MIN..=Self::MAX).contains(&limit)).map(Self)
    }

    /// The most records of the page.
    pub fn get(self) -> usize {
        usize::from(self.0)
    }

    /// One more than the most records of the page. An adapter fetches this number, to learn whether
    /// another page follows.
    pub fn and_one(self) -> i64 {
        i64::from(self.0) + 1
    }
}

/// A request for a page. `K` is the sort key of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest<K> {
    /// The key behind which the page begins. `None` for the first page.
    pub after: Option<K>,
    /// The size of the page.
    pub limit: Limit,
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T, K> {
    /// The records, at most as many as the size of the page.
    pub items: Vec<T>,
    /// The key of the last record, if another page follows.
    pub next: Option<K>,
}

impl<T, K> Page<T, K> {
    /// Makes a page of the records that an adapter fetched, one more than the page holds (see
    /// [`Limit::and_one`]).
    pub fn cut(mut fetched: Vec<T>, limit: Limit, key: impl FnOnce(&T) -> K) -> Self {
        let has_next = fetched.len() > limit.get();
        fetched.truncate(limit.get());
        let next = if has_next { fetched.last().map(key) } else { None };
        Self { items: fetched, next }
    }
}

/// The key of a list by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByTime {
    /// The time that orders the list.
    pub at: Time,
    /// The record's identifier.
    pub id: Uuid,
}

/// The key of a list of deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByDelivery {
    /// When the delivery was made.
    pub at: Time,
    /// Its event.
    pub event: EventId,
    /// Its subscription.
    pub subscription: SubscriptionId,
}

impl ByDelivery {
    /// The key of a delivery.
    pub fn of(delivery: &Delivery) -> Self {
        let Delivery { created_at: at, event, subscription, .. } = *delivery;
        Self { at, event, subscription }
    }

    /// The place of this key in the list of one subscription, newest first. The deliveries behind
    /// that place are behind this key.
    pub fn within(self, subscription: SubscriptionId) -> (Time, EventId) {
        // The delivery of the same event is behind this key if its subscription is a lesser one.
        let is_behind = subscription < self.subscription;
        let next = self.event.0.as_u128().saturating_add(u128::from(is_behind));
        (self.at, Uuid::from_u128(next).into())
    }
}

/// The key of a list by a time that a record may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByOptionalTime {
    /// The time that orders the list.
    pub at: Option<Time>,
    /// The record's identifier.
    pub id: Uuid,
}

/// The key of a list by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByName {
    /// The record's name.
    pub name: String,
    /// The record's identifier.
    pub id: Uuid,
}

/// The key of a list by position.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByPosition {
    /// The record's position.
    pub position: Position,
    /// The record's name.
    pub name: String,
    /// The record's identifier.
    pub id: Uuid,
}

/// The key of a list of feedback posts, in any of its orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByPost {
    /// The value that orders the list.
    pub place: PostPlace,
    /// The post's identifier.
    pub id: Uuid,
}

/// The value that orders a list of feedback posts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PostPlace {
    /// A time: `created_at` or `updated_at`.
    Time(Time),
    /// The number of votes.
    Votes(i64),
    /// The numbers of votes.
    Trend {
        /// The number of recent votes.
        recent: i64,
        /// The number of all votes.
        votes: i64,
    },
    /// The spend, in hundredths.
    Spend(i64),
}

/// The key of a list with several orders.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BySort {
    /// The value that orders the list.
    pub place: SortPlace,
    /// The record's identifier.
    pub id: Uuid,
}

/// The value that orders a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SortPlace {
    /// A time.
    Time(Time),
    /// A name.
    Name(String),
    /// A number: an amount, or the ten-thousandths of a position.
    Amount(i64),
}

impl BySort {
    /// The key of a user in an order.
    pub fn of_user(user: &User, sort: UserSort) -> Self {
        let place = match sort {
            UserSort::Newest | UserSort::Oldest => SortPlace::Time(user.created_at),
            UserSort::Name => SortPlace::Name(user.name.clone()),
            UserSort::Updated | UserSort::Changes => SortPlace::Time(user.updated_at),
        };
        Self { place, id: user.id.0 }
    }

    /// The key of a company in an order.
    pub fn of_company(company: &Company, sort: CompanySort) -> Self {
        let place = match sort {
            CompanySort::Newest | CompanySort::Oldest => SortPlace::Time(company.created_at),
            CompanySort::Name => SortPlace::Name(company.name.clone()),
            CompanySort::Updated | CompanySort::Changes => SortPlace::Time(company.updated_at),
            CompanySort::Spend => SortPlace::Amount(company.monthly_spend.hundredths()),
        };
        Self { place, id: company.id.0 }
    }

    /// The key of a roadmap post in the list of a filter.
    pub fn of_roadmap_post(post: &RoadmapPost, filter: &RoadmapFilter) -> Self {
        let place = match filter.updated_after {
            None => SortPlace::Amount(post.seq_number.ten_thousandths()),
            Some(_) => SortPlace::Time(post.updated_at),
        };
        Self { place, id: post.id.0 }
    }
}

/// The key of a list of versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByVersion(pub i64);

/// The key of a list of articles, in any of its orders.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByArticle {
    /// The value that orders the list.
    pub place: ArticlePlace,
    /// The article's identifier.
    pub id: Uuid,
}

/// The value that orders a list of articles.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArticlePlace {
    /// A time: `updated_at` or `created_at`.
    Time(Time),
    /// The title.
    Title(String),
    /// The position.
    Position(Position),
}

impl ByArticle {
    /// The key of an article in an order.
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
