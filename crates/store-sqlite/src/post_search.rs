//! The full-text index of the texts of posts.
//!
//! A post has a number in it, `similar_id`. Triggers mark the posts that are missing there, or whose
//! text is another one. A search reads the marked posts, too.

use crate::article_search::trigrams;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use hearback_domain::id::OrganizationId;
use hearback_store_rows::sqlite::lists::Posts;
use hearback_store_rows::statement::Statement;
use hearback_store_rows::{Id, SqlId};

/// The numbers of posts that may contain a text. The trigrams and [`OR_MARKED`] follow.
const FOUND: &str = "SELECT rowid AS number FROM feedback_posts_search \
                     WHERE feedback_posts_search MATCH ";
/// The numbers of the marked posts. The organization follows.
const OR_MARKED: &str =
    " UNION ALL SELECT similar_id FROM feedback_posts_unindexed WHERE organization_id = ";

/// The count of the posts that may contain `text`. `None` if the text has no trigram. The caller
/// appends the comparison with the organization, and ends the subquery.
pub(crate) fn count(organization: OrganizationId, text: &str) -> Option<Statement<BigInt>> {
    // In this order, SQLite looks up one post after the other, until it has enough of them.
    let count = Statement::new("SELECT count(*) FROM (SELECT 1 FROM (").sql(FOUND);
    let count = count.text(&trigrams(text)?).sql(OR_MARKED).id(organization);
    Some(count.sql(") CROSS JOIN feedback_posts ON similar_id = number WHERE true"))
}

/// Limits a list to the posts that may contain `text`.
pub(crate) fn that_may_contain(posts: Posts, organization: OrganizationId, text: &str) -> Posts {
    let Some(trigrams) = trigrams(text) else { return posts };
    let found = sql::<Bool>("feedback_posts.similar_id IN (").sql(FOUND);
    let found = found.bind::<Text, _>(trigrams).sql(OR_MARKED);
    posts.filter(found.bind::<SqlId, _>(Id::of(organization)).sql(")"))
}

/// Returns whether at least [`SOME`] posts are marked.
pub(crate) fn is_behind(connection: &mut SqliteConnection) -> QueryResult<bool> {
    let last = Statement::<BigInt>::new("SELECT similar_id FROM feedback_posts_unindexed LIMIT 1");
    let last = last.sql(" OFFSET ").number(SOME - 1);
    Ok(last.get_result::<i64>(connection).optional()?.is_some())
}

/// Adds some marked posts to the index, in place of their former texts. Returns their number.
pub(crate) fn index_some(connection: &mut SqliteConnection) -> QueryResult<usize> {
    let some = |statement| {
        let some = Statement::<()>::new(statement)
            .sql("(SELECT similar_id FROM feedback_posts_unindexed ORDER BY similar_id LIMIT ");
        some.number(SOME).sql(")")
    };
    some("DELETE FROM feedback_posts_search WHERE rowid IN ").execute(connection)?;
    some(
        "INSERT INTO feedback_posts_search (rowid, search_text) \
         SELECT similar_id, feedback_posts.search_text FROM feedback_posts_unindexed \
         CROSS JOIN feedback_posts USING (organization_id, similar_id) WHERE similar_id IN ",
    )
    .execute(connection)?;
    some("DELETE FROM feedback_posts_unindexed WHERE similar_id IN ").execute(connection)
}

/// The number of posts that are added in one transaction. Other writes wait for it.
const SOME: i64 = 100;

/// Takes the post with a number out of the index.
pub(crate) fn forget(connection: &mut SqliteConnection, number: i64) -> QueryResult<()> {
    for statement in [
        "DELETE FROM feedback_posts_search WHERE rowid = ",
        "DELETE FROM feedback_posts_unindexed WHERE similar_id = ",
    ] {
        Statement::<()>::new(statement).number(number).execute(connection)?;
    }
    Ok(())
}
