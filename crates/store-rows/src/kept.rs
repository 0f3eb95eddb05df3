//! Statements that a connection keeps.

use diesel::RunQueryDsl;
use diesel::backend::Backend;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};

/// A statement that a connection prepares once for each text.
///
/// Diesel prepares an update, or an insertion of a list of rows, each time that it runs, since the
/// number of its texts has no bound.
pub struct Kept<Q> {
    query: Q,
    is_kept: bool,
}

/// Keeps a statement with few texts, such as an update of a row.
pub fn kept<Q>(query: Q) -> Kept<Q> {
    Kept { query, is_kept: true }
}

/// Keeps an insertion of `count` rows if that is 1: each number of rows has another text.
pub fn kept_if_one<Q>(count: usize, query: Q) -> Kept<Q> {
    Kept { query, is_kept: count == 1 }
}

impl<DB: Backend, Q: QueryFragment<DB>> QueryFragment<DB> for Kept<Q> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.query.walk_ast(out)
    }

    fn is_safe_to_cache_prepared(&self, _: &DB) -> QueryResult<bool> {
        Ok(self.is_kept)
    }
}

// Diesel caches a statement without a static query id by its text.
impl<Q> QueryId for Kept<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q, C> RunQueryDsl<C> for Kept<Q> {}
