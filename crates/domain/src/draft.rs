//! The input of creates and updates.

use crate::record::OfKind;
use crate::{Time, Uuid};

/// The fields of a `create`.
pub trait Draft: Clone {
    /// The record that is made.
    type Record: OfKind;
    /// The name that the record gets: a slug or a code.
    type Name;

    /// The given or derived name. The record gets another one if it is taken.
    fn name(&self) -> Self::Name;

    /// Makes the record. The store puts it behind the others of its list.
    fn create(self, id: Uuid, name: Self::Name, now: Time) -> Self::Record;
}

/// The new values of an `update`. A value that is not given stays.
pub trait Patches: Clone {
    /// The record that is changed.
    type Record: OfKind;

    /// The record with the new values.
    fn edit(self, record: Self::Record) -> Self::Record;
}
