//! `/help-collections/…`

mod list;
