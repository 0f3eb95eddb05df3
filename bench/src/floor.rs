//! What is compared with: the least that a store needs for the same result, written by hand.

mod postgres;
mod sqlite;

use crate::failure::Failure;
use crate::organization::Organization;
use crate::rows::Table;

pub(crate) use postgres::Postgres;
pub(crate) use sqlite::Sqlite;

/// A store, used without Hearback.
pub(crate) trait Floor {
    /// Makes an empty database of this name and returns its address, as Hearback takes it.
    fn create(&self, name: &str) -> Result<String, Failure>;

    /// Inserts all rows of an organization into a database that has the schema.
    fn insert(&self, name: &str, organization: &Organization) -> Result<(), Failure>;

    /// What a table holds; only the names of the table and of its columns are looked at.
    fn content(&self, name: &str, table: &Table<'_>) -> Result<Content, Failure>;

    /// Removes a database.
    fn remove(&self, name: &str) -> Result<(), Failure>;

    /// Has everything written to the disk, so that what is measured next does not pay for it.
    fn settle(&self) -> Result<(), Failure>;
}

/// The rows of a table, in whatever order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) count: u64,
    /// The sum of a hash of each row.
    pub(crate) digest: String,
}
