//! Statements whose table is known only when they run.

use crate::follow_ups::FollowUpRow;
use crate::schema::TENANT_TABLES_CHILDREN_FIRST;
use crate::values::{Id, SqlId, SqlStamp, Stamp};
use diesel::RunQueryDsl;
use diesel::backend::Backend;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType, Text};
use hearback_domain::follow_up::{Affected, FollowUp, Only};
use hearback_domain::id::{BoardId, OrganizationId, UserId};
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::Kind;
use hearback_ports::records::Name;
use std::marker::PhantomData;

/// A statement that is composed of text and values. It is prepared once for each text.
///
/// The text never comes from a client. `A` is the engine's type of arrays.
#[derive(Clone)]
pub struct Statement<ST, A = ()> {
    parts: Vec<Part<A>>,
    row: PhantomData<fn() -> ST>,
}

#[derive(Clone)]
enum Part<A> {
    Sql(&'static str),
    Id(Id),
    Number(i64),
    Stamp(Stamp),
    Text(String),
    Array(A),
}

impl<ST, A> Statement<ST, A> {
    /// A statement that begins with `sql` and returns rows of type `ST`.
    pub fn new(sql: &'static str) -> Self {
        Self { parts: vec![Part::Sql(sql)], row: PhantomData }
    }

    /// Appends text.
    pub fn sql(self, sql: &'static str) -> Self {
        self.with(Part::Sql(sql))
    }

    /// Appends an identifier.
    pub fn id(self, id: impl Into<Uuid>) -> Self {
        self.with(Part::Id(Id::of(id)))
    }

    /// Appends a number.
    pub fn number(self, number: i64) -> Self {
        self.with(Part::Number(number))
    }

    /// Appends a time.
    pub fn stamp(self, time: Time) -> Self {
        self.with(Part::Stamp(Stamp::of(time)))
    }

    /// Appends a text value.
    pub fn text(self, text: &str) -> Self {
        self.with(Part::Text(text.to_owned()))
    }

    /// Appends an array.
    pub fn array(self, array: A) -> Self {
        self.with(Part::Array(array))
    }

    fn with(mut self, part: Part<A>) -> Self {
        self.parts.push(part);
        self
    }
}

impl<DB, ST, A> QueryFragment<DB> for Statement<ST, A>
where
    DB: Backend + HasSqlType<SqlId> + HasSqlType<SqlStamp>,
    Id: ToSql<SqlId, DB>,
    Stamp: ToSql<SqlStamp, DB>,
    i64: ToSql<BigInt, DB>,
    String: ToSql<Text, DB>,
    A: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        for part in &self.parts {
            match part {
                Part::Sql(sql) => out.push_sql(sql),
                Part::Id(id) => out.push_bind_param::<SqlId, _>(id)?,
                Part::Stamp(stamp) => out.push_bind_param::<SqlStamp, _>(stamp)?,
                Part::Number(number) => out.push_bind_param::<BigInt, _>(number)?,
                Part::Text(text) => out.push_bind_param::<Text, _>(text)?,
                Part::Array(array) => array.walk_ast(out.reborrow())?,
            }
        }
        Ok(())
    }
}

// Diesel caches a statement without a static query id by its text.
impl<ST, A> QueryId for Statement<ST, A> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<ST, A> Query for Statement<ST, A> {
    type SqlType = ST;
}

impl<ST, A, C> RunQueryDsl<C> for Statement<ST, A> {}

/// The record of an organization that has an identifier: `$id` is the [`Id`].
#[macro_export]
macro_rules! one {
    ($table:ident, $organization:expr, $id:expr) => {
        $table::table
            .filter($table::organization_id.eq($crate::Id::of($organization)))
            .filter($table::id.eq($id))
    };
}

/// The most needs that a statement looks up. It bounds the number of different statements.
pub const NEEDS: usize = 16;

/// A record that a change needs, for [`active`].
pub struct Need {
    /// The table.
    pub table: &'static str,
    /// The column of the key.
    pub column: &'static str,
    /// The key.
    pub key: Uuid,
    /// The lock of the record, with a space before it. It may be empty.
    pub lock: &'static str,
}

/// The numbers of the needs that exist and are active. They are looked up and locked in their
/// order.
pub fn active<A>(
    organization: OrganizationId,
    needs: impl IntoIterator<Item = Need>,
) -> Statement<BigInt, A> {
    let mut statement = Statement::new("");
    for (Need { table, column, key, lock }, number) in needs.into_iter().zip(0..) {
        statement = statement
            .sql(if number == 0 { "SELECT " } else { " UNION ALL SELECT " })
            .number(number)
            .sql(" FROM (SELECT 1 FROM ")
            .sql(table)
            .sql(" WHERE is_active AND ");
        if table != "organizations" {
            statement = statement.sql("organization_id = ").id(organization).sql(" AND ");
        }
        statement = statement.sql(column).sql(" = ").id(key).sql(lock).sql(") AS needed");
    }
    statement
}

