//! SQL functions that only PostgreSQL has.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::{Array as SqlArray, Text};

/// The most rows that one statement inserts. So many rows share the cost of the statement, have far
/// fewer values than its maximum of 65,535, and take about 30 MiB if each has a long text.
pub(crate) const ROWS: usize = 500;

/// The `LIKE` pattern that matches each text that contains this one.
pub(crate) fn containing(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

#[diesel::declare_sql_function]
extern "SQL" {
    /// The position of `needle` in `text`, from 1. It is 0 if `text` does not contain `needle`.
    fn strpos(text: Text, needle: Text) -> Integer;
}

/// Any of some texts, in a statement whose table is known only when it runs.
#[derive(Clone)]
pub(crate) struct AnyOf(pub(crate) Vec<String>);

impl QueryFragment<Pg> for AnyOf {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("ANY (");
        out.push_bind_param::<SqlArray<Text>, _>(&self.0)?;
        out.push_sql(")");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_searched_for_is_escaped() {
        assert_eq!(containing(r"100%_\o/"), r"%100\%\_\\o/%");
    }
}
