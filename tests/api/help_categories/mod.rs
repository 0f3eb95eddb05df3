//! `/help-categories/…`

mod create;
mod list;
mod retrieve;
mod update;
