//! `/help-articles/…`

mod create;
mod list;
mod retrieve;
mod search;
mod versions;
mod writes;