/// The `needs` with these numbers.
pub fn numbered<T: Copy>(needs: &[T], numbers: Vec<i64>) -> impl Iterator<Item = T> {
    numbers.into_iter().filter_map(|number| needs.get(usize::try_from(number).ok()?).copied())
}

/// Removes a record.
pub fn remove<A>(table: &'static str, organization: OrganizationId, id: Uuid) -> Statement<(), A> {
    let statement = Statement::new("DELETE FROM ").sql(table);
    statement.sql(" WHERE organization_id = ").id(organization).sql(" AND id = ").id(id)
}

/// Deletes an organization. Its rows stay.
pub fn delete_organization<A>(id: OrganizationId) -> Statement<(), A> {
    let statement = Statement::new("UPDATE organizations SET is_active = false WHERE is_active ");
    statement.sql("AND id = ").id(id)
}

/// Ends the deliveries of a deleted organization.
pub fn silence<A>(organization: OrganizationId) -> Statement<(), A> {
    let statement = Statement::new("UPDATE webhook_subscriptions SET is_active = false, ");
    let statement = statement.sql("inactive_since = created_at WHERE is_active ");
    statement.sql("AND organization_id = ").id(organization)
}

/// The statements that remove the rows of an organization, in this order. Each reaches up to `limit`
/// rows. It has to be repeated until it reaches fewer.
pub fn removals<A>(
    organization: OrganizationId,
    limit: i64,
) -> impl Iterator<Item = Statement<(), A>> {
    let posts = |set, which| ("UPDATE ", "feedback_posts", set, "id", which);
    let first = [
        // A post that is not active takes no votes. So the removal of votes comes to an end.
        posts(" SET is_active = false", " AND is_active"),
        // Merged posts refer to other posts.
        posts(" SET merged_into_id = NULL, canonical_id = NULL", " AND canonical_id IS NOT NULL"),
    ];
    let removals = TENANT_TABLES_CHILDREN_FIRST.iter().map(|&(table, key)| {
        let answers_first = if table == "comments" { " ORDER BY depth DESC" } else { "" };
        ("DELETE FROM ", table, "", key, answers_first)
    });
    first.into_iter().chain(removals).map(move |(verb, table, set, key, which)| {
        let of_it = " WHERE organization_id = ";
        let statement = Statement::new(verb).sql(table).sql(set).sql(of_it).id(organization);
        let statement = statement.sql(" AND (").sql(key).sql(") IN (SELECT ").sql(key);
        let statement = statement.sql(" FROM ").sql(table).sql(of_it).id(organization);
        statement.sql(which).sql(" LIMIT ").number(limit).sql(")")
    })
}

/// The statements that remove the boards and statuses of an organization, and the ends of its lists.
pub fn beginnings<A>(organization: OrganizationId) -> impl Iterator<Item = Statement<(), A>> {
    let tables = ["DELETE FROM list_ends", "DELETE FROM statuses", "DELETE FROM feedback_boards"];
    tables.into_iter().map(move |removal| {
        Statement::new(removal).sql(" WHERE organization_id = ").id(organization)
    })
}

/// The engine's condition that the array in a column contains a value.
pub type Contains<A> =
    fn(Statement<SqlId, A>, column: &'static str, value: Uuid) -> Statement<SqlId, A>;

/// The identifiers of up to `limit` records of a table that a follow-up affects, in ascending order.
/// Records that move to the end of a list are in the order of their positions.
pub fn affected<A>(
    table: &'static str,
    organization: OrganizationId,
    Affected { kind, member, only }: Affected,
    value: Uuid,
    contains: Contains<A>,
    limit: i64,
) -> Statement<SqlId, A> {
    let of_organization = " WHERE organization_id = ";
    if (kind, member) == (Kind::FeedbackPost, "tag_ids") {
        let tagged = Statement::new("SELECT feedback_post_id FROM feedback_post_tags");
        let tagged = tagged.sql(of_organization).id(organization).sql(" AND tag_id = ").id(value);
        return tagged.sql(" ORDER BY feedback_post_id LIMIT ").number(limit);
    }
    let found = Statement::new("SELECT id FROM ").sql(table).sql(of_organization).id(organization);
    let found = match member.ends_with("_ids") {
        true => contains(found.sql(" AND "), member, value),
        false => found.sql(" AND ").sql(member).sql(" = ").id(value),
    };
    let by_position = matches!(kind, Kind::HelpCategory | Kind::HelpArticle);
    let order = if by_position { " ORDER BY seq_number, id" } else { " ORDER BY id" };
    found.sql(which(only)).sql(order).sql(" LIMIT ").number(limit)
}

/// The number of records of a table whose member has a value.
pub fn count<A>(
    table: &'static str,
    organization: OrganizationId,
    Affected { member, only, .. }: Affected,
    value: Uuid,
) -> Statement<BigInt, A> {
    let count = Statement::new("SELECT count(*) FROM ").sql(table);
    let count = count.sql(" WHERE organization_id = ").id(organization);
    count.sql(" AND ").sql(member).sql(" = ").id(value).sql(which(only))
}

fn which(only: Only) -> &'static str {
    match only {
        Only::All => "",
        Only::Active => " AND is_active",
        Only::Pending => " AND is_active AND moderation_status_code = 'pending'",
    }
}

