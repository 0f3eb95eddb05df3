//! Records that were loaded.

use super::{Key, OfKind, Record};
use crate::Uuid;
use std::collections::BTreeMap;

/// Records that were loaded, by the keys that other records name them by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known(BTreeMap<Key, Record>);

impl Known {
    /// Collects records, active or not.
    pub fn new(records: impl IntoIterator<Item = Record>) -> Self {
        Self(records.into_iter().map(|record| (record.key(), record)).collect())
    }

    /// A record, active or not.
    pub fn any<R: OfKind>(&self, id: impl Into<Uuid>) -> Option<&R> {
        self.0.get(&(R::KIND, id.into())).and_then(R::of_record)
    }

    /// A record that is active.
    pub fn active<R: OfKind>(&self, id: impl Into<Uuid>) -> Option<&R> {
        let key = (R::KIND, id.into());
        self.0.get(&key).filter(|record| record.is_active()).and_then(R::of_record)
    }

    /// Whether a record is there and active.
    pub fn is_active(&self, key: Key) -> bool {
        self.0.get(&key).is_some_and(Record::is_active)
    }

    /// Adds the records of `other`.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}
