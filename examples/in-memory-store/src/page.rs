//! Pages of lists.

use hearback_ports::{Page, PageRequest};
use std::cmp::{Ordering, Reverse};

/// The direction of a list.
#[derive(Clone, Copy)]
pub(crate) enum Order {
    Ascending,
    Descending,
}

impl Order {
    pub(crate) fn compare<K: Ord>(self, a: &K, b: &K) -> Ordering {
        match self {
            Self::Ascending => a.cmp(b),
            Self::Descending => b.cmp(a),
        }
    }
}

/// The page of a list that is asked for.
pub(crate) fn page<T, K: Ord>(
    all: impl Iterator<Item = T>,
    order: Order,
    request: PageRequest<K>,
    key: impl Fn(&T) -> K,
) -> Page<T, K> {
    let PageRequest { after, limit } = request;
    let is_behind = |item: &T| {
        after.as_ref().is_none_or(|after| order.compare(&key(item), after) == Ordering::Greater)
    };
    let mut behind: Vec<T> = all.filter(is_behind).collect();
    match order {
        Order::Ascending => behind.sort_by_cached_key(&key),
        Order::Descending => behind.sort_by_cached_key(|item| Reverse(key(item))),
    }
    behind.truncate(limit.get() + 1);
    Page::cut(behind, limit, &key)
}

/// A page with something else in the place of each record.
pub(crate) fn map<T, U, K>(page: Page<T, K>, change: impl Fn(T) -> Option<U>) -> Page<U, K> {
    let Page { items, next } = page;
    Page { items: items.into_iter().filter_map(change).collect(), next }
}

/// The first `limit` of what is sorted by a key.
pub(crate) fn first<T, K: Ord>(
    all: impl Iterator<Item = T>,
    limit: i64,
    key: impl Fn(&T) -> K,
) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_by_key(key);
    all.truncate(usize::try_from(limit).unwrap_or_default());
    all
}
