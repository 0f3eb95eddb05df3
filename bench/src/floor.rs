//! The floor: the least that a store needs for the same result, written by hand.

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

    /// How many rows a table has. `table` may end with a condition.
    fn count(&self, name: &str, table: &str) -> Result<u64, Failure>;

    /// The number of posts that a server has yet to index for searches.
    fn posts_to_index(&self, name: &str) -> Result<u64, Failure>;

    /// Returns whether votes of an answered merge have yet to move.
    fn is_merging(&self, name: &str) -> Result<bool, Failure>;

    /// Inserts rows into a database with the schema, all in one transaction. A table comes after
    /// the tables that it refers to.
    fn insert(&self, name: &str, tables: Vec<Table<'_>>) -> Result<(), Failure>;

    /// Does the upkeep that the store does by itself in time.
    fn keep_up(&self, name: &str) -> Result<(), Failure>;

    /// Opens a database for scans of an organization's help articles.
    fn scan(&self, name: &str, organization: Uuid) -> Result<Box<dyn Scan + '_>, Failure>;

    /// Opens a database for merges.
    fn merger(&self, name: &str) -> Result<Box<dyn Merger + '_>, Failure>;

    /// Has the store report its work for the statements of all later sessions. `None` if it cannot.
    fn explainer(&self, name: &str) -> Result<Option<Box<dyn Explainer + '_>>, Failure>;

    /// Has the store sync commits to the disk, as by default, and returns how it does that.
    fn sync_commits(&self) -> Result<String, Failure>;

    /// The number of deliveries that succeeded at the first attempt.
    fn delivered(&self, name: &str) -> Result<u64, Failure>;

    /// The processor time of the store's own processes so far. `None` if it has none.
    fn cpu_time(&self) -> Result<Option<Duration>, Failure>;

    /// The content of a table. Only the names of the table and of its columns are used.
    fn content(&self, name: &str, table: &Table<'_>) -> Result<Content, Failure>;

    /// Removes a database, if there is one of this name.
    fn remove(&self, name: &str) -> Result<(), Failure>;

    /// Writes everything to the disk, so that the next measurement does not pay for it.
    fn settle(&self) -> Result<(), Failure>;
}

/// The count of delivered deliveries, in the SQL of both stores.
const DELIVERED: &str = "
    SELECT count(*) FROM deliveries JOIN delivery_attempts USING (organization_id, event_id, subscription_id)
    WHERE state = 'delivered' AND attempt_count = 1 AND status = 200";

/// Searches that read every article, and check whether it is active and contains a lower-case text,
/// which is its own folded form.
pub(crate) trait Scan {
    /// The hits of a page, the most recently updated first. If there is a next page, one more.
    fn hits(&mut self, text: &str, behind: Option<Hit>) -> Result<Vec<Hit>, Failure>;

    /// The number of articles that contain a text.
    fn count(&mut self, text: &str) -> Result<u64, Failure>;
}

/// The reports of a store about its statements.
pub(crate) trait Explainer {
    /// The number of the store's pages that the last statement on a table read.
    fn buffers(&mut self, table: &str) -> Result<u64, Failure>;

    /// Ends the reports.
    fn end(self: Box<Self>) -> Result<(), Failure>;
}

/// The number of hits on a page.
pub(crate) const PAGE: usize = 25;

/// A found article, and its place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    /// In milliseconds since the Unix epoch.
    pub(crate) updated_at: i64,
    pub(crate) id: Uuid,
}

/// The rows of a table, in any order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) count: u64,
    /// The sum of a hash of each row.
    pub(crate) digest: String,
}
