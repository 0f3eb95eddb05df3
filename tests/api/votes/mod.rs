//! `/votes/…`

mod toggle;
mod voters;
