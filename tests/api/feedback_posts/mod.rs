//! `/feedback-posts/…`

mod list;
mod merge;
mod retrieve;
mod unmerge;
mod writes;
