//! The access path of a list of posts: the index by which the engine finds them.
//!
//! SQLite has no statistics about values. So the store counts, and names the index.

use diesel::backend::Backend;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;

/// How a statement finds posts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// By an index that the engine chooses.
    #[default]
    Any,
    /// By the index of one condition.
    Index(Condition),
    /// By their identifiers alone, which another table has.
    Lookup,
}

/// A condition on posts that an index serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The board. No access path is by it alone: the index of the counts has it, too.
    Board,
    /// The status or the group of statuses, and the board if the filter has one.
    Status,
    /// The category.
    Category,
    /// The author.
    Author,
    /// The owner.
    Owner,
    /// The state of moderation.
    Moderation,
    /// The tags.
    Tags,
    /// The text. On SQLite a full-text index finds posts that may contain it.
    Text,
}

impl Access {
    /// A column of a condition, without its index unless this access path is by it.
    pub fn column<E>(self, condition: Condition, column: E) -> OnPath<E> {
        // One index has the board and the status.
        let by = if condition == Condition::Board { Condition::Status } else { condition };
        let is_indexed = self == Self::Any || self == Self::Index(by);
        OnPath { column, is_indexed }
    }
}

/// A column, or on SQLite an expression of the same value that no index serves.
pub struct OnPath<E> {
    column: E,
    /// `true` for identifiers and texts on PostgreSQL, where `+` takes numbers alone.
    is_indexed: bool,
}

impl<E> OnPath<E> {
    /// The value of a column that no index serves.
    pub fn unindexed(column: E) -> Self {
        Self { column, is_indexed: false }
    }
}

impl<E, DB: Backend> QueryFragment<DB> for OnPath<E>
where
    E: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        if !self.is_indexed {
            out.push_sql("+");
        }
        self.column.walk_ast(out)
    }
}

// Diesel caches a statement without a static query id by its text.
impl<E> QueryId for OnPath<E> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<E: Expression> Expression for OnPath<E> {
    type SqlType = E::SqlType;
}

impl<E: AppearsOnTable<QS>, QS> AppearsOnTable<QS> for OnPath<E> where Self: Expression {}

impl<E: SelectableExpression<QS>, QS> SelectableExpression<QS> for OnPath<E> where
    Self: AppearsOnTable<QS>
{
}

impl<E: ValidGrouping<G>, G> ValidGrouping<G> for OnPath<E> {
    type IsAggregate = E::IsAggregate;
}
