//! SQL functions that only SQLite has.

use diesel::sql_types::Text;
use hearback_domain::Uuid;
use hearback_store_rows::Id;
use std::collections::HashMap;

/// Declares statements with a fixed text. Each is compiled once for a connection.
macro_rules! fixed {
    ($($name:ident: $sql:literal,)+) => {$(
        #[derive(diesel::query_builder::QueryId)]
        struct $name;

        impl diesel::query_builder::QueryFragment<diesel::sqlite::Sqlite> for $name {
            fn walk_ast<'b>(
                &'b self,
                mut out: diesel::query_builder::AstPass<'_, 'b, diesel::sqlite::Sqlite>,
            ) -> diesel::QueryResult<()> {
                out.push_sql($sql);
                Ok(())
            }
        }

        impl diesel::RunQueryDsl<diesel::SqliteConnection> for $name {}
    )+};
}

pub(crate) use fixed;

/// Identifiers as a list that SQLite's `json_each` reads: 32 hexadecimal digits each.
pub(crate) fn json_array<T: Into<Uuid> + Copy>(ids: &[T]) -> String {
    let digits: Vec<String> = ids.iter().map(|&id| format!("\"{}\"", id.into().simple())).collect();
    format!("[{}]", digits.join(","))
}

#[diesel::declare_sql_function]
extern "SQL" {
    /// The position of `needle` in `text`, from 1. It is 0 if `text` does not contain `needle`.
    fn instr(text: Text, needle: Text) -> Integer;
}

/// Groups pairs by their first value. The second values keep their order.
pub(crate) fn by_first(pairs: Vec<(Id, Id)>) -> HashMap<Id, Vec<Id>> {
    let mut all: HashMap<Id, Vec<Id>> = HashMap::new();
    for (first, second) in pairs {
        all.entry(first).or_default().push(second);
    }
    all
}
