//! What is compared with: the least that a store needs for the same result, written by hand.

mod explain;
mod merges;
mod postgres;
mod sqlite;

use crate::failure::Failure;
use crate::rows::Table;
use std::time::Duration;
use uuid::Uuid;

pub(crate) use merges::{Merge, Merger};
pub(crate) use postgres::Postgres;
pub(crate) use sqlite::Sqlite;

/// A store, used without Hearback.
pub(crate) trait Floor {
    /// Makes an empty database of this name and returns its address, as Hearback takes it.
    fn create(&self, name: &str) -> Result<String, Failure>;

    /// The address of a database, as Hearback takes it.
    fn url(&self, name: &str) -> String;

    /// How many rows a table has.
    fn count(&self, name: &str, table: &str) -> Result<u64, Failure>;

    /// Inserts rows into a database that has the schema, all in one transaction: those of tables behind those that they refer to.
    fn insert(&self, name: &str, tables: Vec<Table<'_>>) -> Result<(), Failure>;

    /// Does the upkeep of a database that the store does by itself in time.
    fn keep_up(&self, name: &str) -> Result<(), Failure>;

    /// Opens a database for scans of an organization's help articles.
    fn scan(&self, name: &str, organization: Uuid) -> Result<Box<dyn Scan + '_>, Failure>;

    /// Opens a database for merges.
    fn merger(&self, name: &str) -> Result<Box<dyn Merger + '_>, Failure>;

    /// Has the store tell of the statements of all sessions that begin from now on what it does for them; `None` where it cannot.
    fn explainer(&self, name: &str) -> Result<Option<Box<dyn Explainer + '_>>, Failure>;

    /// Has the store bring what Hearback commits to the disk, as it does by itself, and says how it does.
    fn sync_commits(&self) -> Result<String, Failure>;

    /// How many deliveries have been taken by their receiver, and were attempted once.
    fn delivered(&self, name: &str) -> Result<u64, Failure>;

    /// The processor time that the store's own processes have had so far; `None` where it has none.
    fn cpu_time(&self) -> Result<Option<Duration>, Failure>;

    /// What a table holds; only the names of the table and of its columns are looked at.
    fn content(&self, name: &str, table: &Table<'_>) -> Result<Content, Failure>;

    /// Removes a database, if there is one of this name.
    fn remove(&self, name: &str) -> Result<(), Failure>;

    /// Has everything written to the disk, so that what is measured next does not pay for it.
    fn settle(&self) -> Result<(), Failure>;
}

/// How many deliveries were taken, in the words of both stores.
const DELIVERED: &str = "
    SELECT count(*) FROM deliveries JOIN delivery_attempts USING (organization_id, event_id, subscription_id)
    WHERE state = 'delivered' AND attempt_count = 1 AND status = 200";

/// Searches that read every article: whether it is active and contains a text, in lower case, which is its folded form.
pub(crate) trait Scan {
    /// The hits of a page and, where there is a next page, one more; the most recently updated ones first.
    fn hits(&mut self, text: &str, behind: Option<Hit>) -> Result<Vec<Hit>, Failure>;

    /// How many articles contain a text.
    fn count(&mut self, text: &str) -> Result<u64, Failure>;
}

/// What a store does for statements.
pub(crate) trait Explainer {
    /// How many of the store's pages the last statement on a table looked at.
    fn buffers(&mut self, table: &str) -> Result<u64, Failure>;

    /// Has it tell no more.
    fn end(self: Box<Self>) -> Result<(), Failure>;
}

/// How many hits a page has.
pub(crate) const PAGE: usize = 25;

/// An article that was found, and its place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    /// In milliseconds since the Unix epoch.
    pub(crate) updated_at: i64,
    pub(crate) id: Uuid,
}

/// The rows of a table, in whatever order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) count: u64,
    /// The sum of a hash of each row.
    pub(crate) digest: String,
}
