//! Edits of records.

use hearback_domain::Time;

/// A record that is edited.
#[derive(Clone, Copy)]
pub struct Edited<'a, R> {
    /// The stored record.
    pub before: &'a R,
    /// The record as it is to be.
    pub after: &'a R,
    /// When the edit is made.
    pub at: Time,
}

impl<R> Edited<'_, R> {
    /// A value of the record, if the edit changes it. Long values that stay are not written again.
    pub fn changed<T: PartialEq>(&self, value: impl Fn(&R) -> T) -> Option<T> {
        let after = value(self.after);
        (value(self.before) != after).then_some(after)
    }
}