/// The number of posts on which both users have a vote, or to which both are subscribed.
pub fn shared<A>(
    kind: Kind,
    organization: OrganizationId,
    (one, other): (UserId, UserId),
) -> Statement<BigInt, A> {
    let posts = match kind {
        Kind::Vote => "SELECT feedback_post_id, roadmap_post_id FROM votes",
        _ => "SELECT feedback_post_id FROM post_subscriptions",
    };
    let of = |statement: Statement<_, A>, user: UserId| {
        let of_it = statement.sql(posts).sql(" WHERE organization_id = ").id(organization);
        of_it.sql(" AND user_id = ").id(user)
    };
    let both = of(Statement::new("SELECT count(*) FROM ("), one).sql(" INTERSECT ");
    of(both, other).sql(") AS shared")
}

/// The statements that a store runs when it stores a follow-up. `position` is the engine's function
/// that finds a text in another one.
pub fn with_follow_up<A>(
    organization: OrganizationId,
    follow_up: FollowUp,
    position: &'static str,
) -> Vec<Statement<(), A>> {
    let of_it = " WHERE organization_id = ";
    match follow_up {
        FollowUp::Replace { key: (kind, id), by } => {
            let redirect = Statement::new("UPDATE follow_ups SET replacement_id = ");
            let redirect = match by {
                Some(by) => redirect.id(by),
                None => redirect.sql("NULL"),
            };
            let redirect = redirect.sql(of_it).id(organization).sql(" AND (kind = ");
            let redirect = redirect.text(kind.code()).sql(match kind {
                Kind::HelpCollection => " AND task = 'replace' OR task = 'move_articles')",
                _ => " AND task = 'replace')",
            });
            let mut all = vec![redirect.sql(" AND replacement_id = ").id(id)];
            if let (Kind::User, Some(by)) = (kind, by) {
                let hand = Statement::new("UPDATE events SET user_id = ").id(by);
                all.push(hand.sql(of_it).id(organization).sql(" AND user_id = ").id(id));
                let hand = Statement::new("UPDATE mailings SET actor_id = ").id(by).sql(of_it);
                let hand = hand.id(organization).sql(" AND expanded_at IS NULL AND actor_id = ");
                all.push(hand.id(id));
            }
            all
        }
        FollowUp::Erase { user, .. } => {
            let mails = Statement::new("DELETE FROM mails").sql(of_it).id(organization);
            let receipts = Statement::new("DELETE FROM receipts").sql(of_it).id(organization);
            let receipts = receipts.sql(" AND EXISTS (SELECT 1 FROM users").sql(of_it);
            let receipts = receipts.id(organization).sql(" AND user_id = ").id(user);
            let receipts = receipts.sql(" AND ").sql(position);
            let sign_ins = Statement::new("DELETE FROM sign_ins").sql(of_it).id(organization);
            let sign_ins = sign_ins.sql(" AND EXISTS (SELECT 1 FROM users").sql(of_it);
            let sign_ins = sign_ins.id(organization).sql(" AND user_id = ").id(user);
            let dropped = Statement::new("DELETE FROM dropped_votes").sql(of_it).id(organization);
            vec![
                dropped.sql(" AND user_id = ").id(user),
                mails.sql(" AND user_id = ").id(user),
                receipts.sql("(receipts.idempotency_key, users.email) > 0)"),
                sign_ins.sql(" AND users.email = sign_ins.email)"),
            ]
        }
        FollowUp::DeleteContent { .. }
        | FollowUp::MoveArticles { .. }
        | FollowUp::RejectPending { .. }
        | FollowUp::SumSpend { .. } => vec![],
    }
}

/// Removes the sources of up to `limit` votes of a person.
pub fn forget_sources<A>(
    organization: OrganizationId,
    user: UserId,
    limit: i64,
) -> Statement<(), A> {
    let of_it = " WHERE organization_id = ";
    let forget = Statement::new("UPDATE votes SET source_url = NULL").sql(of_it).id(organization);
    let forget = forget.sql(" AND id IN (SELECT id FROM votes").sql(of_it).id(organization);
    let forget = forget.sql(" AND user_id = ").id(user).sql(" AND source_url IS NOT NULL");
    forget.sql(" ORDER BY id LIMIT ").number(limit).sql(")")
}

