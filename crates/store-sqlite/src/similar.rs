//! The posts whose titles may be similar to a title, and the full-text index of their keys.
//!
//! A post has a number, `similar_id`, under which the index has the keys of its title. A post of a
//! deleted organization that was taken out of the index has the negative number.

use crate::post_search;
use diesel::expression::{AppearsOnTable, Expression};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel::sqlite::Sqlite;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::{BoardId, OrganizationId};
use hearback_domain::similar::{COMMON, ENOUGH, NEWEST, keys, tiers};
use hearback_store_rows::statement::{OPEN, Statement, newest_open, on_board};
use hearback_store_rows::{Edited, Id, SqlId};

/// The posts that share rare keys with a title, and the newest posts if these are few. Runs in a
/// transaction.
pub(crate) fn candidates(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    title: &str,
    board: Option<BoardId>,
) -> QueryResult<Vec<(Id, String)>> {
    let mut found: Vec<(Id, String)> = Vec::new();
    for keys in tiers(organization, title) {
        if found.len() < ENOUGH {
            found.extend(sharing(connection, organization, &keys, board)?);
        }
    }
    if found.len() < NEWEST {
        let newest = newest_open::<()>(organization, board, NEWEST as i64);
        found.extend(newest.load(connection)?);
    }
    Ok(found)
}

/// The posts that share a rare one of some keys.
fn sharing(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    keys: &[i32],
    board: Option<BoardId>,
) -> QueryResult<Vec<(Id, String)>> {
    let mut numbers = Vec::new();
    for &key in keys {
        let having = Statement::<BigInt>::new(
            "SELECT rowid FROM feedback_posts_similar WHERE feedback_posts_similar MATCH ",
        );
        let having = having.text(&token(key)).sql(" LIMIT ").number(COMMON as i64 + 1);
        let having: Vec<i64> = having.load(connection)?;
        if having.len() <= COMMON {
            numbers.extend(having);
        }
    }
    // A list of IN finds a post once.
    let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
    let sharing = Statement::<(SqlId, Text)>::new("SELECT id, title FROM feedback_posts");
    let sharing = sharing.sql(" WHERE organization_id = ").id(organization);
    let sharing = sharing.sql(" AND similar_id IN (SELECT value FROM json_each(");
    let sharing = sharing.text(&format!("[{}]", numbers.join(","))).sql(")) AND ").sql(OPEN);
    on_board(sharing, board).load(connection)
}

/// The number of the next post of the index.
#[derive(Clone, Copy, Debug, QueryId)]
pub(crate) struct Next;

const NEXT: &str = "(SELECT coalesce(max(id), 0) + 1 FROM feedback_posts_similar_docsize)";

impl QueryFragment<Sqlite> for Next {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql(NEXT);
        Ok(())
    }
}

impl Expression for Next {
    type SqlType = Nullable<BigInt>;
}

impl<QS> AppearsOnTable<QS> for Next {}

/// Adds a post to the index, under the number that it has.
pub(crate) fn index(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    post: &FeedbackPost,
) -> QueryResult<()> {
    insert(connection, organization, Id::of(post.id), &keys(organization, &post.title))
}

/// Replaces the keys of an edited post, if they change.
pub(crate) fn reindex(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    post: &Edited<'_, FeedbackPost>,
) -> QueryResult<()> {
    let Some(changed) = post.changed(|post| keys(organization, &post.title)) else {
        return Ok(());
    };
    let number = Statement::<Nullable<BigInt>>::new("SELECT similar_id FROM feedback_posts");
    let number = number.sql(" WHERE organization_id = ").id(organization);
    let number: Option<i64> = number.sql(" AND id = ").id(post.after.id).get_result(connection)?;
    match number {
        Some(number) => {
            forget(connection, number)?;
            insert(connection, organization, Id::of(post.after.id), &changed)
        }
        // The background step adds the post.
        None => Ok(()),
    }
}

/// Adds some of the posts that are missing in the index. Returns their number.
pub(crate) fn index_some(connection: &mut SqliteConnection) -> QueryResult<usize> {
    let some: Vec<(Id, Id, String)> = unindexed(SOME).load(connection)?;
    for (organization, id, title) in &some {
        // The transaction holds the write lock until the commit.
        let give = Statement::<()>::new("UPDATE feedback_posts SET similar_id = ").sql(NEXT);
        let give = give.sql(" WHERE organization_id = ").id(organization.0).sql(" AND id = ");
        give.id(id.0).execute(connection)?;
        insert(connection, organization.to(), *id, &keys(organization.to(), title))?;
    }
    Ok(some.len())
}

/// The most posts that are added in one transaction. Other writes wait for it.
const SOME: i64 = 100;

/// Whether the index misses any post. A server of an earlier release stored it.
pub(crate) fn is_incomplete(connection: &mut SqliteConnection) -> QueryResult<bool> {
    Ok(unindexed(1).load::<(Id, Id, String)>(connection)?.pop().is_some())
}

fn unindexed(limit: i64) -> Statement<(SqlId, SqlId, Text)> {
    let missing = Statement::new(
        "SELECT organization_id, id, title FROM feedback_posts WHERE similar_id IS NULL LIMIT ",
    );
    missing.number(limit)
}

/// Takes a post of a deleted organization out of this index and that of the texts. Returns `false` if
/// the indexes have none.
pub(crate) fn forget_one(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
) -> QueryResult<bool> {
    let any = Statement::<BigInt>::new("SELECT similar_id FROM feedback_posts");
    let any = any.sql(" WHERE organization_id = ").id(organization);
    let any = any.sql(" AND similar_id > 0 LIMIT 1").get_result::<i64>(connection);
    let Some(number) = any.optional()? else { return Ok(false) };
    forget(connection, number)?;
    post_search::forget(connection, number)?;
    let mark = Statement::<()>::new("UPDATE feedback_posts SET similar_id = -similar_id");
    let mark = mark.sql(" WHERE organization_id = ").id(organization);
    mark.sql(" AND similar_id = ").number(number).execute(connection)?;
    Ok(true)
}

fn insert(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    post: Id,
    keys: &[i32],
) -> QueryResult<()> {
    let tokens: Vec<String> = keys.iter().copied().map(token).collect();
    let insert = Statement::<()>::new("INSERT INTO feedback_posts_similar (rowid, keys) SELECT ");
    let insert = insert.sql("similar_id, ").text(&tokens.join(" ")).sql(" FROM feedback_posts");
    let insert = insert.sql(" WHERE organization_id = ").id(organization);
    insert.sql(" AND id = ").id(post.0).execute(connection).map(drop)
}

fn forget(connection: &mut SqliteConnection, number: i64) -> QueryResult<()> {
    let forget = Statement::<()>::new("DELETE FROM feedback_posts_similar WHERE rowid = ");
    forget.number(number).execute(connection).map(drop)
}

/// A key as a word of the index. It begins with a letter, so that no word is an operator.
fn token(key: i32) -> String {
    format!("k{key:x}")
}
