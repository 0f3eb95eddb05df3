//! `/changelog/…`

mod create;
mod list;
