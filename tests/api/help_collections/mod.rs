//! `/help-collections/…`

mod list;
mod retrieve;
mod update;
