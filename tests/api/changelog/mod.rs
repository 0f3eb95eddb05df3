//! `/changelog/…`

mod create;
mod list;
mod writes;
