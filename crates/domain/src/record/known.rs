//! Loaded records.

use super::{Key, OfKind, Record};
use crate::Uuid;
use std::collections::BTreeMap;

/// Loaded records by their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known(BTreeMap<Key, Record>);

impl Known {
    /// Collects records, active or not.
    pub fn new(records: impl IntoIterator<Item = Record>) -> Self {
        Self(records.into_iter().map(|record| (record.key(), record)).collect())
    }

    /// The record with an identifier, active or not.
    pub fn any<R: OfKind>(&self, id: impl Into<Uuid>) -> Option<&R> {
        self.0.get(&(R::KIND, id.into())).and_then(R::of_record)
    }

    /// The active record with an identifier.
    pub fn active<R: OfKind>(&self, id: impl Into<Uuid>) -> Option<&R> {
        let key = (R::KIND, id.into());
        self.0.get(&key).filter(|record| record.is_active()).and_then(R::of_record)
    }

    /// The record with a key, active or not.
    pub fn get(&self, key: Key) -> Option<&Record> {
        self.0.get(&key)
    }

    /// Whether the record with a key is present and active.
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
