//! The texts of queries. Each is built once in each thread.

use diesel::pg::{Pg, PgQueryBuilder};
use diesel::query_builder::{AstPass, Query, QueryBuilder, QueryFragment, QueryId};
use diesel::result::QueryResult;
use std::any::TypeId;
use std::cell::RefCell;
use std::collections::HashMap;

/// A query whose text is built only if this thread has not built it before.
///
/// `diesel_async` builds the text of each query, only to find that the statement is already
/// prepared. The build takes longer than most of the steps after it. Diesel identifies equal texts
/// by [`QueryId`], by which it also finds the prepared statement. A query without one, such as a
/// query that is composed at run time, is built each time.
///
/// Diesel offers `to_sql` only to crates that follow its changes, as `diesel_async` does. If
/// `diesel_async` no longer called it, the queries would still be right, but slower.
pub(crate) struct KnownText<Q>(pub(crate) Q);

thread_local! {
    /// There is one text for each type of query in the program, so their number is bounded.
    static TEXTS: RefCell<HashMap<TypeId, String>> = RefCell::default();
}

impl<Q: QueryFragment<Pg> + QueryId> QueryFragment<Pg> for KnownText<Q> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }

    fn to_sql(&self, out: &mut PgQueryBuilder, backend: &Pg) -> QueryResult<()> {
        let Some(id) = Q::query_id() else { return self.0.to_sql(out, backend) };
        TEXTS.with_borrow_mut(|texts| {
            if let Some(text) = texts.get(&id) {
                out.push_sql(text);
                return Ok(());
            }
            let mut built = PgQueryBuilder::default();
            self.0.to_sql(&mut built, backend)?;
            let text = built.finish();
            out.push_sql(&text);
            texts.insert(id, text);
            Ok(())
        })
    }
}

impl<Q: QueryId> QueryId for KnownText<Q> {
    type QueryId = Q::QueryId;
    const HAS_STATIC_QUERY_ID: bool = Q::HAS_STATIC_QUERY_ID;
}

impl<Q: Query> Query for KnownText<Q> {
    type SqlType = Q::SqlType;
}

#[cfg(test)]
mod tests {
    use super::*;
    use diesel::{ExpressionMethods, QueryDsl, debug_query};
    use hearback_domain::Uuid;
    use hearback_store_rows::Id;
    use hearback_store_rows::schema::users;
    use std::cell::Cell;
    use std::rc::Rc;

    fn text(query: impl QueryFragment<Pg>) -> String {
        let mut out = PgQueryBuilder::default();
        query.to_sql(&mut out, &Pg).unwrap();
        out.finish()
    }

    #[test]
    fn each_query_has_its_own_text_the_first_time_and_later() {
        let by_id = |id| users::table.filter(users::id.eq(Id(id))).select(users::name);
        let by_user_id = |id| users::table.filter(users::user_id.eq(Id(id))).select(users::name);
        for id in [Uuid::nil(), Uuid::max(), Uuid::nil()] {
            assert_eq!(text(KnownText(by_id(id))), text(by_id(id)));
            assert_eq!(text(KnownText(by_user_id(id))), text(by_user_id(id)));
        }
        assert_ne!(text(by_id(Uuid::nil())), text(by_user_id(Uuid::nil())));
    }

    /// A query that counts how often it is walked.
    #[derive(QueryId)]
    struct Walked(Rc<Cell<u32>>);

    impl QueryFragment<Pg> for Walked {
        fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
            self.0.set(self.0.get() + 1);
            out.push_sql("SELECT 1");
            Ok(())
        }
    }

    #[test]
    fn a_text_is_built_once() {
        let walks = Rc::new(Cell::new(0));
        for _ in 0..3 {
            assert_eq!(text(KnownText(Walked(Rc::clone(&walks)))), "SELECT 1");
        }
        assert_eq!(walks.get(), 1);
    }

    #[test]
    fn a_query_has_its_own_values_and_not_those_of_the_query_that_was_built() {
        let query = |name: &'static str| {
            KnownText(users::table.filter(users::name.eq(name)).select(users::id))
        };
        text(query("Ann"));
        assert!(debug_query::<Pg, _>(&query("Bob")).to_string().ends_with(r#"-- binds: ["Bob"]"#));
    }

    #[test]
    fn a_query_that_is_composed_at_run_time_is_built_each_time() {
        let query = |is_bounded: bool| {
            let query = users::table.select(users::id).into_boxed();
            KnownText(if is_bounded { query.limit(1) } else { query })
        };
        assert!(text(query(true)).contains("LIMIT"));
        assert!(!text(query(false)).contains("LIMIT"));
    }
}