/// Removes a follow-up that has ended.
pub fn end_follow_up<A>(organization: OrganizationId, follow_up: FollowUp) -> Statement<(), A> {
    these(Statement::new("DELETE FROM follow_ups"), organization, follow_up)
}

/// Moves the place of [`FollowUp::SumSpend`] behind a post, unless it has begun again.
pub fn advance_follow_up<A>(
    organization: OrganizationId,
    follow_up: FollowUp,
    post: Uuid,
) -> Statement<(), A> {
    let advance = Statement::new("UPDATE follow_ups SET replacement_id = ").id(post);
    these(advance, organization, follow_up)
}

/// Limits a statement to the row of a follow-up.
fn these<A>(
    statement: Statement<(), A>,
    organization: OrganizationId,
    follow_up: FollowUp,
) -> Statement<(), A> {
    let row = FollowUpRow::from(follow_up);
    let these = statement.sql(" WHERE organization_id = ").id(organization);
    let these = these.sql(" AND task = ").text(&row.task).sql(" AND kind = ").text(&row.kind);
    let these = these.sql(" AND target_id = ").id(row.target_id);
    match follow_up {
        FollowUp::SumSpend { after: None, .. } => these.sql(" AND replacement_id IS NULL"),
        FollowUp::SumSpend { after: Some(after), .. } => {
            these.sql(" AND replacement_id = ").id(after)
        }
        _ => these,
    }
}

/// Lets posts show a tag that no post has any more.
pub fn end_tag_removal<A>(organization: OrganizationId, tag: Uuid) -> Statement<(), A> {
    let end = Statement::new("UPDATE tags SET removal_pending = false WHERE organization_id = ");
    end.id(organization).sql(" AND id = ").id(tag)
}

/// The conditions on a post that may be shown as similar to another one. The caller appends the
/// board's, if only its posts are asked for.
pub const OPEN: &str =
    "is_active AND merged_into_id IS NULL AND moderation_status_code = 'accepted'";

/// The newest posts of an organization or of a board that may be shown as similar, with their
/// titles.
pub fn newest_open<A>(
    organization: OrganizationId,
    board: Option<BoardId>,
    limit: i64,
) -> Statement<(SqlId, Text), A> {
    let newest = Statement::new("SELECT id, title FROM (SELECT * FROM feedback_posts");
    let newest = newest.sql(" WHERE organization_id = ").id(organization).sql(" AND is_active");
    let newest = on_board(newest, board).sql(" ORDER BY created_at DESC, id DESC LIMIT ");
    newest.number(limit).sql(") AS newest WHERE ").sql(OPEN)
}

/// A statement with the condition that posts are on a board, if it is given.
pub fn on_board<ST, A>(posts: Statement<ST, A>, board: Option<BoardId>) -> Statement<ST, A> {
    match board {
        Some(board) => posts.sql(" AND board_id = ").id(board),
        None => posts,
    }
}

/// The names of the active records of a kind, except the record `but`.
pub fn other_names<A>(
    table: &'static str,
    organization: OrganizationId,
    but: Uuid,
) -> Statement<Text, A> {
    let statement = Statement::new("SELECT name FROM ").sql(table);
    let statement = statement.sql(" WHERE organization_id = ").id(organization);
    statement.sql(" AND is_active AND id <> ").id(but)
}

/// The identifiers of up to `limit` records of a table, in ascending order, from behind `after` on.
pub fn ids<A>(
    table: &'static str,
    organization: OrganizationId,
    after: Option<Uuid>,
    limit: i64,
) -> Statement<SqlId, A> {
    let ids = Statement::new("SELECT id FROM ").sql(table);
    let ids = ids.sql(" WHERE organization_id = ").id(organization);
    let ids = match after {
        Some(after) => ids.sql(" AND id > ").id(after),
        None => ids,
    };
    ids.sql(" ORDER BY id LIMIT ").number(limit)
}

/// The names of a kind, each with its record's identifier. The caller appends the right side of the
/// last `=`.
pub fn named<A>(
    table: &'static str,
    organization: OrganizationId,
    name: Name,
) -> Statement<(Text, SqlId), A> {
    let (column, is_kept) = match name {
        Name::Slug => ("slug_key", ""),
        // The code of a deleted record of another kind is not free.
        Name::Code if table == "tags" => ("code", " AND is_active"),
        Name::Code => ("code", ""),
        Name::ExternalId => ("external_id", " AND is_active"),
        Name::FromPath => ("from_path", ""),
    };
    let statement = Statement::new("SELECT ").sql(column).sql(", id FROM ").sql(table);
    let statement = statement.sql(" WHERE organization_id = ").id(organization).sql(is_kept);
    statement.sql(" AND ").sql(column).sql(" = ")
}
