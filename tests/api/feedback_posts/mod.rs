//! `/feedback-posts/…`

mod list;
mod merge;
mod retrieve;
mod similar;
mod unmerge;
mod writes;
