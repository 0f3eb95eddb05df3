//! The results of writes that may be tried without a change.

use crate::once::Outcome;

/// The result of a write that may be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tried {
    /// The write was made.
    Did(Outcome),
    /// The write was only tried.
    Would(Effects),
}

/// What a write does, by the names of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effects(pub Vec<(&'static str, i64)>);
