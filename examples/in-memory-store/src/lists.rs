//! Lists and their pages.

use hearback_ports::{Page, PageRequest};

/// The direction of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Ascending,
    Descending,
}

/// The items in the order of their keys.
pub(crate) fn sorted<T, K: Ord>(
    all: impl Iterator<Item = T>,
    order: Order,
    key: impl Fn(&T) -> K,
) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_by_cached_key(key);
    if order == Order::Descending {
        all.reverse();
    }
    all
}

/// A page of the items in the order of their keys. No two items have the same key.
pub(crate) fn page<T, K: Ord>(
    all: impl Iterator<Item = T>,
    order: Order,
    request: PageRequest<K>,
    key: impl Fn(&T) -> K,
) -> Page<T, K> {
    let PageRequest { after, limit } = request;
    let is_behind = |item: &T| match (&after, order) {
        (None, _) => true,
        (Some(after), Order::Ascending) => key(item) > *after,
        (Some(after), Order::Descending) => key(item) < *after,
    };
    Page::cut(sorted(all.filter(is_behind), order, &key), limit, &key)
}

/// The first `limit` items. The items are ordered by themselves.
pub(crate) fn first<T: Ord>(all: impl Iterator<Item = T>, limit: i64) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_unstable();
    all.truncate(size(limit));
    all
}

/// A limit as the size of a list.
pub(crate) fn size(limit: i64) -> usize {
    usize::try_from(limit).unwrap_or_default()
}

/// The number of items, as a counter shows it.
pub(crate) fn count<T>(all: impl Iterator<Item = T>) -> i64 {
    i64::try_from(all.count()).unwrap_or(i64::MAX)
}
