//! Edits of records.

use hearback_domain::Time;

/// A record that is edited.
#[derive(Clone, Copy)]
pub struct Edited<'a, R> {
    /// The stored record.
    pub before: &'a R,
    /// The record after the edit.
    pub after: &'a R,
    /// The time of the edit.
    pub at: Time,
}

impl<R> Edited<'_, R> {
    /// The new value, if the edit changes it. `None` leaves a long value unwritten.
    pub fn changed<T: PartialEq>(&self, value: impl Fn(&R) -> T) -> Option<T> {
        let after = value(self.after);
        (value(self.before) != after).then_some(after)
    }
}
