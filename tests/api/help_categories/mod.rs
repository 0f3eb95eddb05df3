//! `/help-categories/…`

mod create;
mod list;
mod update;
