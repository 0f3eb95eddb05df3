//! `/help-collections/…`

mod create;
mod list;
