//! Arrays in statements whose table is known only when they run.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::{Array as SqlArray, Text};
use hearback_store_rows::{Id, SqlId};

/// An array: any of its values.
#[derive(Clone)]
pub(crate) enum AnyOf {
    /// Texts.
    Texts(Vec<String>),
    /// Identifiers.
    Ids(Vec<Id>),
}

impl QueryFragment<Pg> for AnyOf {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("ANY (");
        match self {
            Self::Texts(texts) => out.push_bind_param::<SqlArray<Text>, _>(texts)?,
            Self::Ids(ids) => out.push_bind_param::<SqlArray<SqlId>, _>(ids)?,
        }
        out.push_sql(")");
        Ok(())
    }
}
