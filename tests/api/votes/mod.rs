//! `/votes/…`

mod set;
mod toggle;
mod voters;
